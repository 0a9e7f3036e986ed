//! The gate's checks and their order, on both bindings: version, operation, authentication, extensions, parameters,
//! media types, capabilities.
//!
//! A request that is wrong in every respect is put right one respect at a time; each time the next check speaks.

#![allow(clippy::unwrap_used)] // in helpers as well

mod support;

use a2a_edge::protocol::http::Headers;
use serde_json::json;
use support::{Json, Served, server_with};

const EXTENSION: &str = "https://example.com/ext/geo/v1";

fn strict() -> Served {
    server_with(|demo, config| {
        demo.streaming = false;
        demo.required_extensions = vec![EXTENSION.to_owned()];
        config.tokens = a2a_edge::agent::Tokens::parse(r#"{"t-alice":"alice"}"#).unwrap();
    })
}

/// Everything right but what the step at hand leaves wrong.
struct Attempt {
    version: Option<&'static str>,
    known_operation: bool,
    token: Option<&'static str>,
    extensions: Option<&'static str>,
    message_id: &'static str,
    media_type: &'static str,
    streaming: bool,
}

impl Attempt {
    /// The attempts in order: the first is all wrong, the last has only the capability wrong.
    fn ladder() -> [(Self, i32, &'static str); 7] {
        let all_wrong = || Self {
            version: Some("99.0"),
            known_operation: false,
            token: None,
            extensions: None,
            message_id: "",
            media_type: "image/png",
            streaming: true,
        };
        let versioned = || Self { version: Some("1.0"), ..all_wrong() };
        let known = || Self { known_operation: true, ..versioned() };
        let authenticated = || Self { token: Some("Bearer t-alice"), ..known() };
        let extended = || Self { extensions: Some(EXTENSION), ..authenticated() };
        let valid = || Self { message_id: "m1", ..extended() };
        let plain = || Self { media_type: "text/plain", ..valid() };
        [
            (all_wrong(), -32009, "VERSION_NOT_SUPPORTED"),
            (versioned(), -32601, "METHOD_NOT_FOUND"),
            (known(), -32000, "UNAUTHENTICATED"),
            (authenticated(), -32008, "EXTENSION_SUPPORT_REQUIRED"),
            (extended(), -32602, "INVALID_PARAMS"),
            (valid(), -32005, "CONTENT_TYPE_NOT_SUPPORTED"),
            (plain(), -32004, "UNSUPPORTED_OPERATION"),
        ]
    }

    fn headers(&self) -> Headers<'_> {
        Headers {
            version: self.version,
            authorization: self.token,
            extensions: self.extensions,
            accept: Some("application/json"),
            ..Headers::default()
        }
    }

    fn params(&self) -> serde_json::Value {
        json!({ "message": {
            "messageId": self.message_id,
            "role": "ROLE_USER",
            "parts": [{ "text": "hi", "mediaType": self.media_type }],
        } })
    }

    fn method(&self) -> &'static str {
        match (self.known_operation, self.streaming) {
            (false, _) => "NoSuchMethod",
            (true, true) => "SendStreamingMessage",
            (true, false) => "SendMessage",
        }
    }
}

#[test]
fn checks_speak_in_the_agreed_order_over_json_rpc() {
    let server = strict();
    for (attempt, code, reason) in Attempt::ladder() {
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": attempt.method(), "params": attempt.params() });
        let answer = server.post("/rpc", attempt.headers(), &body.to_string());
        assert_eq!(answer.status, 200, "{reason}");
        let answer = answer.json();
        assert_eq!(answer["id"], 7, "{reason}");
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert_eq!(answer["error"]["data"][0]["reason"], reason, "{answer}");
    }
}

#[test]
fn checks_speak_in_the_agreed_order_over_rest() {
    let server = strict();
    for (attempt, code, reason) in Attempt::ladder() {
        if code == -32601 {
            continue; // an unknown route is no operation of any version
        }
        let answer = server.post("/message:stream", attempt.headers(), &attempt.params().to_string());
        let answer = answer.json();
        assert_eq!(answer["error"]["details"][0]["reason"], reason, "{answer}");
    }
}

#[test]
fn with_everything_right_the_message_is_answered() {
    let server = strict();
    let attempt = Attempt {
        version: Some("1.0"),
        known_operation: true,
        token: Some("bearer t-alice"),
        extensions: None,
        message_id: "m1",
        media_type: "Text/Plain; charset=utf-8",
        streaming: false,
    };
    let mut params = attempt.params();
    // The message may declare the extension in place of the header.
    params["message"]["extensions"] = json!([EXTENSION]);
    let answer = server.post("/message:send", attempt.headers(), &params.to_string());
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["task"]["status"]["state"], "TASK_STATE_COMPLETED");
}

#[test]
fn a_push_config_in_a_message_needs_the_capability_too() {
    let server = server_with(|_, _| {});
    let params = json!({
        "message": { "messageId": "m1", "role": "ROLE_USER", "parts": [{ "text": "hi" }] },
        "configuration": { "taskPushNotificationConfig": { "url": "https://example.com/hook" } },
    });
    let headers = Headers { version: Some("1.0"), accept: Some("application/json"), ..Headers::default() };
    let answer = server.post("/message:send", headers, &params.to_string()).json();
    assert_eq!(answer["error"]["details"][0]["reason"], "PUSH_NOTIFICATION_NOT_SUPPORTED", "{answer}");
}
