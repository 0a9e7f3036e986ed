//! Tasks in memory.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::fmt;
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::{LocalBoxFuture, ready};
use futures_util::{FutureExt, StreamExt};

use crate::hub::Hub;
use crate::ports::{
    Clock, Cursor, MAX_PAGE_SIZE, MAX_PUSH_CONFIGS, Owner, StoreError, Stored, Subscription, TaskPage, TaskQuery,
    TaskStore, Timestamp, is_task_id,
};
use crate::protocol::types::{self, StreamResponse, Task, TaskPushNotificationConfig, TaskState};

/// How much the tasks may take up in all unless [`MemoryStore::with_capacity`] says otherwise: an isolate of Workers has
/// 128 MB (<https://developers.cloudflare.com/workers/platform/limits/>), and the requests in flight need theirs.
pub const MAX_STORED_BYTES: usize = 48 * 1024 * 1024;

/// What a task costs besides its JSON and its id: its [`Entry`], its place in a table that is half empty when it has just
/// grown, and the headers of two allocations.
const ENTRY_BYTES: usize = 192;

/// The buffer that tasks are written to first is given back when a task has made it larger than this.
const KEPT_BUFFER_BYTES: usize = 64 * 1024;

/// Keeps tasks until the instance ends: for the browser, for tests, and for a worker that needs no more.
///
/// - A write that is not based on the last one is a [`StoreError::Conflict`], always.
/// - A task is dropped when it was not written for as long as [`with_ttl`](Self::with_ttl) says.
/// - When all tasks together outgrow the capacity, an eighth of it is freed at once: first the expired tasks, then those
///   in a terminal state, then the others, each time the least recently written first. All owners share the room.
/// - Contexts are told apart by a hash of 64 bits. If two clash, an owner sees a task of another one of its own contexts.
pub struct MemoryStore {
    clock: Rc<dyn Clock>,
    ttl: Option<Duration>,
    capacity: usize,
    tasks: RefCell<Tasks>,
    hub: Hub,
}

#[derive(Default)]
struct Tasks {
    by_owner: BTreeMap<Owner, TasksOfOwner>,
    /// What all of them cost.
    bytes: usize,
    /// Number of the last write.
    writes: u64,
    /// Tasks are written here first and then copied to an allocation of their exact size: buffers that grow leave holes,
    /// and WebAssembly memory never shrinks.
    buffer: Vec<u8>,
}

/// By id, and hashed: of many thousands, a tree would look at one task in a dozen places of memory to find another.
type TasksOfOwner = HashMap<Box<str>, Entry, BuildHasherDefault<DefaultHasher>>;

/// A task as JSON, a third of the size of a [`Task`], and what lists must know of it.
struct Entry {
    json: Box<[u8]>,
    updated: Timestamp,
    written: Timestamp,
    revision: u64,
    /// Number of the write: unlike `written`, no two are the same.
    write: u64,
    context: u64,
    state: TaskState,
    push: Vec<TaskPushNotificationConfig>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new(clock: Rc<dyn Clock>) -> Self {
        Self { clock, ttl: None, capacity: MAX_STORED_BYTES, tasks: RefCell::default(), hub: Hub::default() }
    }

    /// Drops tasks that were not written for this long.
    pub fn with_ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }

    /// Sets how many bytes all tasks may take up.
    pub fn with_capacity(mut self, bytes: usize) -> Self {
        self.capacity = bytes;
        self
    }

    /// Tasks that were last written before this have expired.
    fn oldest_live(&self) -> Timestamp {
        let Some(ttl) = self.ttl else { return Timestamp(0) };
        Timestamp(self.clock.now().0.saturating_sub(u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX)))
    }

    fn read(&self, owner: &Owner, id: &str) -> Result<Option<Stored>, StoreError> {
        let tasks = self.tasks.borrow();
        tasks.live(owner, id, self.oldest_live()).map(Entry::stored).transpose()
    }

    fn write(&self, owner: &Owner, mut stored: Stored, events: &[StreamResponse]) -> Result<Stored, StoreError> {
        if !is_task_id(&stored.task.id) {
            return Err(StoreError::Unstorable("unfit task id".to_owned()));
        }
        let oldest_live = self.oldest_live();
        let mut tasks = self.tasks.borrow_mut();
        let current = tasks.live(owner, &stored.task.id, oldest_live);
        if current.is_some_and(|current| current.revision != stored.revision) {
            return Err(StoreError::Conflict);
        }
        stored.revision += 1;
        tasks.insert(owner, &stored, self.clock.now(), self.capacity)?;
        if tasks.bytes > self.capacity {
            tasks.free(self.capacity - self.capacity / 8, oldest_live);
        }
        self.hub.publish(owner, &stored.task.id, stored.revision, events);
        Ok(stored)
    }

    fn listen(&self, owner: &Owner, id: &str) -> Result<Option<Subscription>, StoreError> {
        let stored = self.read(owner, id)?;
        Ok(stored.map(|stored| Subscription { task: stored.task, events: self.hub.listen(owner, id).boxed_local() }))
    }

    fn push_configs_of(&self, owner: &Owner, id: &str) -> Vec<TaskPushNotificationConfig> {
        let tasks = self.tasks.borrow();
        tasks.live(owner, id, self.oldest_live()).map(|entry| entry.push.clone()).unwrap_or_default()
    }

    fn add_push_config(&self, owner: &Owner, config: TaskPushNotificationConfig) -> Result<(), StoreError> {
        if !is_task_id(&config.id) {
            return Err(StoreError::Unstorable("unfit config id".to_owned()));
        }
        let mut tasks = self.tasks.borrow_mut();
        let Some(entry) = tasks.by_owner.get_mut(owner).and_then(|tasks| tasks.get_mut(&*config.task_id)) else {
            return Ok(()); // The task went since it was looked up, and its configs with it.
        };
        match entry.push.iter().position(|known| known.id == config.id) {
            Some(place) => entry.push[place] = config,
            None if entry.push.len() == MAX_PUSH_CONFIGS => return Err(StoreError::too_many_push_configs()),
            None => entry.push.push(config),
        }
        entry.push.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(())
    }

    fn remove_push_config(&self, owner: &Owner, task_id: &str, id: &str) {
        let mut tasks = self.tasks.borrow_mut();
        if let Some(entry) = tasks.by_owner.get_mut(owner).and_then(|tasks| tasks.get_mut(task_id)) {
            entry.push.retain(|config| config.id != id);
        }
    }

    fn page(&self, owner: &Owner, query: &TaskQuery) -> Result<TaskPage, StoreError> {
        let tasks = self.tasks.borrow();
        let Some(tasks) = tasks.by_owner.get(owner) else {
            return Ok(TaskPage { tasks: Vec::new(), next: None, total: 0 });
        };
        let oldest_live = self.oldest_live();
        let context = query.context_id.as_deref().map(hash);
        let size = query.page_size.clamp(1, MAX_PAGE_SIZE);
        let after = query.cursor.as_ref().map(|cursor| (Reverse(cursor.updated), cursor.id.as_str()));
        let mut total = 0;
        // The first `size + 1` tasks behind the cursor, in list order; the last on top.
        let mut first = BinaryHeap::with_capacity(size + 2);
        for (id, entry) in tasks {
            if entry.written < oldest_live || !entry.matches(query, context) {
                continue;
            }
            total += 1;
            let place = (Reverse(entry.updated), &**id);
            if after.is_none_or(|after| place > after) {
                first.push(place);
                if first.len() > size + 1 {
                    first.pop();
                }
            }
        }
        let mut places = first.into_sorted_vec();
        let has_more = places.len() > size;
        places.truncate(size);
        let next = places.last().filter(|_| has_more);
        let next = next.map(|(updated, id)| Cursor { updated: updated.0, id: (*id).to_owned() });
        let entries = places.iter().filter_map(|(_, id)| tasks.get(*id));
        Ok(TaskPage { tasks: entries.map(Entry::task).collect::<Result<_, _>>()?, next, total })
    }
}

impl Tasks {
    fn live(&self, owner: &Owner, id: &str, oldest_live: Timestamp) -> Option<&Entry> {
        self.by_owner.get(owner)?.get(id).filter(|entry| entry.written >= oldest_live)
    }

    fn insert(&mut self, owner: &Owner, stored: &Stored, now: Timestamp, capacity: usize) -> Result<(), StoreError> {
        let Stored { task, revision } = stored;
        let json = self.encode(task)?;
        let id = task.id.as_str();
        let cost = cost(id, &json);
        if cost > capacity {
            return Err(StoreError::Unstorable(format!("{cost} bytes do not fit into {capacity}")));
        }
        self.writes += 1;
        let entry = Entry {
            json,
            updated: task.status.timestamp.unwrap_or_default(),
            written: now,
            revision: *revision,
            write: self.writes,
            context: hash(&task.context_id),
            state: task.status.state,
            push: Vec::new(),
        };
        // `entry` would clone the owner with every write.
        let tasks = match self.by_owner.get_mut(owner) {
            Some(tasks) => tasks,
            None => self.by_owner.entry(owner.clone()).or_default(),
        };
        self.bytes += cost;
        if let Some(old) = tasks.insert(id.into(), entry) {
            self.bytes -= self::cost(id, &old.json);
            if let Some(entry) = tasks.get_mut(id).filter(|_| !old.push.is_empty()) {
                entry.push = old.push;
            }
        }
        Ok(())
    }

    fn encode(&mut self, task: &Task) -> Result<Box<[u8]>, StoreError> {
        self.buffer.clear();
        serde_json::to_writer(&mut self.buffer, task).map_err(|error| StoreError::Unstorable(error.to_string()))?;
        let json = Box::from(self.buffer.as_slice());
        if self.buffer.capacity() > KEPT_BUFFER_BYTES {
            self.buffer = Vec::new();
        }
        Ok(json)
    }

    /// Drops tasks until all together cost `target` at most, but never the one that was just written.
    fn free(&mut self, target: usize, oldest_live: Timestamp) {
        let newest = self.writes;
        let mut ranked = Vec::new();
        for (id, entry) in self.by_owner.values().flatten() {
            if entry.write != newest {
                ranked.push((entry.rank(oldest_live), cost(id, &entry.json)));
            }
        }
        ranked.sort_unstable();
        let mut bytes = self.bytes;
        let mut last = None;
        for (rank, cost) in ranked {
            if bytes <= target {
                break;
            }
            bytes -= cost;
            last = Some(rank);
        }
        let Some(last) = last else { return };
        self.by_owner.retain(|_, tasks| {
            tasks.retain(|_, entry| entry.write == newest || entry.rank(oldest_live) > last);
            !tasks.is_empty()
        });
        self.bytes = bytes;
    }
}

/// Who goes first when room is needed: the lowest.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Expired(u64),
    Terminal(u64),
    Open(u64),
}

impl Entry {
    fn rank(&self, oldest_live: Timestamp) -> Rank {
        if self.written < oldest_live {
            Rank::Expired(self.write)
        } else if self.state.is_terminal() {
            Rank::Terminal(self.write)
        } else {
            Rank::Open(self.write)
        }
    }

    fn matches(&self, query: &TaskQuery, context: Option<u64>) -> bool {
        query.state.is_none_or(|state| self.state == state)
            && query.since.is_none_or(|since| self.updated >= since)
            && context.is_none_or(|context| self.context == context)
    }

    fn task(&self) -> Result<Task, StoreError> {
        types::from_json(&String::from_utf8_lossy(&self.json))
            .map_err(|error| StoreError::unreadable("task in memory", &error))
    }

    fn stored(&self) -> Result<Stored, StoreError> {
        Ok(Stored { task: self.task()?, revision: self.revision })
    }
}

fn cost(id: &str, json: &[u8]) -> usize {
    ENTRY_BYTES + id.len() + json.len()
}

fn hash(context_id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    context_id.hash(&mut hasher);
    hasher.finish()
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the tasks: they are the callers' business.
        let tasks = self.tasks.borrow();
        f.debug_struct("MemoryStore")
            .field("owners", &tasks.by_owner.len())
            .field("bytes", &tasks.bytes)
            .finish_non_exhaustive()
    }
}

impl TaskStore for MemoryStore {
    fn get<'a>(&'a self, owner: &'a Owner, id: &'a str) -> LocalBoxFuture<'a, Result<Option<Stored>, StoreError>> {
        ready(self.read(owner, id)).boxed_local()
    }

    fn put<'a>(
        &'a self,
        owner: &'a Owner,
        stored: Stored,
        events: Vec<StreamResponse>,
    ) -> LocalBoxFuture<'a, Result<Stored, StoreError>> {
        ready(self.write(owner, stored, &events)).boxed_local()
    }

    fn subscribe<'a>(
        &'a self,
        owner: &'a Owner,
        id: &'a str,
    ) -> LocalBoxFuture<'a, Result<Option<Subscription>, StoreError>> {
        ready(self.listen(owner, id)).boxed_local()
    }

    fn subscribers<'a>(&'a self, owner: &'a Owner, id: &'a str) -> LocalBoxFuture<'a, Result<usize, StoreError>> {
        ready(Ok(self.hub.count(owner, id))).boxed_local()
    }

    fn push_configs<'a>(
        &'a self,
        owner: &'a Owner,
        task_id: &'a str,
    ) -> LocalBoxFuture<'a, Result<Vec<TaskPushNotificationConfig>, StoreError>> {
        ready(Ok(self.push_configs_of(owner, task_id))).boxed_local()
    }

    fn put_push_config<'a>(
        &'a self,
        owner: &'a Owner,
        config: TaskPushNotificationConfig,
    ) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        ready(self.add_push_config(owner, config)).boxed_local()
    }

    fn delete_push_config<'a>(
        &'a self,
        owner: &'a Owner,
        task_id: &'a str,
        id: &'a str,
    ) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        self.remove_push_config(owner, task_id, id);
        ready(Ok(())).boxed_local()
    }

    fn list<'a>(&'a self, owner: &'a Owner, query: &'a TaskQuery) -> LocalBoxFuture<'a, Result<TaskPage, StoreError>> {
        ready(self.page(owner, query)).boxed_local()
    }
}

#[cfg(test)]
mod tests;
