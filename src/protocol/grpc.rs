//! The names of gRPC statuses. gRPC itself is not served; REST error bodies carry the name (specification 11.6).

use std::fmt;

/// The names of all gRPC statuses by their numbers (`google/rpc/code.proto`). Agents send some that this crate never does.
pub(crate) const NAMES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// A gRPC status, with its number in `google.rpc.Code`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GrpcStatus {
    /// The caller cancelled the call.
    Cancelled = 1,
    /// Nothing better is known.
    Unknown = 2,
    /// The request itself is at fault.
    InvalidArgument = 3,
    /// The deadline passed before the answer came.
    DeadlineExceeded = 4,
    /// There is no such thing.
    NotFound = 5,
    /// The caller may not do this.
    PermissionDenied = 7,
    /// A quota or limit is used up.
    ResourceExhausted = 8,
    /// The state of the system does not allow it.
    FailedPrecondition = 9,
    /// Two calls got into each other's way.
    Aborted = 10,
    /// The operation does not exist here.
    Unimplemented = 12,
    /// Something broke.
    Internal = 13,
    /// Try again later.
    Unavailable = 14,
    /// The caller is not known.
    Unauthenticated = 16,
}

impl GrpcStatus {
    /// The status as `google.rpc.Code` spells it, such as `NOT_FOUND`.
    pub const fn name(self) -> &'static str {
        NAMES[self as usize]
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
