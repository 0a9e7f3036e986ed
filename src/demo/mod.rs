//! The demo agent: does what the first words of a message ask for, so that every outcome has a natural request.

mod card;
mod command;
mod config;
mod disruption;

use std::time::Duration;

use crate::A2aError;
use crate::agent::{Agent, Context, Outcome, Work};
use crate::ports::Subscription;
use crate::protocol::card::AgentCard;
use crate::protocol::error::SERVER_ERROR;
use crate::protocol::types::{
    Artifact, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, SendMessageRequest,
    SendMessageResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig, TaskState,
};

pub use card::{Abilities, ExtendedCard};
use command::{Command, Fault};
pub use config::{abilities, abilities_or};

/// Time between two chunks of a stream, as if they took some thinking.
const CHUNK_INTERVAL: Duration = Duration::from_millis(10);

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

    /// What is refused, or fails, before there is a task.
    async fn fail_early(&self, cx: &Context, command: Command) -> Outcome<()> {
        match command {
            Command::Refuse => Err(A2aError::refused("The demo was asked to refuse this").into()),
            Command::Error(fault) => Err(raise(fault)),
            Command::Disrupt(_) if !self.abilities.faults => {
                Err(A2aError::refused("Panics and traps are switched off (DEMO_FAULTS=off)").into())
            }
            Command::Disrupt(disruption) if !disruption.is_late() => disruption.strike(cx).await,
            Command::Disrupt(_)
            | Command::Echo
            | Command::Slow(_)
            | Command::Stream(_)
            | Command::Work
            | Command::Ask
            | Command::Fail
            | Command::Reject => Ok(()),
        }
    }

    async fn obey(&self, cx: &Context, work: &mut Work, command: Command, text: &str) -> Outcome<Task> {
        let (state, words) = match command {
            Command::Echo => return complete(work, text).await,
            Command::Slow(delay) => {
                work.report(TaskState::Working, None).await?;
                cx.sleep(delay).await;
                return complete(work, text).await;
            }
            Command::Stream(chunks) => return stream(cx, work, chunks).await,
            Command::Work => (TaskState::Working, "Working until cancelled."),
            Command::Ask => (TaskState::InputRequired, "What else should I know?"),
            Command::Fail => (TaskState::Failed, "The work failed: the demo was asked to fail."),
            Command::Reject => (TaskState::Rejected, "The demo was asked to reject this."),
            Command::Disrupt(disruption) => disruption.strike(cx).await,
            Command::Refuse | Command::Error(_) => return Err(A2aError::internal().into()),
        };
        let message = work.reply(words);
        Ok(work.save(state, Some(message)).await?)
    }
}

async fn stream(cx: &Context, work: &mut Work, chunks: u32) -> Outcome<Task> {
    for chunk in 1..=chunks {
        let piece = Artifact::text("echo", format!("chunk {chunk} of {chunks}\n"));
        work.stream_artifact(piece, chunk > 1, chunk == chunks).await?;
        cx.sleep(CHUNK_INTERVAL).await;
    }
    Ok(work.save(TaskState::Completed, None).await?)
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
        let is_new = request.message.task_id.as_deref().unwrap_or_default().is_empty();
        // Whatever answers the question of an `ask` completes it.
        let command = if is_new { Command::parse(&text) } else { Command::Echo };
        self.fail_early(cx, command).await?;
        let mut work = cx.tasks().begin(request.message).await?;
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

    async fn subscribe_to_task(&self, cx: &Context, request: SubscribeToTaskRequest) -> Outcome<Subscription> {
        Ok(cx.tasks().subscribe(&request).await?)
    }

    async fn create_task_push_notification_config(
        &self,
        cx: &Context,
        request: TaskPushNotificationConfig,
    ) -> Outcome<TaskPushNotificationConfig> {
        Ok(cx.tasks().create_push_config(request).await?)
    }

    async fn get_task_push_notification_config(
        &self,
        cx: &Context,
        request: GetTaskPushNotificationConfigRequest,
    ) -> Outcome<TaskPushNotificationConfig> {
        Ok(cx.tasks().push_config(&request).await?)
    }

    async fn list_task_push_notification_configs(
        &self,
        cx: &Context,
        request: ListTaskPushNotificationConfigsRequest,
    ) -> Outcome<ListTaskPushNotificationConfigsResponse> {
        Ok(cx.tasks().push_configs(&request).await?)
    }

    async fn delete_task_push_notification_config(
        &self,
        cx: &Context,
        request: DeleteTaskPushNotificationConfigRequest,
    ) -> Outcome<()> {
        Ok(cx.tasks().delete_push_config(&request).await?)
    }

    async fn get_extended_agent_card(&self, _: &Context, _: GetExtendedAgentCardRequest) -> Outcome<AgentCard> {
        Ok(self.abilities.extended_card().ok_or_else(A2aError::extended_agent_card_not_configured)?)
    }
}

#[cfg(all(feature = "demo-worker", target_arch = "wasm32"))]
crate::serve_or_forward!(|vars| config::abilities(vars).map(Demo::new));
