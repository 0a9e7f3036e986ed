//! HTTP around JSON-RPC, envelopes that are none, and results.

use serde_json::{Value, json};

use super::{head, jsonrpc_error, receive, rest_error};
use crate::ports::ResponseHead;
use crate::protocol::error::ErrorKind;
use crate::protocol::operation::Operation;
use crate::remote::{Binding, Cause, RemoteError, Violation};

const TASK: &str = r#"{"id":"t9","status":{"state":"TASK_STATE_WORKING"}}"#;

fn get_task(status: u16, content_type: &str, body: &str) -> Result<Value, RemoteError> {
    receive(Binding::JsonRpc, Operation::GetTask, &head(status, content_type), body)
}

fn json_answer(body: &str) -> Result<Value, RemoteError> {
    get_task(200, "application/json", body)
}

fn violation(answer: Result<Value, RemoteError>) -> Violation {
    let error = answer.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::InvalidAgentResponse, -32006));
    assert!(!error.is_retryable());
    match error.cause() {
        Cause::Invalid(violation) => violation.clone(),
        other @ (Cause::Reported | Cause::Transport(_)) => panic!("{other:?}"),
    }
}

#[test]
fn a_result_is_given_in_canonical_form() {
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{TASK}}}"#);
    let task = json!({"id": "t9", "status": {"state": "TASK_STATE_WORKING"}});
    for body in [body.clone(), format!("\u{feff}{body}\n"), body.replace("\"id\":1,", "\"id\":1,\"error\":null,")] {
        assert_eq!(json_answer(&body).unwrap(), task, "{body}");
    }
    let by_number = r#"{"jsonrpc":"2.0","id":1,"result":{"id":"t9","context_id":"c","status":{"state":2}}}"#;
    let expected = json!({"id": "t9", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}});
    assert_eq!(json_answer(by_number).unwrap(), expected);
}

#[test]
fn a_result_must_match_its_request() {
    // Symptom 4: answers whose id did not match or whose `jsonrpc` was missing were accepted.
    for id in ["2", "\"1\"", "null", "1.5", "[1]"] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{TASK}}}"#);
        assert_eq!(violation(json_answer(&body)), Violation::WrongId, "{id}");
    }
    assert_eq!(violation(json_answer(&format!(r#"{{"jsonrpc":"2.0","result":{TASK}}}"#))), Violation::WrongId);
    for version in ["", r#""jsonrpc":"1.0","#, r#""jsonrpc":2.0,"#, r#""jsonrpc":null,"#] {
        let body = format!(r#"{{{version}"id":1,"result":{TASK}}}"#);
        assert_eq!(violation(json_answer(&body)), Violation::NoVersion, "{version}");
    }
}

#[test]
fn both_or_neither_of_result_and_error() {
    let both = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{TASK},"error":{{"code":-32001,"message":"gone"}}}}"#);
    assert_eq!(violation(json_answer(&both)), Violation::ResultAndError);
    for neither in [r#"{"jsonrpc":"2.0","id":1}"#, r#"{"jsonrpc":"2.0","id":1,"error":null}"#, "{}", "[]", "7", TASK] {
        assert_eq!(violation(json_answer(neither)), Violation::NoResult, "{neither}");
    }
    // A null beside an error is what libraries write that always write both.
    let null = r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":-32001,"message":"gone"}}"#;
    assert_eq!(json_answer(null).unwrap_err().kind(), ErrorKind::TaskNotFound);
}

#[test]
fn an_error_is_read_though_its_envelope_is_wanting() {
    let error = r#""error":{"code":-32001,"message":"gone"}"#;
    // Symptom 10: a proxy answered with id null although the request had an id.
    for envelope in [
        format!(r#"{{"jsonrpc":"2.0","id":null,{error}}}"#),
        format!(r#"{{"jsonrpc":"2.0",{error}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":"1",{error}}}"#),
        format!(r#"{{"id":1,{error}}}"#),
        format!("{{{error}}}"),
        r#"{"code":-32001,"message":"gone"}"#.to_owned(),
    ] {
        let error = json_answer(&envelope).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::TaskNotFound, "gone"), "{envelope}");
        assert_eq!(error.cause(), &Cause::Reported);
    }
    // But not if it is the answer to somebody else.
    assert_eq!(violation(json_answer(&format!(r#"{{"jsonrpc":"2.0","id":7,{error}}}"#))), Violation::WrongId);
}

#[test]
fn an_envelope_counts_under_an_error_status_too() {
    for status in [400, 404, 500] {
        let body = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"done"}}"#;
        let error = get_task(status, "application/json", body).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::TaskNotCancelable, "done"));
        assert_eq!(error.http_status(), Some(status));
    }
}

#[test]
fn a_status_object_counts_on_a_json_rpc_endpoint_too() {
    let body = r#"{"error":{"code":404,"status":"NOT_FOUND","message":"x","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t9"}}]}}"#;
    for status in [404, 200] {
        let error = get_task(status, "application/json", body).unwrap_err();
        assert_eq!((error.kind(), error.message(), error.code()), (ErrorKind::TaskNotFound, "x", -32001));
        assert_eq!((error.http_status(), error.metadata_value("taskId")), (Some(status), Some("t9")));
    }
    let numbered = r#"{"error":{"code":5,"status":"NOT_FOUND","message":"x"}}"#;
    let error = get_task(404, "application/json", numbered).unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::TaskNotFound, -32001));
    // In an envelope it is the agent's code, under whichever status.
    let enveloped = r#"{"jsonrpc":"2.0","id":1,"error":{"code":404,"message":"no such task"}}"#;
    for status in [404, 200] {
        let error = get_task(status, "application/json", enveloped).unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::TaskNotFound, 404));
    }
    for of_a_router in [
        r#"{"error":{"code":404,"message":"no route"}}"#,
        r#"{"status":"error","message":"no route"}"#,
        r#"{"status":"fail","code":404,"message":"no route"}"#,
    ] {
        assert_eq!(get_task(404, "application/json", of_a_router).unwrap_err().kind(), ErrorKind::MethodNotFound);
    }
    let bare = r#"{"error":{"code":503,"status":"UNAVAILABLE","message":"busy"}}"#;
    let error = get_task(503, "application/json", bare).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Custom { code: -32000, http_status: 503 });
}

#[test]
fn the_status_may_be_all_there_is() {
    // Symptom 12: the status was only to be found inside a string.
    for (status, kind) in [
        (401, ErrorKind::Custom { code: -32000, http_status: 401 }),
        (404, ErrorKind::MethodNotFound),
        (413, ErrorKind::Custom { code: -32000, http_status: 413 }),
        (429, ErrorKind::Custom { code: -32000, http_status: 429 }),
        (500, ErrorKind::Internal),
        (502, ErrorKind::Custom { code: -32000, http_status: 502 }),
        (504, ErrorKind::Custom { code: -32000, http_status: 504 }),
    ] {
        for (content_type, body) in [("text/plain", ""), ("text/html", "<html><h1>nginx</h1></html>")] {
            let error = get_task(status, content_type, body).unwrap_err();
            assert_eq!((error.kind(), error.http_status()), (kind, Some(status)), "{body}");
        }
    }
}

#[test]
fn a_success_that_is_not_json_is_an_error_of_its_own() {
    // Symptom 8: an upstream 2xx that was not JSON hid the real error.
    for body in ["OK", "", "<html>hello</html>", "{", "data: {}\n\n"] {
        assert_eq!(violation(json_answer(body)), Violation::NotJson, "{body}");
        let error = get_task(202, "text/html", body).unwrap_err();
        assert_eq!(error.http_status(), Some(202));
        assert_eq!(error.to_string(), "the answer is not JSON");
    }
    let invalid_utf_8 = {
        let id = crate::protocol::jsonrpc::Id::from_json("1").unwrap();
        let sent = crate::remote::answer::Sent { binding: Binding::JsonRpc, operation: Operation::GetTask, id: &id };
        crate::remote::answer::read(&sent, &head(200, "application/json"), b"{\"a\":\"\xff\"}", super::NOW)
    };
    assert_eq!(violation(invalid_utf_8), Violation::NotJson);
}

#[test]
fn the_content_type_of_a_result_counts() {
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{TASK}}}"#);
    for content_type in ["text/html", "text/plain", "application/problem+json", "text/event-stream"] {
        assert_eq!(violation(get_task(200, content_type, &body)), Violation::ContentType, "{content_type}");
    }
    for content_type in ["application/json; charset=utf-8", "application/a2a+json", "Application/JSON"] {
        assert!(get_task(200, content_type, &body).is_ok(), "{content_type}");
    }
    let none = ResponseHead { status: 200, headers: Vec::new() };
    assert!(receive(Binding::JsonRpc, Operation::GetTask, &none, &body).is_ok());
    // Of an error it does not.
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"gone"}}"#;
    assert_eq!(get_task(200, "text/html", error).unwrap_err().kind(), ErrorKind::TaskNotFound);
}

#[test]
fn a_result_must_be_one_of_its_operation() {
    let answer = json_answer(r#"{"jsonrpc":"2.0","id":1,"result":{"id":"t9","status":{"state":"BUSY"}}}"#);
    let Violation::Schema(violations) = violation(answer) else { panic!("a violation of the schema expected") };
    assert_eq!(violations.iter().map(|violation| violation.field.as_str()).collect::<Vec<_>>(), ["status.state"]);
    assert!(matches!(violation(json_answer(r#"{"jsonrpc":"2.0","id":1,"result":null}"#)), Violation::Schema(_)));
    let deleted = |result: &str| {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        let operation = Operation::DeleteTaskPushNotificationConfig;
        receive(Binding::JsonRpc, operation, &head(200, "application/json"), &body)
    };
    assert_eq!(deleted("null").unwrap(), json!({}));
    assert_eq!(deleted("{}").unwrap(), json!({}));
}

#[test]
fn redirects_and_odd_statuses_are_no_answers() {
    assert_eq!(violation(get_task(302, "text/html", "")), Violation::Redirect);
    assert_eq!(violation(get_task(101, "text/html", "")), Violation::Status(101));
    assert_eq!(violation(get_task(600, "text/html", "")), Violation::Status(600));
}

#[test]
fn half_a_character_spoils_no_answer() {
    // JSON.stringify of a text that was cut within an emoji.
    let task = r#"{"id":"t1","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"metadata":{"a":"cut \ud83d"}}"#;
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{task}}}"#);
    let result = receive(Binding::JsonRpc, Operation::GetTask, &head(200, "application/json"), &body).unwrap();
    assert_eq!(result["metadata"]["a"], "cut \u{fffd}");
    assert_eq!(jsonrpc_error(r#"{"code":-32001,"message":"\ude00 gone"}"#).message(), "\u{fffd} gone");
    let error = rest_error(404, "application/json", r#"{"error":{"code":404,"message":"\ud83d"}}"#);
    assert_eq!((error.http_status(), error.message()), (Some(404), "\u{fffd}"));
}

#[test]
fn an_error_that_repeats_a_member_is_an_error_under_any_status() {
    let body = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"gone","message":"gone"}}"#;
    for status in [200, 404] {
        assert_eq!(get_task(status, "application/json", body).unwrap_err().kind(), ErrorKind::TaskNotFound);
    }
    let repeated = r#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#;
    assert_eq!(violation(json_answer(repeated)), Violation::NotJson);
}

#[test]
fn a_page_is_of_nobody_who_knows_tasks() {
    let error = rest_error(404, "text/html", "<!DOCTYPE html><title>404</title>");
    assert_eq!((error.kind(), error.http_status()), (ErrorKind::MethodNotFound, Some(404)));
}
