//! A failed task is an answer and no error, but its text must not be taken for what the agent has to say.

use std::borrow::Cow;
use std::fmt;

use crate::protocol::types::{SendMessageResponse, Task, TaskState};

/// A task that the agent could not or would not finish.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskFailure(Box<Task>);

impl TaskFailure {
    /// The task, with whatever it has produced.
    pub fn task(&self) -> &Task {
        &self.0
    }

    /// The task, taken out.
    pub fn into_task(self) -> Task {
        *self.0
    }

    /// What the agent says about it; empty if nothing.
    pub fn message(&self) -> Cow<'_, str> {
        self.0.status.message.as_ref().map(|message| message.text()).unwrap_or_default()
    }
}

impl fmt::Display for TaskFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.0.status.state == TaskState::Rejected { "was rejected" } else { "failed" };
        match &*self.message() {
            "" => write!(f, "task {} {verb}", self.0.id),
            message => write!(f, "task {} {verb}: {message}", self.0.id),
        }
    }
}

impl std::error::Error for TaskFailure {}

impl Task {
    /// Whether the agent failed at the task, or rejected it.
    pub fn failed(&self) -> bool {
        match self.status.state {
            TaskState::Failed | TaskState::Rejected => true,
            TaskState::Submitted
            | TaskState::Working
            | TaskState::Completed
            | TaskState::Canceled
            | TaskState::InputRequired
            | TaskState::AuthRequired => false,
        }
    }

    /// The task, unless it [failed](Self::failed).
    ///
    /// # Errors
    /// A [`TaskFailure`] that holds it.
    pub fn into_result(self) -> Result<Self, TaskFailure> {
        if self.failed() { Err(TaskFailure(Box::new(self))) } else { Ok(self) }
    }
}

impl SendMessageResponse {
    /// Whether it is a task that [failed](Task::failed).
    pub fn failed(&self) -> bool {
        match self {
            Self::Task(task) => task.failed(),
            Self::Message(_) => false,
        }
    }

    /// The response, unless it is a task that [failed](Task::failed).
    ///
    /// # Errors
    /// A [`TaskFailure`] that holds the task.
    pub fn into_result(self) -> Result<Self, TaskFailure> {
        match self {
            Self::Task(task) => task.into_result().map(Self::Task),
            message @ Self::Message(_) => Ok(message),
        }
    }
}
