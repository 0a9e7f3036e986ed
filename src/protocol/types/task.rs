//! Tasks and artifacts (specification 4.1.1 to 4.1.3, 4.1.7), and lists of tasks (3.1.4).

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::message::text_of;
use super::{Message, Part, Struct};
use crate::ports::Timestamp;
use crate::protocol::time;

/// Where a task is in its life. `TASK_STATE_UNSPECIFIED` is no state: no valid task has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum TaskState {
    /// Acknowledged.
    #[default]
    #[serde(rename = "TASK_STATE_SUBMITTED")]
    Submitted,
    /// Being worked on.
    #[serde(rename = "TASK_STATE_WORKING")]
    Working,
    /// Finished.
    #[serde(rename = "TASK_STATE_COMPLETED")]
    Completed,
    /// Finished with an error.
    #[serde(rename = "TASK_STATE_FAILED")]
    Failed,
    /// Canceled before it was finished.
    #[serde(rename = "TASK_STATE_CANCELED")]
    Canceled,
    /// Waiting for the client's input.
    #[serde(rename = "TASK_STATE_INPUT_REQUIRED")]
    InputRequired,
    /// The agent will not do it.
    #[serde(rename = "TASK_STATE_REJECTED")]
    Rejected,
    /// Waiting for the client to authenticate.
    #[serde(rename = "TASK_STATE_AUTH_REQUIRED")]
    AuthRequired,
}

impl TaskState {
    /// Every state, in the order of the proto.
    pub const ALL: [Self; 8] = [
        Self::Submitted,
        Self::Working,
        Self::Completed,
        Self::Failed,
        Self::Canceled,
        Self::InputRequired,
        Self::Rejected,
        Self::AuthRequired,
    ];

    /// The name in the proto and on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Submitted => "TASK_STATE_SUBMITTED",
            Self::Working => "TASK_STATE_WORKING",
            Self::Completed => "TASK_STATE_COMPLETED",
            Self::Failed => "TASK_STATE_FAILED",
            Self::Canceled => "TASK_STATE_CANCELED",
            Self::InputRequired => "TASK_STATE_INPUT_REQUIRED",
            Self::Rejected => "TASK_STATE_REJECTED",
            Self::AuthRequired => "TASK_STATE_AUTH_REQUIRED",
        }
    }

    /// Whether nothing can happen to the task any more.
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Canceled | Self::Rejected => true,
            Self::Submitted | Self::Working | Self::InputRequired | Self::AuthRequired => false,
        }
    }

    /// Whether the task waits for the client.
    pub const fn is_interrupted(self) -> bool {
        match self {
            Self::InputRequired | Self::AuthRequired => true,
            Self::Submitted | Self::Working | Self::Completed | Self::Failed | Self::Canceled | Self::Rejected => false,
        }
    }
}

impl fmt::Display for TaskState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The state of a task, with what the agent has to say about it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TaskStatus {
    /// The state.
    pub state: TaskState,
    /// What the agent says about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// When the task came to be in it.
    #[serde(default, with = "time::optional", skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
}

impl TaskStatus {
    /// The status of a task that is in `state`.
    pub fn new(state: TaskState) -> Self {
        Self { state, message: None, timestamp: None }
    }

    /// Adds what the agent says about it.
    pub fn with_message(mut self, message: Message) -> Self {
        self.message = Some(message);
        self
    }

    /// Sets the time.
    pub fn at(mut self, timestamp: Timestamp) -> Self {
        self.timestamp = Some(timestamp);
        self
    }
}

impl From<TaskState> for TaskStatus {
    fn from(state: TaskState) -> Self {
        Self::new(state)
    }
}

/// The unit of work.
///
/// `artifacts` and `history` tell "left out" (`None`) from "none" (an empty list), since a list of tasks does
/// (specification 3.1.4).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Identifies the task.
    pub id: String,
    /// The context it belongs to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub context_id: String,
    /// How it stands.
    pub status: TaskStatus,
    /// What it has produced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Vec<Artifact>>,
    /// What was said, oldest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<Vec<Message>>,
    /// Anything else about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Struct>,
}

impl Task {
    /// A task that has just been submitted.
    pub fn new(id: impl Into<String>, context_id: impl Into<String>) -> Self {
        Self { id: id.into(), context_id: context_id.into(), ..Self::default() }
    }

    /// Sets the status, or only its state.
    pub fn with_status(mut self, status: impl Into<TaskStatus>) -> Self {
        self.status = status.into();
        self
    }

    /// Adds an artifact.
    pub fn with_artifact(mut self, artifact: Artifact) -> Self {
        self.push_artifact(artifact);
        self
    }

    /// The artifacts, none if they were left out.
    pub fn artifacts(&self) -> &[Artifact] {
        self.artifacts.as_deref().unwrap_or_default()
    }

    /// The history, oldest first; none if it was left out.
    pub fn history(&self) -> &[Message] {
        self.history.as_deref().unwrap_or_default()
    }

    /// Adds an artifact.
    pub fn push_artifact(&mut self, artifact: Artifact) {
        self.artifacts.get_or_insert_default().push(artifact);
    }

    /// Adds a message to the end of the history.
    pub fn push_message(&mut self, message: Message) {
        self.history.get_or_insert_default().push(message);
    }

    /// Keeps the `limit` most recent messages; none at all leaves the history out (specification 3.2.4).
    pub fn limit_history(&mut self, limit: usize) {
        if limit == 0 {
            self.history = None;
        } else if let Some(history) = &mut self.history {
            history.drain(..history.len().saturating_sub(limit));
        }
    }
}

/// What a task has produced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    /// Identifies the artifact within its task.
    pub artifact_id: String,
    /// Name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Description for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The content: one part at least.
    pub parts: Vec<Part>,
    /// Anything else about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Struct>,
    /// URIs of the extensions that contributed to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
}

impl Artifact {
    /// An artifact with these parts; `artifact_id` is unique within its task.
    pub fn new(artifact_id: impl Into<String>, parts: Vec<Part>) -> Self {
        Self {
            artifact_id: artifact_id.into(),
            name: None,
            description: None,
            parts,
            metadata: None,
            extensions: Vec::new(),
        }
    }

    /// An artifact that is a text.
    pub fn text(artifact_id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(artifact_id, vec![Part::text(text)])
    }

    /// Sets the name.
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The text of all text parts, joined without a separator.
    pub fn joined_text(&self) -> Cow<'_, str> {
        text_of(&self.parts)
    }
}

/// A page of tasks. All four fields are always on the wire; the token of the last page is "" (specification 3.1.4).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListTasksResponse {
    /// The tasks, newest status first.
    pub tasks: Vec<Task>,
    /// Where the next page starts; empty on the last.
    pub next_page_token: String,
    /// How many tasks a page of this request holds at most.
    pub page_size: u32,
    /// How many tasks match in all.
    pub total_size: u32,
}
