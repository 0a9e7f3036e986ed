//! The demo agent: does what the first words of a message ask for, so that every outcome has a natural request.

mod card;
mod command;
mod config;
mod disruption;

use std::time::Duration;

use crate::A2aError;
use crate::agent::{Agent, Context, Outcome, Work};
use crate::protocol::card::AgentCard;
use crate::protocol::error::SERVER_ERROR;
use crate::protocol::types::{
    Artifact, CancelTaskRequest, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse,
    SendMessageRequest, SendMessageResponse, Task, TaskState,
};

pub use card::{Abilities, ExtendedCard};
use command::{Command, Fault};
pub use config::abilities;

/// How long a caller of an overloaded agent should wait.
const OVERLOAD_RETRY: Duration = Duration::from_secs(2);

/// The demo agent.
#[derive(Debug, Clone, Default)]
pub struct Demo {
    abilities: Abilities,
}

impl Demo {
    /// A demo agent with these abilities.
    pub fn new(abilities: Abilities) -> Self {
        Self { abilities }
    }

    async fn obey(&self, cx: &Context, work: &mut Work, command: Command, text: &str) -> Outcome<Task> {
        let task = match command {
            Command::Echo => complete(work, text).await?,
            Command::Slow(delay) => {
                cx.sleep(delay).await;
                complete(work, text).await?
            }
            Command::Stream(chunks) => {
                let lines: Vec<String> = (1..=chunks).map(|chunk| format!("chunk {chunk} of {chunks}\n")).collect();
                complete(work, &lines.concat()).await?
            }
            Command::Work => {
                let note = work.reply("Working until cancelled.");
                work.save(TaskState::Working, Some(note)).await?
            }
            Command::Ask => {
                let question = work.reply("What else should I know?");
                work.save(TaskState::InputRequired, Some(question)).await?
            }
            Command::Fail => {
                let excuse = work.reply("The work failed: the demo was asked to fail.");
                work.save(TaskState::Failed, Some(excuse)).await?
            }
            Command::Reject => {
                let excuse = work.reply("The demo was asked to reject this.");
                work.save(TaskState::Rejected, Some(excuse)).await?
            }
            Command::Refuse => return Err(A2aError::refused("The demo was asked to refuse this").into()),
            Command::Error(fault) => return Err(raise(fault)),
            Command::Disrupt(disruption) if self.abilities.faults => disruption.strike(cx).await,
            Command::Disrupt(_) => {
                return Err(A2aError::refused("Panics and traps are switched off (DEMO_FAULTS=off)").into());
            }
        };
        Ok(task)
    }
}

async fn complete(work: &mut Work, text: &str) -> Outcome<Task> {
    work.add_artifact(Artifact::text("echo", text));
    Ok(work.save(TaskState::Completed, None).await?)
}

/// A failure of something that the agent relies on, with a secret in it that must not get out.
#[derive(Debug, thiserror::Error)]
#[error("connection to postgres://demo:hunter2@db.internal/tasks refused")]
struct DatabaseDown;

fn raise(fault: Fault) -> crate::agent::Failure {
    match fault {
        Fault::Internal => DatabaseDown.into(),
        Fault::Junk => A2aError::invalid_agent_response().with_source(DatabaseDown).into(),
        Fault::Overloaded => A2aError::custom("Agent is overloaded, retry later", SERVER_ERROR, 503)
            .with_retry_after(OVERLOAD_RETRY)
            .into(),
    }
}

impl Agent for Demo {
    fn card(&self) -> AgentCard {
        self.abilities.public_card()
    }

    async fn send_message(&self, cx: &Context, request: SendMessageRequest) -> Outcome<SendMessageResponse> {
        let text = request.message.text().into_owned();
        let mut work = cx.tasks().begin(request.message).await?;
        // Whatever answers the question of an `ask` completes it.
        let command = if work.is_new() { Command::parse(&text) } else { Command::Echo };
        Ok(SendMessageResponse::Task(self.obey(cx, &mut work, command, &text).await?))
    }

    async fn get_task(&self, cx: &Context, request: GetTaskRequest) -> Outcome<Task> {
        Ok(cx.tasks().get(&request).await?)
    }

    async fn list_tasks(&self, cx: &Context, request: ListTasksRequest) -> Outcome<ListTasksResponse> {
        Ok(cx.tasks().list(&request).await?)
    }

    async fn cancel_task(&self, cx: &Context, request: CancelTaskRequest) -> Outcome<Task> {
        Ok(cx.tasks().cancel(&request).await?)
    }

    async fn get_extended_agent_card(&self, _: &Context, _: GetExtendedAgentCardRequest) -> Outcome<AgentCard> {
        Ok(self.abilities.extended_card().ok_or_else(A2aError::extended_agent_card_not_configured)?)
    }
}

#[cfg(all(feature = "worker", target_arch = "wasm32"))]
crate::serve!(|vars| config::abilities(vars).map(Demo::new));
