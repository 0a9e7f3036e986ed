//! What SendMessage answers, and what a stream carries (specification 3.2.3, 4.2).

use serde::{Deserialize, Serialize};

use super::{Artifact, Message, Struct, Task, TaskStatus, is_default};

/// The answer to SendMessage: `{"task":…}` or `{"message":…}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SendMessageResponse {
    /// The message became a task, or joined one.
    Task(Task),
    /// The agent answers at once, without a task.
    Message(Message),
}

impl From<Task> for SendMessageResponse {
    fn from(task: Task) -> Self {
        Self::Task(task)
    }
}

impl From<Message> for SendMessageResponse {
    fn from(message: Message) -> Self {
        Self::Message(message)
    }
}

/// One element of a stream, and the body of a push notification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StreamResponse {
    /// A task as it stands.
    Task(Task),
    /// The agent's answer without a task.
    Message(Message),
    /// A task's status has changed.
    StatusUpdate(TaskStatusUpdateEvent),
    /// A task has produced something.
    ArtifactUpdate(TaskArtifactUpdateEvent),
}

impl From<Task> for StreamResponse {
    fn from(task: Task) -> Self {
        Self::Task(task)
    }
}

impl From<Message> for StreamResponse {
    fn from(message: Message) -> Self {
        Self::Message(message)
    }
}

impl From<TaskStatusUpdateEvent> for StreamResponse {
    fn from(event: TaskStatusUpdateEvent) -> Self {
        Self::StatusUpdate(event)
    }
}

impl From<TaskArtifactUpdateEvent> for StreamResponse {
    fn from(event: TaskArtifactUpdateEvent) -> Self {
        Self::ArtifactUpdate(event)
    }
}

impl From<SendMessageResponse> for StreamResponse {
    fn from(response: SendMessageResponse) -> Self {
        match response {
            SendMessageResponse::Task(task) => Self::Task(task),
            SendMessageResponse::Message(message) => Self::Message(message),
        }
    }
}

/// A task's status has changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskStatusUpdateEvent {
    /// The task.
    pub task_id: String,
    /// Its context.
    pub context_id: String,
    /// Its new status.
    pub status: TaskStatus,
    /// Anything else about the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Struct>,
}

impl TaskStatusUpdateEvent {
    /// Tells that the task of these ids now has `status`.
    pub fn new(task_id: impl Into<String>, context_id: impl Into<String>, status: impl Into<TaskStatus>) -> Self {
        Self { task_id: task_id.into(), context_id: context_id.into(), status: status.into(), metadata: None }
    }
}

/// A task has produced an artifact, or a piece of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskArtifactUpdateEvent {
    /// The task.
    pub task_id: String,
    /// Its context.
    pub context_id: String,
    /// The artifact, or the piece.
    pub artifact: Artifact,
    /// Whether it continues the artifact of the same id.
    #[serde(default, skip_serializing_if = "is_default")]
    pub append: bool,
    /// Whether it is the last piece.
    #[serde(default, skip_serializing_if = "is_default")]
    pub last_chunk: bool,
    /// Anything else about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Struct>,
}

impl TaskArtifactUpdateEvent {
    /// Tells that the task of these ids has produced `artifact`.
    pub fn new(task_id: impl Into<String>, context_id: impl Into<String>, artifact: Artifact) -> Self {
        Self {
            task_id: task_id.into(),
            context_id: context_id.into(),
            artifact,
            append: false,
            last_chunk: false,
            metadata: None,
        }
    }
}
