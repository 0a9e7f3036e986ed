//! Events of streams, in both bindings.

use serde_json::{Value, json};

use super::{NOW, head};
use crate::protocol::error::ErrorKind;
use crate::protocol::jsonrpc::Id;
use crate::protocol::operation::Operation;
use crate::protocol::sse::{Decoder, Frame};
use crate::remote::answer::{self, Sent};
use crate::remote::events::{self, Progress};
use crate::remote::{Binding, Cause, RemoteError, Violation};

fn read(binding: Binding, frame: &str) -> Result<Option<Value>, RemoteError> {
    let mut frames: Vec<Frame> = Vec::new();
    let mut decoder = Decoder::default();
    decoder.push(frame.as_bytes(), &mut frames).unwrap();
    frames.extend(decoder.finish().unwrap());
    let [frame] = frames.as_slice() else { panic!("one frame expected, got {frames:?}") };
    let id = Id::from_json("1").unwrap();
    let sent = Sent { binding, operation: Operation::SendStreamingMessage, id: &id };
    events::read(&sent, &head(200, "text/event-stream"), frame, NOW)
}

const UPDATE: &str = r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}"#;

fn enveloped(result: &str) -> String {
    format!(r#"data: {{"jsonrpc":"2.0","id":1,"result":{result}}}"#)
}

#[test]
fn events_are_given_in_canonical_form() {
    let expected =
        json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}}});
    assert_eq!(read(Binding::JsonRpc, &enveloped(UPDATE)).unwrap(), Some(expected.clone()));
    assert_eq!(read(Binding::Rest, &format!("data: {UPDATE}")).unwrap(), Some(expected.clone()));
    let snake = r#"data: {"status_update":{"task_id":"t","context_id":"c","status":{"state":2}}}"#;
    assert_eq!(read(Binding::Rest, snake).unwrap(), Some(expected.clone()));
    assert_eq!(read(Binding::Rest, &format!("event: message\nid: 4\ndata: {UPDATE}")).unwrap(), Some(expected));
}

#[test]
fn errors_are_read_in_every_form() {
    let gone = r#"{"code":-32001,"message":"gone"}"#;
    let status = r#"{"error":{"code":404,"status":"NOT_FOUND","message":"gone","details":[{"@type":"x/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND"}]}}"#;
    let envelope = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{gone}}}"#);
    for frame in [
        format!("event: error\ndata: {envelope}"),
        format!("event: error\ndata: {status}"),
        format!("event: error\ndata: {gone}"),
        format!("data: {envelope}"),
        format!("data: {status}"),
        format!("data: {{\"error\":{gone}}}"),
        format!("data: {gone}"),
    ] {
        for binding in Binding::ALL {
            let error = read(binding, &frame).unwrap_err();
            assert_eq!((error.kind(), error.message()), (ErrorKind::TaskNotFound, "gone"), "{binding}: {frame}");
            assert_eq!((error.cause(), error.binding()), (&Cause::Reported, binding));
        }
    }
}

#[test]
fn a_bare_error_is_no_message() {
    for binding in Binding::ALL {
        let error = read(binding, r#"data: {"code":-32603,"message":"x"}"#).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Internal, "x"));
        let error = read(binding, r#"data: {"error":"text"}"#).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ErrorKind::Internal, "text"));
        for frame in ["event: error\ndata: boom", "event: error\ndata: \"boom\""] {
            let error = read(binding, frame).unwrap_err();
            assert_eq!((error.kind(), error.message()), (ErrorKind::Internal, "boom"));
        }
    }
}

#[test]
fn the_status_in_an_event_is_that_of_the_failure() {
    let frame = r#"data: {"error":{"code":503,"status":"UNAVAILABLE","message":"busy"}}"#;
    let error = read(Binding::Rest, frame).unwrap_err();
    assert_eq!((error.http_status(), error.kind()), (Some(503), ErrorKind::Custom { code: -32000, http_status: 503 }));
    assert!(error.is_retryable());
    // JSON-RPC is always under 200.
    assert_eq!(read(Binding::JsonRpc, frame).unwrap_err().http_status(), Some(200));
}

#[test]
fn unknown_payloads_and_empty_frames_are_skipped() {
    for frame in [r#"{"heartbeat":{"n":1}}"#, r#"{"usage":1,"later":2}"#] {
        assert_eq!(read(Binding::Rest, &format!("data: {frame}")).unwrap(), None);
        assert_eq!(read(Binding::JsonRpc, &enveloped(frame)).unwrap(), None);
    }
    assert_eq!(read(Binding::Rest, "data: ").unwrap(), None);
    assert_eq!(read(Binding::JsonRpc, "data:").unwrap(), None);
}

#[test]
fn what_is_not_for_the_caller_is_skipped() {
    for binding in Binding::ALL {
        for frame in [
            "event: ping\ndata: {}",
            "event: ping\ndata: ping",
            "event: ping\ndata: 1767225600",
            "event: ping\ndata: {\"id\":5,\"detail\":\"alive\"}",
            "event: heartbeat\ndata: {\"time\":1}",
            "event: ping\ndata:",
            "event: ping\ndata: {\"message\":\"still alive\"}",
            "event: ping\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"ping\"}",
            "event: ping\ndata: {\"error\":false}",
            "event: ping\ndata: {\"code\":0,\"message\":\"ok\"}",
            "event: ping\ndata: {\"result\":\"ok\"}",
            "event: log\ndata: {\"task\":\"t\",\"line\":\"x\"}",
            "data: {\"time\":1}",
        ] {
            assert_eq!(read(binding, frame), Ok(None), "{binding}: {frame}");
        }
        // But what is of the protocol is read, whatever it is called.
        let error =
            read(binding, "event: failure\ndata: {\"error\":{\"code\":-32001,\"message\":\"gone\"}}").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TaskNotFound);
    }
    assert!(read(Binding::Rest, &format!("event: statusUpdate\ndata: {UPDATE}")).unwrap().is_some());
    assert!(read(Binding::JsonRpc, &format!("event: task\n{}", enveloped(UPDATE))).unwrap().is_some());
    // Nor is a notification an answer.
    assert_eq!(read(Binding::JsonRpc, r#"data: {"jsonrpc":"2.0","method":"ping"}"#), Ok(None));
    // An answer to something is none to skip.
    let error = read(Binding::JsonRpc, "data: {\"id\":1}").unwrap_err();
    assert_eq!(error.cause(), &Cause::Invalid(Violation::NoResult));
}

#[test]
fn a_payload_without_its_name_is_not_unknown() {
    for payload in [
        r#"{"id":"t","status":{"state":"TASK_STATE_WORKING"}}"#,
        r#"{"messageId":"m","role":"ROLE_AGENT","parts":[]}"#,
        r#"{"message_id":"m","role":"ROLE_AGENT","parts":[]}"#,
        r#"{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"working"},"final":false}"#,
        r#"{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[]}}"#,
    ] {
        for (binding, frame) in [(Binding::Rest, format!("data: {payload}")), (Binding::JsonRpc, enveloped(payload))] {
            let error = read(binding, &frame).unwrap_err();
            assert!(matches!(error.cause(), Cause::Invalid(Violation::Schema(_))), "{frame}: {error:?}");
            assert!(error.to_string().contains("got none"), "{error}");
        }
    }
}

#[test]
fn each_event_is_checked_by_itself() {
    let violation = |binding, frame: &str| match read(binding, frame).unwrap_err().cause() {
        Cause::Invalid(violation) => violation.clone(),
        other @ (Cause::Reported | Cause::Transport(_)) => panic!("{frame}: {other:?}"),
    };
    assert_eq!(violation(Binding::JsonRpc, &enveloped(UPDATE).replace("\"id\":1", "\"id\":2")), Violation::WrongId);
    assert_eq!(violation(Binding::JsonRpc, &enveloped(UPDATE).replace("2.0", "1.0")), Violation::NoVersion);
    assert_eq!(violation(Binding::JsonRpc, &format!("data: {UPDATE}")), Violation::NoResult);
    assert_eq!(violation(Binding::Rest, "data: <html>"), Violation::NotJson);
    for frame in
        [enveloped(UPDATE), r#"data: {"task":{"id":"t"}}"#.to_owned(), "data: {}".to_owned(), "data: 7".to_owned()]
    {
        assert!(matches!(violation(Binding::Rest, &frame), Violation::Schema(_)), "{frame}");
    }
    let both = format!(r#"data: {{"jsonrpc":"2.0","id":1,"result":{UPDATE},"error":{{"code":1}}}}"#);
    assert_eq!(violation(Binding::JsonRpc, &both), Violation::ResultAndError);
}

#[test]
fn a_stream_is_over_with_a_message_or_a_terminal_state() {
    let status = |state: &str| json!({"taskId": "t", "contextId": "c", "status": {"state": state}});
    let task = |state: &str| json!({"id": "t", "status": {"state": state}});
    for (event, expected) in [
        (json!({"message": {"messageId": "m"}}), Progress::Finished),
        (json!({"task": task("TASK_STATE_SUBMITTED")}), Progress::Open),
        (json!({"task": task("TASK_STATE_REJECTED")}), Progress::Finished),
        (json!({"statusUpdate": status("TASK_STATE_WORKING")}), Progress::Open),
        (json!({"statusUpdate": status("TASK_STATE_COMPLETED")}), Progress::Finished),
        (json!({"statusUpdate": status("TASK_STATE_FAILED")}), Progress::Finished),
        (json!({"statusUpdate": status("TASK_STATE_CANCELED")}), Progress::Finished),
        (json!({"statusUpdate": status("TASK_STATE_INPUT_REQUIRED")}), Progress::Interrupted),
        (json!({"statusUpdate": status("TASK_STATE_AUTH_REQUIRED")}), Progress::Interrupted),
    ] {
        assert_eq!(events::progress(&event), Some(expected), "{event}");
    }
    assert_eq!(events::progress(&json!({"artifactUpdate": {"taskId": "t"}})), None);
}

#[test]
fn json_instead_of_a_stream() {
    let id = Id::from_json("1").unwrap();
    let instead = |binding, status, content_type: &str, body: &str| {
        let sent = Sent { binding, operation: Operation::SendStreamingMessage, id: &id };
        answer::instead_of_stream(&sent, &head(status, content_type), body.as_bytes(), NOW)
    };
    let refused = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"no streams"}}"#;
    let error = instead(Binding::JsonRpc, 200, "application/json", refused);
    assert_eq!((error.kind(), error.message()), (ErrorKind::UnsupportedOperation, "no streams"));
    let error = instead(Binding::Rest, 400, "application/problem+json", r#"{"title":"no","status":400}"#);
    assert_eq!((error.kind(), error.message()), (ErrorKind::InvalidParams, "no"));
    let whole = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{UPDATE}}}"#);
    let error = instead(Binding::JsonRpc, 200, "application/json", &whole);
    assert_eq!(error.cause(), &Cause::Invalid(Violation::NotAStream));
    let error = instead(Binding::Rest, 200, "text/html", "<html>");
    assert_eq!(error.cause(), &Cause::Invalid(Violation::NotJson));
    // A stream under an error status: its first event is the error.
    let error = instead(Binding::JsonRpc, 500, "text/event-stream", &format!("event: error\ndata: {refused}\n\n"));
    assert_eq!((error.kind(), error.http_status()), (ErrorKind::UnsupportedOperation, Some(500)));
    assert_eq!(instead(Binding::Rest, 503, "text/event-stream", ": x\n\n").http_status(), Some(503));
}

#[test]
fn a_problem_is_an_error_without_the_name_of_one() {
    for (data, message) in
        [(r#"{"type":"about:blank","title":"Gone","status":404}"#, "Gone"), (r#"{"detail":"Not Found"}"#, "Not Found")]
    {
        for binding in Binding::ALL {
            let error = read(binding, &format!("data: {data}")).unwrap_err();
            assert_eq!((error.cause(), error.message()), (&Cause::Reported, message));
        }
    }
    assert_eq!(read(Binding::Rest, r#"data: {"later":{"detail":"x"}}"#), Ok(None));
}
