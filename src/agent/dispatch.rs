//! From typed parameters to the agent's method, and what comes back.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Agent, Context, Failure};
use crate::ports::Subscription;
use crate::protocol::card::AgentCard;
use crate::protocol::types::{
    ListTaskPushNotificationConfigsResponse, ListTasksResponse, Params, SendMessageResponse, Task,
    TaskPushNotificationConfig,
};

/// The result of an operation, as both bindings send it.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Reply {
    Sent(SendMessageResponse),
    Task(Task),
    Tasks(ListTasksResponse),
    PushConfig(TaskPushNotificationConfig),
    PushConfigs(ListTaskPushNotificationConfigsResponse),
    Card(Box<AgentCard>),
    /// Any of these in canonical form, as another agent gave it.
    Canonical(Value),
    /// `google.protobuf.Empty`, whose JSON is `{}`.
    Empty(Map<String, Value>),
}

/// An agent's method at work. Boxed by operation: a future that could be any of eleven would be as large as the largest, and
/// is moved several times on its way.
type Work<T> = LocalBoxFuture<'static, Result<T, Failure>>;

/// Work on one operation.
pub(super) enum Job {
    /// Its result is the reply.
    Reply(Work<Reply>),
    /// A message; the reply comes when its task ends or waits, unless the caller wants it at once.
    Send(Work<SendMessageResponse>),
    /// The same for a caller who watches.
    Stream(Work<SendMessageResponse>),
    /// The reply is a task with all that happens to it.
    Subscribe(Work<Subscription>),
}

/// Calls the method that the parameters belong to.
pub(super) fn dispatch<A: Agent + 'static>(agent: Rc<A>, cx: Context, params: Params) -> Job {
    let reply: Work<Reply> = match params {
        Params::SendMessage(request) => {
            return Job::Send(Box::pin(async move {
                let answer = agent.send_message(&cx, request).await?;
                Ok(cx.tasks().complete(answer))
            }));
        }
        Params::SendStreamingMessage(request) => {
            return Job::Stream(Box::pin(async move {
                let answer = agent.send_streaming_message(&cx, request).await?;
                Ok(cx.tasks().complete(answer))
            }));
        }
        Params::SubscribeToTask(request) => {
            return Job::Subscribe(Box::pin(async move { agent.subscribe_to_task(&cx, request).await }));
        }
        Params::GetTask(request) => Box::pin(async move { Ok(Reply::Task(agent.get_task(&cx, request).await?)) }),
        Params::ListTasks(request) => Box::pin(async move { Ok(Reply::Tasks(agent.list_tasks(&cx, request).await?)) }),
        Params::CancelTask(request) => Box::pin(async move { Ok(Reply::Task(agent.cancel_task(&cx, request).await?)) }),
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
    };
    Job::Reply(reply)
}
