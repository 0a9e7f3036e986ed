//! The life of a task: made by a message, moved on by the agent, read, listed and cancelled by its caller.

use std::fmt;
use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::ports::{
    Clock, Cursor, Owner, Random, StoreError, Stored, TaskPage, TaskQuery, TaskStore, Timestamp, uuid4,
};
use crate::protocol::error::A2aError;
use crate::protocol::types::{
    Artifact, CancelTaskRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse, Message, Task, TaskState,
    TaskStatus,
};

/// Page size when none is asked for (specification 3.1.4).
const DEFAULT_PAGE_SIZE: u32 = 50;
/// How often a write that lost a race is decided anew before the caller is told to try again.
const MAX_RACES: usize = 5;

/// The tasks of one caller. Other callers' tasks do not exist here.
#[derive(Clone)]
pub struct Tasks {
    owner: Owner,
    store: Rc<dyn TaskStore>,
    clock: Rc<dyn Clock>,
    random: Rc<dyn Random>,
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks").field("store", &self.store).finish_non_exhaustive()
    }
}

impl Tasks {
    /// The tasks of `owner` in `store`.
    pub fn new(owner: Owner, store: Rc<dyn TaskStore>, clock: Rc<dyn Clock>, random: Rc<dyn Random>) -> Self {
        Self { owner, store, clock, random }
    }

    pub(super) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// GetTask (specification 3.1.3): the task, with as much history as was asked for.
    ///
    /// # Errors
    /// TaskNotFound; Internal when the store fails.
    pub async fn get(&self, request: &GetTaskRequest) -> Result<Task, A2aError> {
        let mut task = self.load(&request.id).await?.task;
        limit_history(&mut task, request.history_length);
        Ok(task)
    }

    /// ListTasks (specification 3.1.4): newest status first, filtered and in pages.
    ///
    /// # Errors
    /// InvalidParams for a page token that is not one of ours; Internal when the store fails.
    pub async fn list(&self, request: &ListTasksRequest) -> Result<ListTasksResponse, A2aError> {
        let page_size = request.page_size.unwrap_or(DEFAULT_PAGE_SIZE);
        let query = TaskQuery {
            context_id: request.context_id.clone().filter(|id| !id.is_empty()),
            state: request.status,
            since: request.status_timestamp_after,
            page_size: page_size as usize,
            cursor: request.page_token.as_deref().filter(|token| !token.is_empty()).map(read_token).transpose()?,
        };
        let TaskPage { mut tasks, next, total } = self.store.list(&self.owner, &query).await.map_err(store_failed)?;
        for task in &mut tasks {
            limit_history(task, request.history_length);
            if request.include_artifacts == Some(true) {
                // "should be included with its actual content (which may be an empty array …)"
                task.artifacts.get_or_insert_default();
            } else {
                task.artifacts = None;
            }
        }
        Ok(ListTasksResponse {
            tasks,
            next_page_token: next.as_ref().map(write_token).unwrap_or_default(),
            page_size,
            total_size: u32::try_from(total).unwrap_or(u32::MAX),
        })
    }

    /// CancelTask (specification 3.1.5): the task, cancelled.
    ///
    /// # Errors
    /// TaskNotFound; TaskNotCancelable in a terminal state; Internal when the store fails.
    pub async fn cancel(&self, request: &CancelTaskRequest) -> Result<Task, A2aError> {
        for _ in 0..MAX_RACES {
            let mut stored = self.load(&request.id).await?;
            let state = stored.task.status.state;
            if state.is_terminal() {
                return Err(A2aError::task_not_cancelable(&request.id, state));
            }
            stored.task.status = self.status(TaskState::Canceled, None);
            match self.store.put(&self.owner, stored).await {
                Ok(stored) => return Ok(stored.task),
                Err(StoreError::Conflict) => {}
                Err(error) => return Err(store_failed(error)),
            }
        }
        Err(contended())
    }

    /// Starts work on a message: on a new task, or on the task that the message names.
    ///
    /// A new task is SUBMITTED and not stored before [`Work::save`]. An existing one is taken as it is, with the
    /// message added to its history. A context id is made up when neither message nor task has one.
    ///
    /// # Errors
    /// TaskNotFound for a task that is not this caller's; UnsupportedOperation for one in a terminal state
    /// (specification 3.1.1); InvalidParams when the message's `contextId` is not the task's (3.4.3); Internal when
    /// the store fails.
    pub async fn begin(&self, mut message: Message) -> Result<Work, A2aError> {
        let named = message.task_id.as_deref().filter(|id| !id.is_empty());
        let mut stored = match named {
            Some(id) => self.load_for(id, &message).await?,
            None => Stored { task: self.fresh(&message), revision: 0 },
        };
        message.task_id = Some(stored.task.id.clone());
        message.context_id = Some(stored.task.context_id.clone());
        stored.task.push_message(message);
        Ok(Work { tasks: self.clone(), stored })
    }

    async fn load(&self, id: &str) -> Result<Stored, A2aError> {
        let found = self.store.get(&self.owner, id).await.map_err(store_failed)?;
        found.ok_or_else(|| A2aError::task_not_found(id))
    }

    async fn load_for(&self, id: &str, message: &Message) -> Result<Stored, A2aError> {
        let stored = self.load(id).await?;
        let given = message.context_id.as_deref().filter(|context| !context.is_empty());
        if given.is_some_and(|context| context != stored.task.context_id) {
            return Err(A2aError::invalid_params("contextId does not match the task's", ["message.contextId"]));
        }
        if stored.task.status.state.is_terminal() {
            return Err(A2aError::refused("Task is in a terminal state")
                .with_metadata("taskId", id)
                .with_metadata("state", stored.task.status.state.name()));
        }
        Ok(stored)
    }

    fn fresh(&self, message: &Message) -> Task {
        let context_id = message.context_id.clone().filter(|context| !context.is_empty());
        let context_id = context_id.unwrap_or_else(|| self.new_id());
        Task::new(self.new_id(), context_id).with_status(self.status(TaskState::Submitted, None))
    }

    fn status(&self, state: TaskState, message: Option<Message>) -> TaskStatus {
        TaskStatus { state, message, timestamp: Some(self.clock.now()) }
    }

    fn new_id(&self) -> String {
        uuid4(&*self.random)
    }
}

/// A task that a message is being worked on in.
#[derive(Debug)]
pub struct Work {
    tasks: Tasks,
    stored: Stored,
}

impl Work {
    /// The task as it stands.
    pub fn task(&self) -> &Task {
        &self.stored.task
    }

    /// Whether the message made this task, rather than continue it.
    pub fn is_new(&self) -> bool {
        self.stored.revision == 0
    }

    /// Adds an artifact, or replaces the one of the same id.
    pub fn add_artifact(&mut self, artifact: Artifact) {
        let artifacts = self.stored.task.artifacts.get_or_insert_default();
        match artifacts.iter_mut().find(|known| known.artifact_id == artifact.artifact_id) {
            Some(known) => *known = artifact,
            None => artifacts.push(artifact),
        }
    }

    /// A message of the agent's within this task.
    pub fn reply(&self, text: impl Into<String>) -> Message {
        let mut message = Message::agent_text(text).with_id(self.tasks.new_id());
        message.task_id = Some(self.stored.task.id.clone());
        message.context_id = Some(self.stored.task.context_id.clone());
        message
    }

    /// Moves the task to `state` and stores it.
    ///
    /// If somebody else brought the task to its end meanwhile (cancelled it, say), that end stands and is returned:
    /// a terminal state is never left.
    ///
    /// # Errors
    /// Internal when the store fails.
    pub async fn save(&mut self, state: TaskState, message: Option<Message>) -> Result<Task, A2aError> {
        self.stored.task.status = self.tasks.status(state, message);
        for _ in 0..MAX_RACES {
            match self.tasks.store.put(&self.tasks.owner, self.stored.clone()).await {
                Ok(stored) => {
                    self.stored = stored;
                    return Ok(self.stored.task.clone());
                }
                Err(StoreError::Conflict) => {
                    let current = self.tasks.load(&self.stored.task.id).await?;
                    if current.task.status.state.is_terminal() {
                        self.stored = current;
                        return Ok(self.stored.task.clone());
                    }
                    self.stored.revision = current.revision;
                }
                Err(error) => return Err(store_failed(error)),
            }
        }
        Err(contended())
    }
}

fn store_failed(error: StoreError) -> A2aError {
    A2aError::internal().with_source(error)
}

/// Several requests kept changing the task under each other.
fn contended() -> A2aError {
    A2aError::internal().with_source(StoreError::Conflict)
}

/// Specification 3.2.4: no limit leaves the history as it is.
pub(super) fn limit_history(task: &mut Task, limit: Option<u32>) {
    if let Some(limit) = limit {
        task.limit_history(limit as usize);
    }
}

/// A page token is opaque to the caller, who may yet tamper with it, so reading one trusts nothing.
fn write_token(cursor: &Cursor) -> String {
    URL_SAFE_NO_PAD.encode(format!("{}:{}", cursor.updated.0, cursor.id))
}

fn read_token(token: &str) -> Result<Cursor, A2aError> {
    let cursor = || {
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
        let (updated, id) = text.split_once(':')?;
        Some(Cursor { updated: Timestamp(updated.parse().ok()?), id: id.to_owned() })
    };
    cursor().ok_or_else(|| A2aError::invalid_params("pageToken is not one that this agent gave out", ["pageToken"]))
}
