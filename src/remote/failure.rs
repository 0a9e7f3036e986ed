//! What a failed task says of its failure: SDKs put the text of the exception there.

use serde_json::Value;

use super::forward::Filter;
use crate::protocol::json::text;
use crate::protocol::operation::Operation;
use crate::protocol::types::TaskState;

/// What stands in the place of a text that must not be passed on.
const FAILED: &str = "The agent failed.";

/// A text that was replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    /// The task that it was of.
    pub task: String,
    /// The text, fit for a log.
    pub said: String,
}

/// Replaces, in a result of `operation` in canonical form or an event of the stream that it answers with, what tasks that
/// failed say of it, where that looks like internals or holds one of the caller's `credentials`: the text parts of
/// `status.message`, and of the same message in the history. What tasks in other states say is for their user.
pub fn hide(operation: Operation, result: &mut Value, credentials: &[&str]) -> Vec<Hidden> {
    let mut hiding = Hiding { filter: Filter::new(credentials), hidden: Vec::new() };
    match operation {
        Operation::GetTask | Operation::CancelTask => hiding.status_of(result),
        Operation::ListTasks => {
            for task in list(result, "tasks") {
                hiding.status_of(task);
            }
        }
        Operation::SendMessage | Operation::SendStreamingMessage | Operation::SubscribeToTask => {
            for name in ["task", "statusUpdate"] {
                if let Some(holder) = result.get_mut(name) {
                    hiding.status_of(holder);
                }
            }
        }
        Operation::CreateTaskPushNotificationConfig
        | Operation::GetTaskPushNotificationConfig
        | Operation::ListTaskPushNotificationConfigs
        | Operation::DeleteTaskPushNotificationConfig
        | Operation::GetExtendedAgentCard => {}
    }
    hiding.hidden
}

struct Hiding<'a> {
    filter: Filter<'a>,
    hidden: Vec<Hidden>,
}

impl Hiding<'_> {
    /// Looks at a task or an update.
    fn status_of(&mut self, holder: &mut Value) {
        let Some(status) = holder.get_mut("status") else { return };
        if text(status, "state") != Some(TaskState::Failed.name()) {
            return;
        }
        let Some(message) = status.get_mut("message") else { return };
        let said = self.replace(message);
        let id = text(message, "messageId").map(str::to_owned);
        for message in list(holder, "history") {
            if text(message, "messageId") == id.as_deref() {
                self.replace(message);
            }
        }
        let name = if holder.get("id").is_some() { "id" } else { "taskId" };
        let task = text(holder, name).unwrap_or_default();
        self.hidden.extend(said.into_iter().map(|said| Hidden { task: task.to_owned(), said }));
    }

    /// Replaces the text parts of a message that must not be passed on, and gives them in a form for the log.
    fn replace(&self, message: &mut Value) -> Vec<String> {
        let mut said = Vec::new();
        for part in list(message, "parts") {
            if let Some(Value::String(text)) = part.get_mut("text")
                && !self.filter.is_harmless(text)
            {
                said.push(self.filter.for_log(text).to_owned());
                FAILED.clone_into(text);
            }
        }
        said
    }
}

fn list<'a>(object: &'a mut Value, name: &str) -> &'a mut [Value] {
    object.get_mut(name).and_then(Value::as_array_mut).map(Vec::as_mut_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests;
