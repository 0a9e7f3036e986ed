//! What each operation is asked with (specification 3.1, 3.2).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Message, NotCanonical, Struct, TaskPushNotificationConfig, TaskState, from_value, is_default};
use crate::ports::Timestamp;
use crate::protocol::operation::Operation;
use crate::protocol::time;

/// Asks SendMessage or SendStreamingMessage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SendMessageRequest {
    /// The tenant of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The message.
    pub message: Message,
    /// How to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<SendMessageConfiguration>,
    /// Anything else about the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Struct>,
}

impl From<Message> for SendMessageRequest {
    fn from(message: Message) -> Self {
        Self { tenant: None, message, configuration: None, metadata: None }
    }
}

/// How SendMessage is to answer (specification 3.2.2).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SendMessageConfiguration {
    /// Media types that the client takes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted_output_modes: Vec<String>,
    /// Where to send updates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_push_notification_config: Option<TaskPushNotificationConfig>,
    /// How many messages of history to return; `None` is as many as the agent likes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history_length: Option<u32>,
    /// Whether to answer before the task is done.
    #[serde(skip_serializing_if = "is_default")]
    pub return_immediately: bool,
}

/// Asks GetTask.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetTaskRequest {
    /// The tenant of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The task.
    pub id: String,
    /// How many messages of history to return; `None` is as many as the agent likes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history_length: Option<u32>,
}

/// Asks ListTasks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListTasksRequest {
    /// The tenant of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Only tasks of this context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_id: Option<String>,
    /// Only tasks in this state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<TaskState>,
    /// How many tasks at most, 1 to 100. `None` is 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_size: Option<u32>,
    /// The token of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_token: Option<String>,
    /// How many messages of each history to return; `None` is as many as the agent likes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history_length: Option<u32>,
    /// Only tasks whose status is of this time or later.
    #[serde(
        serialize_with = "time::optional::serialize",
        deserialize_with = "time::optional::deserialize_rounding_up",
        skip_serializing_if = "Option::is_none"
    )]
    pub status_timestamp_after: Option<Timestamp>,
    /// Whether to return artifacts. `None` is no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_artifacts: Option<bool>,
}

/// Asks CancelTask.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelTaskRequest {
    /// The tenant of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The task.
    pub id: String,
    /// Anything else about the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Struct>,
}

/// Asks SubscribeToTask.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscribeToTaskRequest {
    /// The tenant of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The task.
    pub id: String,
}

/// Asks GetTaskPushNotificationConfig.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetTaskPushNotificationConfigRequest {
    /// The tenant of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The task.
    pub task_id: String,
    /// The config.
    pub id: String,
}

/// Asks ListTaskPushNotificationConfigs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListTaskPushNotificationConfigsRequest {
    /// The tenant of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The task.
    pub task_id: String,
    /// How many configs at most; `None` is as many as the agent likes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_size: Option<u32>,
    /// The token of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_token: Option<String>,
}

/// Asks DeleteTaskPushNotificationConfig.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteTaskPushNotificationConfigRequest {
    /// The tenant of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// The task.
    pub task_id: String,
    /// The config.
    pub id: String,
}

/// Asks GetExtendedAgentCard.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetExtendedAgentCardRequest {
    /// The tenant of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

/// The parameters of an operation, typed.
#[derive(Debug, Clone, PartialEq)]
pub enum Params {
    /// Of SendMessage.
    SendMessage(SendMessageRequest),
    /// Of SendStreamingMessage.
    SendStreamingMessage(SendMessageRequest),
    /// Of GetTask.
    GetTask(GetTaskRequest),
    /// Of ListTasks.
    ListTasks(ListTasksRequest),
    /// Of CancelTask.
    CancelTask(CancelTaskRequest),
    /// Of SubscribeToTask.
    SubscribeToTask(SubscribeToTaskRequest),
    /// Of CreateTaskPushNotificationConfig: the config itself.
    CreateTaskPushNotificationConfig(TaskPushNotificationConfig),
    /// Of GetTaskPushNotificationConfig.
    GetTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest),
    /// Of ListTaskPushNotificationConfigs.
    ListTaskPushNotificationConfigs(ListTaskPushNotificationConfigsRequest),
    /// Of DeleteTaskPushNotificationConfig.
    DeleteTaskPushNotificationConfig(DeleteTaskPushNotificationConfigRequest),
    /// Of GetExtendedAgentCard.
    GetExtendedAgentCard(GetExtendedAgentCardRequest),
}

impl Params {
    /// Types the canonical form that [`schema::check`](crate::protocol::schema::check) gave.
    ///
    /// # Errors
    /// Only for a value that did not come from there.
    pub fn from_canonical(operation: Operation, params: Value) -> Result<Self, NotCanonical> {
        Ok(match operation {
            Operation::SendMessage => Self::SendMessage(from_value(params)?),
            Operation::SendStreamingMessage => Self::SendStreamingMessage(from_value(params)?),
            Operation::GetTask => Self::GetTask(from_value(params)?),
            Operation::ListTasks => Self::ListTasks(from_value(params)?),
            Operation::CancelTask => Self::CancelTask(from_value(params)?),
            Operation::SubscribeToTask => Self::SubscribeToTask(from_value(params)?),
            Operation::CreateTaskPushNotificationConfig => Self::CreateTaskPushNotificationConfig(from_value(params)?),
            Operation::GetTaskPushNotificationConfig => Self::GetTaskPushNotificationConfig(from_value(params)?),
            Operation::ListTaskPushNotificationConfigs => Self::ListTaskPushNotificationConfigs(from_value(params)?),
            Operation::DeleteTaskPushNotificationConfig => Self::DeleteTaskPushNotificationConfig(from_value(params)?),
            Operation::GetExtendedAgentCard => Self::GetExtendedAgentCard(from_value(params)?),
        })
    }

    /// The request to send a message, streamed or not; `None` for all other operations.
    pub fn sent(&self) -> Option<&SendMessageRequest> {
        match self {
            Self::SendMessage(request) | Self::SendStreamingMessage(request) => Some(request),
            Self::GetTask(_)
            | Self::ListTasks(_)
            | Self::CancelTask(_)
            | Self::SubscribeToTask(_)
            | Self::CreateTaskPushNotificationConfig(_)
            | Self::GetTaskPushNotificationConfig(_)
            | Self::ListTaskPushNotificationConfigs(_)
            | Self::DeleteTaskPushNotificationConfig(_)
            | Self::GetExtendedAgentCard(_) => None,
        }
    }

    /// The operation that is asked for.
    pub fn operation(&self) -> Operation {
        match self {
            Self::SendMessage(_) => Operation::SendMessage,
            Self::SendStreamingMessage(_) => Operation::SendStreamingMessage,
            Self::GetTask(_) => Operation::GetTask,
            Self::ListTasks(_) => Operation::ListTasks,
            Self::CancelTask(_) => Operation::CancelTask,
            Self::SubscribeToTask(_) => Operation::SubscribeToTask,
            Self::CreateTaskPushNotificationConfig(_) => Operation::CreateTaskPushNotificationConfig,
            Self::GetTaskPushNotificationConfig(_) => Operation::GetTaskPushNotificationConfig,
            Self::ListTaskPushNotificationConfigs(_) => Operation::ListTaskPushNotificationConfigs,
            Self::DeleteTaskPushNotificationConfig(_) => Operation::DeleteTaskPushNotificationConfig,
            Self::GetExtendedAgentCard(_) => Operation::GetExtendedAgentCard,
        }
    }

    /// The task that is asked about, if the request names one.
    pub fn task_id(&self) -> Option<&str> {
        let id = match self {
            Self::SendMessage(request) | Self::SendStreamingMessage(request) => request.message.task_id.as_deref()?,
            Self::GetTask(request) => &request.id,
            Self::CancelTask(request) => &request.id,
            Self::SubscribeToTask(request) => &request.id,
            Self::CreateTaskPushNotificationConfig(request) => &request.task_id,
            Self::GetTaskPushNotificationConfig(request) => &request.task_id,
            Self::ListTaskPushNotificationConfigs(request) => &request.task_id,
            Self::DeleteTaskPushNotificationConfig(request) => &request.task_id,
            Self::ListTasks(_) | Self::GetExtendedAgentCard(_) => return None,
        };
        Some(id).filter(|id| !id.is_empty())
    }
}
