//! Whether the answers of an origin belong to what was asked.

use serde_json::Value;

use crate::protocol::json::text;
use crate::protocol::operation::Operation;
use crate::protocol::types::{StreamResponse, TaskState};

/// What is wrong with an answer that fits its schema, for the log.
const OTHER_TASK: &str = "the agent answered with another task than was asked for";
const OTHER_CONFIG: &str = "the agent answered with another push notification config than was asked for";
const NO_TASK_FIRST: &str = "the stream does not begin with the task";
const MIXED: &str = "the stream has a message beside its task";

/// Checks that a whole result, which fits its schema, is of the task and the config that were asked for.
///
/// # Errors
/// What is wrong with it.
pub(super) fn belongs(operation: Operation, params: &Value, result: &Value) -> Result<(), &'static str> {
    // The proto does not require a config to name its task, or itself.
    let differs = |config: &Value, name: &str| {
        text(config, name).is_some_and(|told| text(params, name).is_some_and(|asked| asked != told))
    };
    match operation {
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => {
            if text(result, "id") == text(params, "id") { Ok(()) } else { Err(OTHER_TASK) }
        }
        // An agent may give a new config an id of its own.
        Operation::CreateTaskPushNotificationConfig if differs(result, "taskId") => Err(OTHER_TASK),
        Operation::GetTaskPushNotificationConfig if differs(result, "taskId") => Err(OTHER_TASK),
        Operation::GetTaskPushNotificationConfig if differs(result, "id") => Err(OTHER_CONFIG),
        Operation::ListTaskPushNotificationConfigs => {
            let configs = result.get("configs").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            if configs.iter().any(|config| differs(config, "taskId")) { Err(OTHER_TASK) } else { Ok(()) }
        }
        Operation::SendMessage
        | Operation::SendStreamingMessage
        | Operation::ListTasks
        | Operation::CreateTaskPushNotificationConfig
        | Operation::GetTaskPushNotificationConfig
        | Operation::DeleteTaskPushNotificationConfig
        | Operation::GetExtendedAgentCard => Ok(()),
    }
}

/// The order of a stream: the task and then its changes, or one message (specification 3.1.2, 3.1.6).
#[derive(Debug, Default)]
pub(super) struct Sequence {
    /// The task that all events must be of, once it is known.
    task_id: Option<String>,
    /// Whether only a task will do, since one was asked for.
    wants_task: bool,
    has_begun: bool,
}

impl Sequence {
    /// The events of an operation with these params: of a task that is subscribed to, or of whatever a message begins.
    pub(super) fn of(operation: Operation, params: &Value) -> Self {
        match text(params, "id").filter(|_| operation == Operation::SubscribeToTask) {
            Some(id) => Self { task_id: Some(id.to_owned()), wants_task: true, has_begun: false },
            None => Self::default(),
        }
    }

    /// Takes the next event.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn take(&mut self, event: &StreamResponse) -> Result<(), &'static str> {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let id = match event {
            StreamResponse::Message(_) if is_first && !self.wants_task => return Ok(()),
            StreamResponse::Message(_) if is_first => return Err(NO_TASK_FIRST),
            StreamResponse::Message(_) => return Err(MIXED),
            StreamResponse::StatusUpdate(_) | StreamResponse::ArtifactUpdate(_) if is_first => {
                return Err(NO_TASK_FIRST);
            }
            StreamResponse::Task(task) => &task.id,
            StreamResponse::StatusUpdate(update) => &update.task_id,
            StreamResponse::ArtifactUpdate(update) => &update.task_id,
        };
        if self.task_id.get_or_insert_with(|| id.clone()) == id { Ok(()) } else { Err(OTHER_TASK) }
    }

    /// Whether the stream is over with this event, which [`take`](Self::take) has taken. A task that waits for its client when
    /// it is subscribed to may go on, and so may one that waits for credentials: the agent should keep its streams open
    /// then, since it may get them elsewhere (specification 7.6.1).
    pub(super) fn ends_with(event: &StreamResponse) -> bool {
        match event {
            StreamResponse::Task(task) => task.status.state.is_terminal(),
            StreamResponse::StatusUpdate(update) if update.status.state == TaskState::AuthRequired => false,
            StreamResponse::Message(_) | StreamResponse::StatusUpdate(_) | StreamResponse::ArtifactUpdate(_) => {
                event.is_last()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::types::{Artifact, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent};
    use serde_json::json;

    fn of_task(id: &str) -> Sequence {
        Sequence::of(Operation::SubscribeToTask, &json!({"id": id}))
    }

    fn task(id: &str) -> StreamResponse {
        Task::new(id, "c").into()
    }

    fn status(id: &str, state: TaskState) -> StreamResponse {
        TaskStatusUpdateEvent::new(id, "c", state).into()
    }

    fn artifact(id: &str) -> StreamResponse {
        TaskArtifactUpdateEvent::new(id, "c", Artifact::text("a", "x")).into()
    }

    fn message() -> StreamResponse {
        Message::agent_text("hi").into()
    }

    #[test]
    fn a_whole_result_must_be_of_what_was_asked_for() {
        use Operation::{
            CancelTask, CreateTaskPushNotificationConfig as CreateConfig, GetTask,
            GetTaskPushNotificationConfig as GetConfig, ListTaskPushNotificationConfigs as ListConfigs, SendMessage,
        };
        let (task, config) = (json!({"id": "t"}), json!({"taskId": "t", "id": "p"}));
        for (operation, params, result, expected) in [
            (GetTask, &task, json!({"id": "t"}), Ok(())),
            (GetTask, &task, json!({"id": "u"}), Err(OTHER_TASK)),
            (CancelTask, &task, json!({"id": "u"}), Err(OTHER_TASK)),
            (SendMessage, &task, json!({"task": {"id": "u"}}), Ok(())),
            (GetConfig, &config, json!({"url": "x"}), Ok(())),
            (GetConfig, &config, json!({"taskId": "t", "id": "p"}), Ok(())),
            (GetConfig, &config, json!({"taskId": "u", "id": "p"}), Err(OTHER_TASK)),
            (GetConfig, &config, json!({"taskId": "t", "id": "q"}), Err(OTHER_CONFIG)),
            (CreateConfig, &config, json!({"taskId": "t", "id": "own"}), Ok(())),
            (CreateConfig, &config, json!({"taskId": "u", "id": "p"}), Err(OTHER_TASK)),
            (ListConfigs, &config, json!({}), Ok(())),
            (ListConfigs, &config, json!({"configs": [{"url": "x"}, {"taskId": "t"}]}), Ok(())),
            (ListConfigs, &config, json!({"configs": [{"taskId": "t"}, {"taskId": "u"}]}), Err(OTHER_TASK)),
        ] {
            assert_eq!(belongs(operation, params, &result), expected, "{operation}: {result}");
        }
    }

    #[test]
    fn what_belongs_together_is_taken() {
        for (sequence, events) in [
            (Sequence::default(), vec![message()]),
            (Sequence::default(), vec![task("t"), artifact("t"), status("t", TaskState::Completed), task("t")]),
            (of_task("t"), vec![task("t"), status("t", TaskState::Working)]),
        ] {
            let mut sequence = sequence;
            for event in events {
                assert_eq!(sequence.take(&event), Ok(()), "{event:?}");
            }
        }
    }

    #[test]
    fn what_does_not_is_not() {
        for (sequence, events, wrong) in [
            (Sequence::default(), vec![status("t", TaskState::Working)], NO_TASK_FIRST),
            (Sequence::default(), vec![artifact("t")], NO_TASK_FIRST),
            (of_task("t"), vec![message()], NO_TASK_FIRST),
            (of_task("t"), vec![task("u")], OTHER_TASK),
            (Sequence::default(), vec![task("t"), status("u", TaskState::Failed)], OTHER_TASK),
            (Sequence::default(), vec![task("t"), artifact("u")], OTHER_TASK),
            (Sequence::default(), vec![task("t"), message()], MIXED),
        ] {
            let mut sequence = sequence;
            let (last, before) = events.split_last().expect("events");
            for event in before {
                assert_eq!(sequence.take(event), Ok(()), "{event:?}");
            }
            assert_eq!(sequence.take(last), Err(wrong), "{last:?}");
        }
    }

    #[test]
    fn a_stream_is_over_when_its_task_has_ended_or_has_come_to_wait() {
        assert!(Sequence::ends_with(&message()));
        assert!(Sequence::ends_with(&status("t", TaskState::InputRequired)));
        assert!(!Sequence::ends_with(&status("t", TaskState::AuthRequired)));
        assert!(!Sequence::ends_with(&Task::new("t", "c").with_status(TaskState::InputRequired).into()));
        assert!(!Sequence::ends_with(&artifact("t")));
    }
}
