//! Whatever an agent answers: there is a meaning, and nothing planted in it comes through.

use std::error::Error as _;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{NOW, head};
use crate::protocol::jsonrpc::{Id, failure};
use crate::protocol::operation::Operation;
use crate::protocol::sse::Frame;
use crate::remote::answer::{self, Sent};
use crate::remote::{Binding, Cause, RemoteError, events};

/// What must not come through, in texts that give it away.
const PLANTED: [&str; 5] = [
    "Traceback (most recent call last): hunter2",
    "SELECT hunter2 FROM users",
    "/srv/agent/hunter2.py",
    "<html>hunter2</html>",
    "https://agent:hunter2@db.example/x",
];

/// JSON out of the words of all dialects.
fn json_value() -> impl Strategy<Value = Value> {
    let words: Vec<Value> = [
        "TASK_NOT_FOUND",
        "NOT_FOUND",
        "QUOTA",
        "type.googleapis.com/google.rpc.ErrorInfo",
        "google.rpc.BadRequest",
        "type.googleapis.com/google.rpc.RetryInfo",
        "x/google.rpc.Help",
        "2.0",
        "1.5s",
        "harmless",
        "",
    ]
    .into_iter()
    .chain(PLANTED)
    .map(Value::from)
    .chain([json!(null), json!(true), json!(1), json!(-32001), json!(-32603), json!(404), json!(1e300), json!(-0.5)])
    .collect();
    let keys = prop::sample::select(vec![
        "error",
        "code",
        "message",
        "data",
        "details",
        "detail",
        "status",
        "statusCode",
        "title",
        "type",
        "errors",
        "id",
        "jsonrpc",
        "result",
        "reason",
        "domain",
        "metadata",
        "@type",
        "fieldViolations",
        "field",
        "description",
        "loc",
        "msg",
        "retryDelay",
        "seconds",
        "nanos",
        "task",
        "taskId",
        "stack",
        "/srv/hunter2",
        "configId",
    ]);
    prop::sample::select(words).prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::btree_map(keys.clone(), inner, 0..6).prop_map(|members| {
                Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>())
            }),
        ]
    })
}

fn check(error: &RemoteError) -> Result<(), TestCaseError> {
    let passed = error.to_protocol_error(Some("Bearer hunter2-hunter2"));
    let wire = failure(&Id::NULL, &passed);
    prop_assert!(!wire.contains("hunter2"), "{wire}");
    prop_assert!((400..=599).contains(&passed.http_status()));
    let info = serde_json::from_str::<Value>(&wire).unwrap()["error"]["data"].clone();
    let is_info = |detail: &&Value| detail["@type"] == "type.googleapis.com/google.rpc.ErrorInfo";
    prop_assert_eq!(info.as_array().unwrap().iter().filter(is_info).count(), 1);
    // The log may read what the caller may not, but no credentials.
    prop_assert!(!passed.source().unwrap().to_string().contains("agent:hunter2@"));
    prop_assert!(error.is_retryable() || !matches!(error.cause(), Cause::Transport(_)));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn any_json_is_understood(body in json_value(), status in prop::sample::select(vec![200_u16, 204, 302, 400, 404, 500, 503]), rest: bool, stream: bool) {
        let id = Id::from_json("1").unwrap();
        let binding = if rest { Binding::Rest } else { Binding::JsonRpc };
        let operation = if stream { Operation::SendStreamingMessage } else { Operation::GetTask };
        let sent = Sent { binding, operation, id: &id };
        let head = head(status, "application/json");
        if let Err(error) = answer::read(&sent, &head, body.to_string().as_bytes(), NOW) {
            check(&error)?;
        }
        for event in [None, Some("error".to_owned())] {
            let frame = Frame { event, data: body.to_string(), id: None };
            if let Err(error) = events::read(&sent, &head, &frame, NOW) {
                check(&error)?;
            }
        }
    }

    #[test]
    fn any_bytes_are_understood(body in prop::collection::vec(any::<u8>(), 0..60), status in 100_u16..700, rest: bool) {
        let id = Id::from_json("1").unwrap();
        let binding = if rest { Binding::Rest } else { Binding::JsonRpc };
        let sent = Sent { binding, operation: Operation::GetTask, id: &id };
        let error = answer::read(&sent, &head(status, "text/plain"), &body, NOW).unwrap_err();
        prop_assert_eq!(error.http_status(), Some(status));
        check(&error)?;
    }
}
