//! An agent served in memory, for tests.
#![allow(dead_code, unreachable_pub)] // each test file uses its own part
#![allow(clippy::panic, clippy::unwrap_used)] // clippy knows tests by their functions, and helpers are none

use std::cell::RefCell;
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::rc::Rc;

use a2a_edge::agent::{Agent, Answer, Config, Ports, Server, Witness};
use a2a_edge::demo::{Abilities, Demo};
use a2a_edge::memory::{ManualBackground, ManualClock, MemoryLog, MemoryStore, SeededRandom};
use a2a_edge::ports::{Fetch, FetchError, FetchRequest, FetchResponse, ResponseHead, Timestamp};
use a2a_edge::protocol::http::{Body, Headers, Request, Response, TextStream};
use futures::future::LocalBoxFuture;
use futures::{FutureExt, StreamExt};

/// 2026-01-01T00:00:00Z
pub const START: Timestamp = Timestamp(1_767_225_600_000);

/// A served agent, with its platform at hand.
pub struct Served<A = Demo> {
    server: Rc<Server>,
    agent: PhantomData<A>,
    pub clock: Rc<ManualClock>,
    pub log: Rc<MemoryLog>,
    pub background: ManualBackground,
    pub web: Web,
}

/// The demo agent, configured.
pub fn server_with(configure: impl FnOnce(&mut Abilities, &mut Config)) -> Served {
    let (mut abilities, mut config) = (Abilities::default(), config());
    configure(&mut abilities, &mut config);
    serve(Demo::new(abilities), config)
}

pub fn config() -> Config {
    Config::default()
}

/// Any agent.
pub fn serve<A: Agent + 'static>(agent: A, config: Config) -> Served<A> {
    let (clock, log) = (Rc::new(ManualClock::new(START)), Rc::new(MemoryLog::default()));
    let (background, web) = (ManualBackground::default(), Web::default());
    let ports = Ports {
        store: Rc::new(MemoryStore::new(clock.clone())),
        clock: clock.clone(),
        random: Rc::new(SeededRandom::new(1)),
        log: log.clone(),
        background: Rc::new(background.clone()),
        fetch: Some(Rc::new(web.clone())),
    };
    let server = Server::new(agent, config, ports).unwrap_or_else(|violations| panic!("{violations:?}"));
    Served { server, agent: PhantomData, clock, log, background, web }
}

/// A witness that does not look.
struct Blind;

impl Witness for Blind {
    fn reached_agent(&self, _: bool) {}
}

impl<A: Agent + 'static> Served<A> {
    pub fn send(&self, request: &Request<'_>) -> Response {
        match self.server.handle(request, &Blind) {
            Answer::Ready(response) => response,
            Answer::Pending(work) => {
                self.clock.run(work).unwrap_or_else(|| panic!("the answer waits for something that never comes"))
            }
        }
    }

    pub fn post(&self, path: &str, headers: Headers<'_>, body: &str) -> Response {
        let origin = "https://agent.example";
        self.send(&Request { method: "POST", origin, path, query: "", headers, body: Body::Bytes(body.as_bytes()) })
    }

    pub fn get(&self, path: &str, query: &str, headers: Headers<'_>) -> Response {
        let origin = "https://agent.example";
        self.send(&Request { method: "GET", origin, path, query, headers, body: Body::default() })
    }
}

pub trait Json {
    fn json(&self) -> serde_json::Value;
}

impl Json for Response {
    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

/// What a test reads of a stream.
pub struct Streamed {
    stream: TextStream,
    clock: Rc<ManualClock>,
    background: ManualBackground,
}

impl Streamed {
    /// The next frame, letting time pass if need be.
    pub fn next(&mut self) -> Option<String> {
        let next = async { self.stream.next().await };
        self.clock.run(next).unwrap_or_else(|| panic!("the stream waits for something that never comes"))
    }

    /// The data of all frames to come, comments aside; an error event is marked by the name of the event.
    pub fn rest(&mut self) -> Vec<(Option<&'static str>, serde_json::Value)> {
        std::iter::from_fn(|| self.next()).filter(|frame| !frame.starts_with(':')).map(|frame| data(&frame)).collect()
    }

    /// What can be had without anything else happening.
    pub fn now(&mut self) -> Option<(Option<&'static str>, serde_json::Value)> {
        self.background.advance();
        self.stream.next().now_or_never().flatten().map(|frame| data(&frame))
    }
}

/// What a frame carries.
pub fn data(frame: &str) -> (Option<&'static str>, serde_json::Value) {
    let (event, text) = match frame.strip_prefix("event: error\n") {
        Some(text) => (Some("error"), text),
        None => (None, frame),
    };
    let text = text.strip_prefix("data: ").and_then(|text| text.strip_suffix("\n\n"));
    let text = text.unwrap_or_else(|| panic!("not one frame: {frame:?}"));
    (event, serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

impl<A: Agent + 'static> Served<A> {
    /// A JSON-RPC call with version 1.0.
    pub fn call(&self, id: &str, method: &str, params: &serde_json::Value) -> Response {
        let headers = Headers {
            version: Some("1.0"),
            content_type: Some("application/json"),
            accept: Some("text/event-stream"),
            ..Headers::default()
        };
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        self.post("/", headers, &body)
    }

    /// A POST on REST with version 1.0.
    pub fn rest(&self, path: &str, body: &serde_json::Value) -> Response {
        let headers = Headers { version: Some("1.0"), content_type: Some("application/json"), ..Headers::default() };
        self.post(path, headers, &body.to_string())
    }

    /// The stream of a response that must be one.
    pub fn streamed(&self, response: Response) -> Streamed {
        assert_eq!((response.status, response.content_type), (200, Some("text/event-stream")), "{}", response.body);
        assert_eq!(response.body, "");
        let stream = response.stream.unwrap_or_else(|| panic!("no stream"));
        Streamed { stream, clock: Rc::clone(&self.clock), background: self.background.clone() }
    }
}

/// The web as a test makes it: what is asked of it, and how it answers. Clones share it.
#[derive(Clone, Default)]
pub struct Web {
    pub requests: Rc<RefCell<Vec<FetchRequest>>>,
    /// Statuses to answer with, one after the other; 200 when there is none left. 0 is no answer at all.
    pub statuses: Rc<RefCell<VecDeque<u16>>>,
}

impl Fetch for Web {
    fn fetch(&self, request: &FetchRequest) -> LocalBoxFuture<'static, Result<FetchResponse, FetchError>> {
        self.requests.borrow_mut().push(request.clone());
        let status = self.statuses.borrow_mut().pop_front().unwrap_or(200);
        let answer = match status {
            0 => Err(FetchError::Unreachable("refused".to_owned())),
            status => {
                let head = ResponseHead { status, headers: Vec::new() };
                Ok(FetchResponse { head, body: futures::stream::empty().boxed_local() })
            }
        };
        futures::future::ready(answer).boxed_local()
    }
}
