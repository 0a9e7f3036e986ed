//! Response bodies: results, and errors in their three forms.

use serde::{Serialize, Serializer};

use crate::protocol::details::Details;
use crate::protocol::error::A2aError;
use crate::protocol::grpc::GrpcStatus;
use crate::protocol::http::Response;
use crate::protocol::negotiate::{self, ErrorFormat};

/// The answer that carries `value`, as `application/a2a+json` unless the caller prefers `application/json`.
///
/// # Errors
/// If `value` cannot be written as JSON, such as a map whose keys are no strings.
pub fn success(value: &impl Serialize, accept: Option<&str>) -> Result<Response, serde_json::Error> {
    Ok(Response::new(200, negotiate::success(accept), serde_json::to_string(value)?))
}

/// The answer that carries `error`, under the error's HTTP status and with its headers, in the form that `accept` asks
/// for, or else in the form `default`.
pub fn failure(error: &A2aError, accept: Option<&str>, default: ErrorFormat) -> Response {
    let (format, content_type) = negotiate::error(accept, default);
    let (problem, status) = (Problem::of(error), Status::of(error));
    let body = match format {
        ErrorFormat::Problem => serde_json::to_string(&problem),
        ErrorFormat::Status => serde_json::to_string(&status),
        ErrorFormat::Both => serde_json::to_string(&Both { problem, status }),
    };
    // Strings, numbers and JSON values can always be written; if not, the status line still tells the error.
    let response = Response::new(error.http_status(), content_type, body.unwrap_or_else(|_| "{}".to_owned()));
    error.headers().iter().fold(response, |response, (name, value)| response.with_header(name, value.clone()))
}

/// The data of an event (specification 11.7).
///
/// # Errors
/// The event is of no use to JSON.
pub fn event(event: &impl Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string(event)
}

/// The data of the event that ends a stream with `error`: the body of the specification (11.6), which is what clients
/// look for in a stream.
pub fn error_event(error: &A2aError) -> String {
    serde_json::to_string(&Status::of(error)).unwrap_or_else(|_| "{}".to_owned())
}

/// The body that the Ruby library sends.
#[derive(Serialize)]
struct Problem<'a> {
    r#type: &'static str,
    title: &'a str,
    status: u16,
    detail: Details<'a>,
}

impl<'a> Problem<'a> {
    fn of(error: &'a A2aError) -> Self {
        Self { r#type: "error", title: error.message(), status: error.http_status(), detail: error.wire_details() }
    }
}

/// `google.rpc.Status` in JSON (specification 11.6).
#[derive(Serialize)]
struct Status<'a> {
    error: StatusObject<'a>,
}

#[derive(Serialize)]
struct StatusObject<'a> {
    code: u16,
    #[serde(serialize_with = "name")]
    status: GrpcStatus,
    message: &'a str,
    details: Details<'a>,
}

impl<'a> Status<'a> {
    fn of(error: &'a A2aError) -> Self {
        let (code, status) = (error.http_status(), error.grpc_status());
        Self { error: StatusObject { code, status, message: error.message(), details: error.wire_details() } }
    }
}

/// Both bodies in one: they have no member in common.
#[derive(Serialize)]
struct Both<'a> {
    #[serde(flatten)]
    problem: Problem<'a>,
    #[serde(flatten)]
    status: Status<'a>,
}

fn name<S: Serializer>(status: &GrpcStatus, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.name())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;

    fn body(response: &Response) -> Value {
        serde_json::from_str(&response.body).unwrap()
    }

    #[test]
    fn a_result_is_the_whole_body() {
        let response = success(&json!({"task": {"id": "t"}}), None).unwrap();
        assert_eq!((response.status, response.content_type), (200, Some("application/a2a+json")));
        assert_eq!(response.body, r#"{"task":{"id":"t"}}"#);
        assert_eq!(success(&1, Some("application/json")).unwrap().content_type, Some("application/json"));
    }

    #[test]
    fn an_error_has_three_forms() {
        let error = A2aError::task_not_found("task-123");
        let info = concat!(
            r#"[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","#,
            r#""domain":"a2a-protocol.org","metadata":{"taskId":"task-123"}}]"#
        );
        let problem = format!(r#""type":"error","title":"Task not found","status":404,"detail":{info}"#);
        let status =
            format!(r#""error":{{"code":404,"status":"NOT_FOUND","message":"Task not found","details":{info}}}"#);

        let response = failure(&error, Some("application/problem+json"), ErrorFormat::Both);
        assert_eq!((response.status, response.content_type), (404, Some("application/problem+json")));
        assert_eq!(response.body, format!("{{{problem}}}"));

        let response = failure(&error, Some("application/json"), ErrorFormat::Both);
        assert_eq!((response.status, response.content_type), (404, Some("application/json")));
        assert_eq!(response.body, format!("{{{status}}}"));

        let response = failure(&error, None, ErrorFormat::Both);
        assert_eq!((response.status, response.content_type), (404, Some("application/problem+json")));
        assert_eq!(response.body, format!("{{{problem},{status}}}"));
    }

    #[test]
    fn a_status_of_its_own_is_in_the_body_too() {
        let error = A2aError::method_not_found("PUT").with_http_status(405).with_header("Allow", "GET, HEAD, OPTIONS");
        let response = failure(&error, Some("*/*"), ErrorFormat::Both);
        assert_eq!((response.status, response.header("allow")), (405, Some("GET, HEAD, OPTIONS")));
        let body = body(&response);
        assert_eq!((&body["status"], &body["error"]["code"]), (&json!(405), &json!(405)));
        assert_eq!(body["error"]["status"], "UNIMPLEMENTED");
    }

    #[test]
    fn a_retry_is_told_in_header_and_body() {
        let error = A2aError::custom("Agent is overloaded, retry later", -32000, 503)
            .with_retry_after(Duration::from_millis(1200));
        let response = failure(&error, Some("application/a2a+json"), ErrorFormat::Both);
        assert_eq!((response.status, response.header("Retry-After")), (503, Some("2")));
        let retry = json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1.200s"});
        assert_eq!(body(&response)["error"]["details"][1], retry);
    }

    #[test]
    fn the_source_is_in_no_form() {
        let error = A2aError::internal().with_source("SELECT secret FROM tasks");
        for accept in [None, Some("application/json"), Some("application/problem+json")] {
            assert!(!failure(&error, accept, ErrorFormat::Both).body.contains("SELECT"));
        }
    }
}
