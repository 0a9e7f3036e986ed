//! A task and its changes: what an event does to a task, and which events tell of what has been done to it.

use super::{Artifact, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState, TaskStatusUpdateEvent};

impl StreamResponse {
    /// The state that a task is in after this event; `None` if the event tells of none.
    pub fn state(&self) -> Option<TaskState> {
        match self {
            Self::Task(task) => Some(task.status.state),
            Self::StatusUpdate(update) => Some(update.status.state),
            Self::Message(_) | Self::ArtifactUpdate(_) => None,
        }
    }

    /// Whether a stream closes after this event: at a message, or when the task is in a terminal or interrupted state
    /// (specification 3.1.2, 11.7).
    pub fn is_last(&self) -> bool {
        matches!(self, Self::Message(_))
            || self.state().is_some_and(|state| state.is_terminal() || state.is_interrupted())
    }
}

impl Task {
    /// Takes an event into the task. A message tells of no task, so it changes none.
    pub fn apply(&mut self, event: &StreamResponse) {
        match event {
            StreamResponse::Task(task) => self.clone_from(task),
            StreamResponse::Message(_) => {}
            StreamResponse::StatusUpdate(update) => self.status = update.status.clone(),
            StreamResponse::ArtifactUpdate(update) => self.apply_artifact(update),
        }
    }

    /// Adds the artifact, continues it, or replaces the one of the same id (specification 4.2.2).
    fn apply_artifact(&mut self, update: &TaskArtifactUpdateEvent) {
        let Artifact { artifact_id, parts, metadata, .. } = &update.artifact;
        let artifacts = self.artifacts.get_or_insert_default();
        match artifacts.iter_mut().find(|known| known.artifact_id == *artifact_id) {
            Some(known) if update.append => {
                known.parts.extend(parts.iter().cloned());
                if let Some(metadata) = metadata {
                    known.metadata.get_or_insert_default().extend(metadata.clone());
                }
            }
            Some(known) => known.clone_from(&update.artifact),
            None => artifacts.push(update.artifact.clone()),
        }
    }

    /// The events that make this task of what it was `before`. Artifacts come whole; the status, which may end a stream,
    /// comes last.
    pub fn changes_since(&self, before: &Self) -> Vec<StreamResponse> {
        let is_new = |artifact: &&Artifact| !before.artifacts().contains(artifact);
        let mut changes: Vec<StreamResponse> =
            self.artifacts().iter().filter(is_new).map(|artifact| self.produced(artifact.clone())).collect();
        if self.status != before.status {
            changes.push(self.status_update());
        }
        changes
    }

    /// The event that tells of the task's status.
    pub fn status_update(&self) -> StreamResponse {
        TaskStatusUpdateEvent::new(&self.id, &self.context_id, self.status.clone()).into()
    }

    fn produced(&self, artifact: Artifact) -> StreamResponse {
        let mut update = TaskArtifactUpdateEvent::new(&self.id, &self.context_id, artifact);
        update.last_chunk = true;
        update.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::types::{Message, Part, TaskStatus};

    fn chunk(append: bool, text: &str) -> StreamResponse {
        let mut update = TaskArtifactUpdateEvent::new("t", "c", Artifact::text("a", text));
        update.append = append;
        update.into()
    }

    #[test]
    fn pieces_of_an_artifact_join() {
        let mut task = Task::new("t", "c");
        for event in [chunk(false, "old"), chunk(false, "one "), chunk(true, "two "), chunk(true, "three")] {
            task.apply(&event);
        }
        let [artifact] = task.artifacts() else { panic!("one artifact: {task:?}") };
        assert_eq!(artifact.joined_text(), "one two three");
        assert_eq!(artifact.parts, ["one ", "two ", "three"].map(Part::text));
    }

    #[test]
    fn a_piece_that_continues_nothing_begins_something() {
        let mut task = Task::new("t", "c");
        task.apply(&chunk(true, "x"));
        assert_eq!(task.artifacts(), [Artifact::text("a", "x")]);
    }

    #[test]
    fn changes_lead_from_one_task_to_the_other() {
        let before =
            Task::new("t", "c").with_artifact(Artifact::text("a", "1")).with_artifact(Artifact::text("b", "1"));
        let mut after = before.clone().with_artifact(Artifact::text("c", "1")).with_status(TaskState::Completed);
        after.artifacts.as_mut().expect("artifacts")[1] = Artifact::text("b", "2");
        let changes = after.changes_since(&before);
        assert_eq!(changes.len(), 3, "b, c and the status: {changes:?}");
        assert!(changes[2].is_last());
        let mut task = before;
        changes.iter().for_each(|change| task.apply(change));
        assert_eq!(task, after);
        assert!(after.changes_since(&task).is_empty());
    }

    #[test]
    fn streams_close_at_a_message_and_at_states_that_wait_or_end() {
        assert!(StreamResponse::from(Message::agent_text("hi")).is_last());
        assert!(!chunk(false, "x").is_last());
        for state in TaskState::ALL {
            let open = matches!(state, TaskState::Submitted | TaskState::Working);
            let event = StreamResponse::from(TaskStatusUpdateEvent::new("t", "c", TaskStatus::new(state)));
            assert_eq!(event.is_last(), !open, "{state}");
        }
    }
}
