//! What is passed on of another agent's error, and what is not.

use std::error::Error as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::{jsonrpc_error, rest_error};
use crate::protocol::error::{A2aError, ErrorKind};
use crate::protocol::jsonrpc::{Id, failure};
use crate::remote::{Binding, RemoteError, TransportFault};

/// The JSON-RPC error object that one's own caller gets.
fn wire(error: &A2aError) -> Value {
    let body: Value = serde_json::from_str(&failure(&Id::NULL, error)).unwrap();
    body["error"].clone()
}

fn source(error: &A2aError) -> String {
    error.source().unwrap().to_string()
}

#[test]
fn harmless_errors_pass_whole() {
    let error = jsonrpc_error(
        r#"{"code":-32001,"message":"gone","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t9","n":3}}]}"#,
    );
    assert_eq!(
        wire(&error.to_protocol_error(None)),
        json!({"code": -32001, "message": "gone", "data": [{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND",
            "domain": "a2a-protocol.org", "metadata": {"taskId": "t9", "n": "3"}
        }]})
    );
}

#[test]
fn unknown_codes_reasons_domains_metadata_details_and_retry_advice_pass() {
    let error = jsonrpc_error(
        r#"{"code":-32060,"message":"Out of credit","data":[
            {"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"NO_CREDIT","domain":"bank.example","metadata":{"left":"0"}},
            {"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2s"},
            {"@type":"type.googleapis.com/google.rpc.Help","links":[{"url":"https://bank.example/credit"}]}]}"#,
    );
    let passed = error.to_protocol_error(None);
    assert_eq!(
        wire(&passed),
        json!({"code": -32060, "message": "Out of credit", "data": [
            {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "NO_CREDIT", "domain": "bank.example", "metadata": {"left": "0"}},
            {"@type": "type.googleapis.com/google.rpc.Help", "links": [{"url": "https://bank.example/credit"}]},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "2s"}
        ]})
    );
    assert!(passed.headers().contains(&("Retry-After", "2".to_owned())));
}

#[test]
fn drifted_codes_and_reasons_are_put_right() {
    let error = jsonrpc_error(
        r#"{"code":-32603,"message":"m","data":[{"@type":"x/google.rpc.ErrorInfo","reason":"UNSUPPORTED_CONTENT_TYPE","domain":"x"}]}"#,
    );
    let passed = error.to_protocol_error(None);
    assert_eq!((passed.code(), passed.http_status()), (-32005, 400));
    assert_eq!((passed.reason(), passed.domain()), ("CONTENT_TYPE_NOT_SUPPORTED", "a2a-protocol.org"));
}

#[test]
fn violations_pass_in_the_protocols_form() {
    let body = r#"{"detail":[{"loc":["body","message"],"msg":"Field required"},{"loc":["body","id"],"msg":"at /usr/lib/agent/x.py"}]}"#;
    let passed = rest_error(422, "application/json", body).to_protocol_error(None);
    let wire = wire(&passed);
    assert_eq!((passed.kind(), passed.metadata("fields")), (ErrorKind::InvalidParams, Some("message, id")));
    assert_eq!(
        wire["data"][1]["fieldViolations"],
        json!([{"field": "message", "description": "Field required"}, {"field": "id", "description": "Invalid value"}])
    );
    let error = jsonrpc_error(r#"{"code":-32600,"message":"m","data":[{"field":"jsonrpc","description":"missing"}]}"#);
    let passed = error.to_protocol_error(None);
    assert_eq!((passed.code(), passed.details().len()), (-32600, 1));
}

#[test]
fn texts_that_look_like_internals_are_replaced_and_logged() {
    // Symptoms 1 and 2 of the list.
    for message in [
        "(psycopg2.errors.UndefinedTable) relation does not exist [SQL: SELECT body FROM tasks WHERE id = %(id)s]",
        "Traceback (most recent call last):\n  File \"/srv/agent/app.py\", line 12, in handle",
        "TypeError: boom\n    at Object.<anonymous> (/app/server.js:3:9)",
        "<!DOCTYPE html><html><pre>SyntaxError</pre></html>",
        "cannot open /var/lib/agent/tasks.db",
    ] {
        let error = jsonrpc_error(&json!({"code": -32603, "message": message}).to_string());
        assert_eq!(error.message(), message, "nothing is lost to the one who asked");
        let passed = error.to_protocol_error(None);
        assert_eq!((passed.code(), passed.message()), (-32603, "Internal error"));
        assert!(source(&passed).contains(message), "{}", source(&passed));
    }
    let custom = jsonrpc_error(r#"{"code":-32060,"message":"panicked at src/main.rs:1:1"}"#).to_protocol_error(None);
    assert_eq!((custom.code(), custom.message()), (-32060, "Error"));
    let page = rest_error(502, "text/html", "<html><title>nginx on 10.0.0.3</title></html>").to_protocol_error(None);
    assert_eq!((page.http_status(), page.message()), (502, "Bad gateway"));
    assert!(!wire(&page).to_string().contains("nginx"));
}

#[test]
fn internals_do_not_pass_by_a_side_door() {
    let error = jsonrpc_error(
        r#"{"code":-32001,"message":"gone","data":[
            {"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SELECT * FROM x","domain":"db.internal:5432",
             "metadata":{"taskId":"t9","stackTrace":"x","where":"/etc/agent/conf","Authorization":"abc"}},
            {"@type":"type.googleapis.com/google.rpc.DebugInfo","detail":"x","stackEntries":["main"]},
            {"@type":"type.googleapis.com/google.rpc.Help","links":[{"url":"https://user:pass@db.example"}]}]}"#,
    );
    assert_eq!(
        wire(&error.to_protocol_error(None)),
        json!({"code": -32001, "message": "gone", "data": [{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND",
            "domain": "a2a-protocol.org", "metadata": {"taskId": "t9"}
        }]})
    );
    let plain = jsonrpc_error(r#"{"code":-32001,"message":"gone","data":"no field named foo"}"#);
    assert_eq!(plain.to_protocol_error(None).metadata("data"), Some("no field named foo"));
    let leaking = jsonrpc_error(r#"{"code":-32001,"message":"gone","data":"at /usr/bin/agent"}"#);
    assert_eq!(leaking.to_protocol_error(None).metadata("data"), None);
}

#[test]
fn secrets_pass_neither_to_the_caller_nor_to_the_log() {
    for message in
        ["cannot reach redis://agent:hunter2@cache.example", "password=hunter2 is wrong", "echo: s3cr3t-hunter2"]
    {
        let error = jsonrpc_error(&json!({"code": -32603, "message": message}).to_string());
        let passed = error.to_protocol_error(Some("Bearer s3cr3t-hunter2"));
        assert_eq!(passed.message(), "Internal error");
        for text in [source(&passed), wire(&passed).to_string()] {
            assert!(!text.contains("hunter2"), "{text}");
        }
    }
}

#[test]
fn long_texts_are_cut_and_many_are_few() {
    let metadata: serde_json::Map<String, Value> = (0..100).map(|n| (format!("k{n}"), json!("v"))).collect();
    let error = json!({"code": -32000, "message": "x".repeat(5000), "data": metadata});
    let passed = jsonrpc_error(&error.to_string()).to_protocol_error(None);
    assert_eq!(passed.message().len(), 1024);
    assert_eq!(wire(&passed)["data"][0]["metadata"].as_object().unwrap().len(), 32);
}

#[test]
fn an_answer_that_breaks_the_protocol_is_junk_and_the_log_says_how() {
    let passed = rest_error(200, "application/json", "[]").to_protocol_error(None);
    assert_eq!((passed.code(), passed.http_status(), passed.message()), (-32006, 500, "Invalid agent response"));
    assert_eq!(
        source(&passed),
        "agent over HTTP+JSON: HTTP 200: the result breaks the schema at result (Must be an object (Task), got an array)"
    );
}

#[test]
fn faults_of_the_transport_have_the_statuses_of_a_gateway() {
    let retry_after = Duration::from_millis(1500);
    for (fault, http_status, reason) in [
        (TransportFault::Unreachable, 502, "ORIGIN_UNAVAILABLE"),
        (TransportFault::NoAnswer, 502, "ORIGIN_UNAVAILABLE"),
        (TransportFault::CutShort, 502, "ORIGIN_INTERRUPTED"),
        (TransportFault::TimedOut, 504, "ORIGIN_TIMEOUT"),
        (TransportFault::CircuitOpen { retry_after }, 503, "ORIGIN_CIRCUIT_OPEN"),
    ] {
        let error = RemoteError::transport(Binding::JsonRpc, fault.clone());
        assert_eq!((error.http_status(), error.reason(), error.is_retryable()), (None, Some(reason), true));
        let passed = error.to_protocol_error(None);
        assert_eq!((passed.code(), passed.http_status(), passed.reason()), (-32603, http_status, reason));
        assert_eq!(passed.domain(), "a2a-edge");
        let is_open = matches!(fault, TransportFault::CircuitOpen { .. });
        assert_eq!(passed.headers().contains(&("Retry-After", "2".to_owned())), is_open);
    }
}

#[test]
fn a_challenge_passes_with_its_401() {
    let head = crate::ports::ResponseHead {
        status: 401,
        headers: vec![("www-authenticate".to_owned(), "Bearer realm=\"agent\"".to_owned())],
    };
    let error = super::receive(Binding::Rest, crate::protocol::operation::Operation::GetTask, &head, "").unwrap_err();
    let passed = error.to_protocol_error(None);
    assert_eq!((passed.http_status(), passed.message()), (401, "Authentication required"));
    assert_eq!(passed.headers(), [("WWW-Authenticate", "Bearer realm=\"agent\"".to_owned())]);
}
