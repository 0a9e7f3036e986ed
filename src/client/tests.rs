//! The client against an agent that does as it is told.

use std::rc::Rc;

use futures_util::StreamExt;
use serde_json::{Value, json};

use super::connect::card_url;
use super::*;
use crate::memory::{ManualClock, SeededRandom};
use crate::ports::{FetchError, Timestamp};
use crate::protocol::card::{AgentCard, AgentInterface};
use crate::protocol::error::ErrorKind;
use crate::protocol::types::{
    DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest, Message,
    SendMessageResponse, StreamResponse, SubscribeToTaskRequest, TaskState,
};
use crate::remote::call::tests::origin::{Answer, Origin, Script, error, result, task};

struct Setting {
    origin: Rc<Origin>,
    clock: Rc<ManualClock>,
    ports: CallPorts,
}

impl Setting {
    fn new(origin: Origin) -> Self {
        let clock = Rc::new(ManualClock::new(Timestamp(1_767_225_600_000)));
        let origin = Rc::new(origin.on(clock.clone()));
        let ports = CallPorts { fetch: origin.clone(), clock: clock.clone(), random: Rc::new(SeededRandom::new(1)) };
        Self { origin, clock, ports }
    }

    fn client(&self, binding: Binding) -> Client {
        Client::new(Endpoint::new("https://a0.example", binding), Options::default(), self.ports.clone())
    }

    fn connect(&self, url: &str, options: Options) -> Result<Client, ClientError> {
        self.run(Client::connect(url, options, self.ports.clone()))
    }

    fn run<T>(&self, future: impl Future<Output = T>) -> T {
        self.clock.run(future).unwrap()
    }

    fn body(&self, request: usize) -> Value {
        serde_json::from_str(self.origin.seen()[request].1.body.as_deref().unwrap()).unwrap()
    }
}

fn json_rpc(answer: impl Into<Script>) -> (Setting, Client) {
    let setting = Setting::new(Origin::new([answer.into()]));
    let client = setting.client(Binding::JsonRpc);
    (setting, client)
}

fn get_task() -> GetTaskRequest {
    GetTaskRequest { id: "t1".to_owned(), ..GetTaskRequest::default() }
}

fn card(interfaces: &[(&str, &str, &str)]) -> AgentCard {
    let mut card = AgentCard::new("a", "an agent", "1");
    let interface = |(url, binding, version): &(&str, &str, &str)| AgentInterface::new(*url, *binding, *version);
    card.supported_interfaces = interfaces.iter().map(interface).collect();
    card
}

#[test]
fn a_client_is_made_from_a_card() {
    let card = card(&[
        ("https://a0.example/grpc", "GRPC", "1.0"),
        ("https://a0.example/old", "JSONRPC", "0.3"),
        ("https://a0.example/rest", "HTTP+JSON", "1.0"),
        ("https://a0.example/rpc", "JSONRPC", "1.0.1"),
    ]);
    let body = serde_json::to_string(&card).unwrap();
    let completed = json!({"id": "t1", "status": {"state": "TASK_STATE_COMPLETED"}}).to_string();
    let scripts = [Answer::new(200, "application/json", &body), Answer::new(200, "application/a2a+json", &completed)];
    let setting = Setting::new(Origin::new(scripts));
    let service = Service { authorization: Some("Bearer x".to_owned()), ..Service::default() };
    let client = setting.connect("https://a0.example/", Options { service, ..Options::default() }).unwrap();
    assert_eq!(client.card().unwrap().name, "a");
    assert_eq!(setting.run(client.get_task(get_task())).unwrap().status.state, TaskState::Completed);
    let seen = setting.origin.seen();
    assert_eq!(seen[0].1.url, "https://a0.example/.well-known/agent-card.json");
    assert_eq!(seen[1].1.url, "https://a0.example/rest/tasks/t1");
    assert!(seen.iter().all(|(_, request)| request.header("Authorization") == Some("Bearer x")));
    // In another binding, if one is asked for.
    let setting = Setting::new(Origin::new([Answer::new(200, "application/json", &body), task()]));
    let options = Options { binding: Some(Binding::JsonRpc), ..Options::default() };
    let client = setting.connect("https://a0.example#about", options).unwrap();
    setting.run(client.get_task(get_task())).unwrap();
    let urls: Vec<_> = setting.origin.seen().into_iter().map(|(_, request)| request.url).collect();
    assert_eq!(urls, ["https://a0.example/.well-known/agent-card.json", "https://a0.example/rpc"]);
}

#[test]
fn an_interface_that_cannot_be_asked_hides_no_other() {
    let card = card(&[("/rest", "HTTP+JSON", "1.0"), ("https://a0.example/rpc#x", "JSONRPC", "1.0")]);
    let body = serde_json::to_string(&card).unwrap();
    let setting = Setting::new(Origin::new([Answer::new(200, "application/json", &body), task()]));
    let client = setting.connect("https://a0.example", Options::default()).unwrap();
    setting.run(client.get_task(get_task())).unwrap();
    assert_eq!(setting.origin.seen()[1].1.url, "https://a0.example/rpc");
}

#[test]
fn what_a_card_says_beyond_this_version_does_no_harm_and_is_kept() {
    let mut card = serde_json::to_value(card(&[("https://a0.example/rpc", "JSONRPC", "1.0")])).unwrap();
    card["securitySchemes"] =
        json!({"old": {"type": "http", "scheme": "bearer"}, "later": {"walletSecurityScheme": {}}});
    card["later"] = json!({"a": 1});
    let setting =
        Setting::new(Origin::new([Answer::new(200, "application/json", &card.to_string()), result(&card.to_string())]));
    let client = setting.connect("https://a0.example", Options::default()).unwrap();
    assert_eq!(client.card_json(), Some(&card));
    assert!(client.card().unwrap().security_schemes.is_empty());
    let extended = setting.run(client.get_extended_agent_card(GetExtendedAgentCardRequest::default())).unwrap();
    assert_eq!(extended, client.card().unwrap());
}

#[test]
fn a_card_is_asked_for_again_like_anything_else() {
    let body = serde_json::to_string(&card(&[("https://a0.example/rpc", "JSONRPC", "1.0")])).unwrap();
    let down = || Script::from(Answer::new(503, "text/plain", "busy").header("Retry-After", "2"));
    let card = || Script::from(Answer::new(200, "application/json", &body));
    let setting = Setting::new(Origin::new([Script::Fails(FetchError::CutShort("reset".into())), down(), card()]));
    setting.connect("https://a0.example", Options::default()).unwrap();
    assert_eq!(setting.origin.seen().len(), 3);
    let setting = Setting::new(Origin::new([down()]));
    assert_eq!(setting.connect("https://a0.example", Options::default()).unwrap_err().http_status(), Some(503));
    assert_eq!(setting.origin.seen().len(), 4);
    let setting = Setting::new(Origin::new([down(), card()]));
    let policy = CallPolicy { total: std::time::Duration::from_secs(1), ..CallPolicy::DEFAULT };
    let error = setting.connect("https://a0.example", Options { policy, ..Options::default() }).unwrap_err();
    assert_eq!((error.http_status(), setting.origin.seen().len()), (Some(503), 1));
}

#[test]
fn a_card_may_be_named_in_full() {
    for (url, expected) in [
        ("https://a.example", "https://a.example/.well-known/agent-card.json"),
        ("https://a.example/agents/1/", "https://a.example/agents/1/.well-known/agent-card.json"),
        ("https://a.example/agents/1?key=2", "https://a.example/agents/1/.well-known/agent-card.json?key=2"),
        ("https://a.example/cards/1.json?key=2", "https://a.example/cards/1.json?key=2"),
    ] {
        assert_eq!(card_url(url), expected);
    }
}

#[test]
fn a_card_that_is_none_is_an_error() {
    let none = serde_json::to_string(&card(&[("https://a0.example", "GRPC", "1.0")])).unwrap();
    for (body, field) in [(none.as_str(), "supportedInterfaces"), ("{}", "name"), ("[]", "result")] {
        let setting = Setting::new(Origin::new([Answer::new(200, "application/json", body)]));
        let error = setting.connect("https://a0.example", Options::default()).unwrap_err();
        assert_eq!((error.kind(), error.http_status()), (ErrorKind::InvalidAgentResponse, Some(200)));
        assert!(matches!(error, ClientError::Rest(_)) && error.to_string().contains(field), "{error}");
        assert_eq!(error.field_violations()[0].field, field);
    }
    let setting = Setting::new(Origin::new([Answer::new(404, "text/html", "<html>")]));
    let error = setting.connect("https://a0.example", Options::default()).unwrap_err();
    assert_eq!(error.http_status(), Some(404));
    let setting = Setting::new(Origin::new([Script::Fails(FetchError::Unreachable("dns".into()))]));
    let error = setting.connect("https://a0.example", Options::default()).unwrap_err();
    assert!(matches!(error, ClientError::Transport(_)), "{error:?}");
}

#[test]
fn a_url_that_is_none_is_found_before_anything_is_sent() {
    let setting = Setting::new(Origin::new([task()]));
    let here = || Endpoint::new("https://a0.example", Binding::JsonRpc);
    let fallbacks = || Options { fallbacks: vec![here(), Endpoint::new("a1", Binding::Rest)], ..Options::default() };
    let endpoint = Endpoint::new("http://:1", Binding::Rest);
    let clients = [
        ("endpoint.url", Client::new(endpoint, Options::default(), setting.ports.clone())),
        ("fallbacks[1].url", Client::new(here(), fallbacks(), setting.ports.clone())),
    ];
    let called = clients.iter().map(|(field, client)| (*field, setting.run(client.get_task(get_task())).unwrap_err()));
    let connected = ["nonsense", "", "https://"]
        .map(|url| ("url", setting.connect(url, Options::default()).unwrap_err()))
        .into_iter()
        .chain([("fallbacks[1].url", setting.connect("https://a0.example", fallbacks()).unwrap_err())]);
    for (field, error) in called.chain(connected) {
        let ClientError::Validation(validation) = &error else { panic!("{error:?}") };
        assert_eq!(validation.field_violations()[0].field, field);
        assert!(!error.is_retryable());
    }
    assert_eq!(setting.origin.seen(), []);
    let card = serde_json::to_string(&card(&[("/rpc", "JSONRPC", "1.0")])).unwrap();
    let setting = Setting::new(Origin::new([Answer::new(200, "application/json", &card)]));
    let error = setting.connect("https://a0.example", Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidAgentResponse);
}

#[test]
fn an_operation_that_is_answered_otherwise_is_not_sent() {
    let (setting, client) = json_rpc(task());
    let message = || json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]}});
    let called = setting.run(client.call(Operation::SendStreamingMessage, message())).unwrap_err();
    let streamed = setting.run(client.stream(Operation::SendMessage, message())).err().unwrap();
    for error in [called, streamed] {
        assert!(matches!(error, ClientError::Validation(_)), "{error:?}");
        assert_eq!(error.field_violations()[0].field, "operation");
    }
    assert_eq!(setting.origin.seen(), []);
}

#[test]
fn a_header_that_requests_have_already_is_not_sent_twice() {
    for name in ["Accept", "a2a-version", "Host", "TE", "Authorization", "A2A-Extensions"] {
        let setting = Setting::new(Origin::new([task()]));
        let service = Service {
            authorization: Some("Bearer x".to_owned()),
            extensions: Some("urn:x".to_owned()),
            headers: vec![("X-Key".into(), "k".to_owned()), (name.into(), "x".to_owned())],
        };
        let error = setting.connect("https://a0.example", Options { service, ..Options::default() }).unwrap_err();
        assert!(matches!(error, ClientError::Validation(_)), "{error:?}");
        let found = &error.field_violations()[0];
        assert!(found.field == "service.headers" && found.description.contains(name), "{found:?}");
        assert_eq!(setting.origin.seen(), []);
    }
    let headers = ["Authorization", "A2A-Extensions", "Cookie"].map(|name| (name.into(), "x".to_owned()));
    let service = Service { headers: headers.into(), ..Service::default() };
    assert_eq!(service.repeated(), None);
}

#[test]
fn what_no_header_can_hold_is_not_sent() {
    let setting = Setting::new(Origin::new([task()]));
    let bad = || Service {
        authorization: Some("Bearer a\nb".to_owned()),
        headers: vec![("bad name".into(), "x".to_owned())],
        ..Service::default()
    };
    let options = || Options { service: bad(), ..Options::default() };
    let client = Client::new(Endpoint::new("https://a0.example", Binding::Rest), options(), setting.ports.clone());
    let errors = [
        setting.run(client.get_task(get_task())).unwrap_err(),
        setting.connect("https://a0.example", options()).unwrap_err(),
    ];
    for error in errors {
        let fields: Vec<_> = error.field_violations().iter().map(|found| found.field.as_str()).collect();
        assert!(matches!(error, ClientError::Validation(_)) && !error.is_retryable());
        assert_eq!(fields, ["service.authorization", "service.headers"]);
    }
    assert_eq!(setting.origin.seen(), []);
}

#[test]
fn what_the_platform_says_is_the_source() {
    let (setting, client) = json_rpc(Script::Fails(FetchError::Unreachable("refused".into())));
    let error = setting.run(client.get_task(get_task())).unwrap_err();
    let source = std::error::Error::source(&error).unwrap();
    assert_eq!(
        (error.to_string(), source.to_string()),
        ("the agent cannot be reached".into(), "no connection: refused".into())
    );
    let (setting, client) = json_rpc(error_answer());
    assert!(std::error::Error::source(&setting.run(client.get_task(get_task())).unwrap_err()).is_none());
}

#[test]
fn invalid_params_are_found_before_anything_is_sent() {
    let (setting, client) = json_rpc(task());
    let error = setting.run(client.get_task(GetTaskRequest::default())).unwrap_err();
    let ClientError::Validation(validation) = &error else { panic!("{error:?}") };
    assert_eq!(validation.field_violations()[0].field, "id");
    assert_eq!((error.kind(), error.code(), error.http_status()), (ErrorKind::InvalidParams, -32602, None));
    assert!(!error.is_retryable() && error.to_string().starts_with("Invalid parameters: id "));
    let no_parts = Message::new(crate::protocol::types::Role::User, Vec::new());
    let error = setting.run(client.send_message(no_parts.into())).unwrap_err();
    assert_eq!(error.field_violations()[0].field, "message.parts");
    let error = setting.run(client.call(Operation::ListTasks, json!({"pageSize": 1000}))).unwrap_err();
    assert_eq!(error.field_violations()[0].field, "pageSize");
    assert_eq!(setting.origin.seen(), []);
}

#[test]
fn what_no_path_can_hold_is_not_sent_over_rest() {
    let setting = Setting::new(Origin::new([task()]));
    let (rest, jsonrpc) = (setting.client(Binding::Rest), setting.client(Binding::JsonRpc));
    let error = setting.run(rest.get_task(GetTaskRequest { id: "..".to_owned(), ..get_task() })).unwrap_err();
    let ClientError::Validation(validation) = &error else { panic!("{error:?}") };
    assert_eq!(validation.field_violations()[0].field, "id");
    let stream = setting.run(rest.stream(Operation::SubscribeToTask, json!({"tenant": ".", "id": "t1"})));
    assert_eq!(stream.map(|_| ()).unwrap_err().field_violations()[0].field, "tenant");
    assert_eq!(setting.origin.seen(), []);
    // A body can.
    setting.run(jsonrpc.get_task(GetTaskRequest { id: "..".to_owned(), ..get_task() })).unwrap();
    assert_eq!(setting.body(0)["params"]["id"], "..");
}

#[test]
fn each_error_has_the_type_of_its_way() {
    let info = r#"[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t1"}}]"#;
    let (setting, client) = json_rpc(Answer::new(
        200,
        "application/json",
        &format!(r#"{{"jsonrpc":"2.0","id":$ID,"error":{{"code":-32001,"message":"Task not found","data":{info}}}}}"#),
    ));
    let error = setting.run(client.get_task(get_task())).unwrap_err();
    let ClientError::JsonRpc(told) = &error else { panic!("{error:?}") };
    assert_eq!((told.code(), told.message(), told.http_status()), (-32001, "Task not found", Some(200)));
    assert_eq!((error.reason(), error.kind()), (Some("TASK_NOT_FOUND"), ErrorKind::TaskNotFound));
    assert_eq!(error.metadata().collect::<Vec<_>>(), [("taskId", "t1")]);
    assert_eq!((error.details().len(), error.to_string()), (1, "Task not found".to_owned()));

    let body = format!(r#"{{"type":"error","title":"Task not found","status":404,"detail":{info}}}"#);
    let setting = Setting::new(Origin::new([Answer::new(404, "application/problem+json", &body)]));
    let error = setting.run(setting.client(Binding::Rest).get_task(get_task())).unwrap_err();
    let ClientError::Rest(told) = &error else { panic!("{error:?}") };
    assert_eq!(
        (told.http_status(), told.message(), told.reason()),
        (Some(404), "Task not found", Some("TASK_NOT_FOUND"))
    );

    let (setting, client) = json_rpc(Script::Fails(FetchError::Unreachable("refused".into())));
    let error = setting.run(client.get_task(get_task())).unwrap_err();
    assert!(matches!(error, ClientError::Transport(_)) && error.is_retryable());
    assert_eq!((error.http_status(), setting.origin.seen().len()), (None, 4));
}

#[test]
fn answers_that_break_the_protocol_are_errors_of_their_own() {
    let (setting, client) = json_rpc(Answer::new(200, "application/json", r#"{"jsonrpc":"2.0","id":99,"result":{}}"#));
    let error = setting.run(client.get_task(get_task())).unwrap_err();
    assert!(matches!(error, ClientError::JsonRpc(_)));
    assert_eq!((error.kind(), error.code()), (ErrorKind::InvalidAgentResponse, -32006));
    assert_eq!(error.to_string(), "the id of the answer is not that of the request");
}

#[test]
fn results_are_typed() {
    let (setting, client) = json_rpc(result(r#"{"tasks":[],"next_page_token":"n","total_size":"7"}"#));
    let page = setting.run(client.list_tasks(ListTasksRequest::default())).unwrap();
    assert_eq!((page.next_page_token.as_str(), page.total_size), ("n", 7));
    let (setting, client) = json_rpc(result("null"));
    let request = DeleteTaskPushNotificationConfigRequest { tenant: None, task_id: "t".into(), id: "c".into() };
    setting.run(client.delete_push_config(request)).unwrap();
    assert_eq!(setting.body(0)["method"], "DeleteTaskPushNotificationConfig");
}

#[test]
fn a_message_without_an_id_gets_one() {
    let (setting, client) =
        json_rpc(result(r#"{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"hi"}]}}"#));
    let response = setting.run(client.send_message(Message::user_text("hello").into())).unwrap();
    assert!(matches!(&response, SendMessageResponse::Message(message) if message.text() == "hi"));
    setting.run(client.send_message(Message::user_text("hello").with_id("mine").into())).unwrap();
    let id = |request| setting.body(request)["params"]["message"]["messageId"].as_str().unwrap().to_owned();
    assert_eq!((id(0).len(), id(1).as_str()), (36, "mine"));
}

#[test]
fn a_failed_task_is_told_apart_from_a_failed_request() {
    // Symptom 7: the text of a failed task was taken for normal content.
    let with = |state: &str| {
        let task = json!({"task": {"id": "t1", "status": {"state": state, "message":
            {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "no such city"}]}}}});
        let (setting, client) = json_rpc(result(&task.to_string()));
        setting.run(client.send_message(Message::user_text("x").into())).unwrap()
    };
    for (state, text) in [
        ("TASK_STATE_FAILED", "task t1 failed: no such city"),
        ("TASK_STATE_REJECTED", "task t1 was rejected: no such city"),
    ] {
        let response = with(state);
        assert!(response.failed());
        let failure = response.into_result().unwrap_err();
        assert_eq!((failure.to_string().as_str(), &*failure.message()), (text, "no such city"));
        assert_eq!(failure.into_task().id, "t1");
    }
    for state in ["TASK_STATE_COMPLETED", "TASK_STATE_CANCELED", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_WORKING"] {
        assert!(with(state).into_result().is_ok(), "{state}");
    }
}

#[test]
fn streams_are_typed_and_end_with_their_error() {
    let event = |state: &str| {
        format!(
            "data: {{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{{\"statusUpdate\":{{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{{\"state\":\"{state}\"}}}}}}}}\n\n"
        )
    };
    let stream = Answer::new(200, "text/event-stream", &event("TASK_STATE_WORKING"));
    let (setting, client) = json_rpc(stream);
    let request = SubscribeToTaskRequest { id: "t".to_owned(), tenant: None };
    let mut events = setting.run(client.subscribe_to_task(request)).unwrap();
    let first = setting.run(events.next()).unwrap().unwrap();
    assert!(matches!(first, StreamResponse::StatusUpdate(update) if update.status.state == TaskState::Working));
    let error = setting.run(events.next()).unwrap().unwrap_err();
    assert!(matches!(error, ClientError::Transport(_)), "{error:?}");
    assert!(setting.run(events.next()).is_none());

    let (setting, client) = json_rpc(error_answer());
    let refused = setting.run(client.send_streaming_message(Message::user_text("x").into())).err().unwrap();
    assert_eq!(refused.kind(), ErrorKind::UnsupportedOperation);
}

fn error_answer() -> Answer {
    error(-32004)
}

#[test]
fn fallback_agents_are_asked_when_the_first_is_in_trouble() {
    let down = Script::Fails(FetchError::Unreachable("refused".into()));
    let setting = Setting::new(Origin::new([down]).and("a1.example", [task()]));
    let fallbacks = vec![Endpoint::new("https://a1.example", Binding::JsonRpc)];
    let client = Client::new(
        Endpoint::new("https://a0.example", Binding::Rest),
        Options { fallbacks, ..Options::default() },
        setting.ports.clone(),
    );
    assert_eq!(setting.run(client.get_task(get_task())).unwrap().id, "t1");
    assert_eq!(setting.origin.hosts(), "a0 a0 a0 a0 a1");
}
