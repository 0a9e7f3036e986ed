//! Streaming operations (specification 3.1.2, 3.1.6, 9.4.2, 11.7): order, ends, errors, and who leaves.

#![allow(clippy::panic, clippy::unwrap_used)] // in helpers as well

mod support;

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use a2a_edge::agent::{Agent, Context, Outcome};
use a2a_edge::ports::Subscription;
use a2a_edge::protocol::card::{AgentCapabilities, AgentCard, AgentSkill};
use a2a_edge::protocol::http::{Headers, Response};
use a2a_edge::protocol::types::{
    Artifact, Message, SendMessageRequest, SendMessageResponse, SubscribeToTaskRequest, Task, TaskState,
};
use futures::StreamExt;
use serde_json::{Value, json};
use support::{Json, Served, config, serve, server_with};

fn message(text: &str) -> Value {
    json!({"message": {"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": text}]}})
}

fn demo() -> Served {
    server_with(|demo, _| demo.faults = true)
}

fn stream_of<A: Agent + 'static>(served: &Served<A>, text: &str) -> support::Streamed {
    served.streamed(served.rest("/message:stream", &message(text)))
}

/// The kinds of the events, and the states they tell.
fn outline(events: &[(Option<&'static str>, Value)]) -> Vec<String> {
    let one = |(name, event): &(Option<&'static str>, Value)| {
        let (kind, body) = event.as_object().unwrap().iter().next().unwrap();
        let state = body["status"]["state"].as_str().unwrap_or_default().trim_start_matches("TASK_STATE_");
        format!("{}{kind} {state}", if name.is_some() { "!" } else { "" }).trim_end().to_owned()
    };
    events.iter().map(one).collect()
}

fn get<A: Agent + 'static>(served: &Served<A>, id: &str) -> Value {
    let headers = Headers { version: Some("1.0"), ..Headers::default() };
    served.get(&format!("/tasks/{id}"), "", headers).json()
}

#[test]
fn a_stream_begins_with_the_task_and_ends_when_it_has_ended() {
    let served = demo();
    let events = stream_of(&served, "stream 3").rest();
    let expected = ["task SUBMITTED", "artifactUpdate", "artifactUpdate", "artifactUpdate", "statusUpdate COMPLETED"];
    assert_eq!(outline(&events), expected);
    let updates: Vec<_> = events[1..4].iter().map(|(_, event)| &event["artifactUpdate"]).collect();
    let told: Vec<_> = updates
        .iter()
        .map(|update| {
            (update["artifact"]["parts"][0]["text"].as_str(), update["append"].as_bool(), update["lastChunk"].as_bool())
        })
        .collect();
    let first = (Some("chunk 1 of 3\n"), None, None);
    assert_eq!(
        told,
        [first, (Some("chunk 2 of 3\n"), Some(true), None), (Some("chunk 3 of 3\n"), Some(true), Some(true))]
    );
    let task = get(&served, events[0].1["task"]["id"].as_str().unwrap());
    assert_eq!(task["status"], events[4].1["statusUpdate"]["status"]);
}

#[test]
fn every_event_of_json_rpc_is_a_response_with_the_id_of_the_request() {
    let served = demo();
    let events = served.streamed(served.call("9007199254740993", "SendStreamingMessage", &message("hello"))).rest();
    assert_eq!(events.len(), 3, "task, artifact, status: {events:?}");
    for (name, event) in &events {
        assert_eq!((name, &event["jsonrpc"]), (&None, &json!("2.0")));
        assert_eq!(event["id"].to_string(), "9007199254740993");
    }
    assert_eq!(events[2].1["result"]["statusUpdate"]["status"]["state"], "TASK_STATE_COMPLETED");
}

#[test]
fn a_stream_closes_when_the_task_waits_and_goes_on_in_another() {
    let served = demo();
    let events = stream_of(&served, "ask").rest();
    assert_eq!(outline(&events), ["task SUBMITTED", "statusUpdate INPUT_REQUIRED"]);
    let id = events[0].1["task"]["id"].as_str().unwrap();
    let mut answer = message("forty-two");
    answer["message"]["taskId"] = json!(id);
    let events = served.streamed(served.rest("/message:stream", &answer)).rest();
    assert_eq!(outline(&events), ["task WORKING", "artifactUpdate", "statusUpdate COMPLETED"]);
    assert_eq!(events[0].1["task"]["history"].as_array().map(Vec::len), Some(2));
    let response = served.rest("/message:stream", &answer);
    assert_eq!(response.status, 400);
    assert_eq!(response.json()["error"]["details"][0]["reason"], "UNSUPPORTED_OPERATION");
}

#[test]
fn an_error_before_the_first_event_is_the_answer() {
    let served = demo();
    for (text, status, reason) in [
        ("refuse", 400, "UNSUPPORTED_OPERATION"),
        ("error internal", 500, "INTERNAL_ERROR"),
        ("panic", 500, "INTERNAL_ERROR"),
    ] {
        let response = served.rest("/message:stream", &message(text));
        assert_eq!((response.status, response.stream.is_none()), (status, true), "{text}");
        assert_eq!(response.json()["error"]["details"][0]["reason"], reason, "{text}");
        let response = served.call("\"a\"", "SendStreamingMessage", &message(text));
        assert_eq!((response.status, response.content_type), (200, Some("application/json")), "{text}");
        assert_eq!(
            (&response.json()["id"], &response.json()["error"]["data"][0]["reason"]),
            (&json!("a"), &json!(reason))
        );
    }
}

#[test]
fn a_later_error_is_the_last_event_and_the_task_has_failed() {
    let served = demo();
    let events = stream_of(&served, "panic late").rest();
    assert_eq!(outline(&events), ["task SUBMITTED", "!error"]);
    assert_eq!(events[1].1["error"]["code"], 500);
    assert_eq!(events[1].1["error"]["message"], "Internal error");
    assert_eq!(events[1].1["error"]["details"][0]["reason"], "INTERNAL_ERROR");
    let task = get(&served, events[0].1["task"]["id"].as_str().unwrap());
    assert_eq!(task["status"]["state"], "TASK_STATE_FAILED");
    assert_eq!(task["status"]["message"]["parts"][0]["text"], "Internal error");

    let events = served.streamed(served.call("7", "SendStreamingMessage", &message("panic late"))).rest();
    let (name, last) = events.last().unwrap();
    assert_eq!((name, &last["id"], &last["error"]["code"]), (&Some("error"), &json!(7), &json!(-32603)));
    assert!(!last.to_string().contains("hunter2"));
    assert_eq!(served.log.lines().len(), 2, "one line a failure");
}

#[test]
fn subscribers_see_the_same_and_a_late_one_the_task_first() {
    let served = demo();
    let mut sender = stream_of(&served, "work");
    let first = sender.now().unwrap().1;
    let id = first["task"]["id"].as_str().unwrap().to_owned();
    assert_eq!(sender.now().unwrap().1["statusUpdate"]["status"]["state"], "TASK_STATE_WORKING");
    let subscribe = format!("/tasks/{id}:subscribe");
    let mut subscriber = served.streamed(served.rest(&subscribe, &json!({})));
    let mut other = served.streamed(served.call("1", "SubscribeToTask", &json!({"id": id})));
    let task = subscriber.now().unwrap().1["task"].clone();
    assert_eq!((&task["id"], &task["status"]["state"]), (&json!(id), &json!("TASK_STATE_WORKING")));
    assert_eq!(other.now().unwrap().1["result"]["task"], task);
    assert_eq!(subscriber.now(), None);

    served.rest(&format!("/tasks/{id}:cancel"), &json!({}));
    let events = [sender.rest(), subscriber.rest()];
    assert_eq!(events[0], events[1]);
    assert_eq!(outline(&events[0]), ["statusUpdate CANCELED"]);
    assert_eq!(other.rest()[0].1["result"], events[0][0].1);
    assert_eq!(served.rest(&subscribe, &json!({})).status, 400, "in a terminal state");
    assert_eq!(served.rest("/tasks/none:subscribe", &json!({})).status, 404);
}

#[test]
fn a_message_that_completes_a_task_ends_the_stream_of_its_subscribers() {
    let served = demo();
    let asked = served.rest("/message:send", &message("ask")).json();
    let id = asked["task"]["id"].as_str().unwrap();
    let mut subscriber = served.streamed(served.rest(&format!("/tasks/{id}:subscribe"), &json!({})));
    assert_eq!(subscriber.now().unwrap().1["task"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    assert_eq!(subscriber.now(), None);
    let mut answer = message("forty-two");
    answer["message"]["taskId"] = json!(id);
    served.rest("/message:send", &answer);
    assert_eq!(outline(&subscriber.rest()), ["statusUpdate WORKING", "artifactUpdate", "statusUpdate COMPLETED"]);
}

#[test]
fn history_is_as_long_as_was_asked_for() {
    let served = demo();
    let mut request = message("hello");
    request["configuration"] = json!({"historyLength": 0});
    let events = served.streamed(served.rest("/message:stream", &request)).rest();
    assert_eq!(events[0].1["task"]["history"], Value::Null);
}

#[test]
fn a_caller_who_takes_nothing_that_the_agent_makes_is_told_so() {
    let served = demo();
    for (accepted, status) in [
        (json!([]), 200),
        (json!(["text/plain"]), 200),
        (json!(["image/png", "text/*"]), 200),
        (json!(["*/*"]), 200),
        (json!(["TEXT/PLAIN; charset=utf-8"]), 200),
        (json!(["image/png", "audio/*"]), 400),
    ] {
        let mut request = message("hello");
        request["configuration"] = json!({"acceptedOutputModes": accepted});
        for path in ["/message:send", "/message:stream"] {
            let response = served.rest(path, &request);
            assert_eq!(response.status, status, "{path} {accepted}");
            if status == 400 {
                let info = &response.json()["error"]["details"][0];
                assert_eq!(info["reason"], "CONTENT_TYPE_NOT_SUPPORTED");
                assert_eq!(info["metadata"]["contentType"], "image/png");
            }
        }
    }
}

#[test]
fn a_silent_stream_shows_that_it_is_there() {
    let served = demo();
    let mut stream = stream_of(&served, "slow 40000");
    let frames: Vec<String> = std::iter::from_fn(|| stream.next()).collect();
    let comments = frames.iter().filter(|frame| frame.starts_with(':')).count();
    assert_eq!(comments, 2, "one every 15 seconds: {frames:?}");
    assert!(frames.last().unwrap().contains("TASK_STATE_COMPLETED"));
}

#[test]
fn a_stream_has_no_place_in_a_batch_or_a_notification() {
    let served = demo();
    let headers = Headers { version: Some("1.0"), content_type: Some("application/json"), ..Headers::default() };
    let call = |id: &str| {
        let params = message("stream 2");
        format!(r#"{{"jsonrpc":"2.0",{id}"method":"SendStreamingMessage","params":{params}}}"#)
    };
    let answers = served.post("/", headers, &format!("[{}]", call("\"id\":5,"))).json();
    assert_eq!((&answers[0]["id"], &answers[0]["error"]["code"]), (&json!(5), &json!(-32600)));
    let response = served.post("/", headers, &call(""));
    assert_eq!((response.status, response.body.as_str()), (204, ""));
    // It is worked on all the same.
    let list = || served.get("/tasks", "", headers).json()["tasks"][0]["status"]["state"].clone();
    assert_eq!(list(), "TASK_STATE_SUBMITTED");
    while served.background.advance() > 0 {
        served.clock.advance(Duration::from_millis(10));
    }
    assert_eq!(list(), "TASK_STATE_COMPLETED");
}

#[test]
fn a_caller_in_a_hurry_gets_the_task_and_finds_it_done_later() {
    let served = demo();
    let mut request = message("slow 3000");
    request["configuration"] = json!({"returnImmediately": true});
    let before = served.clock.clone();
    let task = served.rest("/message:send", &request).json()["task"].clone();
    assert_eq!(task["status"]["state"], "TASK_STATE_SUBMITTED");
    assert_eq!(before.sleepers(), 1, "nobody waited");
    let id = task["id"].as_str().unwrap();
    assert_eq!(get(&served, id)["status"]["state"], "TASK_STATE_WORKING");
    served.clock.advance(Duration::from_secs(3));
    assert_eq!(served.background.advance(), 0);
    assert_eq!(get(&served, id)["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(get(&served, id)["artifacts"][0]["parts"][0]["text"], "slow 3000");
}

#[test]
fn work_in_the_background_that_fails_fails_its_task_and_is_logged_once() {
    a2a_edge::agent::install_panic_hook(None);
    let served = demo();
    let mut request = message("panic late");
    request["configuration"] = json!({"returnImmediately": true});
    let task = served.rest("/message:send", &request).json()["task"].clone();
    served.clock.advance(Duration::from_secs(1));
    assert_eq!(served.background.advance(), 0);
    assert_eq!(get(&served, task["id"].as_str().unwrap())["status"]["state"], "TASK_STATE_FAILED");
    let lines = served.log.lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].1.contains("panic at src/demo/disruption.rs"), "{lines:?}");
    assert!(!lines[0].1.contains("hunter2"), "{lines:?}");
}

#[test]
fn who_leaves_stops_the_work() {
    let served = demo();
    let mut stream = stream_of(&served, "stream 1000");
    let id = stream.now().unwrap().1["task"]["id"].as_str().unwrap().to_owned();
    assert!(stream.now().is_some(), "the first chunk");
    drop(stream);
    assert_eq!(served.background.advance(), 0);
    assert_eq!(served.clock.sleepers(), 0, "nothing goes on");
    let task = get(&served, &id);
    assert_eq!(task["status"]["state"], "TASK_STATE_CANCELED");
    assert_eq!(task["artifacts"][0]["parts"][0]["text"], "chunk 1 of 1000\n");
}

#[test]
fn who_leaves_does_not_stop_what_others_watch() {
    let served = demo();
    let mut stream = stream_of(&served, "stream 3");
    let id = stream.now().unwrap().1["task"]["id"].as_str().unwrap().to_owned();
    let mut subscriber = served.streamed(served.rest(&format!("/tasks/{id}:subscribe"), &json!({})));
    assert!(subscriber.now().is_some());
    drop(stream);
    let mut seen = Vec::new();
    while served.background.advance() > 0 {
        served.clock.advance(Duration::from_millis(10));
        seen.extend(std::iter::from_fn(|| subscriber.now()));
    }
    seen.extend(subscriber.rest());
    assert_eq!(outline(&seen).last().unwrap(), "statusUpdate COMPLETED", "{seen:?}");
}

/// An agent whose streams are its own.
struct Own {
    produced: Rc<Cell<u32>>,
}

impl Agent for Own {
    fn card(&self) -> AgentCard {
        let card = AgentCard::new("own", "Streams.", "1").with_skill(AgentSkill::new("s", "S", "Streams.", ["s"]));
        AgentCard { capabilities: AgentCapabilities { streaming: Some(true), ..AgentCapabilities::default() }, ..card }
    }

    async fn send_message(&self, cx: &Context, request: SendMessageRequest) -> Outcome<SendMessageResponse> {
        match &*request.message.text() {
            "message" => Ok(Message::agent_text("hello").with_id("m2").into()),
            "task" => Ok(Task::new("t", "c").with_status(TaskState::Completed).into()),
            "authenticate" => {
                let mut work = cx.tasks().begin(request.message).await?;
                Ok(work.save(TaskState::AuthRequired, None).await?.into())
            }
            "authenticated" => {
                let mut work = cx.tasks().begin(request.message).await?;
                Ok(work.save(TaskState::Completed, None).await?.into())
            }
            "both" => {
                cx.tasks().begin(request.message).await?;
                Ok(Message::agent_text("hello").with_id("m2").into())
            }
            _ => {
                let mut work = cx.tasks().begin(request.message).await?;
                loop {
                    self.produced.set(self.produced.get() + 1);
                    work.stream_artifact(Artifact::text("a", "x"), true, false).await?;
                    futures::pending!();
                }
            }
        }
    }

    async fn subscribe_to_task(&self, _: &Context, request: SubscribeToTaskRequest) -> Outcome<Subscription> {
        let events = if request.id == "panic" {
            futures::stream::poll_fn(|_| panic!("canary")).boxed_local()
        } else {
            futures::stream::empty().boxed_local()
        };
        Ok(Subscription { task: Task::new(request.id, "c"), events })
    }
}

fn own() -> Served<Own> {
    serve(Own { produced: Rc::default() }, config())
}

#[test]
fn a_message_is_a_stream_of_one_event_and_so_is_a_task_that_nobody_stored() {
    assert_eq!(outline(&stream_of(&own(), "message").rest()), ["message"]);
    assert_eq!(outline(&stream_of(&own(), "task").rest()), ["task COMPLETED"]);
}

#[test]
fn a_task_that_waits_for_credentials_closes_its_stream_and_goes_on_with_the_next_message() {
    let served = own();
    let events = stream_of(&served, "authenticate").rest();
    assert_eq!(outline(&events), ["task SUBMITTED", "statusUpdate AUTH_REQUIRED"]);
    let mut answer = message("authenticated");
    answer["message"]["taskId"] = events[0].1["task"]["id"].clone();
    let events = served.streamed(served.rest("/message:stream", &answer)).rest();
    assert_eq!(outline(&events), ["task WORKING", "statusUpdate COMPLETED"]);
}

#[test]
fn an_agent_that_answers_with_a_message_after_a_task_is_at_fault() {
    let served = own();
    let response: Response = served.rest("/message:stream", &message("both"));
    assert_eq!((response.status, response.stream.is_none()), (500, true));
}

#[test]
fn a_stream_never_just_stops() {
    let served = own();
    for id in ["stops", "panic"] {
        let events = served.streamed(served.rest(&format!("/tasks/{id}:subscribe"), &json!({}))).rest();
        assert_eq!(outline(&events), ["task SUBMITTED", "!error"], "{id}");
        assert_eq!(events[1].1["error"]["code"], 500);
        assert!(!events[1].1.to_string().contains("canary"));
    }
}

#[test]
fn who_reads_slowly_slows_the_work_down() {
    let produced = Rc::new(Cell::new(0));
    let served = serve(Own { produced: Rc::clone(&produced) }, config());
    let mut stream = stream_of(&served, "for ever");
    for read in 0..5 {
        assert!(produced.get() <= read + 1, "{} produced, {read} read", produced.get());
        assert!(stream.now().is_some());
    }
    assert!(stream.next().is_some());
}
