//! Errors as JSON, for the error classes of `packages/client`.

use serde_json::{Map, Value, json};

use crate::client::ClientError;
use crate::protocol::error::ErrorKind;
use crate::remote::{Cause, RemoteError, Violation};

/// All that is known of an error, with the member names of `A2aError` in `packages/client/index.d.ts`.
pub(super) fn to_json(error: &ClientError) -> Value {
    let name = match error {
        ClientError::JsonRpc(_) => "JsonRpcError",
        ClientError::Rest(_) => "RestError",
        ClientError::Validation(_) => "ValidationError",
        ClientError::Transport(_) => "TransportError",
    };
    let metadata: Map<String, Value> = error.metadata().map(|(key, value)| (key.to_owned(), value.into())).collect();
    let violations = error.field_violations().iter();
    let violations = violations.map(|one| json!({ "field": one.field, "description": one.description }));
    let remote = error.remote();
    json!({
        "name": name,
        "message": error.to_string(),
        "kind": kind_name(error.kind()),
        "code": error.code(),
        "httpStatus": error.http_status(),
        "reason": error.reason(),
        "domain": remote.and_then(RemoteError::domain),
        "metadata": metadata,
        "details": error.details(),
        // What is no structure is no detail, and not to be lost.
        "data": remote.map(RemoteError::data).filter(|data| !data.is_array() && !data.is_object()),
        "fieldViolations": violations.collect::<Vec<_>>(),
        "retryable": error.is_retryable(),
        "notSent": remote.is_none_or(RemoteError::was_not_sent),
        "retryAfterMs": error.retry_after().map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
        "challenge": remote.and_then(RemoteError::challenge),
        "because": remote.and_then(RemoteError::platform_message),
        "cause": remote.map_or("invalid-request", |remote| cause_name(remote.cause())),
    })
}

/// An error of these words about what the developer gave.
pub(super) fn misuse(problem: &str) -> Value {
    json!({ "name": "TypeError", "message": problem })
}

/// A call that its caller gave up.
pub(super) fn aborted() -> Value {
    json!({ "name": "AbortError", "message": "The call was given up" })
}

/// What `ErrorKind` in `packages/client/index.d.ts` lists.
const fn kind_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::TaskNotFound => "TaskNotFound",
        ErrorKind::TaskNotCancelable => "TaskNotCancelable",
        ErrorKind::PushNotificationNotSupported => "PushNotificationNotSupported",
        ErrorKind::UnsupportedOperation => "UnsupportedOperation",
        ErrorKind::ContentTypeNotSupported => "ContentTypeNotSupported",
        ErrorKind::InvalidAgentResponse => "InvalidAgentResponse",
        ErrorKind::ExtendedAgentCardNotConfigured => "ExtendedAgentCardNotConfigured",
        ErrorKind::ExtensionSupportRequired => "ExtensionSupportRequired",
        ErrorKind::VersionNotSupported => "VersionNotSupported",
        ErrorKind::PushNotificationConfigNotFound => "PushNotificationConfigNotFound",
        ErrorKind::Parse => "Parse",
        ErrorKind::InvalidRequest => "InvalidRequest",
        ErrorKind::MethodNotFound => "MethodNotFound",
        ErrorKind::InvalidParams => "InvalidParams",
        ErrorKind::Internal => "Internal",
        ErrorKind::Custom { .. } => "Custom",
    }
}

fn cause_name(cause: &Cause) -> &'static str {
    match cause {
        Cause::Reported => "reported",
        Cause::Transport(_) => "transport",
        Cause::Invalid(violation) => match violation {
            Violation::NotJson => "not-json",
            Violation::ContentType => "content-type",
            Violation::NoVersion => "no-version",
            Violation::WrongId => "wrong-id",
            Violation::ResultAndError => "result-and-error",
            Violation::NoResult => "no-result",
            Violation::Schema(_) => "schema",
            Violation::NotAStream => "not-a-stream",
            Violation::TooLarge { .. } => "too-large",
            Violation::Redirect => "redirect",
            Violation::Status(_) => "status",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote::{Binding, TransportFault};

    #[test]
    fn a_transport_fault_has_its_reason_and_no_status() {
        let error = RemoteError::transport(Binding::Rest, TransportFault::TimedOut);
        let json = to_json(&ClientError::from(error));
        assert_eq!(json["name"], "TransportError");
        assert_eq!((&json["kind"], &json["code"]), (&"Custom".into(), &(-32603).into()));
        assert_eq!((&json["reason"], &json["httpStatus"]), (&"ORIGIN_TIMEOUT".into(), &Value::Null));
        assert_eq!((&json["retryable"], &json["cause"]), (&true.into(), &"transport".into()));
        assert_eq!(json["notSent"], false);
        let error = RemoteError::transport(Binding::Rest, TransportFault::Unreachable);
        assert_eq!(to_json(&ClientError::from(error))["notSent"], true);
    }
}
