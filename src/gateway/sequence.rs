//! Whether the answers of an origin belong to what was asked.

use crate::protocol::types::StreamResponse;

/// What is wrong with an answer that fits its schema, for the log.
pub(super) const OTHER_TASK: &str = "the agent answered with another task than was asked for";
const NO_TASK_FIRST: &str = "the stream does not begin with the task";
const MIXED: &str = "the stream has a message beside its task";

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
    /// The events of a task that was asked for by its id.
    pub(super) fn of_task(id: &str) -> Self {
        Self { task_id: Some(id.to_owned()), wants_task: true, has_begun: false }
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
    /// it is subscribed to may go on.
    pub(super) fn ends_with(event: &StreamResponse) -> bool {
        match event {
            StreamResponse::Task(task) => task.status.state.is_terminal(),
            StreamResponse::Message(_) | StreamResponse::StatusUpdate(_) | StreamResponse::ArtifactUpdate(_) => {
                event.is_last()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::types::{Artifact, Message, Task, TaskArtifactUpdateEvent, TaskState, TaskStatusUpdateEvent};

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
    fn what_belongs_together_is_taken() {
        for (sequence, events) in [
            (Sequence::default(), vec![message()]),
            (Sequence::default(), vec![task("t"), artifact("t"), status("t", TaskState::Completed), task("t")]),
            (Sequence::of_task("t"), vec![task("t"), status("t", TaskState::Working)]),
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
            (Sequence::of_task("t"), vec![message()], NO_TASK_FIRST),
            (Sequence::of_task("t"), vec![task("u")], OTHER_TASK),
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
        assert!(!Sequence::ends_with(&Task::new("t", "c").with_status(TaskState::InputRequired).into()));
        assert!(!Sequence::ends_with(&artifact("t")));
    }
}
