//! Work on a message: what an agent does to the task, step by step.

use super::tasks::{MAX_RACES, Tasks, contended, store_failed, terminal};
use crate::ports::{StoreError, Stored};
use crate::protocol::error::A2aError;
use crate::protocol::types::{
    Artifact, Message, StreamResponse, Task, TaskArtifactUpdateEvent, TaskState, TaskStatusUpdateEvent,
};

/// A task that a message is being worked on in.
///
/// What is done to it here is done to the task as it stands: if another request changes the task meanwhile, both
/// changes stay, unless that request has ended it.
#[derive(Debug)]
pub struct Work {
    tasks: Tasks,
    stored: Stored,
    /// Whether the message, the last of the history until then, is in a stored task.
    has_joined: bool,
    is_new: bool,
    /// What was done since the task was last written or shown.
    changes: Vec<StreamResponse>,
}

/// How a change is handed to the store.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hand {
    /// It is to be written.
    Write,
    /// It may wait for the next write.
    Step,
}

impl Work {
    /// Work on `message` in `stored`, which does not hold it yet.
    pub(super) fn new(tasks: Tasks, stored: Stored, message: Message) -> Self {
        let is_new = stored.revision == 0;
        let mut work = Self { tasks, stored, has_joined: false, is_new, changes: Vec::new() };
        work.stored.task.push_message(message);
        if work.stored.task.status.state.is_interrupted() {
            // It has what it waited for.
            work.change(work.status_update(TaskState::Working, None));
        }
        work
    }

    /// The task as it stands.
    pub fn task(&self) -> &Task {
        &self.stored.task
    }

    /// Whether the message made this task, rather than continue it.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Adds an artifact, or replaces the one of the same id. It is stored, and seen by others, with what follows.
    pub fn add_artifact(&mut self, artifact: Artifact) {
        let mut update = self.artifact_update(artifact);
        update.last_chunk = true;
        self.change(update.into());
    }

    /// Shows a piece of an artifact at once to whoever watches: `append` says that it continues the artifact of the same
    /// id, `last_chunk` that no other follows (specification 4.2.2).
    ///
    /// # Errors
    /// UnsupportedOperation when the task has been ended, by CancelTask say; Internal when the store fails.
    pub async fn stream_artifact(
        &mut self,
        artifact: Artifact,
        append: bool,
        last_chunk: bool,
    ) -> Result<(), A2aError> {
        let update = TaskArtifactUpdateEvent { append, last_chunk, ..self.artifact_update(artifact) };
        self.step(update.into()).await
    }

    /// Shows a status on the way at once to whoever watches, as "reading page 3 of 5".
    ///
    /// # Errors
    /// As [`stream_artifact`](Self::stream_artifact).
    pub async fn report(&mut self, state: TaskState, message: Option<Message>) -> Result<(), A2aError> {
        self.step(self.status_update(state, message)).await
    }

    /// A message of the agent's within this task.
    pub fn reply(&self, text: impl Into<String>) -> Message {
        self.tasks.message_in(&self.stored.task, text)
    }

    /// Stores the task in `state`, with what the agent says about it, and returns it as it is then.
    ///
    /// A task that was ended meanwhile, by CancelTask say, stays as it is: it is returned as it was left.
    ///
    /// # Errors
    /// UnsupportedOperation when the task was ended before the message became part of it; Internal when the store fails.
    pub async fn save(&mut self, state: TaskState, message: Option<Message>) -> Result<Task, A2aError> {
        self.change(self.status_update(state, message));
        self.commit(Hand::Write).await?;
        Ok(self.stored.task.clone())
    }

    /// Stores the task as it was taken on, so that others can find it while it is worked on.
    pub(super) async fn open(&mut self) -> Result<(), A2aError> {
        self.commit(Hand::Write).await
    }

    async fn step(&mut self, event: StreamResponse) -> Result<(), A2aError> {
        self.change(event);
        if self.stored.revision == 0 {
            // Nobody knows of the task yet.
            return Ok(());
        }
        self.commit(Hand::Step).await?;
        if self.stored.task.status.state.is_terminal() { Err(terminal(&self.stored.task)) } else { Ok(()) }
    }

    fn change(&mut self, event: StreamResponse) {
        self.stored.task.apply(&event);
        self.changes.push(event);
    }

    fn artifact_update(&self, artifact: Artifact) -> TaskArtifactUpdateEvent {
        TaskArtifactUpdateEvent::new(&self.stored.task.id, &self.stored.task.context_id, artifact)
    }

    fn status_update(&self, state: TaskState, message: Option<Message>) -> StreamResponse {
        let message = message.map(|message| self.tasks.within(&self.stored.task, message));
        let status = self.tasks.status(state, message);
        TaskStatusUpdateEvent::new(&self.stored.task.id, &self.stored.task.context_id, status).into()
    }

    /// Hands the changes to the store; if somebody was faster, on top of theirs.
    async fn commit(&mut self, hand: Hand) -> Result<(), A2aError> {
        let is_first = self.stored.revision == 0;
        // Nobody can watch a task that nobody knows of.
        let events = if is_first { Vec::new() } else { self.changes.clone() };
        for _ in 0..MAX_RACES {
            let (stored, events) = (self.stored.clone(), events.clone());
            let (store, owner) = (self.tasks.store(), self.tasks.owner());
            let done = match hand {
                Hand::Write => store.put(owner, stored, events).await,
                Hand::Step => store.progress(owner, stored, events).await,
            };
            match done {
                Ok(stored) => {
                    self.stored = stored;
                    self.has_joined = true;
                    let changes = std::mem::take(&mut self.changes);
                    self.tasks.note_state(&self.stored.task);
                    return self.notify(is_first, changes).await;
                }
                Err(StoreError::Conflict) => {
                    if self.catch_up().await? {
                        return Ok(());
                    }
                }
                Err(error) => return Err(store_failed(error)),
            }
        }
        Err(contended())
    }

    /// Tells the task's webhooks: of a new task all there is, then what changes.
    async fn notify(&self, is_first: bool, changes: Vec<StreamResponse>) -> Result<(), A2aError> {
        if self.tasks.push().is_none() {
            return Ok(());
        }
        self.tasks.keep_inline_push(&self.stored.task.id).await?;
        let events = if is_first { vec![self.stored.task.clone().into()] } else { changes };
        self.tasks.notify(&self.stored.task.id, events);
        Ok(())
    }

    /// Takes the task as somebody else has left it. `true` if they have ended it, which the changes do not outlive.
    async fn catch_up(&mut self) -> Result<bool, A2aError> {
        let theirs = self.tasks.load(&self.stored.task.id).await?;
        let mine = std::mem::replace(&mut self.stored, theirs);
        if self.stored.task.status.state.is_terminal() {
            self.changes.clear();
            self.tasks.note_state(&self.stored.task);
            // A message that came too late is in no task, and its sender must know.
            return if self.has_joined { Ok(true) } else { Err(terminal(&self.stored.task)) };
        }
        if let (Some(message), false) = (mine.task.history.and_then(|mut history| history.pop()), self.has_joined) {
            self.stored.task.push_message(message);
        }
        for change in &self.changes {
            self.stored.task.apply(change);
        }
        Ok(false)
    }
}
