//! The wire, byte by byte, against files that were written by hand: the examples of the specification and of the Ruby
//! library's documentation, and every kind of error in its five forms.
//!
//! The files are indented for reading. What is compared is the text without the space between tokens, so that keys,
//! their order and the spelling of every value count.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers fail the test")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, str};

use a2a_edge::protocol::details::{BadRequest, FieldViolation};
use a2a_edge::protocol::jsonrpc::{self, Id, Payload};
use a2a_edge::protocol::negotiate::ErrorFormat;
use a2a_edge::protocol::operation::Operation;
use a2a_edge::protocol::rest;
use a2a_edge::{A2aError, ErrorKind};
use serde_json::Value;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn golden(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A JSON text without the space between its tokens.
fn compact(json: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    json.chars()
        .filter(|&character| {
            let keep = quoted || !character.is_ascii_whitespace();
            let escape = escaped;
            escaped = quoted && !escape && character == '\\';
            quoted ^= character == '"' && !escape;
            keep
        })
        .collect()
}

fn id(text: &str) -> Id {
    Id::from_json(text).unwrap()
}

/// The file of a kind, and the error that it shows.
fn example(kind: ErrorKind) -> (&'static str, A2aError) {
    match kind {
        ErrorKind::TaskNotFound => ("task-not-found", A2aError::task_not_found("task-123")),
        ErrorKind::TaskNotCancelable => {
            ("task-not-cancelable", A2aError::task_not_cancelable("task-123", "TASK_STATE_COMPLETED"))
        }
        ErrorKind::PushNotificationNotSupported => {
            ("push-notification-not-supported", A2aError::push_notification_not_supported())
        }
        ErrorKind::UnsupportedOperation => {
            ("unsupported-operation", A2aError::unsupported_operation(Operation::CancelTask))
        }
        ErrorKind::ContentTypeNotSupported => {
            ("content-type-not-supported", A2aError::content_type_not_supported("image/png"))
        }
        ErrorKind::InvalidAgentResponse => {
            ("invalid-agent-response", A2aError::invalid_agent_response().with_message("Remote agent returned no task"))
        }
        ErrorKind::ExtendedAgentCardNotConfigured => {
            ("extended-agent-card-not-configured", A2aError::extended_agent_card_not_configured())
        }
        ErrorKind::ExtensionSupportRequired => (
            "extension-support-required",
            A2aError::extension_support_required("https://example.com/ext/geo-coordinates/v1"),
        ),
        ErrorKind::VersionNotSupported => ("version-not-supported", A2aError::version_not_supported("99.0", &["1.0"])),
        ErrorKind::PushNotificationConfigNotFound => {
            ("push-notification-config-not-found", A2aError::push_notification_config_not_found("task-123", "config-1"))
        }
        ErrorKind::Parse => ("parse", A2aError::parse()),
        ErrorKind::InvalidRequest => ("invalid-request", A2aError::invalid_request()),
        ErrorKind::MethodNotFound => ("method-not-found", A2aError::method_not_found("tasks/get")),
        ErrorKind::InvalidParams => {
            ("invalid-params", A2aError::invalid_params("message must contain non-empty text", ["message.parts"]))
        }
        ErrorKind::Internal => ("internal", A2aError::internal()),
        ErrorKind::Custom { .. } => ("custom", A2aError::custom("Agent is overloaded, retry later", -32000, 503)),
    }
}

/// The answer under one heading of a file: status, content type and body of a REST answer, the body of a JSON-RPC one.
fn answer(heading: &str, error: &A2aError) -> String {
    if heading == "JSON-RPC, id 1" {
        return jsonrpc::failure(&id("1"), error);
    }
    let accept = heading.strip_prefix("REST, Accept: ").unwrap_or_else(|| panic!("unknown heading {heading}"));
    let response = rest::failure(error, Some(accept), ErrorFormat::Both);
    format!("{} {}\n{}", response.status, response.content_type.unwrap(), response.body)
}

#[test]
fn every_kind_looks_like_its_file_on_both_bindings() {
    for kind in ErrorKind::ALL {
        let (name, error) = example(*kind);
        // What only a log may see is on the wire in no form.
        let error = error.with_source("postgres://user:pass@db");
        let file = golden(&format!("errors/{name}.txt"));
        let sections: Vec<(&str, &str)> =
            file.split("### ").skip(1).map(|section| section.split_once('\n').unwrap()).collect();
        assert_eq!(sections.len(), 5, "{name}");
        for (heading, expected) in sections {
            let found = answer(heading, &error);
            let (expected_head, expected_body) = expected.split_at(expected.find('{').unwrap());
            let (head, body) = found.split_at(found.find('{').unwrap());
            assert_eq!(head, expected_head, "{name}, {heading}");
            assert_eq!(body, compact(expected_body), "{name}, {heading}");
        }
    }
}

#[test]
fn every_file_belongs_to_a_kind() {
    let files = fs::read_dir(path("errors")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let kinds = ErrorKind::ALL.iter().map(|kind| format!("{}.txt", example(*kind).0));
    assert_eq!(files.collect::<BTreeSet<_>>(), kinds.collect::<BTreeSet<_>>());
}

#[test]
fn the_ruby_librarys_json_rpc_example() {
    let body = jsonrpc::failure(&id("1"), &A2aError::task_not_found("task-123"));
    assert_eq!(body, compact(&golden("examples/ruby-jsonrpc.json")));
}

#[test]
fn the_ruby_librarys_rest_example() {
    let error = A2aError::task_not_found("task-123");
    let response = rest::failure(&error, Some("application/problem+json"), ErrorFormat::Both);
    assert_eq!((response.status, response.content_type), (404, Some("application/problem+json")));
    assert_eq!(response.body, compact(&golden("examples/ruby-rest.json")));
}

#[test]
fn the_specifications_json_rpc_example() {
    let error = A2aError::task_not_found("nonexistent-task-id").with_metadata("timestamp", "2025-11-09T10:30:00.000Z");
    assert_eq!(jsonrpc::failure(&id("2"), &error), compact(&golden("examples/spec-9.5-task-not-found.json")));
}

/// The example has no ErrorInfo, which every error here has first; the rest is the same.
#[test]
fn the_specifications_invalid_params_example() {
    let violation = FieldViolation::new("message.parts", "At least one part is required");
    let body = jsonrpc::failure(&id("1"), &A2aError::invalid_fields(vec![violation]));
    let mut found: Value = serde_json::from_str(&body).unwrap();
    let info = found["error"]["data"].as_array_mut().unwrap().remove(0);
    assert_eq!(info["reason"], "INVALID_PARAMS");
    assert_eq!(info["metadata"]["fields"], "message.parts");
    let expected: Value = serde_json::from_str(&golden("examples/spec-9.5-invalid-params.json")).unwrap();
    assert_eq!(found, expected);
}

#[test]
fn the_specifications_rest_example() {
    let error = A2aError::task_not_found("task-123")
        .with_message("The specified task ID does not exist or is not accessible")
        .with_metadata("timestamp", "2025-11-09T10:30:00.000Z");
    let response = rest::failure(&error, Some("application/a2a+json"), ErrorFormat::Both);
    assert_eq!((response.status, response.content_type), (404, Some("application/a2a+json")));
    assert_eq!(response.body, compact(&golden("examples/spec-11.6-task-not-found.json")));
}

#[test]
fn the_specifications_requests_are_read() {
    let cases = [
        (Operation::GetTask, "2", Some(r#"{"id":"task-uuid","historyLength":10}"#)),
        (
            Operation::ListTasks,
            "3",
            Some(
                r#"{"contextId":"context-uuid","status":"TASK_STATE_WORKING","pageSize":50,"pageToken":"cursor-token"}"#,
            ),
        ),
        (Operation::CancelTask, "4", Some(r#"{"id":"task-uuid"}"#)),
        (Operation::SubscribeToTask, "5", Some(r#"{"id":"task-uuid"}"#)),
        (Operation::GetExtendedAgentCard, "6", None),
    ];
    for (operation, id, params) in cases {
        let body = golden(&format!("requests/{operation}.json"));
        let Ok(Payload::Single(Ok(call))) = jsonrpc::parse(body.as_bytes()) else { panic!("{operation}: no call") };
        assert_eq!(call.id.unwrap().as_str(), id);
        assert_eq!(Operation::from_method(&call.method), Some(operation));
        assert_eq!(call.params.map(|raw| compact(raw.get())).as_deref(), params);
    }
}

/// The examples of the JSON-RPC 2.0 specification, section 7, that are about errors.
#[test]
fn the_json_rpc_specifications_examples() {
    let answer = |body: &str| match jsonrpc::parse(body.as_bytes()) {
        Err(error) => (error.code(), "null".to_owned()),
        Ok(Payload::Single(Err(rejected))) => (rejected.error.code(), rejected.id.to_string()),
        other => panic!("{body}: an error expected, got {other:?}"),
    };
    let null = |code: i32| (code, "null".to_owned());
    assert_eq!(answer(r#"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#), null(-32700));
    assert_eq!(answer(r#"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#), null(-32600));
    assert_eq!(
        answer(r#"[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, {"jsonrpc": "2.0", "method"]"#),
        null(-32700)
    );
    assert_eq!(answer("[]"), null(-32600));

    let Ok(Payload::Batch(calls)) = jsonrpc::parse(b"[1,2,3]") else { panic!("a batch expected") };
    assert_eq!(calls.len(), 3);
    for call in calls {
        let rejected = call.unwrap_err();
        assert_eq!((rejected.error.code(), rejected.id), (-32600, Id::NULL));
    }

    let mixed = br#"[
        {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
        {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
        {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
        {"foo": "boo"},
        {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
        {"jsonrpc": "2.0", "method": "get_data", "id": "9"}
    ]"#;
    let Ok(Payload::Batch(calls)) = jsonrpc::parse(mixed) else { panic!("a batch expected") };
    let methods: Vec<Option<&str>> = calls.iter().map(|call| call.as_ref().ok().map(|call| &*call.method)).collect();
    let expected = [Some("sum"), Some("notify_hello"), Some("subtract"), None, Some("foo.get"), Some("get_data")];
    assert_eq!(methods, expected);
    assert!(calls[1].as_ref().unwrap().id.is_none());
}

#[test]
fn details_of_ones_own_stand_behind_the_error_info() {
    let error = A2aError::task_not_found("t").with_detail(BadRequest { field_violations: Vec::new() });
    let body: Value = serde_json::from_str(&jsonrpc::failure(&Id::NULL, &error)).unwrap();
    let types: Vec<&str> =
        body["error"]["data"].as_array().unwrap().iter().map(|detail| detail["@type"].as_str().unwrap()).collect();
    assert_eq!(types, ["type.googleapis.com/google.rpc.ErrorInfo", "type.googleapis.com/google.rpc.BadRequest"]);
}
