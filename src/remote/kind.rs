//! Which kind an error of another agent is: by its reason, then by its JSON-RPC code, then by its statuses.
//!
//! What is not known stays unknown: it becomes a [`Custom`](ErrorKind::Custom) with the code and status that it came with.

use super::told::Told;
use crate::protocol::error::{ErrorKind, SERVER_ERROR};
use crate::protocol::operation::Operation;

/// The kind of an error under an HTTP status, in the answer or in its body. `is_told` is as of [`by_status`].
pub(super) fn of(operation: Operation, told: &Told, http: u16, is_told: bool) -> ErrorKind {
    let known = told.reason.as_deref().and_then(by_reason).or_else(|| told.code.and_then(by_code));
    match known {
        // On the wire both are TASK_NOT_FOUND.
        Some(ErrorKind::TaskNotFound) if told.metadata.iter().any(|(key, _)| key == "configId") => {
            ErrorKind::PushNotificationConfigNotFound
        }
        Some(kind) => kind,
        None => unknown(told, by_status(operation, told.named_status.as_deref(), http, is_told), http),
    }
}

/// The kind of an error whose reason and code are none of the protocol's, if it has them.
fn unknown(told: &Told, by_status: ErrorKind, http: u16) -> ErrorKind {
    let says_failure = (400..=599).contains(&http);
    let http_status = if says_failure { http } else { by_status.facts().http_status };
    match (told.code, &told.reason) {
        // An HTTP status in its place, which says what the kind is.
        (Some(code), _)
            if told.status.map(i32::from) == Some(code) && !matches!(by_status, ErrorKind::Custom { .. }) =>
        {
            by_status
        }
        (Some(code), _) => ErrorKind::Custom { code, http_status },
        // That it failed inside is no contradiction to a reason of the agent's own, where a status says so.
        (None, Some(_)) if by_status == ErrorKind::Internal && (says_failure || told.named_status.is_some()) => {
            by_status
        }
        // Otherwise such a reason says that it is none of the protocol's errors.
        (None, Some(_)) => ErrorKind::Custom { code: SERVER_ERROR, http_status },
        (None, None) => by_status,
    }
}

/// The kind of a reason, in any of the spellings in use: `TASK_NOT_FOUND`, `TaskNotFoundError`,
/// `org.example.TaskNotFoundError`, `https://a2a-protocol.org/errors/task-not-found`.
pub(super) fn by_reason(reason: &str) -> Option<ErrorKind> {
    let name = upper_snake(reason.rsplit(['.', '/', '#', ':']).next()?);
    Some(match name.strip_suffix("_ERROR").unwrap_or(&name) {
        "TASK_NOT_FOUND" => ErrorKind::TaskNotFound,
        "TASK_NOT_CANCELABLE" | "TASK_NOT_CANCELLABLE" => ErrorKind::TaskNotCancelable,
        "PUSH_NOTIFICATION_NOT_SUPPORTED" => ErrorKind::PushNotificationNotSupported,
        "UNSUPPORTED_OPERATION" => ErrorKind::UnsupportedOperation,
        "CONTENT_TYPE_NOT_SUPPORTED" | "UNSUPPORTED_CONTENT_TYPE" => ErrorKind::ContentTypeNotSupported,
        "INVALID_AGENT_RESPONSE" => ErrorKind::InvalidAgentResponse,
        "EXTENDED_AGENT_CARD_NOT_CONFIGURED"
        | "EXTENDED_CARD_NOT_CONFIGURED"
        | "AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED" => ErrorKind::ExtendedAgentCardNotConfigured,
        "EXTENSION_SUPPORT_REQUIRED" => ErrorKind::ExtensionSupportRequired,
        "VERSION_NOT_SUPPORTED" => ErrorKind::VersionNotSupported,
        "PARSE" | "JSON_PARSE" => ErrorKind::Parse,
        "INVALID_REQUEST" => ErrorKind::InvalidRequest,
        "METHOD_NOT_FOUND" => ErrorKind::MethodNotFound,
        "INVALID_PARAMS" => ErrorKind::InvalidParams,
        "INTERNAL" => ErrorKind::Internal,
        _ => return None,
    })
}

/// `TASK_NOT_FOUND` of `TASK_NOT_FOUND`, `task-not-found` or `TaskNotFound`.
fn upper_snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 8);
    let mut after_lower = false;
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && after_lower {
            out.push('_');
        }
        after_lower = letter.is_ascii_lowercase();
        out.push(if letter == '-' { '_' } else { letter.to_ascii_uppercase() });
    }
    out
}

/// The kind of a JSON-RPC code that A2A or JSON-RPC defines.
pub(super) fn by_code(code: i32) -> Option<ErrorKind> {
    let known = |kind: &&ErrorKind| !matches!(kind, ErrorKind::Custom { .. }) && kind.facts().code == code;
    ErrorKind::ALL.iter().find(known).copied()
}

/// The kind that the statuses alone tell.
///
/// `named_status` is a name of `google.rpc.Code` that the body gives; it is the agent's own word, so it counts first.
/// `is_told` is whether the answer looks like an agent's at all: a bare 404 at a JSON-RPC endpoint is not about a task.
pub(super) fn by_status(operation: Operation, named_status: Option<&str>, http: u16, is_told: bool) -> ErrorKind {
    let not_found =
        if is_told && names_a_task(operation) { ErrorKind::TaskNotFound } else { ErrorKind::MethodNotFound };
    match (named_status.unwrap_or_default(), http) {
        ("NOT_FOUND", _) => not_found,
        ("UNIMPLEMENTED", _) => ErrorKind::MethodNotFound,
        ("INTERNAL", _) => ErrorKind::Internal,
        ("FAILED_PRECONDITION" | "ABORTED", _) | (_, 409) if operation == Operation::CancelTask => {
            ErrorKind::TaskNotCancelable
        }
        ("INVALID_ARGUMENT", 415) | (_, 415) => ErrorKind::ContentTypeNotSupported,
        ("INVALID_ARGUMENT" | "OUT_OF_RANGE", _) => ErrorKind::InvalidParams,
        ("UNAUTHENTICATED", _) => custom(401),
        ("PERMISSION_DENIED", _) => custom(403),
        ("RESOURCE_EXHAUSTED", _) => custom(if http == 413 { 413 } else { 429 }),
        ("UNAVAILABLE", _) => custom(503),
        ("DEADLINE_EXCEEDED", _) => custom(504),
        ("FAILED_PRECONDITION", _) => custom(400),
        (_, 404) => not_found,
        (_, 405 | 501) => ErrorKind::MethodNotFound,
        (_, 400 | 422) => ErrorKind::InvalidParams,
        (_, 500) => ErrorKind::Internal,
        (_, 400..=599) => custom(http),
        // An error under a status that is none.
        (_, _) => ErrorKind::Internal,
    }
}

const fn custom(http_status: u16) -> ErrorKind {
    ErrorKind::Custom { code: SERVER_ERROR, http_status }
}

/// Whether the operation is about one task, which may not be there.
const fn names_a_task(operation: Operation) -> bool {
    match operation {
        Operation::GetTask
        | Operation::CancelTask
        | Operation::SubscribeToTask
        | Operation::CreateTaskPushNotificationConfig
        | Operation::GetTaskPushNotificationConfig
        | Operation::ListTaskPushNotificationConfigs
        | Operation::DeleteTaskPushNotificationConfig => true,
        Operation::SendMessage
        | Operation::SendStreamingMessage
        | Operation::ListTasks
        | Operation::GetExtendedAgentCard => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_known_in_every_spelling() {
        for (reason, kind) in [
            ("TASK_NOT_FOUND", ErrorKind::TaskNotFound),
            ("TaskNotFoundError", ErrorKind::TaskNotFound),
            ("org.example.spec.TaskNotFoundError", ErrorKind::TaskNotFound),
            ("https://a2a-protocol.org/errors/task-not-found", ErrorKind::TaskNotFound),
            ("TASK_NOT_CANCELLABLE", ErrorKind::TaskNotCancelable),
            ("PUSH_NOTIFICATION_NOT_SUPPORTED", ErrorKind::PushNotificationNotSupported),
            ("UNSUPPORTED_OPERATION", ErrorKind::UnsupportedOperation),
            ("UNSUPPORTED_CONTENT_TYPE", ErrorKind::ContentTypeNotSupported),
            ("CONTENT_TYPE_NOT_SUPPORTED", ErrorKind::ContentTypeNotSupported),
            ("INVALID_AGENT_RESPONSE", ErrorKind::InvalidAgentResponse),
            ("EXTENDED_CARD_NOT_CONFIGURED", ErrorKind::ExtendedAgentCardNotConfigured),
            ("AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED", ErrorKind::ExtendedAgentCardNotConfigured),
            ("EXTENDED_AGENT_CARD_NOT_CONFIGURED", ErrorKind::ExtendedAgentCardNotConfigured),
            ("EXTENSION_SUPPORT_REQUIRED", ErrorKind::ExtensionSupportRequired),
            ("VERSION_NOT_SUPPORTED", ErrorKind::VersionNotSupported),
            ("JSON_PARSE", ErrorKind::Parse),
            ("PARSE_ERROR", ErrorKind::Parse),
            ("INVALID_REQUEST", ErrorKind::InvalidRequest),
            ("METHOD_NOT_FOUND", ErrorKind::MethodNotFound),
            ("INVALID_PARAMS", ErrorKind::InvalidParams),
            ("INTERNAL", ErrorKind::Internal),
            ("INTERNAL_ERROR", ErrorKind::Internal),
        ] {
            assert_eq!(by_reason(reason), Some(kind), "{reason}");
        }
        for reason in ["", "QUOTA_EXCEEDED", "NOT_FOUND", "error", "about:blank", "TASK_NOT_FOUND_HERE", "ERROR"] {
            assert_eq!(by_reason(reason), None, "{reason}");
        }
    }

    #[test]
    fn every_kind_of_the_protocol_has_its_reason_and_its_code() {
        for kind in ErrorKind::ALL {
            if matches!(kind, ErrorKind::Custom { .. } | ErrorKind::PushNotificationConfigNotFound) {
                continue;
            }
            assert_eq!(by_reason(kind.facts().reason), Some(*kind));
            assert_eq!(by_code(kind.facts().code), Some(*kind));
        }
        for code in [-32000, -31401, -31403, -32060, -32010, 0, 404] {
            assert_eq!(by_code(code), None, "{code}");
        }
    }

    #[test]
    fn statuses_tell_the_kind_when_nothing_else_does() {
        use ErrorKind::{
            ContentTypeNotSupported, Internal, InvalidParams, MethodNotFound, TaskNotCancelable, TaskNotFound,
        };
        for (operation, name, http, kind) in [
            (Operation::GetTask, None, 404, TaskNotFound),
            (Operation::GetTask, Some("NOT_FOUND"), 200, TaskNotFound),
            (Operation::SendMessage, None, 404, MethodNotFound),
            (Operation::ListTasks, Some("NOT_FOUND"), 404, MethodNotFound),
            (Operation::GetTask, Some("UNIMPLEMENTED"), 404, MethodNotFound),
            (Operation::GetTask, None, 405, MethodNotFound),
            (Operation::GetTask, None, 501, MethodNotFound),
            (Operation::CancelTask, None, 409, TaskNotCancelable),
            (Operation::CancelTask, Some("FAILED_PRECONDITION"), 400, TaskNotCancelable),
            (Operation::SendMessage, Some("FAILED_PRECONDITION"), 400, custom(400)),
            (Operation::SendMessage, None, 409, custom(409)),
            (Operation::SendMessage, None, 415, ContentTypeNotSupported),
            (Operation::SendMessage, Some("INVALID_ARGUMENT"), 415, ContentTypeNotSupported),
            (Operation::SendMessage, None, 400, InvalidParams),
            (Operation::SendMessage, None, 422, InvalidParams),
            (Operation::SendMessage, Some("INVALID_ARGUMENT"), 400, InvalidParams),
            (Operation::SendMessage, None, 401, custom(401)),
            (Operation::SendMessage, Some("UNAUTHENTICATED"), 200, custom(401)),
            (Operation::SendMessage, Some("PERMISSION_DENIED"), 403, custom(403)),
            (Operation::SendMessage, None, 413, custom(413)),
            (Operation::SendMessage, Some("RESOURCE_EXHAUSTED"), 413, custom(413)),
            (Operation::SendMessage, Some("RESOURCE_EXHAUSTED"), 429, custom(429)),
            (Operation::SendMessage, None, 429, custom(429)),
            (Operation::SendMessage, None, 500, Internal),
            (Operation::SendMessage, Some("INTERNAL"), 500, Internal),
            (Operation::SendMessage, None, 502, custom(502)),
            (Operation::SendMessage, Some("UNAVAILABLE"), 200, custom(503)),
            (Operation::SendMessage, Some("DEADLINE_EXCEEDED"), 200, custom(504)),
            (Operation::SendMessage, None, 504, custom(504)),
            (Operation::SendMessage, Some("SOMETHING_NEW"), 503, custom(503)),
            (Operation::SendMessage, None, 200, Internal),
        ] {
            assert_eq!(by_status(operation, name, http, true), kind, "{operation} {name:?} {http}");
        }
        assert_eq!(by_status(Operation::GetTask, None, 404, false), MethodNotFound);
    }
}
