//! Error bodies of REST.

use std::time::Duration;

use serde_json::json;

use super::{head, metadata, receive, rest_error, violations};
use crate::ports::ResponseHead;
use crate::protocol::error::ErrorKind;
use crate::protocol::operation::Operation;
use crate::remote::{Binding, Cause, Violation};

const TYPES: [&str; 3] = ["application/json", "application/a2a+json", "application/problem+json"];
const INFO: &str = r#"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t9"}}"#;

#[test]
fn a_status_object_under_any_of_its_types() {
    let body = format!(r#"{{"error":{{"code":404,"status":"NOT_FOUND","message":"x","details":[{INFO}]}}}}"#);
    for content_type in TYPES {
        let error = rest_error(404, content_type, &body);
        assert_eq!((error.kind(), error.code(), error.message()), (ErrorKind::TaskNotFound, -32001, "x"));
        assert_eq!((error.http_status(), error.reason()), (Some(404), Some("TASK_NOT_FOUND")));
        assert_eq!((error.domain(), metadata(&error)), (Some("a2a-protocol.org"), vec![("taskId", "t9")]));
    }
}

#[test]
fn a_status_object_without_details() {
    for content_type in TYPES {
        let error = rest_error(404, content_type, r#"{"error":{"code":404,"message":"not found"}}"#);
        assert_eq!((error.kind(), error.message()), (ErrorKind::TaskNotFound, "not found"));
        assert_eq!((error.http_status(), error.reason()), (Some(404), None));
    }
}

#[test]
fn a_problem_by_its_type() {
    let body = r#"{"type":"https://a2a-protocol.org/errors/task-not-found","title":"Task Not Found","status":404,"detail":"gone"}"#;
    let error = rest_error(404, "application/problem+json", body);
    assert_eq!((error.kind(), error.message(), error.http_status()), (ErrorKind::TaskNotFound, "gone", Some(404)));
    // The type counts before the status does.
    let body = r#"{"type":"https://a2a-protocol.org/errors/version-not-supported","title":"No","status":400}"#;
    let error = rest_error(400, "application/problem+json", body);
    assert_eq!((error.kind(), error.message()), (ErrorKind::VersionNotSupported, "No"));
}

#[test]
fn a_problem_of_ruby() {
    let body = format!(r#"{{"type":"error","title":"gone","status":404,"detail":[{INFO}]}}"#);
    let error = rest_error(404, "application/problem+json", &body);
    assert_eq!(
        (error.kind(), error.message(), error.reason()),
        (ErrorKind::TaskNotFound, "gone", Some("TASK_NOT_FOUND"))
    );
    assert_eq!(metadata(&error), [("taskId", "t9")]);
}

#[test]
fn a_problem_with_a_list_of_errors() {
    let body = r#"{"status":400,"detail":"bad","errors":[{"field":"message.parts","message":"empty"}]}"#;
    let error = rest_error(400, "application/problem+json", body);
    assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidParams, "bad"));
    assert_eq!(violations(&error), [("message.parts", "empty")]);
}

#[test]
fn a_flat_error_of_0_3() {
    let error = rest_error(404, "application/json", r#"{"code":-32001,"message":"gone"}"#);
    assert_eq!((error.kind(), error.code(), error.message()), (ErrorKind::TaskNotFound, -32001, "gone"));
    // Also where the status says that all is well.
    let error = rest_error(200, "application/json", r#"{"code":-32002,"message":"done"}"#);
    assert_eq!((error.kind(), error.http_status()), (ErrorKind::TaskNotCancelable, Some(200)));
}

#[test]
fn the_name_of_a_class_is_a_reason_and_a_sentence_is_a_message() {
    let error =
        rest_error(500, "application/json", r#"{"error":"org.example.spec.TaskNotFoundError","message":"gone"}"#);
    assert_eq!((error.kind(), error.message()), (ErrorKind::TaskNotFound, "gone"));
    let error = rest_error(500, "application/json", r#"{"error":"Failed to load the task"}"#);
    assert_eq!((error.kind(), error.message()), (ErrorKind::Internal, "Failed to load the task"));
    let error = rest_error(429, "application/json", r#"{"statusCode":429,"error":"Too Many","message":"slow down"}"#);
    assert_eq!(error.kind(), ErrorKind::Custom { code: -32000, http_status: 429 });
    assert_eq!(error.message(), "slow down");
}

#[test]
fn details_of_fastapi() {
    let error = rest_error(404, "application/json", r#"{"detail":"Not Found"}"#);
    assert_eq!((error.kind(), error.message()), (ErrorKind::TaskNotFound, "Not Found"));
    let body = r#"{"detail":[{"loc":["body","message"],"msg":"Field required","type":"missing"},{"loc":["query","historyLength"],"msg":"Not an integer"}]}"#;
    let error = rest_error(422, "application/json", body);
    assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidParams, "Invalid parameters"));
    assert_eq!(violations(&error), [("message", "Field required"), ("historyLength", "Not an integer")]);
    let error = rest_error(400, "application/json", r#"{"detail":{"code":-32009,"message":"old"}}"#);
    assert_eq!((error.kind(), error.message()), (ErrorKind::VersionNotSupported, "old"));
}

#[test]
fn bodies_that_are_not_json() {
    let html = "<html>\r\n<head><title>502 Bad Gateway</title></head></html>";
    for (status, content_type, body, kind, message) in [
        (502, "text/html", html, ErrorKind::Custom { code: -32000, http_status: 502 }, "Bad gateway"),
        (504, "text/html", html, ErrorKind::Custom { code: -32000, http_status: 504 }, "Gateway timeout"),
        (413, "text/html", html, ErrorKind::Custom { code: -32000, http_status: 413 }, "Request too large"),
        (404, "text/plain", "404 page not found\n", ErrorKind::TaskNotFound, "404 page not found"),
        (500, "application/json", "Internal Server Error", ErrorKind::Internal, "Internal Server Error"),
        (500, "image/png", "", ErrorKind::Internal, "Internal error"),
        (403, "", "", ErrorKind::Custom { code: -32000, http_status: 403 }, "Permission denied"),
    ] {
        let error = rest_error(status, content_type, body);
        assert_eq!((error.kind(), error.message(), error.http_status()), (kind, message, Some(status)), "{body}");
    }
    // A page is kept for who wants to see it, as far as one may want to.
    let error = rest_error(502, "text/html", html);
    assert_eq!(error.data(), &json!(html));
    let error = rest_error(500, "text/plain", &"ä".repeat(10_000));
    assert_eq!(error.message(), "ä".repeat(512));
}

#[test]
fn drifted_statuses() {
    let told = |status: u16, reason: &str| {
        let body = format!(
            r#"{{"error":{{"code":{status},"message":"m","details":[{{"@type":"x/google.rpc.ErrorInfo","reason":"{reason}"}}]}}}}"#
        );
        rest_error(status, "application/json", &body).kind()
    };
    for (statuses, reason, kind) in [
        (&[400, 409][..], "TASK_NOT_CANCELABLE", ErrorKind::TaskNotCancelable),
        (&[400, 415, 422], "CONTENT_TYPE_NOT_SUPPORTED", ErrorKind::ContentTypeNotSupported),
        (&[500, 502], "INVALID_AGENT_RESPONSE", ErrorKind::InvalidAgentResponse),
        (&[400, 422], "INVALID_PARAMS", ErrorKind::InvalidParams),
        (&[404, 501], "METHOD_NOT_FOUND", ErrorKind::MethodNotFound),
    ] {
        for status in statuses {
            assert_eq!(told(*status, reason), kind, "{reason} under {status}");
        }
    }
    let cancel = |status: u16| {
        receive(Binding::Rest, Operation::CancelTask, &head(status, "text/plain"), "no").unwrap_err().kind()
    };
    assert_eq!(cancel(409), ErrorKind::TaskNotCancelable);
}

#[test]
fn names_of_grpc_statuses() {
    for (name, status, kind) in [
        ("NOT_FOUND", 404, ErrorKind::TaskNotFound),
        ("FAILED_PRECONDITION", 400, ErrorKind::Custom { code: -32000, http_status: 400 }),
        ("INVALID_ARGUMENT", 400, ErrorKind::InvalidParams),
        ("UNIMPLEMENTED", 501, ErrorKind::MethodNotFound),
        ("INTERNAL", 500, ErrorKind::Internal),
        ("UNAVAILABLE", 503, ErrorKind::Custom { code: -32000, http_status: 503 }),
        ("DEADLINE_EXCEEDED", 504, ErrorKind::Custom { code: -32000, http_status: 504 }),
        ("UNAUTHENTICATED", 401, ErrorKind::Custom { code: -32000, http_status: 401 }),
        ("PERMISSION_DENIED", 403, ErrorKind::Custom { code: -32000, http_status: 403 }),
        ("RESOURCE_EXHAUSTED", 429, ErrorKind::Custom { code: -32000, http_status: 429 }),
    ] {
        let body = format!(r#"{{"error":{{"code":{status},"status":"{name}","message":"m"}}}}"#);
        assert_eq!(rest_error(status, "application/json", &body).kind(), kind, "{name}");
    }
}

#[test]
fn a_number_of_the_agents_own_does_not_hide_the_status() {
    for (status, code) in [(401, 190), (403, 200), (404, 144), (429, 130), (400, 399)] {
        for body in [format!(r#"{{"code":{code},"message":"m"}}"#), format!(r#"{{"error":{{"code":{code}}}}}"#)] {
            let error = rest_error(status, "application/json", &body);
            assert_eq!((error.kind(), error.code()), (ErrorKind::Custom { code, http_status: status }, code), "{body}");
        }
    }
    let error = rest_error(401, "application/json", r#"{"status":200,"message":"m"}"#);
    assert_eq!(error.kind(), ErrorKind::Custom { code: -32000, http_status: 401 });
    let error = rest_error(401, "application/json", r#"{"status":"error","code":190}"#);
    assert_eq!(error.kind(), ErrorKind::Custom { code: 190, http_status: 401 });
}

#[test]
fn numbers_of_grpc_statuses() {
    for (code, name, status, kind) in [
        (5, r#""NOT_FOUND""#, 404, ErrorKind::TaskNotFound),
        (5, "null", 404, ErrorKind::TaskNotFound),
        (3, "null", 400, ErrorKind::InvalidParams),
        (13, "null", 500, ErrorKind::Internal),
        // By the agent's own word, whatever a proxy made of it.
        (14, "null", 500, ErrorKind::Custom { code: -32000, http_status: 503 }),
        (16, r#""UNAUTHENTICATED""#, 401, ErrorKind::Custom { code: -32000, http_status: 401 }),
        (17, "null", 400, ErrorKind::Custom { code: 17, http_status: 400 }),
    ] {
        // As gRPC gateways write it, and as Google's APIs do.
        let flat = format!(r#"{{"code":{code},"status":{name},"message":"m","details":[]}}"#);
        for body in [format!(r#"{{"error":{flat}}}"#), flat] {
            let error = rest_error(status, "application/json", &body);
            assert_eq!((error.kind(), error.message()), (kind, "m"), "{body}");
        }
    }
}

#[test]
fn unknown_reasons_are_no_errors_of_the_protocol() {
    let body = r#"{"error":{"code":400,"message":"m","details":[{"@type":"x/google.rpc.ErrorInfo","reason":"NO_FUNDS","domain":"bank.example"}]}}"#;
    let error = rest_error(400, "application/json", body);
    assert_eq!(error.kind(), ErrorKind::Custom { code: -32000, http_status: 400 });
    assert_eq!((error.reason(), error.domain()), (Some("NO_FUNDS"), Some("bank.example")));
}

#[test]
fn retry_after_in_seconds_as_a_date_and_beside_retry_info() {
    let with_header = |value: &str, body: &str| {
        let headers = vec![("Retry-After".to_owned(), value.to_owned())];
        let head = ResponseHead { status: 503, headers };
        receive(Binding::Rest, Operation::GetTask, &head, body).unwrap_err().retry_after()
    };
    assert_eq!(with_header("3", ""), Some(Duration::from_secs(3)));
    assert_eq!(with_header("Sun, 06 Nov 1994 08:49:37 GMT", ""), Some(Duration::from_secs(7)));
    assert_eq!(with_header("soon", ""), None);
    assert_eq!(with_header("99999999999999999999", ""), Some(Duration::from_secs(86_400)));
    let body = r#"{"error":{"code":503,"details":[{"@type":"x/google.rpc.RetryInfo","retryDelay":"5s"}]}}"#;
    assert_eq!(with_header("3", body), Some(Duration::from_secs(5)));
    assert_eq!(with_header("8", body), Some(Duration::from_secs(8)));
}

#[test]
fn results() {
    let ok = |operation, status, content_type: &str, body: &str| {
        receive(Binding::Rest, operation, &head(status, content_type), body)
    };
    let task = r#"{"id":"t9","status":{"state":"TASK_STATE_WORKING"}}"#;
    let expected = json!({"id": "t9", "status": {"state": "TASK_STATE_WORKING"}});
    assert_eq!(ok(Operation::GetTask, 200, "application/a2a+json", task).unwrap(), expected);
    let delete = Operation::DeleteTaskPushNotificationConfig;
    assert_eq!(ok(delete, 204, "", "").unwrap(), json!({}));
    assert_eq!(ok(delete, 200, "application/json", "{}").unwrap(), json!({}));
    let violation = |answer: Result<serde_json::Value, crate::remote::RemoteError>| match answer.unwrap_err().cause() {
        Cause::Invalid(violation) => violation.clone(),
        other @ (Cause::Reported | Cause::Transport(_)) => panic!("{other:?}"),
    };
    assert_eq!(violation(ok(Operation::GetTask, 200, "application/json", "")), Violation::NotJson);
    assert_eq!(violation(ok(Operation::GetTask, 200, "text/plain", task)), Violation::ContentType);
    assert!(matches!(violation(ok(Operation::GetTask, 200, "application/json", "[]")), Violation::Schema(_)));
    // A problem is one whatever the status line says.
    let problem = r#"{"type":"error","title":"gone","status":404}"#;
    let error = ok(Operation::GetTask, 200, "application/problem+json", problem).unwrap_err();
    assert_eq!((error.kind(), error.http_status()), (ErrorKind::TaskNotFound, Some(404)));
}
