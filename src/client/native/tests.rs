//! The adapters against a real socket on this machine.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use super::*;
use crate::client::{Client, ClientError, Options};
use crate::protocol::error::ErrorKind;
use crate::protocol::types::{GetTaskRequest, Message, StreamResponse, SubscribeToTaskRequest};
use crate::remote::call::CallPolicy;
use crate::remote::request::Endpoint;
use crate::remote::retry::RetryPolicy;
use crate::remote::{Binding, TransportFault};

/// Answers one connection after the other with the next of these texts, and gives back what it was sent.
fn serve(answers: Vec<String>) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let answer = |answer: String| {
            let (mut connection, _) = listener.accept().unwrap();
            let request = receive(&mut connection);
            connection.write_all(answer.as_bytes()).unwrap();
            request
        };
        answers.into_iter().map(answer).collect()
    });
    (url, server)
}

/// A request, to the end of its body.
fn receive(connection: &mut TcpStream) -> String {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let length = connection.read(&mut buffer).unwrap();
        request.extend_from_slice(&buffer[..length]);
        let text = String::from_utf8_lossy(&request);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let announced =
                head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if length == 0 || body.len() >= announced.unwrap_or(0) {
                return text.into_owned();
            }
        }
        assert_ne!(length, 0, "the request breaks off");
    }
}

fn answer(status: &str, content_type: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

const MESSAGE: &str = r#"{"jsonrpc":"2.0","id":"call-2","result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"hi"}]}}}"#;

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn client(url: &str, binding: Binding) -> Client {
    let policy = CallPolicy { retry: RetryPolicy::NONE, ..CallPolicy::DEFAULT };
    Client::new(Endpoint::new(url, binding), Options { policy, ..Options::default() }, ports().unwrap())
}

fn get_task() -> GetTaskRequest {
    GetTaskRequest { id: "t1".to_owned(), ..GetTaskRequest::default() }
}

#[test]
fn requests_and_answers_go_over_the_wire() {
    let task = r#"{"jsonrpc":"2.0","id":"call-1","result":{"id":"t1","status":{"state":"TASK_STATE_WORKING"}}}"#;
    let (url, server) = serve(vec![answer("200 OK", "application/json", task)]);
    assert_eq!(run(client(&url, Binding::JsonRpc).get_task(get_task())).unwrap().id, "t1");
    let request = server.join().unwrap().remove(0);
    assert!(request.starts_with("POST / HTTP/1.1\r\n"), "{request}");
    assert!(request.to_ascii_lowercase().contains("a2a-version: 1.0\r\n"));
    assert!(request.ends_with(r#"{"jsonrpc":"2.0","id":"call-1","method":"GetTask","params":{"id":"t1"}}"#));

    let gone = r#"{"error":{"code":404,"status":"NOT_FOUND","message":"gone"}}"#;
    let (url, server) = serve(vec![answer("404 Not Found", "application/a2a+json", gone)]);
    let error = run(client(&url, Binding::Rest).get_task(get_task())).unwrap_err();
    assert_eq!((error.kind(), error.http_status()), (ErrorKind::TaskNotFound, Some(404)));
    assert!(server.join().unwrap()[0].starts_with("GET /tasks/t1 HTTP/1.1\r\n"));
}

#[test]
fn streams_come_event_by_event() {
    let event = |state: &str| {
        format!(
            "data: {{\"statusUpdate\":{{\"taskId\":\"t\",\"contextId\":\"c\",\"status\":{{\"state\":\"{state}\"}}}}}}\n\n"
        )
    };
    let body = event("TASK_STATE_WORKING") + &event("TASK_STATE_COMPLETED");
    let (url, server) = serve(vec![answer("200 OK", "text/event-stream", &body)]);
    let events: Vec<StreamResponse> = run(async {
        let request = SubscribeToTaskRequest { id: "t".to_owned(), tenant: None };
        let events = client(&url, Binding::Rest).subscribe_to_task(request).await.unwrap();
        events.map(Result::unwrap).collect().await
    });
    assert_eq!(events.len(), 2);
    assert!(server.join().unwrap()[0].starts_with("POST /tasks/t:subscribe HTTP/1.1\r\n"));
}

fn fault(error: &ClientError) -> &TransportFault {
    match error.remote().map(|error| error.cause()) {
        Some(crate::remote::Cause::Transport(fault)) => fault,
        other => panic!("{other:?}"),
    }
}

#[test]
fn faults_are_told_apart() {
    // Nobody listens on a port that was just given back.
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = run(client(&format!("http://{unused}"), Binding::Rest).get_task(get_task())).unwrap_err();
    assert_eq!(fault(&error), &TransportFault::Unreachable);
    let source = StdError::source(&error).unwrap().to_string();
    assert!(source.starts_with("no connection: ") && source.contains("refused"), "{source}");
    assert!(!source.contains(&unused.to_string()), "the URL may hold credentials: {source}");

    let (url, server) = serve(vec![String::new()]);
    let error = run(client(&url, Binding::Rest).get_task(get_task())).unwrap_err();
    assert_eq!(fault(&error), &TransportFault::NoAnswer);
    server.join().unwrap();

    let short = answer("200 OK", "application/json", "{}").replace("Length: 2", "Length: 200");
    let (url, server) = serve(vec![short]);
    let error = run(client(&url, Binding::Rest).get_task(get_task())).unwrap_err();
    assert_eq!((fault(&error), error.http_status()), (&TransportFault::CutShort, Some(200)));
    server.join().unwrap();
}

#[test]
fn a_host_that_swallows_connections_is_one_that_cannot_be_reached() {
    run(async {
        // The queue of a listener that accepts nothing is soon full, and what comes then is not answered at all.
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let listener = socket.listen(0).unwrap();
        let address = listener.local_addr().unwrap();
        let waiting: Vec<_> = (0..16).map(|_| tokio::task::spawn(tokio::net::TcpStream::connect(address))).collect();
        tokio::task::yield_now().await;
        let fetch = ReqwestFetch::connecting_within(Duration::from_millis(200)).unwrap();
        let ports = CallPorts { fetch: Rc::new(fetch), ..ports().unwrap() };
        let (url, server) = serve(vec![answer("200 OK", "application/json", MESSAGE)]);
        let policy = CallPolicy { retry: RetryPolicy::NONE, ..CallPolicy::DEFAULT };
        let options = Options { policy, fallbacks: vec![Endpoint::new(url, Binding::JsonRpc)], ..Options::default() };
        let swallowed = Endpoint::new(format!("http://{address}"), Binding::JsonRpc);
        // Though a message must not be sent twice, the fallback is asked.
        let client = Client::new(swallowed, options, ports);
        assert!(client.send_message(Message::user_text("hello").into()).await.is_ok());
        server.join().unwrap();
        waiting.iter().for_each(tokio::task::JoinHandle::abort);
    });
}

#[test]
fn redirects_are_left_to_the_caller() {
    let redirect = "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://b.invalid/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let (url, server) = serve(vec![redirect.to_owned()]);
    let error = run(client(&url, Binding::Rest).get_task(get_task())).unwrap_err();
    assert_eq!((error.kind(), error.http_status()), (ErrorKind::InvalidAgentResponse, Some(307)));
    server.join().unwrap();
}

#[test]
fn time_passes_and_chance_differs() {
    let before = SystemClock.now();
    run(SystemClock.sleep(Duration::from_millis(2)));
    assert!(SystemClock.now() > before);
    let (mut one, mut other) = ([0; 16], [0; 16]);
    SystemRandom.fill(&mut one);
    SystemRandom.fill(&mut other);
    assert_ne!(one, other);
}
