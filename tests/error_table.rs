//! Every kind of error against one table, written by hand from the specification (5.4, 9.5, 10.6, 11.6) and the
//! summaries of the two documents that the crate was made after.

use a2a_edge::protocol::operation::Operation;
use a2a_edge::{A2aError, ErrorKind};

struct Row {
    kind: ErrorKind,
    error: A2aError,
    code: i32,
    http_status: u16,
    grpc_status: &'static str,
    reason: &'static str,
    message: &'static str,
    metadata: Metadata,
    retryable: bool,
}

type Metadata = &'static [(&'static str, &'static str)];

/// An error, its code, HTTP status, gRPC status, reason, message and metadata.
type Columns = (A2aError, i32, u16, &'static str, &'static str, &'static str, Metadata);

/// The row of a kind. A new kind does not compile until it has one.
fn row(kind: ErrorKind) -> Row {
    let (error, code, http_status, grpc_status, reason, message, metadata) = columns(kind);
    // The second document's table: only the internal error is worth a retry. 503 says so itself.
    let retryable = matches!(kind, ErrorKind::Internal | ErrorKind::Custom { .. });
    Row { kind, error, code, http_status, grpc_status, reason, message, metadata, retryable }
}

fn columns(kind: ErrorKind) -> Columns {
    match kind {
        ErrorKind::TaskNotFound => (
            A2aError::task_not_found("task-123"),
            -32001,
            404,
            "NOT_FOUND",
            "TASK_NOT_FOUND",
            "Task not found",
            &[("taskId", "task-123")],
        ),
        ErrorKind::TaskNotCancelable => (
            A2aError::task_not_cancelable("task-123", "TASK_STATE_COMPLETED"),
            -32002,
            400,
            "FAILED_PRECONDITION",
            "TASK_NOT_CANCELABLE",
            "Task is not cancelable",
            &[("taskId", "task-123"), ("state", "TASK_STATE_COMPLETED")],
        ),
        ErrorKind::PushNotificationNotSupported => (
            A2aError::push_notification_not_supported(),
            -32003,
            400,
            "FAILED_PRECONDITION",
            "PUSH_NOTIFICATION_NOT_SUPPORTED",
            "Push notifications are not supported",
            &[],
        ),
        ErrorKind::UnsupportedOperation => (
            A2aError::unsupported_operation(Operation::CancelTask),
            -32004,
            400,
            "FAILED_PRECONDITION",
            "UNSUPPORTED_OPERATION",
            "Operation not supported: CancelTask",
            &[("operation", "CancelTask")],
        ),
        ErrorKind::ContentTypeNotSupported => (
            A2aError::content_type_not_supported("image/png"),
            -32005,
            400,
            "INVALID_ARGUMENT",
            "CONTENT_TYPE_NOT_SUPPORTED",
            "Content type not supported",
            &[("contentType", "image/png")],
        ),
        ErrorKind::InvalidAgentResponse => (
            A2aError::invalid_agent_response(),
            -32006,
            500,
            "INTERNAL",
            "INVALID_AGENT_RESPONSE",
            "Invalid agent response",
            &[],
        ),
        ErrorKind::ExtendedAgentCardNotConfigured => (
            A2aError::extended_agent_card_not_configured(),
            -32007,
            400,
            "FAILED_PRECONDITION",
            "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
            "Extended agent card is not configured",
            &[],
        ),
        ErrorKind::ExtensionSupportRequired => (
            A2aError::extension_support_required("https://example.com/ext/geo-coordinates/v1"),
            -32008,
            400,
            "FAILED_PRECONDITION",
            "EXTENSION_SUPPORT_REQUIRED",
            "Extension support required",
            &[("extension", "https://example.com/ext/geo-coordinates/v1")],
        ),
        ErrorKind::VersionNotSupported => (
            A2aError::version_not_supported("99.0", &["1.0"]),
            -32009,
            400,
            "FAILED_PRECONDITION",
            "VERSION_NOT_SUPPORTED",
            "Version not supported",
            &[("version", "99.0"), ("supportedVersions", "1.0")],
        ),
        ErrorKind::PushNotificationConfigNotFound => (
            A2aError::push_notification_config_not_found("task-123", "config-1"),
            -32001,
            404,
            "NOT_FOUND",
            "TASK_NOT_FOUND",
            "Push notification config not found",
            &[("taskId", "task-123"), ("configId", "config-1")],
        ),
        ErrorKind::Parse => {
            (A2aError::parse(), -32700, 400, "INVALID_ARGUMENT", "PARSE_ERROR", "Invalid JSON payload", &[])
        }
        ErrorKind::InvalidRequest => (
            A2aError::invalid_request(),
            -32600,
            400,
            "INVALID_ARGUMENT",
            "INVALID_REQUEST",
            "Request payload validation error",
            &[],
        ),
        ErrorKind::MethodNotFound => (
            A2aError::method_not_found("tasks/get"),
            -32601,
            404,
            "UNIMPLEMENTED",
            "METHOD_NOT_FOUND",
            "Method not found",
            &[("method", "tasks/get")],
        ),
        ErrorKind::InvalidParams => (
            A2aError::invalid_params("message must contain non-empty text", ["message.parts", "message.role"]),
            -32602,
            400,
            "INVALID_ARGUMENT",
            "INVALID_PARAMS",
            "message must contain non-empty text",
            &[("fields", "message.parts, message.role")],
        ),
        ErrorKind::Internal => (A2aError::internal(), -32603, 500, "INTERNAL", "INTERNAL_ERROR", "Internal error", &[]),
        ErrorKind::Custom { .. } => (
            A2aError::custom("Agent is overloaded, retry later", -32000, 503),
            -32000,
            503,
            "UNAVAILABLE",
            "UNAVAILABLE",
            "Agent is overloaded, retry later",
            &[],
        ),
    }
}

fn rows() -> impl Iterator<Item = Row> {
    ErrorKind::ALL.iter().map(|kind| row(*kind))
}

#[test]
fn there_are_sixteen_kinds_and_each_is_listed_once() {
    assert_eq!(ErrorKind::ALL.len(), 16);
    for (index, kind) in ErrorKind::ALL.iter().enumerate() {
        assert!(!ErrorKind::ALL[..index].contains(kind), "{kind:?}");
    }
}

#[test]
fn every_kind_has_the_numbers_and_names_of_the_table() {
    for row in rows() {
        let (kind, error) = (row.kind, &row.error);
        assert_eq!(error.kind(), kind);
        assert_eq!(error.code(), row.code, "{kind:?}");
        assert_eq!(error.http_status(), row.http_status, "{kind:?}");
        assert_eq!(error.grpc_status().name(), row.grpc_status, "{kind:?}");
        assert_eq!(error.reason(), row.reason, "{kind:?}");
        assert_eq!((error.message(), error.to_string().as_str()), (row.message, row.message), "{kind:?}");
        assert_eq!(error.is_retryable(), row.retryable, "{kind:?}");
        for (key, value) in row.metadata {
            assert_eq!(error.metadata(key), Some(*value), "{kind:?}");
        }
        let domain = if matches!(kind, ErrorKind::Custom { .. }) { "a2a-edge" } else { "a2a-protocol.org" };
        assert_eq!(error.domain(), domain, "{kind:?}");
    }
}

#[test]
fn the_facts_of_a_kind_are_those_of_its_errors() {
    for row in rows() {
        let facts = row.kind.facts();
        assert_eq!((facts.code, facts.http_status, facts.reason), (row.code, row.http_status, row.reason));
        assert_eq!(facts.grpc_status.name(), row.grpc_status);
    }
}

#[test]
fn the_messages_of_the_standard_codes_are_the_specifications() {
    let expected = [
        (-32700, "Invalid JSON payload"),
        (-32600, "Request payload validation error"),
        (-32601, "Method not found"),
        (-32602, "Invalid parameters"),
        (-32603, "Internal error"),
    ];
    let found = ErrorKind::ALL.iter().map(|kind| kind.facts()).filter(|facts| facts.code <= -32600);
    assert_eq!(found.map(|facts| (facts.code, facts.message)).collect::<Vec<_>>(), expected);
}

#[test]
fn the_codes_of_a2a_are_complete() {
    let mut codes: Vec<i32> = ErrorKind::ALL.iter().map(|kind| kind.facts().code).collect();
    codes.sort_unstable_by(|left, right| right.cmp(left));
    codes.dedup();
    let expected: Vec<i32> = (-32009..=-32000).rev().chain([-32600, -32601, -32602, -32603, -32700]).collect();
    assert_eq!(codes, expected);
}

/// Every constructor may be told more, and none of it changes what kind of error it is.
#[test]
fn a_message_of_ones_own_changes_nothing_else() {
    for row in rows() {
        let (kind, code, http_status, reason) = (row.kind, row.code, row.http_status, row.reason);
        let error = row.error.with_message("something else").with_source("postgres://user:pass@db");
        assert_eq!((error.kind(), error.code(), error.http_status()), (kind, code, http_status));
        assert_eq!((error.reason(), error.message()), (reason, "something else"));
    }
}

#[test]
fn a_custom_error_is_never_a_success() {
    for status in [0, 100, 200, 302, 399, 600, 1000] {
        assert_eq!(A2aError::custom("odd", -32050, status).http_status(), 500);
    }
    for status in [400, 401, 418, 429, 503, 599] {
        let error = A2aError::custom("odd", 7, status);
        assert_eq!((error.http_status(), error.code()), (status, 7));
    }
}
