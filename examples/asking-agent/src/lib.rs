//! An agent that asks another: it passes a message on, and what comes of it back, piece by piece. Whatever is wrong with
//! the other agent, the caller reads a typed error of this one.

use a2a_edge::A2aError;
use a2a_edge::agent::{Agent, Context, Outcome, Work};
use a2a_edge::client::{Client, Events, Options};
use a2a_edge::protocol::card::{AgentCard, AgentSkill};
use a2a_edge::protocol::types::{
    GetTaskRequest, Message, SendMessageRequest, SendMessageResponse, StreamResponse, Task, TaskState, TaskStatus,
};
use a2a_edge::remote::Binding;
use a2a_edge::remote::request::Endpoint;
use a2a_edge::vars::ConfigError;
use a2a_edge::worker;
use futures_util::StreamExt;

struct Asking {
    /// One for all requests: its breaker learns from each of them.
    asked: Client,
}

impl Agent for Asking {
    fn card(&self) -> AgentCard {
        let mut card = AgentCard::new("Asking", "Asks another agent.", "1.0.0").with_skill(AgentSkill::new(
            "ask",
            "Ask",
            "Passes a message on.",
            ["text"],
        ));
        card.capabilities.streaming = Some(true);
        card
    }

    async fn send_message(&self, cx: &Context, request: SendMessageRequest) -> Outcome<SendMessageResponse> {
        let question = Message::user_text(request.message.text());
        // Until the answer begins, what goes wrong is an error: as the other agent told it, but for what is not for strangers.
        let events = self.asked.send_streaming_message(question.into()).await;
        let events = events.map_err(|error| error.to_protocol_error())?;
        let mut work = cx.tasks().begin(request.message).await?;
        let (state, words) = pass_on(events, &mut work).await?;
        let message = words.map(|words| work.reply(words));
        Ok(work.save(state, message).await?.into())
    }

    async fn get_task(&self, cx: &Context, request: GetTaskRequest) -> Outcome<Task> {
        Ok(cx.tasks().get(&request).await?)
    }
}

/// Passes on what the other agent makes, and gives the state in which it leaves its task, with its words.
async fn pass_on(mut events: Events<StreamResponse>, work: &mut Work) -> Result<(TaskState, Option<String>), A2aError> {
    let mut end = (TaskState::Completed, None);
    while let Some(event) = events.next().await {
        match event {
            Ok(StreamResponse::Task(task)) => {
                task.artifacts.into_iter().flatten().for_each(|artifact| work.add_artifact(artifact));
                end = ending(task.status);
            }
            Ok(StreamResponse::ArtifactUpdate(update)) => {
                work.stream_artifact(update.artifact, update.append, update.last_chunk).await?;
            }
            Ok(StreamResponse::StatusUpdate(update)) => end = ending(update.status),
            Ok(StreamResponse::Message(message)) => end = (TaskState::Completed, Some(message.text().into_owned())),
            // Now there is a task, and it is the task that fails.
            Err(_) => end = (TaskState::Failed, Some("The agent that was asked broke off.".to_owned())),
        }
    }
    Ok(end)
}

fn ending(status: TaskStatus) -> (TaskState, Option<String>) {
    (status.state, status.message.map(|message| message.text().into_owned()))
}

a2a_edge::serve!(|vars| {
    let url = vars.text("ASKED_URL").ok_or_else(|| ConfigError::new("ASKED_URL", "must be the URL of an agent"))?;
    let asked = Client::new(Endpoint::new(url, Binding::JsonRpc), Options::default(), worker::ports());
    Ok(Asking { asked })
});
