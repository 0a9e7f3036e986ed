//! From typed parameters to the agent's method, and what comes back.

use std::future::ready;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
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

/// Work on one operation. Boxed by operation: a future that could be any of eleven would be as large as the largest, and
/// is moved several times on its way.
pub(super) type Work = LocalBoxFuture<'static, Result<Reply, Failure>>;

/// Calls the method that the parameters belong to.
pub(super) fn dispatch<A: Agent + 'static>(agent: Rc<A>, cx: Context, params: Params) -> Work {
    match params {
        Params::SendMessage(request) => Box::pin(async move {
            let limit = request.configuration.as_ref().and_then(|configuration| configuration.history_length);
            let mut sent = agent.send_message(&cx, request).await?;
            if let SendMessageResponse::Task(task) = &mut sent {
                limit_history(task, limit);
            }
            Ok(Reply::Sent(sent))
        }),
        Params::SendStreamingMessage(_) => unsupported(Operation::SendStreamingMessage),
        Params::GetTask(request) => Box::pin(async move { Ok(Reply::Task(agent.get_task(&cx, request).await?)) }),
        Params::ListTasks(request) => Box::pin(async move { Ok(Reply::Tasks(agent.list_tasks(&cx, request).await?)) }),
        Params::CancelTask(request) => Box::pin(async move { Ok(Reply::Task(agent.cancel_task(&cx, request).await?)) }),
        Params::SubscribeToTask(_) => unsupported(Operation::SubscribeToTask),
        Params::CreateTaskPushNotificationConfig(request) => {
            Box::pin(
                async move { Ok(Reply::PushConfig(agent.create_task_push_notification_config(&cx, request).await?)) },
            )
        }
        Params::GetTaskPushNotificationConfig(request) => {
            Box::pin(async move { Ok(Reply::PushConfig(agent.get_task_push_notification_config(&cx, request).await?)) })
        }
        Params::ListTaskPushNotificationConfigs(request) => {
            Box::pin(
                async move { Ok(Reply::PushConfigs(agent.list_task_push_notification_configs(&cx, request).await?)) },
            )
        }
        Params::DeleteTaskPushNotificationConfig(request) => Box::pin(async move {
            agent.delete_task_push_notification_config(&cx, request).await?;
            Ok(Reply::Empty(Map::new()))
        }),
        Params::GetExtendedAgentCard(request) => {
            Box::pin(async move { Ok(Reply::Card(Box::new(agent.get_extended_agent_card(&cx, request).await?))) })
        }
    }
}

fn unsupported(operation: Operation) -> Work {
    Box::pin(ready(Err(A2aError::unsupported_operation(operation).into())))
}
