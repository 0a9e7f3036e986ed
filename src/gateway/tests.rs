//! The gateway against an origin that does as it is told, on a clock that a test winds.

use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::memory::{ManualBackground, ManualClock, MemoryLog, MemoryStore, SeededRandom};
use crate::ports::FetchError;
use crate::protocol::http::{Body, Headers, Response};
use crate::remote::call::tests::origin::{self, Answer as Told, Origin, Script};
use crate::vars::Vars;

struct Blind;

impl Witness for Blind {
    fn reached_agent(&self, _: bool) {}
}

struct Setting {
    gateway: Rc<Gateway>,
    origin: Rc<Origin>,
    clock: Rc<ManualClock>,
    background: ManualBackground,
    log: Rc<MemoryLog>,
}

fn card(name: &str) -> Told {
    let card = json!({
        "name": name, "description": "d", "version": "1", "capabilities": {},
        "supportedInterfaces": [{"url": "https://elsewhere.example/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "s", "name": "s", "description": "s", "tags": ["t"]}],
    });
    Told::new(200, "application/json", &card.to_string())
}

fn down() -> Script {
    Script::Fails(FetchError::Unreachable("refused".to_owned()))
}

impl Setting {
    fn new(scripts: Vec<Script>) -> Self {
        let lookup = |name: &str| (name == "ORIGIN_URL").then(|| "https://a0.example".to_owned());
        let config = Config::build(&Vars::new(&lookup), 1 << 20).unwrap().unwrap();
        let clock = Rc::new(ManualClock::new(Timestamp(1_767_225_600_000)));
        let origin = Rc::new(Origin::new(scripts).on(clock.clone()));
        let (background, log) = (ManualBackground::default(), Rc::new(MemoryLog::default()));
        let ports = Ports {
            store: Rc::new(MemoryStore::new(clock.clone())),
            clock: clock.clone(),
            random: Rc::new(SeededRandom::new(1)),
            log: log.clone(),
            background: Rc::new(background.clone()),
            fetch: None,
        };
        let gateway = Gateway::new(config, agent::Config::default(), ports, origin.clone());
        Self { gateway, origin, clock, background, log }
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> Response {
        let headers = Headers { version: Some("1.0"), content_type: Some("application/json"), ..Headers::default() };
        let body = Body::Bytes(body.as_bytes());
        let request = Request { method, origin: "https://edge.example", path, query: "", headers, body };
        if let Some(preparation) = self.gateway.prepare(&request) {
            self.clock.run(preparation).unwrap();
        }
        match self.gateway.handle(&request, &Blind) {
            Answer::Ready(response) => response,
            Answer::Pending(answer) => self.clock.run(answer).unwrap(),
        }
    }

    fn get_task(&self) -> Value {
        let body = r#"{"jsonrpc":"2.0","id":"x","method":"GetTask","params":{"id":"t1"}}"#;
        serde_json::from_str(&self.ask("POST", "/rpc", body).body).unwrap()
    }

    fn card_name(&self) -> Value {
        let card: Value = serde_json::from_str(&self.ask("GET", CARD_PATH, "").body).unwrap();
        card["name"].clone()
    }

    fn urls(&self) -> Vec<String> {
        self.origin.seen().into_iter().map(|(_, request)| request.url).collect()
    }

    fn caller(&self) -> Rc<Caller> {
        Rc::clone(&self.gateway.state.borrow().known.as_ref().unwrap().caller)
    }
}

const CARD: &str = "https://a0.example/.well-known/agent-card.json";
const RPC: &str = "https://a0.example/rpc";

#[test]
fn the_first_request_waits_for_the_card_and_a_later_one_does_not() {
    let setting =
        Setting::new(vec![card("one").into(), origin::task().into(), card("two").into(), origin::task().into()]);
    assert_eq!(setting.get_task()["result"]["id"], "t1");
    assert_eq!(setting.urls(), [CARD, RPC]);
    setting.clock.advance(Duration::from_secs(301));
    let body = Body::Bytes(b"");
    let request = Request { method: "POST", path: "/rpc", body, ..Request::default() };
    assert!(setting.gateway.prepare(&request).is_none(), "a stale card will do");
    assert!(setting.gateway.prepare(&request).is_none());
    setting.background.advance();
    assert_eq!(setting.urls(), [CARD, RPC, CARD], "one of them fetches it anew");
    assert_eq!(setting.card_name(), "two");
}

#[test]
fn a_new_card_of_the_same_place_keeps_its_breaker_and_a_worse_one_is_not_taken() {
    let junk = || Script::from(Told::new(200, "application/json", r#"{"name":"junk"}"#));
    let setting = Setting::new(vec![card("one").into(), card("two").into(), junk(), down(), card("three").into()]);
    assert_eq!(setting.card_name(), "one");
    let caller = setting.caller();
    for name in ["two", "two", "two", "three"] {
        setting.clock.advance(Duration::from_secs(301));
        assert_eq!(setting.card_name(), name);
    }
    assert!(Rc::ptr_eq(&caller, &setting.caller()));
    let stale = setting.log.lines().into_iter().filter(|(_, line)| line.contains("origin_card_stale"));
    assert_eq!(stale.count(), 2);
}

#[test]
fn without_a_card_it_is_asked_for_once_a_second() {
    let setting = Setting::new(vec![down(), down(), card("one").into(), origin::task().into()]);
    for _ in 0..3 {
        let error = setting.get_task();
        assert_eq!((&error["id"], &error["error"]["code"]), (&json!("x"), &json!(-32603)));
        assert_eq!(error["error"]["data"][0]["reason"], "ORIGIN_UNAVAILABLE");
    }
    assert_eq!(setting.urls(), [CARD]);
    setting.clock.advance(Duration::from_secs(1));
    assert_eq!(setting.ask("GET", "/tasks/t1", "").status, 502);
    setting.clock.advance(Duration::from_secs(1));
    assert_eq!(setting.get_task()["result"]["id"], "t1");
    assert_eq!(setting.urls(), [CARD, CARD, CARD, RPC]);
}
