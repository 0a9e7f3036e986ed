//! What goes out: results, errors and batches of them, each as finished JSON.

use serde::Serialize;

use super::Id;
use crate::protocol::details::Details;
use crate::protocol::error::A2aError;

const VERSION: &str = "2.0";

#[derive(Serialize)]
struct Success<'a, T> {
    jsonrpc: &'static str,
    id: &'a Id,
    result: &'a T,
}

#[derive(Serialize)]
struct Failure<'a> {
    jsonrpc: &'static str,
    id: &'a Id,
    error: ErrorObject<'a>,
}

/// The error object of specification 9.5. It has these three members and no others.
#[derive(Serialize)]
struct ErrorObject<'a> {
    code: i32,
    message: &'a str,
    data: Details<'a>,
}

/// The answer that carries `result`.
///
/// # Errors
/// If `result` cannot be written as JSON, such as a map whose keys are no strings.
pub fn success(id: &Id, result: &impl Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string(&Success { jsonrpc: VERSION, id, result })
}

/// The answer that carries `error` (specification 9.5).
pub fn failure(id: &Id, error: &A2aError) -> String {
    let object = ErrorObject { code: error.code(), message: error.message(), data: error.wire_details() };
    serde_json::to_string(&Failure { jsonrpc: VERSION, id, error: object })
        // Strings, numbers and JSON values can always be written; an answer without details is better than none.
        .unwrap_or_else(|_| format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{}}}}}"#, error.code()))
}

/// One answer that holds those of a batch. There must be at least one: a batch of notifications has no answer.
pub fn batch(members: Vec<String>) -> String {
    format!("[{}]", members.join(","))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::protocol::details::FieldViolation;

    fn id(text: &str) -> Id {
        Id::from_json(text).unwrap()
    }

    #[test]
    fn a_result_stands_behind_its_id() {
        let body = success(&id("9007199254740993"), &json!({"task": null})).unwrap();
        assert_eq!(body, r#"{"jsonrpc":"2.0","id":9007199254740993,"result":{"task":null}}"#);
    }

    #[test]
    fn a_result_that_json_cannot_hold_is_an_error() {
        assert!(success(&Id::NULL, &HashMap::from([(vec![1], 2)])).is_err());
    }

    #[test]
    fn an_error_has_code_message_and_data_and_keeps_the_id() {
        let body = failure(&id("\"a\\u0062\""), &A2aError::internal().with_source("postgres://user:pass@db"));
        assert_eq!(
            body,
            concat!(
                r#"{"jsonrpc":"2.0","id":"a\u0062","error":{"code":-32603,"message":"Internal error","data":["#,
                r#"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INTERNAL_ERROR","domain":"a2a-protocol.org"}]}}"#,
            )
        );
    }

    #[test]
    fn details_follow_the_error_info_in_their_order() {
        let error = A2aError::invalid_fields(vec![FieldViolation::new("id", "is required")])
            .with_retry_after(Duration::from_millis(1500));
        let body: serde_json::Value = serde_json::from_str(&failure(&Id::NULL, &error)).unwrap();
        assert_eq!(
            body,
            json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32602, "message": "Invalid parameters", "data": [
                {
                    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                    "reason": "INVALID_PARAMS",
                    "domain": "a2a-protocol.org",
                    "metadata": {"fields": "id"},
                },
                {
                    "@type": "type.googleapis.com/google.rpc.BadRequest",
                    "fieldViolations": [{"field": "id", "description": "is required"}],
                },
                {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1.500s"},
            ]}})
        );
    }

    #[test]
    fn a_message_is_escaped() {
        let body = failure(&Id::NULL, &A2aError::internal().with_message("a \"quoted\"\nline"));
        assert!(body.contains(r#""message":"a \"quoted\"\nline""#), "{body}");
    }

    #[test]
    fn a_batch_is_an_array() {
        assert_eq!(batch(vec!["{}".to_owned()]), "[{}]");
        assert_eq!(batch(vec!["{}".to_owned(), "1".to_owned()]), "[{},1]");
    }
}
