//! The gateway against an origin that does as it is told, on a clock that a test winds.

use std::rc::Rc;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Value, json};

use super::*;
use crate::memory::{ManualBackground, ManualClock, MemoryLog, MemoryStore, SeededRandom};
use crate::ports::{Clock, FetchError};
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
    card_of(name, &json!({}))
}

fn streaming_card() -> Told {
    card_of("streaming", &json!({"streaming": true}))
}

fn card_of(name: &str, capabilities: &Value) -> Told {
    let card = json!({
        "name": name, "description": "d", "version": "1", "capabilities": capabilities,
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
        Self::with(&[], scripts)
    }

    fn with(vars: &[(&str, &str)], scripts: Vec<Script>) -> Self {
        let lookup = |name: &str| match name {
            "ORIGIN_URL" => Some("https://a0.example".to_owned()),
            name => vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()),
        };
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

#[test]
fn a_card_that_nobody_gives_is_waited_for_no_longer_than_a_call() {
    let others = "https://a0.example/1,https://a0.example/2,https://a0.example/3";
    let hanging = (0..4).map(|_| Script::Hangs).collect();
    let setting = Setting::with(&[("ORIGIN_FALLBACK_URLS", others)], hanging);
    let start = setting.clock.now().0;
    assert_eq!(setting.get_task()["error"]["data"][0]["reason"], "ORIGIN_TIMEOUT");
    assert_eq!(setting.clock.now().0 - start, 60_000);
    assert_eq!(setting.urls().len(), 2, "each gets its share of the time");
}

#[test]
fn tags_are_those_of_the_place_that_gave_the_card() {
    let tagged = |name| card(name).header("ETag", "\"1\"");
    let scripts =
        vec![tagged("one").into(), down(), tagged("two").into(), down(), down(), down(), tagged("two").into()];
    let setting = Setting::with(&[("ORIGIN_FALLBACK_URLS", "https://a0.example/b")], scripts);
    for name in ["one", "two", "two", "two"] {
        assert_eq!(setting.card_name(), name);
        setting.clock.advance(Duration::from_secs(301));
    }
    let seen = setting.origin.seen();
    let asked: Vec<_> = seen.iter().map(|(_, request)| request.header("If-None-Match").is_some()).collect();
    // The first time, in both places after that, and so on: only where the card at hand came from.
    assert_eq!(asked, [false, true, false, false, true, false, true]);
}

#[test]
fn that_there_is_no_card_says_nothing_about_the_request() {
    for status in [400, 401, 403, 404, 405, 410] {
        let told = Told::new(status, "application/json", r#"{"error":{"message":"s3cret"}}"#);
        let setting = Setting::new(vec![told.into()]);
        let answer = setting.get_task();
        assert_eq!(answer["error"]["code"], -32006, "{status}: {answer}");
        assert_eq!(answer["error"]["message"], "Invalid agent response");
        let rest = setting.ask("GET", "/tasks/t1", "");
        assert_eq!((rest.status, rest.header("WWW-Authenticate")), (500, None));
    }
    for (status, code) in [(429, -32000), (503, -32000), (500, -32603)] {
        let setting = Setting::new(vec![Told::new(status, "text/plain", "").into()]);
        assert_eq!(setting.get_task()["error"]["code"], code, "{status}");
    }
}

/// The data of the frames of a stream.
fn events(setting: &Setting, body: &str) -> Vec<Value> {
    let stream = setting.ask("POST", "/rpc", body).stream.expect("a stream");
    let frames: Vec<String> = setting.clock.run(stream.collect()).unwrap();
    let data = frames.iter().filter_map(|frame| frame.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap()).collect()
}

const SEND: &str = r#"{"jsonrpc":"2.0","id":"x","method":"SendStreamingMessage","params":
    {"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}}"#;

fn streaming(payloads: &[Value]) -> Told {
    payloads.iter().fold(Told::new(200, "text/event-stream", ""), |answer, payload| {
        answer.text(&format!("data: {{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{payload}}}\n\n"))
    })
}

#[test]
fn members_of_later_versions_pass_in_streams_too() {
    let task =
        json!({"task": {"id": "t1", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}, "later": {"n": 1}}});
    let end = json!({"statusUpdate": {"taskId": "t1", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED", "later": 2}}});
    let setting = Setting::new(vec![streaming_card().into(), streaming(&[task.clone(), end.clone()]).into()]);
    let results: Vec<_> = events(&setting, SEND).into_iter().map(|mut event| event["result"].take()).collect();
    assert_eq!(results, [task, end]);
}

#[test]
fn a_task_that_waits_for_credentials_may_go_on_by_itself() {
    let status = |state: &str| json!({"statusUpdate": {"taskId": "t1", "contextId": "c", "status": {"state": state}}});
    let task = json!({"task": {"id": "t1", "contextId": "c", "status": {"state": "TASK_STATE_WORKING"}}});
    let waits = [task.clone(), status("TASK_STATE_AUTH_REQUIRED")];
    let goes_on =
        [task, status("TASK_STATE_AUTH_REQUIRED"), status("TASK_STATE_WORKING"), status("TASK_STATE_COMPLETED")];
    for payloads in [&waits[..], &goes_on[..]] {
        let setting = Setting::new(vec![streaming_card().into(), streaming(payloads).into()]);
        let results: Vec<_> = events(&setting, SEND).into_iter().map(|mut event| event["result"].take()).collect();
        assert_eq!(results, payloads);
    }
}

#[test]
fn what_a_failed_task_says_of_its_insides_stays_behind_also_in_the_cache() {
    let failed = json!({"id": "t1", "status": {"state": "TASK_STATE_FAILED", "message": {
        "messageId": "m1", "role": "ROLE_AGENT", "parts": [{"text": "connect ECONNREFUSED 10.0.0.7:5432"}],
    }}});
    let setting = Setting::new(vec![card("one").into(), origin::result(&failed.to_string()).into()]);
    for _ in 0..2 {
        let task = setting.get_task();
        assert_eq!(task["result"]["status"]["message"]["parts"], json!([{"text": "The agent failed."}]), "{task}");
        setting.background.advance();
    }
    assert_eq!(setting.urls(), [CARD, RPC], "the second is answered from the edge");
    let lines: Vec<_> =
        setting.log.lines().into_iter().filter(|(_, line)| line.contains("task_failure_hidden")).collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].1.contains("ECONNREFUSED") && lines[0].1.contains("\"taskId\":\"t1\""));
}
