//! The names of gRPC statuses. gRPC itself is not served; REST error bodies carry the name (specification 11.6).

use std::fmt;

/// A gRPC status, by its name in `google.rpc.Code`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GrpcStatus {
    /// The caller cancelled the call.
    Cancelled,
    /// Nothing better is known.
    Unknown,
    /// The request itself is at fault.
    InvalidArgument,
    /// The deadline passed before the answer came.
    DeadlineExceeded,
    /// There is no such thing.
    NotFound,
    /// The caller may not do this.
    PermissionDenied,
    /// A quota or limit is used up.
    ResourceExhausted,
    /// The state of the system does not allow it.
    FailedPrecondition,
    /// Two calls got into each other's way.
    Aborted,
    /// The operation does not exist here.
    Unimplemented,
    /// Something broke.
    Internal,
    /// Try again later.
    Unavailable,
    /// The caller is not known.
    Unauthenticated,
}

impl GrpcStatus {
    /// The status as `google.rpc.Code` spells it, such as `NOT_FOUND`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cancelled => "CANCELLED",
            Self::Unknown => "UNKNOWN",
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Self::NotFound => "NOT_FOUND",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Self::FailedPrecondition => "FAILED_PRECONDITION",
            Self::Aborted => "ABORTED",
            Self::Unimplemented => "UNIMPLEMENTED",
            Self::Internal => "INTERNAL",
            Self::Unavailable => "UNAVAILABLE",
            Self::Unauthenticated => "UNAUTHENTICATED",
        }
    }

    /// The status that an HTTP status comes closest to: the mapping of `google/rpc/code.proto`, read backwards.
    pub const fn from_http(status: u16) -> Self {
        match status {
            401 => Self::Unauthenticated,
            403 => Self::PermissionDenied,
            404 | 410 => Self::NotFound,
            408 | 504 => Self::DeadlineExceeded,
            409 => Self::Aborted,
            412 => Self::FailedPrecondition,
            413 | 429 => Self::ResourceExhausted,
            405 | 501 => Self::Unimplemented,
            499 => Self::Cancelled,
            502 | 503 => Self::Unavailable,
            400..=499 => Self::InvalidArgument,
            500..=599 => Self::Internal,
            _ => Self::Unknown,
        }
    }
}

impl fmt::Display for GrpcStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
