//! Expectations are those of specification 9.4, 11.3 and 11.5.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::protocol::rest::Route;
use crate::protocol::schema;

fn id() -> Id {
    Id::from_json("7").unwrap()
}

fn rest_url(operation: Operation, params: &Value) -> (&'static str, String, Option<String>) {
    let endpoint = Endpoint::new("https://agent.example/a2a/", Binding::Rest);
    let request = build(&endpoint, operation, params, &id(), &Service::default());
    (request.method, request.url.strip_prefix("https://agent.example/a2a").unwrap().to_owned(), request.body)
}

#[test]
fn json_rpc_is_one_post_with_an_envelope() {
    let endpoint = Endpoint::new("https://agent.example/rpc?k=1", Binding::JsonRpc);
    let request = build(&endpoint, Operation::GetTask, &json!({"id": "t1"}), &id(), &Service::default());
    assert_eq!((request.method, request.url.as_str()), ("POST", "https://agent.example/rpc?k=1"));
    assert_eq!(request.body.as_deref(), Some(r#"{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"id":"t1"}}"#));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("accept"), Some("application/json"));
    assert_eq!(request.header("a2a-version"), Some("1.0"));
    assert_eq!(request.header("authorization"), None);
}

#[test]
fn a_fragment_stays_at_home() {
    for (binding, url) in
        [(Binding::JsonRpc, "https://a.example/x?k=1"), (Binding::Rest, "https://a.example/x/tasks/t1?k=1")]
    {
        let endpoint = Endpoint::new("https://a.example/x?k=1#top", binding);
        let request = build(&endpoint, Operation::GetTask, &json!({"id": "t1"}), &id(), &Service::default());
        assert_eq!(request.url, url);
    }
    let endpoint = Endpoint::new("https://a.example#top?x", Binding::Rest);
    let request = build(&endpoint, Operation::ListTasks, &json!({}), &id(), &Service::default());
    assert_eq!(request.url, "https://a.example/tasks");
}

#[test]
fn rest_has_a_path_for_each_operation() {
    let none = None::<String>;
    let config = json!({"taskId": "t1", "url": "https://x"});
    for (operation, params, method, path, body) in [
        (Operation::SendMessage, json!({"message": {"a": 1}}), "POST", "/message:send", Some(r#"{"message":{"a":1}}"#)),
        (Operation::SendStreamingMessage, json!({}), "POST", "/message:stream", Some("{}")),
        (Operation::GetTask, json!({"id": "t1", "historyLength": 2}), "GET", "/tasks/t1?historyLength=2", None),
        (
            Operation::CancelTask,
            json!({"id": "t1", "metadata": {}}),
            "POST",
            "/tasks/t1:cancel",
            Some(r#"{"metadata":{}}"#),
        ),
        (Operation::SubscribeToTask, json!({"id": "t1"}), "POST", "/tasks/t1:subscribe", None),
        (
            Operation::CreateTaskPushNotificationConfig,
            config,
            "POST",
            "/tasks/t1/pushNotificationConfigs",
            Some(r#"{"url":"https://x"}"#),
        ),
        (
            Operation::GetTaskPushNotificationConfig,
            json!({"taskId": "t1", "id": "c1"}),
            "GET",
            "/tasks/t1/pushNotificationConfigs/c1",
            None,
        ),
        (
            Operation::ListTaskPushNotificationConfigs,
            json!({"taskId": "t1", "pageSize": 5}),
            "GET",
            "/tasks/t1/pushNotificationConfigs?pageSize=5",
            None,
        ),
        (
            Operation::DeleteTaskPushNotificationConfig,
            json!({"taskId": "t1", "id": "c1"}),
            "DELETE",
            "/tasks/t1/pushNotificationConfigs/c1",
            None,
        ),
        (Operation::GetExtendedAgentCard, json!({}), "GET", "/extendedAgentCard", None),
    ] {
        let expected = (method, path.to_owned(), body.map(str::to_owned).or_else(|| none.clone()));
        assert_eq!(rest_url(operation, &params), expected, "{operation}");
    }
}

#[test]
fn a_list_is_asked_for_in_the_query() {
    let params = json!({
        "contextId": "a b&c", "status": "TASK_STATE_WORKING", "includeArtifacts": true,
        "statusTimestampAfter": "2025-11-09T10:30:00.000Z"
    });
    let (_, path, _) = rest_url(Operation::ListTasks, &params);
    let (path, query) = path.split_once('?').unwrap();
    assert_eq!(path, "/tasks");
    let mut pairs: Vec<&str> = query.split('&').collect();
    pairs.sort_unstable();
    assert_eq!(
        pairs,
        [
            "contextId=a%20b%26c",
            "includeArtifacts=true",
            "status=TASK_STATE_WORKING",
            "statusTimestampAfter=2025-11-09T10%3A30%3A00.000Z",
        ]
    );
}

#[test]
fn a_tenant_stands_first_in_the_path_and_the_endpoints_own_query_stays() {
    let mut endpoint = Endpoint::new("https://agent.example/a2a?key=1", Binding::Rest);
    endpoint.tenant = Some("ac/me".to_owned());
    let url = |params: &Value| build(&endpoint, Operation::GetTask, params, &id(), &Service::default()).url;
    assert_eq!(url(&json!({"id": "t1"})), "https://agent.example/a2a/ac%2Fme/tasks/t1?key=1");
    assert_eq!(
        url(&json!({"id": "t1", "tenant": "other", "historyLength": 0})),
        "https://agent.example/a2a/other/tasks/t1?key=1&historyLength=0"
    );
    let endpoint = Endpoint { tenant: Some("acme".to_owned()), ..Endpoint::new("https://a.example", Binding::JsonRpc) };
    let request = build(&endpoint, Operation::GetTask, &json!({"id": "t1"}), &id(), &Service::default());
    assert!(request.body.unwrap().contains(r#""params":{"id":"t1","tenant":"acme"}"#));
}

#[test]
fn ids_cannot_leave_their_segment() {
    assert_eq!(rest_url(Operation::GetTask, &json!({"id": "../x?y#z"})).1, "/tasks/..%2Fx%3Fy%23z");
    assert_eq!(rest_url(Operation::GetTask, &json!({"id": "%2E%2E"})).1, "/tasks/%252E%252E");
    assert_eq!(rest_url(Operation::CancelTask, &json!({"id": "a:cancel"})).1, "/tasks/a%3Acancel:cancel");
}

#[test]
fn steps_along_a_path_cannot_be_said() {
    use Operation::{
        CancelTask, CreateTaskPushNotificationConfig as CreateConfig, DeleteTaskPushNotificationConfig as DeleteConfig,
        GetExtendedAgentCard, GetTask, GetTaskPushNotificationConfig as GetConfig,
        ListTaskPushNotificationConfigs as ListConfigs, ListTasks, SendMessage, SendStreamingMessage, SubscribeToTask,
    };
    let (rest, jsonrpc) = (Endpoint::new("https://a", Binding::Rest), Endpoint::new("https://a", Binding::JsonRpc));
    for step in [".", ".."] {
        for (operation, params, expected) in [
            (GetTask, json!({"id": step}), Some(Segment::Task)),
            (CancelTask, json!({"id": step}), Some(Segment::Task)),
            (SubscribeToTask, json!({"id": step}), Some(Segment::Task)),
            (GetConfig, json!({"taskId": step, "id": "p"}), Some(Segment::TaskOfConfig)),
            (GetConfig, json!({"taskId": "t", "id": step}), Some(Segment::Config)),
            (DeleteConfig, json!({"taskId": "t", "id": step}), Some(Segment::Config)),
            (ListConfigs, json!({"taskId": step}), Some(Segment::TaskOfConfig)),
            (CreateConfig, json!({"taskId": step, "url": "u"}), Some(Segment::TaskOfConfig)),
            // Ids in a body or a query are text like any other.
            (CreateConfig, json!({"taskId": "t", "id": step, "url": "u"}), None),
            (SendMessage, json!({"message": {"taskId": step, "contextId": step}}), None),
            (ListTasks, json!({"contextId": step, "pageToken": step}), None),
            (SendMessage, json!({"tenant": step}), Some(Segment::Tenant)),
            (SendStreamingMessage, json!({"tenant": step}), Some(Segment::Tenant)),
            (ListTasks, json!({"tenant": step}), Some(Segment::Tenant)),
            (GetExtendedAgentCard, json!({"tenant": step}), Some(Segment::Tenant)),
            (GetTask, json!({"tenant": "", "id": "..."}), None),
            (GetTask, json!({"id": ".a"}), None),
            (GetTask, json!({"id": "../x"}), None),
        ] {
            assert_eq!(unsayable(&rest, operation, &params), expected, "{operation} {params}");
            assert_eq!(unsayable(&jsonrpc, operation, &params), None, "{operation} {params}");
        }
    }
    let tenant = |name: &str| Endpoint { tenant: Some(name.to_owned()), ..rest.clone() };
    assert_eq!(unsayable(&tenant(".."), SendMessage, &json!({})), Some(Segment::Tenant));
    assert_eq!(unsayable(&tenant(".."), SendMessage, &json!({"tenant": "acme"})), None);
}

#[test]
fn what_goes_along_is_sent() {
    let service = Service {
        extensions: Some("https://e.example/a".to_owned()),
        authorization: Some("Bearer hush".to_owned()),
        headers: vec![("traceparent".into(), "00-1-2-03".to_owned())],
    };
    let endpoint = Endpoint::new("https://agent.example", Binding::Rest);
    let request = build(&endpoint, Operation::SendStreamingMessage, &json!({}), &id(), &service);
    assert_eq!(request.header("A2A-Extensions"), Some("https://e.example/a"));
    assert_eq!(request.header("Authorization"), Some("Bearer hush"));
    assert_eq!(request.header("traceparent"), Some("00-1-2-03"));
    assert_eq!(request.header("Content-Type"), Some("application/a2a+json"));
    assert!(request.header("Accept").unwrap().starts_with("text/event-stream, "));
    for shown in [format!("{service:?}"), format!("{request:?}")] {
        assert!(!shown.contains("hush") && !shown.contains("agent.example"), "{shown}");
    }
}

proptest! {
    /// What is sent is what our own server reads.
    #[test]
    fn the_server_reads_what_is_built(
        id in "[^\\x00-\\x1f]{1,12}",
        tenant in prop::option::of("[a-z/ %é]{1,6}"),
        history in prop::option::of(0..50_u32),
    ) {
        prop_assume!(id != "." && id != ".." && tenant.as_deref() != Some("tasks"));
        let mut params = json!({"id": id});
        if let Some(tenant) = tenant { params["tenant"] = json!(tenant); }
        if let Some(history) = history { params["historyLength"] = json!(history); }
        let endpoint = Endpoint::new("", Binding::Rest);
        let request = build(&endpoint, Operation::GetTask, &params, &self::id(), &Service::default());
        let (path, query) = request.url.split_once('?').unwrap_or((&request.url, ""));
        let Route::Operation { operation, path_params } = rest::route(request.method, path) else {
            return Err(TestCaseError::fail(format!("no route: {path}")));
        };
        let read = rest::params(operation, &path_params, query, b"").unwrap();
        prop_assert_eq!(schema::check(operation, read).unwrap(), params);
    }
}
