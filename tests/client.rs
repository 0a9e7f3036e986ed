//! The client against the demo agent, both in this process: what one sends, the other reads, in both bindings.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers fail the test")]

mod support;

use std::rc::Rc;

use a2a_edge::ErrorKind;
use a2a_edge::agent::Tokens;
use a2a_edge::client::{Client, ClientError, Options};
use a2a_edge::memory::{ManualClock, SeededRandom};
use a2a_edge::ports::{Fetch, FetchError, FetchRequest, FetchResponse, ResponseHead};
use a2a_edge::protocol::http::{Body, Headers, Request};
use a2a_edge::protocol::operation::Operation;
use a2a_edge::protocol::types::{
    CancelTaskRequest, GetTaskRequest, ListTasksRequest, Message, SendMessageResponse, Task, TaskState,
};
use a2a_edge::remote::call::{CallPolicy, CallPorts};
use a2a_edge::remote::request::Service;
use a2a_edge::remote::retry::RetryPolicy;
use a2a_edge::remote::{Binding, RemoteError};
use futures_util::future::{LocalBoxFuture, ready};
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::json;
use support::{Served, server_with};

const ORIGIN: &str = "https://agent.example";

/// The agent, reached without a network.
struct InProcess(Rc<Served>);

impl Fetch for InProcess {
    fn fetch(&self, request: &FetchRequest) -> LocalBoxFuture<'static, Result<FetchResponse, FetchError>> {
        let Some(target) = request.url.strip_prefix(ORIGIN) else {
            return ready(Err(FetchError::Unreachable("no such host".to_owned()))).boxed_local();
        };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let headers = Headers {
            accept: request.header("Accept"),
            content_type: request.header("Content-Type"),
            version: request.header("A2A-Version"),
            extensions: request.header("A2A-Extensions"),
            authorization: request.header("Authorization"),
            ..Headers::default()
        };
        let body = Body::Bytes(request.body.as_deref().unwrap_or_default().as_bytes());
        let response = self.0.send(&Request { method: request.method, origin: ORIGIN, path, query, headers, body });
        let content_type = response.content_type.map(|value| ("Content-Type".to_owned(), value.to_owned()));
        let others = response.headers.iter().map(|(name, value)| ((*name).to_owned(), value.to_string()));
        let head = ResponseHead { status: response.status, headers: content_type.into_iter().chain(others).collect() };
        let body = stream::iter([Ok(response.body.into_bytes())]).boxed_local();
        ready(Ok(FetchResponse { head, body })).boxed_local()
    }
}

/// A client of a demo agent, made from its card.
fn connected(binding: Binding, served: Served, service: Service) -> Client {
    let ports = CallPorts {
        clock: served.clock.clone(),
        fetch: Rc::new(InProcess(Rc::new(served))),
        random: Rc::new(SeededRandom::new(3)),
    };
    let policy = CallPolicy { retry: RetryPolicy::NONE, ..CallPolicy::DEFAULT };
    let options = Options { policy, service, binding: Some(binding), ..Options::default() };
    run(Client::connect(ORIGIN, options, ports)).unwrap()
}

/// The agent is served to its end within a fetch, so nothing here ever waits.
fn run<T>(future: impl Future<Output = T>) -> T {
    ManualClock::default().run(future).unwrap()
}

/// Runs a test in both bindings.
fn with_each(test: impl Fn(Binding, Client)) {
    for binding in Binding::ALL {
        test(binding, connected(binding, server_with(|_, _| {}), Service::default()));
    }
}

fn say(client: &Client, text: &str) -> Result<SendMessageResponse, ClientError> {
    run(client.send_message(Message::user_text(text).into()))
}

fn task(response: SendMessageResponse) -> Task {
    match response {
        SendMessageResponse::Task(task) => task,
        SendMessageResponse::Message(message) => panic!("a task expected, got {message:?}"),
    }
}

fn remote(error: &ClientError, binding: Binding) -> &RemoteError {
    match (error, binding) {
        (ClientError::JsonRpc(error), Binding::JsonRpc) => error,
        (ClientError::Rest(error), Binding::Rest) => error,
        (other, binding) => panic!("{binding}: {other:?}"),
    }
}

#[test]
fn a_task_is_made_asked_for_listed_and_cancelled() {
    with_each(|binding, client| {
        let done = task(say(&client, "hello").unwrap());
        assert_eq!((done.status.state, done.failed()), (TaskState::Completed, false), "{binding}");
        let get = |id: &str| GetTaskRequest { id: id.to_owned(), history_length: Some(1), ..GetTaskRequest::default() };
        let asked = run(client.get_task(get(&done.id))).unwrap();
        assert_eq!((asked.id.as_str(), asked.history().len()), (done.id.as_str(), 1));
        let working = task(say(&client, "work").unwrap());
        let request = ListTasksRequest { status: Some(TaskState::Working), page_size: Some(5), ..Default::default() };
        let page = run(client.list_tasks(request)).unwrap();
        assert_eq!(page.tasks.iter().map(|task| task.id.as_str()).collect::<Vec<_>>(), [working.id.as_str()]);
        let cancel = |id: String| CancelTaskRequest { id, ..CancelTaskRequest::default() };
        let cancelled = run(client.cancel_task(cancel(working.id.clone()))).unwrap();
        assert_eq!(cancelled.status.state, TaskState::Canceled);
        let again = run(client.cancel_task(cancel(working.id.clone()))).unwrap_err();
        assert_eq!(again.kind(), ErrorKind::TaskNotCancelable);
        assert_eq!(remote(&again, binding).metadata_value("taskId"), Some(working.id.as_str()));
    });
}

#[test]
fn a_failed_task_is_no_failed_request() {
    with_each(|_, client| {
        for (text, state) in [("fail", TaskState::Failed), ("reject", TaskState::Rejected)] {
            let failure = say(&client, text).unwrap().into_result().unwrap_err();
            assert_eq!(failure.task().status.state, state);
            assert!(!failure.message().is_empty());
        }
    });
}

#[test]
fn errors_arrive_as_they_were_meant() {
    with_each(|binding, client| {
        let gone = GetTaskRequest { id: "no/such?task".to_owned(), ..GetTaskRequest::default() };
        let error = run(client.get_task(gone)).unwrap_err();
        let expected = if binding == Binding::Rest { 404 } else { 200 };
        assert_eq!(
            (error.kind(), error.code(), error.http_status()),
            (ErrorKind::TaskNotFound, -32001, Some(expected))
        );
        assert_eq!(error.reason(), Some("TASK_NOT_FOUND"));
        assert_eq!(error.metadata().collect::<Vec<_>>(), [("taskId", "no/such?task")]);

        let error = say(&client, "refuse").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnsupportedOperation);
        let error = say(&client, "error internal").unwrap_err();
        assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Internal, true));
        let error = say(&client, "error junk").unwrap_err();
        assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::InvalidAgentResponse, false));
        let error = say(&client, "error overloaded").unwrap_err();
        assert_eq!((error.code(), error.is_retryable()), (-32000, true));
        assert!(error.retry_after().is_some(), "{error:?}");
    });
}

#[test]
fn what_the_agent_finds_wrong_has_the_form_of_what_the_client_finds() {
    with_each(|_, client| {
        let error = run(client.call(Operation::ListTasks, json!({"pageToken": "forged"}))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidParams);
        assert_eq!(error.field_violations()[0].field, "pageToken");
    });
}

#[test]
fn a_missing_token_is_a_401_with_its_challenge() {
    for binding in Binding::ALL {
        let served = server_with(|_, config| config.tokens = Tokens::parse(r#"{"secret-token":"alice"}"#).unwrap());
        let client = connected(binding, served, Service::default());
        let error = say(&client, "hello").unwrap_err();
        let told = remote(&error, binding);
        assert_eq!((error.code(), told.reason()), (-32000, Some("UNAUTHENTICATED")), "{binding}");
        assert!(told.challenge().is_some_and(|challenge| challenge.starts_with("Bearer")));
        let served = server_with(|_, config| config.tokens = Tokens::parse(r#"{"secret-token":"alice"}"#).unwrap());
        let service = Service { authorization: Some("Bearer secret-token".to_owned()), ..Service::default() };
        assert!(say(&connected(binding, served, service), "hello").is_ok());
    }
}
