//! What the platform-free layers need of a platform. Each port has an adapter in `worker` and one in [`memory`](crate::memory).

use std::fmt;
use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use futures_util::stream::LocalBoxStream;

use crate::protocol::types::{StreamResponse, Task, TaskPushNotificationConfig};

mod fetch;
mod uuid;

pub use fetch::{BodyStream, Fetch, FetchError, FetchRequest, FetchResponse, ResponseHead};
pub(crate) use uuid::uuid4;

/// Milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// `duration` later; at the end of time at the latest.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)))
    }

    /// How long it has been since `earlier`; nothing if that is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

/// Tells the time, and lets it pass.
pub trait Clock {
    /// Now.
    fn now(&self) -> Timestamp;

    /// Resolves after `duration`.
    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()>;
}

/// Source of unpredictable bytes.
pub trait Random {
    /// Fills `bytes` from a cryptographically secure source.
    fn fill(&self, bytes: &mut [u8]);
}

/// Work that goes on when its request has been answered.
pub trait Background {
    /// Does the work, as long as the platform lets it (30 seconds on Workers).
    fn spawn(&self, work: LocalBoxFuture<'static, ()>);
}

/// How grave a log line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Level {
    /// The caller's fault: worth counting.
    #[default]
    Info,
    /// Something to look at.
    Warn,
    /// The agent's or the platform's fault: worth waking up for.
    Error,
}

/// Takes finished log lines.
pub trait Log {
    /// Writes one line. It holds no credentials and no message text: the formatting above sees to that.
    fn write(&self, level: Level, line: &str);
}

/// A caller, as the task store knows it: tasks belong to whoever made them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Owner(String);

impl Owner {
    /// The one caller of an agent that asks for no token.
    pub fn anonymous() -> Self {
        Self("anonymous".to_owned())
    }

    /// The caller that authentication named `subject`.
    pub fn subject(subject: &str) -> Self {
        // The prefix keeps a subject called "anonymous" apart from the caller without a name.
        Self(format!("subject:{subject}"))
    }

    /// The owner as a store key part.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A task as it is stored: with the number of its last write, for a store that can tell races.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The task, with its whole history and all artifacts.
    pub task: Task,
    /// Grows by one with every write. 0 means: not stored yet.
    pub revision: u64,
}

/// Which tasks to list. The order is always newest status first (specification 3.1.4).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskQuery {
    /// Only tasks of this context.
    pub context_id: Option<String>,
    /// Only tasks in this state.
    pub state: Option<crate::protocol::types::TaskState>,
    /// Only tasks whose status is of this time or later.
    pub since: Option<Timestamp>,
    /// How many at most, 1 to [`MAX_PAGE_SIZE`]; stores read any other number as the nearer of the two.
    pub page_size: usize,
    /// Where the page before ended.
    pub cursor: Option<Cursor>,
}

/// A place in the order of a list: tasks *after* it are older, or as old with a greater id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    /// Status time of the last task seen. A status without a time is older than any with one.
    pub updated: Timestamp,
    /// Id of the last task seen.
    pub id: String,
}

impl Cursor {
    /// The order of lists: newest status first, then by id.
    pub fn list_order(&self, other: &Self) -> std::cmp::Ordering {
        other.updated.cmp(&self.updated).then_with(|| self.id.cmp(&other.id))
    }
}

/// A page of tasks.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskPage {
    /// The tasks, newest status first, whole.
    pub tasks: Vec<Task>,
    /// Where the next page starts, if there is one.
    pub next: Option<Cursor>,
    /// How many tasks match in all.
    pub total: usize,
}

/// Why a store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Somebody else wrote the task since it was read. Read it again and decide anew.
    #[error("task was changed by another request")]
    Conflict,
    /// The platform failed. The text is for the log alone.
    #[error("task store failed: {0}")]
    Unavailable(String),
    /// What the store holds is not a task.
    #[error("stored task is unreadable: {0}")]
    Corrupt(String),
    /// No store would take the task: its id breaks [`is_task_id`], or it is too large. Trying again is of no use.
    #[error("task cannot be stored: {0}")]
    Unstorable(String),
}

impl StoreError {
    /// [`Unstorable`](Self::Unstorable): a task has [`MAX_PUSH_CONFIGS`] already.
    pub(crate) fn too_many_push_configs() -> Self {
        Self::Unstorable(format!("more than {MAX_PUSH_CONFIGS} push notification configs"))
    }

    /// [`Corrupt`](Self::Corrupt), by where the JSON of `what` is at fault. Not in serde's words: they quote what they
    /// found.
    pub(crate) fn unreadable(what: &str, error: &serde_json::Error) -> Self {
        Self::Corrupt(format!("{what}, {:?} error in column {}", error.classify(), error.column()))
    }
}

/// Longest id of a task that can be stored, in bytes. Cloudflare KV has room for 512 in a key
/// (<https://developers.cloudflare.com/kv/platform/limits/>), and the owner takes its share.
pub const MAX_TASK_ID_BYTES: usize = 256;

/// Most tasks on a page (specification 3.1.4, `ListTasksRequest.page_size`).
pub const MAX_PAGE_SIZE: usize = 100;

/// Whether a task of this id can be stored: the same for every store, so that an agent can change stores.
///
/// Nothing else can be found, either, so it is also what stores may ask before they look.
pub fn is_task_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= MAX_TASK_ID_BYTES && !id.chars().any(char::is_control)
}

/// A task, and what happens to it from then on: nothing in between is lost.
pub struct Subscription {
    /// The task when the subscription began.
    pub task: Task,
    /// Every change since, in order. It ends when the store will tell no more; whoever listens stops at a state that
    /// ends a stream. An error is the last item.
    pub events: LocalBoxStream<'static, Result<StreamResponse, StoreError>>,
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").field("task", &self.task.id).finish_non_exhaustive()
    }
}

/// Most push notification configs of one task: each of them is a request at every change.
pub const MAX_PUSH_CONFIGS: usize = 16;

/// Keeps tasks, each under its owner. Nobody can read, count or overwrite another owner's tasks.
pub trait TaskStore: fmt::Debug {
    /// The task of this id, if `owner` has one.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] or [`StoreError::Corrupt`].
    fn get<'a>(&'a self, owner: &'a Owner, id: &'a str) -> LocalBoxFuture<'a, Result<Option<Stored>, StoreError>>;

    /// Writes the task and then shows `events`, which tell of the change, to its subscribers. `stored.revision` is that
    /// of the read it is based on, 0 for a new task. Returns the new one.
    ///
    /// A task that has been dropped since it was read, by age or for room, is simply there again.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] from stores that can tell; [`StoreError::Unavailable`]; [`StoreError::Unstorable`].
    fn put<'a>(
        &'a self,
        owner: &'a Owner,
        stored: Stored,
        events: Vec<StreamResponse>,
    ) -> LocalBoxFuture<'a, Result<Stored, StoreError>>;

    /// A step on the way, like one piece of an artifact: as [`put`](Self::put), but a store whose writes are dear may
    /// leave the writing to the `put` that follows, and show the task as it stands to this instance alone until then.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    fn progress<'a>(
        &'a self,
        owner: &'a Owner,
        stored: Stored,
        events: Vec<StreamResponse>,
    ) -> LocalBoxFuture<'a, Result<Stored, StoreError>> {
        self.put(owner, stored, events)
    }

    /// The task, with all that happens to it from now on. `None` if `owner` has no such task.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] or [`StoreError::Corrupt`].
    fn subscribe<'a>(
        &'a self,
        owner: &'a Owner,
        id: &'a str,
    ) -> LocalBoxFuture<'a, Result<Option<Subscription>, StoreError>>;

    /// How many subscriptions to the task there are.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn subscribers<'a>(&'a self, owner: &'a Owner, id: &'a str) -> LocalBoxFuture<'a, Result<usize, StoreError>>;

    /// The push notification configs of a task, by id. There is none for a task that is not there.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] or [`StoreError::Corrupt`].
    fn push_configs<'a>(
        &'a self,
        owner: &'a Owner,
        task_id: &'a str,
    ) -> LocalBoxFuture<'a, Result<Vec<TaskPushNotificationConfig>, StoreError>>;

    /// Adds a config to the task that it names, or replaces the one of its id. The task is there: whoever calls has
    /// looked.
    ///
    /// # Errors
    /// [`StoreError::Unstorable`] for an id that breaks [`is_task_id`], and for one config more than
    /// [`MAX_PUSH_CONFIGS`]; [`StoreError::Unavailable`].
    fn put_push_config<'a>(
        &'a self,
        owner: &'a Owner,
        config: TaskPushNotificationConfig,
    ) -> LocalBoxFuture<'a, Result<(), StoreError>>;

    /// Removes a config, if it is there.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`].
    fn delete_push_config<'a>(
        &'a self,
        owner: &'a Owner,
        task_id: &'a str,
        id: &'a str,
    ) -> LocalBoxFuture<'a, Result<(), StoreError>>;

    /// A page of `owner`'s tasks.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] or [`StoreError::Corrupt`].
    fn list<'a>(&'a self, owner: &'a Owner, query: &'a TaskQuery) -> LocalBoxFuture<'a, Result<TaskPage, StoreError>>;
}
