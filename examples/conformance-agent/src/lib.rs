//! The agent under test of the official compatibility kit: what it does is asked for by the start of a message's id. Written
//! on the library's public interface alone; every other message is the demo agent's.

mod script;

use a2a_edge::agent::{Agent, Context, Outcome, Work};
use a2a_edge::demo::{Abilities, Demo, abilities_or};
use a2a_edge::ports::Subscription;
use a2a_edge::protocol::card::AgentCard;
use a2a_edge::protocol::types::{
    Artifact, CancelTaskRequest, Content, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, Message, Part, SendMessageRequest,
    SendMessageResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig, TaskState,
};
use script::Script;

struct Conformance {
    demo: Demo,
    name: String,
}

impl Conformance {
    async fn perform(&self, script: Script, work: &mut Work) -> Outcome<Task> {
        let (state, words) = match script {
            Script::Complete => (TaskState::Completed, Some("Hello from TCK")),
            Script::InputRequired => (TaskState::InputRequired, Some("More input, please.")),
            Script::Reject => (TaskState::Rejected, Some("Rejected, as was asked for.")),
            Script::StreamOnce => (TaskState::Completed, None),
            Script::Stream => {
                work.report(TaskState::Working, None).await?;
                work.stream_artifact(Artifact::text("text", "Generated text content"), false, true).await?;
                (TaskState::Completed, None)
            }
            Script::Artifact(content) => {
                work.add_artifact(Artifact::new("output", vec![content]));
                (TaskState::Completed, None)
            }
        };
        let message = words.map(|words| work.reply(words));
        Ok(work.save(state, message).await?)
    }
}

impl Agent for Conformance {
    fn card(&self) -> AgentCard {
        AgentCard { name: self.name.clone(), ..self.demo.card() }
    }

    async fn send_message(&self, cx: &Context, request: SendMessageRequest) -> Outcome<SendMessageResponse> {
        let id = request.message.message_id.as_str();
        if id.starts_with("tck-message-response") {
            return Ok(Message::agent_text("Direct message response").with_id(format!("{id}-response")).into());
        }
        let Some(script) = Script::of(id) else { return self.demo.send_message(cx, request).await };
        let mut work = cx.tasks().begin(request.message).await?;
        Ok(self.perform(script, &mut work).await?.into())
    }

    async fn get_task(&self, cx: &Context, request: GetTaskRequest) -> Outcome<Task> {
        self.demo.get_task(cx, request).await
    }

    async fn list_tasks(&self, cx: &Context, request: ListTasksRequest) -> Outcome<ListTasksResponse> {
        self.demo.list_tasks(cx, request).await
    }

    async fn cancel_task(&self, cx: &Context, request: CancelTaskRequest) -> Outcome<Task> {
        self.demo.cancel_task(cx, request).await
    }

    async fn subscribe_to_task(&self, cx: &Context, request: SubscribeToTaskRequest) -> Outcome<Subscription> {
        self.demo.subscribe_to_task(cx, request).await
    }

    async fn create_task_push_notification_config(
        &self,
        cx: &Context,
        request: TaskPushNotificationConfig,
    ) -> Outcome<TaskPushNotificationConfig> {
        self.demo.create_task_push_notification_config(cx, request).await
    }

    async fn get_task_push_notification_config(
        &self,
        cx: &Context,
        request: GetTaskPushNotificationConfigRequest,
    ) -> Outcome<TaskPushNotificationConfig> {
        self.demo.get_task_push_notification_config(cx, request).await
    }

    async fn list_task_push_notification_configs(
        &self,
        cx: &Context,
        request: ListTaskPushNotificationConfigsRequest,
    ) -> Outcome<ListTaskPushNotificationConfigsResponse> {
        self.demo.list_task_push_notification_configs(cx, request).await
    }

    async fn delete_task_push_notification_config(
        &self,
        cx: &Context,
        request: DeleteTaskPushNotificationConfigRequest,
    ) -> Outcome<()> {
        self.demo.delete_task_push_notification_config(cx, request).await
    }

    async fn get_extended_agent_card(&self, cx: &Context, request: GetExtendedAgentCardRequest) -> Outcome<AgentCard> {
        self.demo.get_extended_agent_card(cx, request).await
    }
}

/// A file's content, as one part.
fn file(content: Content) -> Part {
    Part { filename: Some("output.txt".to_owned()), media_type: Some("text/plain".to_owned()), ..content.into() }
}

a2a_edge::serve!(|vars| {
    let able = Abilities { push: true, ..Abilities::default() };
    Ok(Conformance { demo: Demo::new(abilities_or(vars, able)?), name: "a2a-edge conformance agent".to_owned() })
});
