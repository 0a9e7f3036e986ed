//! The error boundary: however an agent fails, the caller reads a protocol error and nothing else, and the log tells
//! the rest.

#![allow(clippy::unwrap_used, clippy::panic, clippy::unreachable)] // failing is what this agent is for

mod support;

use std::fmt;

use a2a_edge::agent::{Agent, Context, Failure, Outcome};
use a2a_edge::protocol::card::{AgentCard, AgentSkill};
use a2a_edge::protocol::http::Headers;
use a2a_edge::protocol::types::{SendMessageRequest, SendMessageResponse};
use a2a_edge::{A2aError, agent};
use serde_json::{Value, json};
use support::{Json, Served, config, serve};

const CANARY: &str = "canary-7f3a";

/// Fails as the message's text says.
struct Failing;

#[derive(Debug)]
struct Wrapped(A2aError);

impl fmt::Display for Wrapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "helper failed with {CANARY}")
    }
}

impl std::error::Error for Wrapped {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

fn foreign() -> std::io::Error {
    std::io::Error::other(format!("SELECT * FROM {CANARY}"))
}

fn deep(level: u32) -> Result<(), A2aError> {
    if level == 0 { Err(A2aError::refused("refused from deep within")) } else { deep(level - 1) }
}

impl Agent for Failing {
    fn card(&self) -> AgentCard {
        AgentCard::new("failing", "Fails.", "1").with_skill(AgentSkill::new("f", "F", "Fails.", ["f"]))
    }

    async fn send_message(&self, _: &Context, request: SendMessageRequest) -> Outcome<SendMessageResponse> {
        match &*request.message.text() {
            "returned" => Err(A2aError::refused("refused from deep within").into()),
            "raised" => {
                deep(5)?;
                unreachable!()
            }
            "wrapped" => Err(Wrapped(A2aError::refused("refused from deep within")))?,
            "foreign" => Err(foreign())?,
            "sourced" => Err(A2aError::internal().with_source(foreign()))?,
            "boxed" => Err(Failure::from_boxed(Box::new(foreign()))),
            "panic" => panic!("{CANARY}"),
            "panic late" => {
                futures::future::poll_fn(late()).await;
                panic!("{CANARY}")
            }
            "panic any" => std::panic::panic_any(A2aError::refused(CANARY).to_string()),
            text => panic!("no such failure: {text}"),
        }
    }
}

/// Pending once, then ready.
fn late() -> impl FnMut(&mut std::task::Context<'_>) -> std::task::Poll<()> {
    let mut polled = false;
    move |cx| {
        if std::mem::replace(&mut polled, true) {
            return std::task::Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        std::task::Poll::Pending
    }
}

fn failing() -> Served<Failing> {
    agent::install_panic_hook(None);
    serve(Failing, config())
}

fn headers() -> Headers<'static> {
    Headers { version: Some("1.0"), accept: Some("application/json"), ray: Some("8f-FRA"), ..Headers::default() }
}

fn params(text: &str) -> Value {
    json!({ "message": { "messageId": "m1", "role": "ROLE_USER", "parts": [{ "text": text }] } })
}

/// The error of both bindings, as (code, http status, message).
fn fail(server: &Served<Failing>, text: &str) -> (i64, u16, String) {
    let call = json!({ "jsonrpc": "2.0", "id": "req-1", "method": "SendMessage", "params": params(text) });
    let rpc = server.post("/", headers(), &call.to_string());
    let rest = server.post("/message:send", headers(), &params(text).to_string());
    assert!(!rpc.body.contains(CANARY) && !rest.body.contains(CANARY), "{} {}", rpc.body, rest.body);
    let (rpc, status) = (rpc.json(), rest.status);
    let rest = rest.json();
    assert_eq!(rpc["id"], "req-1");
    assert_eq!(rpc["error"]["message"], rest["error"]["message"]);
    assert_eq!(rpc["error"]["data"], rest["error"]["details"]);
    (rpc["error"]["code"].as_i64().unwrap(), status, rpc["error"]["message"].as_str().unwrap().to_owned())
}

#[test]
fn protocol_errors_end_alike_wherever_they_come_from() {
    let server = failing();
    for text in ["returned", "raised", "wrapped"] {
        assert_eq!(fail(&server, text), (-32004, 400, "refused from deep within".to_owned()), "{text}");
    }
}

#[test]
fn anything_else_is_an_internal_error_and_says_no_more() {
    let server = failing();
    for text in ["foreign", "sourced", "boxed", "panic", "panic late", "panic any"] {
        assert_eq!(fail(&server, text), (-32603, 500, "Internal error".to_owned()), "{text}");
    }
}

#[test]
fn each_failure_is_one_log_line_with_its_sources() {
    let server = failing();
    let call = json!({ "jsonrpc": "2.0", "id": "req-1", "method": "SendMessage", "params": params("wrapped") });
    server.post("/", headers(), &call.to_string());
    let lines = server.log.take();
    assert_eq!(lines.len(), 1, "{lines:?}");
    let line: Value = serde_json::from_str(&lines[0].1).unwrap();
    assert_eq!(line["code"], -32004);
    assert_eq!(line["reason"], "UNSUPPORTED_OPERATION");
    assert_eq!(line["requestId"], "\"req-1\"");
    assert_eq!(line["operation"], "SendMessage");
    assert_eq!(line["binding"], "JSONRPC");
    assert_eq!(line["ray"], "8f-FRA");
    assert_eq!(line["durationMs"], 0);
    assert_eq!(line["sources"], json!([format!("helper failed with {CANARY}"), "refused from deep within"]));
}

#[test]
fn a_panic_is_logged_by_its_place_alone() {
    let server = failing();
    for text in ["panic", "panic late"] {
        server.post("/message:send", headers(), &params(text).to_string());
        let lines = server.log.take();
        assert_eq!(lines.len(), 1);
        assert!(lines[0].1.contains("panic at tests/boundary.rs:"), "{}", lines[0].1);
        assert!(!lines[0].1.contains(CANARY), "{}", lines[0].1);
    }
}

#[test]
fn a_success_is_not_logged_and_a_notification_that_fails_is() {
    let server = support::server_with(|_, _| {});
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params("hello") });
    server.post("/", headers(), &call.to_string());
    assert!(server.log.take().is_empty());

    let notification = json!({ "jsonrpc": "2.0", "method": "GetTask", "params": { "id": "nope" } });
    let answer = server.post("/", headers(), &notification.to_string());
    assert_eq!((answer.status, answer.body.as_str()), (204, ""));
    let lines = server.log.take();
    assert_eq!(lines.len(), 1);
    assert!(lines[0].1.contains("TASK_NOT_FOUND") && !lines[0].1.contains("requestId"), "{}", lines[0].1);
}

#[test]
fn a_method_that_the_agent_leaves_out_is_named() {
    let server = failing();
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "CancelTask", "params": { "id": "t" } });
    let answer = server.post("/", headers(), &call.to_string()).json();
    assert_eq!(answer["error"]["code"], -32004);
    assert_eq!(answer["error"]["message"], "Operation not supported: CancelTask");
    assert_eq!(answer["error"]["data"][0]["metadata"], json!({ "operation": "CancelTask" }));
}
