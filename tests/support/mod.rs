//! An agent served in memory, for tests.
#![allow(dead_code, unreachable_pub)] // each test file uses its own part
#![allow(clippy::panic, clippy::unwrap_used)] // clippy knows tests by their functions, and helpers are none

use std::rc::Rc;

use a2a_edge::agent::{Agent, Answer, Config, Ports, Server, Witness};
use a2a_edge::demo::{Abilities, Demo};
use a2a_edge::memory::{ManualClock, MemoryLog, MemoryStore, SeededRandom};
use a2a_edge::ports::Timestamp;
use a2a_edge::protocol::http::{Body, Headers, Request, Response};

/// 2026-01-01T00:00:00Z
pub const START: Timestamp = Timestamp(1_767_225_600_000);

/// A served agent, with its platform at hand.
pub struct Served<A = Demo> {
    server: Rc<Server<A>>,
    pub clock: Rc<ManualClock>,
    pub log: Rc<MemoryLog>,
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
    let ports = Ports {
        store: Rc::new(MemoryStore::new(clock.clone())),
        clock: clock.clone(),
        random: Rc::new(SeededRandom::new(1)),
        log: log.clone(),
    };
    let server = Server::new(agent, config, ports).unwrap_or_else(|violations| panic!("{violations:?}"));
    Served { server, clock, log }
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
            Answer::Pending(work) => futures::executor::block_on(work),
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
