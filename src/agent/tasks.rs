//! The life of a task: made by a message, moved on by the agent, read, listed and cancelled by its caller.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::delivery::{Outbox, Push};
use super::server::Ports;
use super::work::Work;
use crate::ports::{
    Clock, Cursor, Owner, StoreError, Stored, Subscription, TaskPage, TaskQuery, TaskStore, Timestamp, uuid4,
};
use crate::protocol::error::A2aError;
use crate::protocol::types::{
    CancelTaskRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse, Message, SendMessageResponse,
    StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig, TaskState, TaskStatus,
};

/// Page size when none is asked for (specification 3.1.4).
const DEFAULT_PAGE_SIZE: u32 = 50;
/// How often a write that lost a race is decided anew before the caller is told to try again.
pub(super) const MAX_RACES: usize = 5;

/// The tasks of one caller. Other callers' tasks do not exist here. Clones serve the same request.
#[derive(Clone)]
pub struct Tasks(Rc<Request>);

/// What the tasks of a request need to know of it.
struct Request {
    owner: Owner,
    ports: Rc<Ports>,
    watch: Watch,
    /// `None` if webhooks are not called.
    outbox: Option<Rc<Outbox>>,
    /// The push notification config that came with the message, until there is a task to keep it with.
    inline_push: RefCell<Option<TaskPushNotificationConfig>>,
    begun: RefCell<Option<Begun>>,
    /// The task that this request has stored in a state that something must follow, by its id.
    open: RefCell<Option<String>>,
}

/// Who waits for what a message begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Watch {
    /// Nobody, before it is done.
    #[default]
    Nobody,
    /// Somebody who wants the task as soon as there is one.
    Task,
    /// Somebody who wants the task and all that happens to it.
    Events,
}

/// What a message has begun.
pub(super) struct Begun {
    pub(super) task: Task,
    /// Present if somebody watches.
    pub(super) subscription: Option<Subscription>,
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks").field("store", &self.0.ports.store).finish_non_exhaustive()
    }
}

impl Tasks {
    /// The tasks of `owner`.
    pub fn new(owner: Owner, ports: Rc<Ports>) -> Self {
        Self::of_request(owner, ports, Watch::Nobody, None, None)
    }

    /// The tasks of `owner` for one request. `inline_push` is the config that came with its message.
    pub(super) fn of_request(
        owner: Owner,
        ports: Rc<Ports>,
        watch: Watch,
        push: Option<Rc<Push>>,
        inline_push: Option<TaskPushNotificationConfig>,
    ) -> Self {
        Self(Rc::new(Request {
            owner,
            ports,
            watch,
            outbox: push.map(|push| Rc::new(Outbox::new(push))),
            inline_push: RefCell::new(inline_push),
            begun: RefCell::default(),
            open: RefCell::default(),
        }))
    }

    pub(super) fn push(&self) -> Option<&Push> {
        self.0.outbox.as_deref().map(Outbox::push)
    }

    /// Tells the webhooks of a task what was done to it.
    pub(super) fn notify(&self, task_id: &str, events: Vec<StreamResponse>) {
        if let Some(outbox) = &self.0.outbox {
            outbox.post(task_id, events, self.owner(), &self.0.ports);
        }
    }

    /// Keeps the config that came with the message, now that there is a task.
    pub(super) async fn keep_inline_push(&self, task_id: &str) -> Result<(), A2aError> {
        let Some(mut config) = self.0.inline_push.take() else { return Ok(()) };
        task_id.clone_into(&mut config.task_id);
        self.put_push_config(config).await.map(drop)
    }

    pub(super) fn clock(&self) -> &dyn Clock {
        &*self.0.ports.clock
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock().now()
    }

    pub(super) fn store(&self) -> &dyn TaskStore {
        &*self.0.ports.store
    }

    pub(super) fn owner(&self) -> &Owner {
        &self.0.owner
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
        let TaskPage { mut tasks, next, total } =
            self.store().list(self.owner(), &query).await.map_err(store_failed)?;
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
        let moved = self.move_on(&request.id, |_| self.status(TaskState::Canceled, None)).await?;
        moved.map_err(|state| A2aError::task_not_cancelable(&request.id, state))
    }

    /// Gives the task the status that `status` makes for it, and tells who watches; or gives the state in which it has ended.
    ///
    /// # Errors
    /// TaskNotFound; Internal when the store fails.
    async fn move_on(
        &self,
        id: &str,
        status: impl Fn(&Task) -> TaskStatus,
    ) -> Result<Result<Task, TaskState>, A2aError> {
        for _ in 0..MAX_RACES {
            let mut stored = self.load(id).await?;
            let state = stored.task.status.state;
            if state.is_terminal() {
                return Ok(Err(state));
            }
            stored.task.status = status(&stored.task);
            let events = vec![stored.task.status_update()];
            match self.store().put(self.owner(), stored, events.clone()).await {
                Ok(stored) => {
                    self.notify(id, events);
                    return Ok(Ok(stored.task));
                }
                Err(StoreError::Conflict) => {}
                Err(error) => return Err(store_failed(error)),
            }
        }
        Err(contended())
    }

    /// SubscribeToTask (specification 3.1.6): the task, with all that happens to it from now on.
    ///
    /// # Errors
    /// TaskNotFound; UnsupportedOperation in a terminal state; Internal when the store fails.
    pub async fn subscribe(&self, request: &SubscribeToTaskRequest) -> Result<Subscription, A2aError> {
        let found = self.store().subscribe(self.owner(), &request.id).await.map_err(store_failed)?;
        let subscription = found.ok_or_else(|| A2aError::task_not_found(&request.id))?;
        if subscription.task.status.state.is_terminal() {
            return Err(terminal(&subscription.task));
        }
        Ok(subscription)
    }

    /// Starts work on a message: on a new task, or on the task that the message names.
    ///
    /// A new task is SUBMITTED, and an existing one goes on in WORKING if it waited for this message. When the caller waits
    /// for the outcome alone, nothing is stored before [`Work::save`]; otherwise the task is stored at once, so that it can be
    /// found and watched. A context id is made up when neither message nor task has one.
    ///
    /// # Errors
    /// TaskNotFound for a task that is not this caller's; UnsupportedOperation for one in a terminal state
    /// (specification 3.1.1); InvalidParams when the message's `contextId` is not the task's (3.4.3); Internal when
    /// the store fails.
    pub async fn begin(&self, mut message: Message) -> Result<Work, A2aError> {
        let named = message.task_id.as_deref().filter(|id| !id.is_empty());
        let stored = match named {
            Some(id) => self.load_for(id, &message).await?,
            None => Stored { task: self.fresh(&message), revision: 0 },
        };
        message.task_id = Some(stored.task.id.clone());
        message.context_id = Some(stored.task.context_id.clone());
        let inline_push = self.0.inline_push.borrow().as_ref().map(|config| config.id.clone());
        if let (Some(config), true) = (inline_push, stored.revision > 0) {
            self.check_room(&stored.task.id, &config).await?;
        }
        let mut work = Work::new(self.clone(), stored, message);
        if self.0.watch != Watch::Nobody && self.0.begun.borrow().is_none() {
            work.open().await?;
            self.show(work.task()).await?;
        }
        Ok(work)
    }

    /// Shows what has begun to who watches.
    async fn show(&self, task: &Task) -> Result<(), A2aError> {
        let subscription = match self.0.watch {
            Watch::Nobody | Watch::Task => None,
            Watch::Events => self.store().subscribe(self.owner(), &task.id).await.map_err(store_failed)?,
        };
        self.0.begun.replace(Some(Begun { task: task.clone(), subscription }));
        Ok(())
    }

    /// What was begun since this was last asked.
    pub(super) fn take_begun(&self) -> Option<Begun> {
        self.0.begun.take()
    }

    /// Notes the state that this request has left a task in.
    pub(super) fn note_state(&self, task: &Task) {
        let state = task.status.state;
        let is_open = !state.is_terminal() && !state.is_interrupted();
        self.0.open.replace(is_open.then(|| task.id.clone()));
    }

    /// The task that somebody has been told is being worked on.
    pub(super) fn open_task(&self) -> Option<String> {
        self.0.open.borrow().clone()
    }

    /// Ends the open task, as nobody works on it any more. `why` is for the caller to read.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) async fn end_open(&self, state: TaskState, why: &str) -> Result<(), A2aError> {
        let Some(id) = self.0.open.take() else { return Ok(()) };
        let status = |task: &Task| self.status(state, Some(self.message_in(task, why)));
        self.move_on(&id, status).await.map(drop)
    }

    /// A message of the agent's within a task.
    pub(super) fn message_in(&self, task: &Task, text: impl Into<String>) -> Message {
        self.within(task, Message::agent_text(text))
    }

    /// A message as it is said within a task: with the ids that its author left out.
    pub(super) fn within(&self, task: &Task, message: Message) -> Message {
        let mut message = self.identified(message);
        message.task_id.get_or_insert_with(|| task.id.clone());
        message.context_id.get_or_insert_with(|| task.context_id.clone());
        message
    }

    /// A message with the id that it must have (specification 4.1.4), which its author may leave to us.
    fn identified(&self, message: Message) -> Message {
        if message.message_id.is_empty() { message.with_id(self.new_id()) } else { message }
    }

    /// What an agent answers, with the ids that its message must have.
    pub(super) fn complete(&self, answer: SendMessageResponse) -> SendMessageResponse {
        match answer {
            SendMessageResponse::Message(message) => self.identified(message).into(),
            SendMessageResponse::Task(mut task) => {
                let said = task.status.message.take();
                task.status.message = said.map(|message| self.within(&task, message));
                task.into()
            }
        }
    }

    pub(super) async fn load(&self, id: &str) -> Result<Stored, A2aError> {
        let found = self.store().get(self.owner(), id).await.map_err(store_failed)?;
        found.ok_or_else(|| A2aError::task_not_found(id))
    }

    async fn load_for(&self, id: &str, message: &Message) -> Result<Stored, A2aError> {
        let stored = self.load(id).await?;
        let given = message.context_id.as_deref().filter(|context| !context.is_empty());
        if given.is_some_and(|context| context != stored.task.context_id) {
            return Err(A2aError::invalid_params("contextId does not match the task's", ["message.contextId"]));
        }
        if stored.task.status.state.is_terminal() {
            return Err(terminal(&stored.task));
        }
        Ok(stored)
    }

    fn fresh(&self, message: &Message) -> Task {
        let context_id = message.context_id.clone().filter(|context| !context.is_empty());
        let context_id = context_id.unwrap_or_else(|| self.new_id());
        Task::new(self.new_id(), context_id).with_status(self.status(TaskState::Submitted, None))
    }

    pub(super) fn status(&self, state: TaskState, message: Option<Message>) -> TaskStatus {
        TaskStatus { state, message, timestamp: Some(self.now()) }
    }

    pub(super) fn new_id(&self) -> String {
        uuid4(&*self.0.ports.random)
    }
}

pub(super) fn store_failed(error: StoreError) -> A2aError {
    A2aError::internal().with_source(error)
}

/// Several requests kept changing the task under each other.
pub(super) fn contended() -> A2aError {
    A2aError::internal().with_source(StoreError::Conflict)
}

/// Nothing more can be done in a task that has ended (specification 3.1.1, 3.1.6).
pub(super) fn terminal(task: &Task) -> A2aError {
    A2aError::refused("Task is in a terminal state")
        .with_metadata("taskId", &task.id)
        .with_metadata("state", task.status.state.name())
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
