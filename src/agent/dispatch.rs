//! From typed parameters to the agent's method, and what comes back.

use serde::Serialize;
use serde_json::{Map, Value};

use super::tasks::limit_history;
use super::{Agent, Context, Failure};
use crate::protocol::card::AgentCard;
use crate::protocol::error::A2aError;
use crate::protocol::operation::Operation;
use crate::protocol::types::{
    ListTaskPushNotificationConfigsResponse, ListTasksResponse, Params, SendMessageResponse, Task,
    TaskPushNotificationConfig,
};

/// The result of an operation, as both bindings send it.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Reply {
    Sent(SendMessageResponse),
    Task(Task),
    Tasks(ListTasksResponse),
    PushConfig(TaskPushNotificationConfig),
    PushConfigs(ListTaskPushNotificationConfigsResponse),
    Card(Box<AgentCard>),
    /// `google.protobuf.Empty`, whose JSON is `{}`.
    Empty(Map<String, Value>),
}

/// Calls the method that the parameters belong to.
pub(super) async fn dispatch<A: Agent>(agent: &A, cx: &Context, params: Params) -> Result<Reply, Failure> {
    Ok(match params {
        Params::SendMessage(request) => {
            let limit = request.configuration.as_ref().and_then(|configuration| configuration.history_length);
            let mut sent = agent.send_message(cx, request).await?;
            if let SendMessageResponse::Task(task) = &mut sent {
                limit_history(task, limit);
            }
            Reply::Sent(sent)
        }
        Params::SendStreamingMessage(_) => return unsupported(Operation::SendStreamingMessage),
        Params::GetTask(request) => Reply::Task(agent.get_task(cx, request).await?),
        Params::ListTasks(request) => Reply::Tasks(agent.list_tasks(cx, request).await?),
        Params::CancelTask(request) => Reply::Task(agent.cancel_task(cx, request).await?),
        Params::SubscribeToTask(_) => return unsupported(Operation::SubscribeToTask),
        Params::CreateTaskPushNotificationConfig(request) => {
            Reply::PushConfig(agent.create_task_push_notification_config(cx, request).await?)
        }
        Params::GetTaskPushNotificationConfig(request) => {
            Reply::PushConfig(agent.get_task_push_notification_config(cx, request).await?)
        }
        Params::ListTaskPushNotificationConfigs(request) => {
            Reply::PushConfigs(agent.list_task_push_notification_configs(cx, request).await?)
        }
        Params::DeleteTaskPushNotificationConfig(request) => {
            agent.delete_task_push_notification_config(cx, request).await?;
            Reply::Empty(Map::new())
        }
        Params::GetExtendedAgentCard(request) => {
            Reply::Card(Box::new(agent.get_extended_agent_card(cx, request).await?))
        }
    })
}

fn unsupported(operation: Operation) -> Result<Reply, Failure> {
    Err(A2aError::unsupported_operation(operation).into())
}
