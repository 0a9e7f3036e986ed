//! The one error type of calls to other agents.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use super::fault::{Cause, Fault, TransportFault, Violation};
use super::kind;
use super::retry_after;
use super::told::Told;
use crate::ports::{FetchError, ResponseHead, Timestamp};
use crate::protocol::binding::Binding;
use crate::protocol::details::FieldViolation;
use crate::protocol::error::{ErrorKind, is_outage};
use crate::protocol::operation::Operation;

/// Longer than this nobody waits; it keeps arithmetic with what agents send within bounds. (Our own.)
const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// Why a call to another agent failed: opaque, one pointer wide, and with nothing lost of what the agent said.
///
/// What the agent said is not to be trusted: a message may hold its stack or its database's address. For a caller of
/// one's own there is [`to_protocol_error`](Self::to_protocol_error).
#[derive(Clone, PartialEq)]
pub struct RemoteError(Box<Inner>);

#[derive(Debug, Clone, PartialEq)]
struct Inner {
    binding: Binding,
    cause: Cause,
    kind: ErrorKind,
    http_status: Option<u16>,
    retry_after: Option<Duration>,
    challenge: Option<String>,
    platform: Option<FetchError>,
    /// Whether an attempt before this one may have reached an agent.
    was_sent_before: bool,
    told: Told,
}

impl RemoteError {
    fn new(binding: Binding, cause: Cause, kind: ErrorKind) -> Self {
        Self(Box::new(Inner {
            binding,
            cause,
            kind,
            http_status: None,
            retry_after: None,
            challenge: None,
            platform: None,
            was_sent_before: false,
            told: Told::default(),
        }))
    }

    /// What the agent reports. `is_told` is whether it does so in its body, and not by the status line alone.
    pub(super) fn reported(
        binding: Binding,
        operation: Operation,
        head: &ResponseHead,
        mut told: Told,
        is_told: bool,
        now: Timestamp,
    ) -> Self {
        let failed = (400..=599).contains(&head.status);
        let status = told.status.or_else(|| failed.then_some(head.status));
        let kind = kind::of(operation, &told, status.unwrap_or(head.status), is_told);
        let in_header = head.all("Retry-After").filter_map(|value| retry_after::parse(value, now)).max();
        let mut error = Self::new(binding, Cause::Reported, kind);
        error.0.retry_after = in_header.max(told.retry_delay.take()).map(|delay| delay.min(MAX_RETRY_AFTER));
        error.0.challenge = head.header("WWW-Authenticate").map(str::to_owned);
        // In the status line if there, else in the body: an event of a stream is under a status of 200.
        let in_body = if binding == Binding::Rest { told.status } else { None };
        error.0.http_status = Some(if failed { head.status } else { in_body.unwrap_or(head.status) });
        error.0.told = told;
        error
    }

    /// An answer that the protocol does not allow, under `http_status`.
    pub(super) fn invalid(binding: Binding, http_status: u16, violation: Violation) -> Self {
        let mut error = Self::new(binding, Cause::Invalid(violation), ErrorKind::InvalidAgentResponse);
        error.0.http_status = Some(http_status);
        error
    }

    /// An answer that is sound, and says nothing that could be used.
    pub(crate) fn unusable(binding: Binding, violation: FieldViolation) -> Self {
        Self::invalid(binding, 200, Violation::Schema(vec![violation]))
    }

    /// No answer, or not all of one.
    pub fn transport(binding: Binding, fault: TransportFault) -> Self {
        let kind = ErrorKind::Custom { code: ErrorKind::Internal.facts().code, http_status: fault.http_status() };
        let retry_after = match &fault {
            TransportFault::CircuitOpen { retry_after } => Some(*retry_after),
            TransportFault::Unreachable
            | TransportFault::NoAnswer
            | TransportFault::TimedOut
            | TransportFault::CutShort => None,
        };
        let mut error = Self::new(binding, Cause::Transport(fault), kind);
        error.0.retry_after = retry_after;
        error
    }

    /// A fault that showed after the head of the answer came with `http_status`, or before it came.
    pub(super) fn of_fault(binding: Binding, http_status: Option<u16>, fault: Fault) -> Self {
        let mut error = match fault {
            Fault::Invalid(violation) => Self::new(binding, Cause::Invalid(violation), ErrorKind::InvalidAgentResponse),
            Fault::Transport(fault, platform) => {
                let mut error = Self::transport(binding, fault);
                error.0.platform = platform;
                error
            }
        };
        error.0.http_status = http_status;
        error
    }

    /// The binding in which the agent was spoken to.
    pub fn binding(&self) -> Binding {
        self.0.binding
    }

    /// Whether the agent reported it, broke the protocol, or did not answer.
    pub fn cause(&self) -> &Cause {
        &self.0.cause
    }

    /// What went wrong: by the agent's reason, then by its code, then by its status.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The JSON-RPC code: as received, or else that of the kind.
    pub fn code(&self) -> i32 {
        self.0.told.code.unwrap_or(self.0.kind.facts().code)
    }

    /// The HTTP status as received; `None` if no answer came.
    pub fn http_status(&self) -> Option<u16> {
        self.0.http_status
    }

    /// What the agent says, or else what the kind says.
    pub fn message(&self) -> &str {
        self.own_message().unwrap_or_else(|| default_message(self.0.kind))
    }

    /// What the agent says, if it says anything.
    pub(super) fn own_message(&self) -> Option<&str> {
        self.0.told.message.as_deref()
    }

    /// `ErrorInfo.reason` as received, whether known or not; of a transport fault, its own.
    pub fn reason(&self) -> Option<&str> {
        match &self.0.cause {
            Cause::Transport(fault) => Some(fault.reason()),
            Cause::Reported | Cause::Invalid(_) => self.0.told.reason.as_deref(),
        }
    }

    /// `ErrorInfo.domain` as received.
    pub fn domain(&self) -> Option<&str> {
        self.0.told.domain.as_deref()
    }

    /// `ErrorInfo.metadata`, or the members of a plain object in its place. What is no text is kept as JSON.
    pub fn metadata(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.told.metadata.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// One value of the metadata.
    pub fn metadata_value(&self, key: &str) -> Option<&str> {
        self.metadata().find(|(known, _)| *known == key).map(|(_, value)| value)
    }

    /// `error.data`, `error.details` or `detail` as received: an array as a rule, but anything may be there. Null if
    /// there was none.
    pub fn data(&self) -> &Value {
        &self.0.told.data
    }

    /// The structured details as received.
    pub fn details(&self) -> &[Value] {
        match &self.0.told.data {
            Value::Array(details) => details,
            object @ Value::Object(_) => std::slice::from_ref(object),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => &[],
        }
    }

    /// What is wrong with which parameter, in whichever form the agent told it; of a result that breaks the schema, what is
    /// wrong with which of its fields.
    pub fn field_violations(&self) -> &[FieldViolation] {
        match &self.0.cause {
            Cause::Invalid(Violation::Schema(violations)) => violations,
            Cause::Invalid(_) | Cause::Reported | Cause::Transport(_) => &self.0.told.violations,
        }
    }

    /// How long the agent asks to be left alone: RetryInfo or `Retry-After`, the longer of both.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// `WWW-Authenticate` as received.
    pub fn challenge(&self) -> Option<&str> {
        self.0.challenge.as_deref()
    }

    /// What the platform says about a fault of the transport. For a log.
    pub fn platform_message(&self) -> Option<&str> {
        match self.0.platform.as_ref()? {
            FetchError::Unreachable(said) | FetchError::CutShort(said) => Some(said),
            FetchError::TimedOut | FetchError::TooLarge => None,
        }
    }

    /// Whether the same request may succeed when it is sent again.
    pub fn is_retryable(&self) -> bool {
        match &self.0.cause {
            Cause::Transport(_) => true,
            Cause::Invalid(_) => false,
            Cause::Reported => {
                let asks_for_time = matches!(self.0.kind, ErrorKind::Custom { .. }) && self.0.retry_after.is_some();
                self.0.kind.is_retryable() || asks_for_time
            }
        }
    }

    /// The same, of a call of which an earlier attempt may have reached an agent.
    pub(super) fn after_sending(mut self, was_sent: bool) -> Self {
        self.0.was_sent_before |= was_sent;
        self
    }

    /// Whether it is certain that no agent got the request, by whichever attempt, so that sending it again cannot do
    /// anything twice.
    pub fn was_not_sent(&self) -> bool {
        match &self.0.cause {
            Cause::Transport(TransportFault::Unreachable | TransportFault::CircuitOpen { .. }) => {
                !self.0.was_sent_before
            }
            Cause::Transport(TransportFault::NoAnswer | TransportFault::TimedOut | TransportFault::CutShort)
            | Cause::Invalid(_)
            | Cause::Reported => false,
        }
    }

    /// Whether it says that the agent, and not the request, is in trouble: what a breaker counts.
    ///
    /// A `-32603` does not count. It may be one caller's request that does it, and would cut off all others.
    pub fn is_outage(&self) -> bool {
        match &self.0.cause {
            Cause::Transport(TransportFault::CircuitOpen { .. }) => false,
            Cause::Transport(_) => true,
            Cause::Invalid(_) => false,
            // One that says by its code or reason what is wrong with the request is of an agent that is there.
            Cause::Reported => self.0.http_status.is_some_and(is_outage) && self.is_retryable(),
        }
    }
}

/// What is said in the place of a message that is not there, or must not be repeated: by the kind, or by the status of one
/// that the protocol does not define.
pub(super) fn default_message(kind: ErrorKind) -> &'static str {
    let ErrorKind::Custom { http_status, .. } = kind else { return kind.facts().message };
    match http_status {
        400 => "Bad request",
        401 => "Authentication required",
        403 => "Permission denied",
        408 => "Request timeout",
        409 => "Conflict",
        413 => "Request too large",
        425 => "Too early",
        429 => "Too many requests",
        502 => "Bad gateway",
        503 => "Service unavailable",
        504 => "Gateway timeout",
        _ => "Error",
    }
}

impl fmt::Display for RemoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.cause {
            Cause::Reported => f.write_str(self.message()),
            Cause::Invalid(violation) => violation.fmt(f),
            Cause::Transport(fault) => fault.fmt(f),
        }
    }
}

impl fmt::Debug for RemoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteError")
            .field("binding", &self.0.binding)
            .field("cause", &self.0.cause)
            .field("kind", &self.0.kind)
            .field("http_status", &self.0.http_status)
            .field("told", &self.0.told)
            .finish_non_exhaustive()
    }
}

impl std::error::Error for RemoteError {
    /// The platform's [`FetchError`], of a fault of the transport.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.platform.as_ref().map(|error| error as _)
    }
}
