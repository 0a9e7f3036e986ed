//! What an agent says has the ids that the specification requires (4.1.4), whether or not its author thought of them.

#![allow(clippy::unwrap_used)] // in helpers as well

mod support;

use a2a_edge::agent::{Agent, Context, Outcome};
use a2a_edge::protocol::card::{AgentCapabilities, AgentCard, AgentSkill};
use a2a_edge::protocol::operation::Operation;
use a2a_edge::protocol::schema;
use a2a_edge::protocol::types::{Message, SendMessageRequest, SendMessageResponse, Task, TaskState, TaskStatus};
use serde_json::{Value, json};
use support::{Json, Served, config, serve};

/// Says something in the way that the message names.
struct Speaker;

impl Agent for Speaker {
    fn card(&self) -> AgentCard {
        let card = AgentCard::new("speaker", "Speaks.", "1").with_skill(AgentSkill::new("s", "S", "Speaks.", ["s"]));
        AgentCard { capabilities: AgentCapabilities { streaming: Some(true), ..AgentCapabilities::default() }, ..card }
    }

    async fn send_message(&self, cx: &Context, request: SendMessageRequest) -> Outcome<SendMessageResponse> {
        let said = Message::agent_text("The printer is on fire.");
        let way = request.message.text().into_owned();
        match way.as_str() {
            "answered" => return Ok(said.into()),
            "made" => {
                let status = TaskStatus { state: TaskState::Failed, message: Some(said), timestamp: None };
                return Ok(Task { status, ..Task::new("t1", "c1") }.into());
            }
            _ => {}
        }
        let mut work = cx.tasks().begin(request.message).await?;
        match way.as_str() {
            "reported" => {
                work.report(TaskState::Working, Some(said)).await?;
                Ok(work.save(TaskState::Completed, None).await?.into())
            }
            "replied" => {
                let reply = work.reply("The printer is on fire.");
                Ok(work.save(TaskState::Failed, Some(reply)).await?.into())
            }
            "named" => Ok(work.save(TaskState::Failed, Some(said.with_id("mine"))).await?.into()),
            _ => Ok(work.save(TaskState::Failed, Some(said)).await?.into()),
        }
    }
}

const WAYS: [&str; 6] = ["answered", "made", "reported", "replied", "named", "saved"];

fn served() -> Served<Speaker> {
    serve(Speaker, config())
}

fn asking(way: &str) -> Value {
    json!({"message": {"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": way}]}})
}

#[test]
fn whatever_way_an_agent_speaks_the_answer_is_one_of_the_protocol() {
    for way in WAYS {
        let result = served().call("1", "SendMessage", &asking(way)).json()["result"].take();
        assert_eq!(schema::check_result(Operation::SendMessage, result.clone()).err(), None, "{way}: {result}");
    }
}

#[test]
fn and_so_is_every_event_of_a_stream() {
    for way in WAYS {
        let served = served();
        let events = served.streamed(served.rest("/message:stream", &asking(way))).rest();
        assert!(!events.is_empty(), "{way}");
        for (name, event) in events {
            assert_eq!(name, None, "{way}: {event}");
            let checked = schema::check_result(Operation::SendStreamingMessage, event.clone());
            assert_eq!(checked.err(), None, "{way}: {event}");
        }
    }
}

#[test]
fn a_message_in_a_task_names_the_task_and_keeps_the_id_that_it_has() {
    for (way, id) in [("saved", None), ("replied", None), ("named", Some("mine"))] {
        let result = served().call("1", "SendMessage", &asking(way)).json()["result"].take();
        let (task, said) = (&result["task"], &result["task"]["status"]["message"]);
        assert_eq!((&said["taskId"], &said["contextId"]), (&task["id"], &task["contextId"]), "{way}");
        match id {
            Some(id) => assert_eq!(said["messageId"], id, "{way}"),
            None => assert_eq!(said["messageId"].as_str().unwrap().len(), 36, "{way}"),
        }
    }
}
