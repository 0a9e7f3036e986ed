//! Four types of errors, and one way to ask them all.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use crate::protocol::details::FieldViolation;
use crate::protocol::error::{A2aError, ErrorKind};
use crate::remote::{Binding, Cause, RemoteError};

/// Makes an error type of its own out of a [`RemoteError`].
macro_rules! remote_error {
    ($(#[$doc:meta])+ $name:ident) => {
        $(#[$doc])+
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name(RemoteError);

        impl $name {
            /// All that is known of it.
            pub fn remote(&self) -> &RemoteError {
                &self.0
            }
        }

        impl std::ops::Deref for $name {
            type Target = RemoteError;

            fn deref(&self) -> &RemoteError {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::error::Error for $name {
            fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
                std::error::Error::source(&self.0)
            }
        }

        impl From<$name> for RemoteError {
            fn from(error: $name) -> Self {
                error.0
            }
        }
    };
}

remote_error! {
    /// The agent reported an error over JSON-RPC, or its answer breaks the rules of the binding.
    JsonRpcError
}

remote_error! {
    /// The agent reported an error over HTTP+JSON, or its answer breaks the rules of the binding.
    RestError
}

remote_error! {
    /// There is no answer, or not all of one.
    TransportError
}

/// The request breaks the schema of its operation, or a URL is none. Nothing was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidationError {
    violations: Vec<FieldViolation>,
}

impl ValidationError {
    pub(super) fn new(violations: Vec<FieldViolation>) -> Self {
        Self { violations }
    }

    /// What is wrong, each fault with its path.
    pub fn field_violations(&self) -> &[FieldViolation] {
        &self.violations
    }
}

impl fmt::Display for ValidationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Invalid parameters")?;
        for (index, violation) in self.violations.iter().enumerate() {
            let separator = if index == 0 { ": " } else { "; " };
            write!(f, "{separator}{} {}", violation.field, violation.description)?;
        }
        Ok(())
    }
}

impl std::error::Error for ValidationError {}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ClientError {
    /// Told, or answered wrongly, over JSON-RPC.
    #[error(transparent)]
    JsonRpc(JsonRpcError),
    /// Told, or answered wrongly, over HTTP+JSON.
    #[error(transparent)]
    Rest(RestError),
    /// Found before anything was sent.
    #[error(transparent)]
    Validation(ValidationError),
    /// No whole answer came.
    #[error(transparent)]
    Transport(TransportError),
}

impl From<RemoteError> for ClientError {
    fn from(error: RemoteError) -> Self {
        match (error.cause(), error.binding()) {
            (Cause::Transport(_), _) => Self::Transport(TransportError(error)),
            (Cause::Reported | Cause::Invalid(_), Binding::JsonRpc) => Self::JsonRpc(JsonRpcError(error)),
            (Cause::Reported | Cause::Invalid(_), Binding::Rest) => Self::Rest(RestError(error)),
        }
    }
}

impl From<ValidationError> for ClientError {
    fn from(error: ValidationError) -> Self {
        Self::Validation(error)
    }
}

impl ClientError {
    /// All that is known of it; `None` of a request that was not sent.
    pub fn remote(&self) -> Option<&RemoteError> {
        match self {
            Self::JsonRpc(JsonRpcError(error))
            | Self::Rest(RestError(error))
            | Self::Transport(TransportError(error)) => Some(error),
            Self::Validation(_) => None,
        }
    }

    /// The error for a caller of one's own, where an agent asks another on somebody's behalf: what the other agent reports,
    /// without what is not for strangers, as [`RemoteError::to_protocol_error`] has it. A request that broke the schema was
    /// not the caller's, so it is Internal.
    pub fn to_protocol_error(&self) -> A2aError {
        match self.remote() {
            Some(error) => error.to_protocol_error(None),
            None => A2aError::internal().with_source(self.clone()),
        }
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.remote().map_or(ErrorKind::InvalidParams, RemoteError::kind)
    }

    /// The JSON-RPC code: as received, or that of the kind.
    pub fn code(&self) -> i32 {
        self.remote().map_or(ErrorKind::InvalidParams.facts().code, RemoteError::code)
    }

    /// The HTTP status as received; `None` if no answer came.
    pub fn http_status(&self) -> Option<u16> {
        self.remote().and_then(RemoteError::http_status)
    }

    /// `ErrorInfo.reason` as received.
    pub fn reason(&self) -> Option<&str> {
        self.remote().and_then(RemoteError::reason)
    }

    /// `ErrorInfo.metadata` as received, what is no text as JSON.
    pub fn metadata(&self) -> impl Iterator<Item = (&str, &str)> {
        self.remote().into_iter().flat_map(RemoteError::metadata)
    }

    /// The structured details as received.
    pub fn details(&self) -> &[Value] {
        self.remote().map(RemoteError::details).unwrap_or_default()
    }

    /// What is wrong with which parameter, whether the agent or the client found it.
    pub fn field_violations(&self) -> &[FieldViolation] {
        match self {
            Self::Validation(error) => error.field_violations(),
            Self::JsonRpc(_) | Self::Rest(_) | Self::Transport(_) => {
                self.remote().map(RemoteError::field_violations).unwrap_or_default()
            }
        }
    }

    /// Whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        self.remote().is_some_and(RemoteError::is_retryable)
    }

    /// How long the agent asks to be left alone.
    pub fn retry_after(&self) -> Option<Duration> {
        self.remote().and_then(RemoteError::retry_after)
    }
}
