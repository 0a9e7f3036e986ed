//! Why a call failed, as opposed to what the agent says about it.

use std::time::Duration;

use crate::ports::FetchError;
use crate::protocol::details::FieldViolation;
use crate::protocol::schema::RESULT;
use crate::protocol::sse::FrameTooLarge;

/// Where an error comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Cause {
    /// The agent reported it, in whatever dialect.
    Reported,
    /// The agent answered what the protocol does not allow.
    Invalid(Violation),
    /// There is no answer, or not all of one.
    Transport(TransportFault),
}

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Violation {
    /// A success whose body is not JSON.
    #[error("the answer is not JSON")]
    NotJson,
    /// A success under another media type than the binding has.
    #[error("the answer has the wrong content type")]
    ContentType,
    /// No `"jsonrpc":"2.0"`.
    #[error("the answer has no \"jsonrpc\":\"2.0\"")]
    NoVersion,
    /// The id is not that of the request.
    #[error("the id of the answer is not that of the request")]
    WrongId,
    /// Both `result` and `error`.
    #[error("the answer has both a result and an error")]
    ResultAndError,
    /// Neither `result` nor `error`.
    #[error("the answer has neither a result nor an error")]
    NoResult,
    /// The result breaks the schema of the operation.
    #[error("the result breaks the schema at {}", paths(.0))]
    Schema(Vec<FieldViolation>),
    /// One answer where a stream was asked for.
    #[error("the answer is no stream of events")]
    NotAStream,
    /// The answer, or an event of the stream, is longer than this many bytes.
    #[error("the answer is longer than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// A redirect that is not followed: to another origin, or one too many.
    #[error("the answer is a redirect that is not followed")]
    Redirect,
    /// An HTTP status that is neither a success nor an error.
    #[error("the answer has HTTP status {0}")]
    Status(u16),
}

impl From<FrameTooLarge> for Violation {
    fn from(error: FrameTooLarge) -> Self {
        Self::TooLarge { limit: error.limit }
    }
}

/// The first few paths: enough to find the fault, and no values. The whole has no path; what is wrong with it is said
/// in words, which hold no values either.
fn paths(violations: &[FieldViolation]) -> String {
    const SHOWN: usize = 5;
    let shown = violations.iter().take(SHOWN).map(|violation| match violation.field.as_str() {
        RESULT => format!("{RESULT} ({})", violation.description),
        path => path.to_owned(),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// Why there is no whole answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportFault {
    /// No connection came about; nothing was sent.
    #[error("the agent cannot be reached")]
    Unreachable,
    /// The connection ended before there was an answer; the request may have been carried out.
    #[error("the agent did not answer")]
    NoAnswer,
    /// A deadline passed first.
    #[error("the agent did not answer in time")]
    TimedOut,
    /// The answer ended before it was whole: a body cut off, or a stream that ended with the task still at work.
    #[error("the answer was cut short")]
    CutShort,
    /// Nothing was sent, since the breaker is open.
    #[error("the agent has been failing and is left alone for a while")]
    CircuitOpen {
        /// When the next attempt will be let through.
        retry_after: Duration,
    },
}

impl TransportFault {
    /// `ErrorInfo.reason` when the fault is passed on.
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Unreachable | Self::NoAnswer => "ORIGIN_UNAVAILABLE",
            Self::TimedOut => "ORIGIN_TIMEOUT",
            Self::CutShort => "ORIGIN_INTERRUPTED",
            Self::CircuitOpen { .. } => "ORIGIN_CIRCUIT_OPEN",
        }
    }

    /// The HTTP status that tells it to a REST caller.
    pub const fn http_status(&self) -> u16 {
        match self {
            Self::Unreachable | Self::NoAnswer | Self::CutShort => 502,
            Self::TimedOut => 504,
            Self::CircuitOpen { .. } => 503,
        }
    }
}

/// A cause that is not of the agent's own telling.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fault {
    Invalid(Violation),
    /// With what the platform says about it.
    Transport(TransportFault, Option<FetchError>),
}

impl From<TransportFault> for Fault {
    fn from(fault: TransportFault) -> Self {
        Self::Transport(fault, None)
    }
}

impl Fault {
    /// What a failed fetch is, before there was an answer.
    pub(super) fn before_answer(error: &FetchError, limit: usize) -> Self {
        match error {
            FetchError::Unreachable(_) => Self::Transport(TransportFault::Unreachable, Some(error.clone())),
            FetchError::CutShort(_) => Self::Transport(TransportFault::NoAnswer, Some(error.clone())),
            FetchError::TimedOut | FetchError::TooLarge => Self::of_fetch(error, limit),
        }
    }

    /// What it is later: a fault of the transport, but for an answer that is too large. Whatever the platform calls it,
    /// the agent was reached: it has begun to answer.
    pub(super) fn of_fetch(error: &FetchError, limit: usize) -> Self {
        match error {
            FetchError::TimedOut => TransportFault::TimedOut.into(),
            FetchError::Unreachable(_) | FetchError::CutShort(_) => {
                Self::Transport(TransportFault::CutShort, Some(error.clone()))
            }
            FetchError::TooLarge => Self::Invalid(Violation::TooLarge { limit }),
        }
    }
}
