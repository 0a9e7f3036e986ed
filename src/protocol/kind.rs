//! Kinds of errors: the one table of what each is on the wire (specification 5.4, 9.5, 11.6).

use super::error::SERVER_ERROR;
use super::grpc::GrpcStatus;

/// What went wrong, as the protocol names it.
///
/// The numbers and names behind each kind are in [`ErrorKind::facts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The task does not exist, or is not this caller's.
    TaskNotFound,
    /// The task is in a state that cannot be cancelled.
    TaskNotCancelable,
    /// The agent card does not declare `capabilities.pushNotifications`.
    PushNotificationNotSupported,
    /// The agent does not implement the operation, or refuses this use of it.
    UnsupportedOperation,
    /// A media type in the request is not one the agent takes.
    ContentTypeNotSupported,
    /// Another agent, asked on the caller's behalf, answered what the specification does not allow.
    InvalidAgentResponse,
    /// The card declares an extended card, and there is none.
    ExtendedAgentCardNotConfigured,
    /// The card requires an extension that the caller did not declare.
    ExtensionSupportRequired,
    /// The `A2A-Version` asked for is not served.
    VersionNotSupported,
    /// The task exists, its push notification config does not. On the wire it is a `TASK_NOT_FOUND`.
    PushNotificationConfigNotFound,
    /// The body is not JSON.
    Parse,
    /// The body is JSON, but not a request.
    InvalidRequest,
    /// No such method or route.
    MethodNotFound,
    /// The parameters break the operation's schema or the agent's own rules.
    InvalidParams,
    /// Anything that the caller cannot help and must not read about.
    Internal,
    /// A condition that the specification does not name, with the author's own code and status.
    Custom {
        /// JSON-RPC error code.
        code: i32,
        /// HTTP status of the REST binding.
        http_status: u16,
    },
}

/// Lists the kinds, and makes a kind that is missing from the list a compile error.
macro_rules! every_kind {
    ($($kind:ident $({ $($field:ident: $value:expr),+ })?),+ $(,)?) => {
        impl ErrorKind {
            /// Every kind, in the order of the specification's tables; [`Custom`](Self::Custom) by one example.
            pub const ALL: &'static [Self] = &[$(Self::$kind $({ $($field: $value),+ })?),+];
        }

        // Not called: it compiles only while the list covers every kind.
        const _: fn(ErrorKind) = |kind| match kind { $(ErrorKind::$kind { .. } => ()),+ };
    };
}

every_kind! {
    TaskNotFound,
    TaskNotCancelable,
    PushNotificationNotSupported,
    UnsupportedOperation,
    ContentTypeNotSupported,
    InvalidAgentResponse,
    ExtendedAgentCardNotConfigured,
    ExtensionSupportRequired,
    VersionNotSupported,
    PushNotificationConfigNotFound,
    Parse,
    InvalidRequest,
    MethodNotFound,
    InvalidParams,
    Internal,
    Custom { code: SERVER_ERROR, http_status: 503 },
}

/// What the specification fixes for a kind: one row of its tables (5.4, 9.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// JSON-RPC error code.
    pub code: i32,
    /// HTTP status on the REST binding.
    pub http_status: u16,
    /// Name of the gRPC status.
    pub grpc_status: GrpcStatus,
    /// `ErrorInfo.reason`.
    pub reason: &'static str,
    /// The message that is sent when the error brings none of its own.
    pub message: &'static str,
}

/// Whether an HTTP status says that the server is in trouble, whatever it was asked. Those from 520 on are Cloudflare's,
/// of an origin that it got no answer from
/// (<https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/>).
pub(crate) const fn is_outage(http_status: u16) -> bool {
    matches!(http_status, 502..=504 | 520..=530)
}

impl ErrorKind {
    /// Whether the same request may succeed when it is sent again: the retry table of the second seed, and the HTTP
    /// statuses that say so (RFC 9110, 15.5.9 and 15.6; RFC 8470, 5.2; RFC 6585, 4).
    pub fn is_retryable(self) -> bool {
        match self {
            Self::Internal => true,
            Self::Custom { code, http_status } => {
                code == Self::Internal.facts().code || matches!(http_status, 408 | 425 | 429) || is_outage(http_status)
            }
            Self::TaskNotFound
            | Self::TaskNotCancelable
            | Self::PushNotificationNotSupported
            | Self::UnsupportedOperation
            | Self::ContentTypeNotSupported
            | Self::InvalidAgentResponse
            | Self::ExtendedAgentCardNotConfigured
            | Self::ExtensionSupportRequired
            | Self::VersionNotSupported
            | Self::PushNotificationConfigNotFound
            | Self::Parse
            | Self::InvalidRequest
            | Self::MethodNotFound
            | Self::InvalidParams => false,
        }
    }

    /// The kind's row in the tables of the specification.
    pub const fn facts(self) -> Facts {
        use GrpcStatus::{FailedPrecondition, Internal, InvalidArgument, NotFound, Unimplemented};
        match self {
            Self::TaskNotFound => row(-32001, 404, NotFound, "TASK_NOT_FOUND", "Task not found"),
            Self::TaskNotCancelable => {
                row(-32002, 400, FailedPrecondition, "TASK_NOT_CANCELABLE", "Task is not cancelable")
            }
            Self::PushNotificationNotSupported => row(
                -32003,
                400,
                FailedPrecondition,
                "PUSH_NOTIFICATION_NOT_SUPPORTED",
                "Push notifications are not supported",
            ),
            Self::UnsupportedOperation => {
                row(-32004, 400, FailedPrecondition, "UNSUPPORTED_OPERATION", "Operation not supported")
            }
            Self::ContentTypeNotSupported => {
                row(-32005, 400, InvalidArgument, "CONTENT_TYPE_NOT_SUPPORTED", "Content type not supported")
            }
            Self::InvalidAgentResponse => {
                row(-32006, 500, Internal, "INVALID_AGENT_RESPONSE", "Invalid agent response")
            }
            Self::ExtendedAgentCardNotConfigured => row(
                -32007,
                400,
                FailedPrecondition,
                "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
                "Extended agent card is not configured",
            ),
            Self::ExtensionSupportRequired => {
                row(-32008, 400, FailedPrecondition, "EXTENSION_SUPPORT_REQUIRED", "Extension support required")
            }
            Self::VersionNotSupported => {
                row(-32009, 400, FailedPrecondition, "VERSION_NOT_SUPPORTED", "Version not supported")
            }
            Self::PushNotificationConfigNotFound => {
                row(-32001, 404, NotFound, "TASK_NOT_FOUND", "Push notification config not found")
            }
            Self::Parse => row(-32700, 400, InvalidArgument, "PARSE_ERROR", "Invalid JSON payload"),
            Self::InvalidRequest => {
                row(-32600, 400, InvalidArgument, "INVALID_REQUEST", "Request payload validation error")
            }
            Self::MethodNotFound => row(-32601, 404, Unimplemented, "METHOD_NOT_FOUND", "Method not found"),
            Self::InvalidParams => row(-32602, 400, InvalidArgument, "INVALID_PARAMS", "Invalid parameters"),
            Self::Internal => row(-32603, 500, Internal, "INTERNAL_ERROR", "Internal error"),
            Self::Custom { code, http_status } => {
                let grpc_status = GrpcStatus::from_http(http_status);
                // "Every error has exactly one ErrorInfo": where the author names no reason, the gRPC status is one.
                row(code, http_status, grpc_status, grpc_status.name(), "Error")
            }
        }
    }

    /// Whether the kind is one of those that A2A or JSON-RPC defines.
    pub(super) const fn is_defined_by_protocol(self) -> bool {
        !matches!(self, Self::Custom { .. })
    }
}

const fn row(
    code: i32,
    http_status: u16,
    grpc_status: GrpcStatus,
    reason: &'static str,
    message: &'static str,
) -> Facts {
    Facts { code, http_status, grpc_status, reason, message }
}
