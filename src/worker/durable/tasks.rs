//! The store on top of any [`Objects`].

use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use super::super::kv::hash;
use super::messages::{Entry, Garbled, IndexRequest, NOTED, Note, Put, TaskAnswer, TaskRequest};
use super::objects::{Class, Fault, Objects};
use crate::ports::{
    Clock, Owner, Random, StoreError, Stored, Subscription, TaskPage, TaskQuery, TaskStore, is_task_id,
};
use crate::protocol::types::{self, StreamResponse, Task, TaskPushNotificationConfig};

/// How often a request to an object is tried. Each can be repeated: a write is done once, however often it arrives.
pub(super) const ATTEMPTS: u32 = 3;

/// The wait after a failed attempt; it doubles from attempt to attempt, and up to as much again is added by chance.
const BACKOFF: Duration = Duration::from_millis(50);

/// Longest task as JSON, in bytes. A row is limited and a task may have several (`MAX_PIECE_BYTES`), but an object has
/// 128 MB of memory for the request, the database's pages and the answer; KV takes 25 MiB.
pub(super) const MAX_TASK_BYTES: usize = 16 * 1024 * 1024;

/// Longest that a task is kept: a hundred years. In milliseconds it stays far below 2^53.
const MAX_TTL: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// Keeps tasks in objects.
#[derive(Clone)]
pub(super) struct DurableTasks<O> {
    pub(super) objects: O,
    pub(super) clock: Rc<dyn Clock>,
    random: Rc<dyn Random>,
    ttl_ms: u64,
}

/// The name of a task's object. No task id holds a line break, so no choice of ids and subjects makes one task's name
/// another's.
pub(super) fn task_name(owner: &Owner, id: &str) -> String {
    hash(&format!("{}\n{id}", owner.as_str()))
}

/// The name of an owner's index.
pub(super) fn index_name(owner: &Owner) -> String {
    hash(owner.as_str())
}

/// Reads the JSON of a task.
///
/// # Errors
/// [`StoreError::Corrupt`], naming the place, but nothing of the task.
pub(super) fn read_task(json: &str) -> Result<Task, StoreError> {
    types::from_json(json).map_err(|error| StoreError::unreadable("task in its object", &error))
}

fn write_json(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Unstorable(error.to_string()))
}

impl<O> DurableTasks<O> {
    /// Keeps each task for `ttl` after its last write.
    pub(super) fn new(objects: O, clock: Rc<dyn Clock>, random: Rc<dyn Random>, ttl: Duration) -> Self {
        // Exact: a hundred years of milliseconds fit many times over.
        let ttl_ms = ttl.min(MAX_TTL).as_millis() as u64;
        Self { objects, clock, random, ttl_ms }
    }

    fn chance(&self) -> u64 {
        let mut bytes = [0; 8];
        self.random.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    /// Waits after attempt number `attempt`, which is counted from 0.
    pub(super) async fn back_off(&self, attempt: u32) {
        let wait = BACKOFF * 2_u32.pow(attempt);
        let jitter = self.chance() % (wait.as_millis() as u64 + 1);
        self.clock.sleep(wait + Duration::from_millis(jitter)).await;
    }
}

impl<O: Objects> DurableTasks<O> {
    /// Asks until there is an answer that `read` understands.
    pub(super) async fn ask<T>(
        &self,
        class: Class,
        name: &str,
        request: &str,
        read: impl Fn(&str) -> Result<T, Garbled>,
    ) -> Result<T, StoreError> {
        self.retry(async || Ok(read(&self.objects.ask(class, name, request).await?)?)).await
    }

    pub(super) async fn retry<T>(&self, request: impl AsyncFn() -> Result<T, Fault>) -> Result<T, StoreError> {
        let mut attempt = 0;
        loop {
            match request().await {
                Ok(answer) => return Ok(answer),
                Err(fault) if !fault.passes || attempt + 1 == ATTEMPTS => {
                    return Err(StoreError::Unavailable(fault.text));
                }
                Err(_) => self.back_off(attempt).await,
            }
            attempt += 1;
        }
    }

    pub(super) async fn read(&self, owner: &Owner, id: &str) -> Result<Option<Stored>, StoreError> {
        if !is_task_id(id) {
            return Ok(None);
        }
        let read = |answer: &str| match TaskAnswer::decode(answer)? {
            TaskAnswer::Nothing => Ok(None),
            TaskAnswer::Task { revision, task } => Ok(Some((revision, task.to_owned()))),
            TaskAnswer::Written(_)
            | TaskAnswer::Conflict
            | TaskAnswer::Configs(_)
            | TaskAnswer::Full
            | TaskAnswer::Done => Err(Garbled),
        };
        let found = self.ask(Class::Task, &task_name(owner, id), &TaskRequest::Get.encode(), read).await?;
        found.map(|(revision, json)| Ok(Stored { task: read_task(&json)?, revision })).transpose()
    }

    async fn write(
        &self,
        owner: &Owner,
        mut stored: Stored,
        events: &[StreamResponse],
        is_step: bool,
    ) -> Result<Stored, StoreError> {
        let Stored { task, revision: base } = &stored;
        if !is_task_id(&task.id) {
            return Err(StoreError::Unstorable("unfit task id".to_owned()));
        }
        let json = write_json(task)?;
        if json.len() > MAX_TASK_BYTES {
            return Err(StoreError::Unstorable(format!("{} bytes, an object takes {MAX_TASK_BYTES}", json.len())));
        }
        let note = Note::Known(Entry::of(task, base + 1));
        let put = Put {
            base: *base,
            ttl_ms: self.ttl_ms,
            is_step,
            write: &format!("{:016x}", self.chance()),
            index: &index_name(owner),
            entry: &note.encode(),
            events: &if events.is_empty() { String::new() } else { write_json(&events)? },
            task: &json,
        };
        let revision = self.written(&task_name(owner, &task.id), &TaskRequest::Put(put).encode()).await?;
        if !is_step {
            // The task is written, whatever becomes of this. Its object tells the index once more in a minute.
            let _ = self.note(owner, vec![note]).await;
        }
        stored.revision = revision;
        Ok(stored)
    }

    async fn written(&self, name: &str, request: &str) -> Result<u64, StoreError> {
        let read = |answer: &str| match TaskAnswer::decode(answer)? {
            TaskAnswer::Written(revision) => Ok(Some(revision)),
            TaskAnswer::Conflict => Ok(None),
            TaskAnswer::Nothing
            | TaskAnswer::Task { .. }
            | TaskAnswer::Configs(_)
            | TaskAnswer::Full
            | TaskAnswer::Done => Err(Garbled),
        };
        self.ask(Class::Task, name, request, read).await?.ok_or(StoreError::Conflict)
    }

    /// Tells the index of `owner` what has changed.
    pub(super) async fn note(&self, owner: &Owner, notes: Vec<Note<'_>>) -> Result<(), StoreError> {
        let request = IndexRequest::Note { ttl_ms: self.ttl_ms, notes }.encode();
        let read = |answer: &str| if answer == NOTED { Ok(()) } else { Err(Garbled) };
        self.ask(Class::Index, &index_name(owner), &request, read).await
    }

    async fn configs(&self, owner: &Owner, task_id: &str) -> Result<Vec<TaskPushNotificationConfig>, StoreError> {
        if !is_task_id(task_id) {
            return Ok(Vec::new());
        }
        let read = |answer: &str| match TaskAnswer::decode(answer)? {
            TaskAnswer::Configs(configs) => Ok(configs.to_owned()),
            TaskAnswer::Nothing
            | TaskAnswer::Task { .. }
            | TaskAnswer::Written(_)
            | TaskAnswer::Conflict
            | TaskAnswer::Full
            | TaskAnswer::Done => Err(Garbled),
        };
        let request = TaskRequest::Configs.encode();
        let configs = self.ask(Class::Task, &task_name(owner, task_id), &request, read).await?;
        let read =
            |line| types::from_json(line).map_err(|error| StoreError::unreadable("config in its object", &error));
        configs.lines().map(read).collect()
    }

    async fn put_config(&self, owner: &Owner, config: TaskPushNotificationConfig) -> Result<(), StoreError> {
        if !is_task_id(&config.id) {
            return Err(StoreError::Unstorable("unfit config id".to_owned()));
        }
        let request = TaskRequest::PutConfig { id: &config.id, config: &write_json(&config)? }.encode();
        if self.is_done(owner, &config.task_id, &request).await? {
            Ok(())
        } else {
            Err(StoreError::too_many_push_configs())
        }
    }

    async fn delete_config(&self, owner: &Owner, task_id: &str, id: &str) -> Result<(), StoreError> {
        if is_task_id(task_id) && is_task_id(id) {
            self.is_done(owner, task_id, &TaskRequest::DeleteConfig { id }.encode()).await?;
        }
        Ok(())
    }

    /// Whether there was room.
    async fn is_done(&self, owner: &Owner, task_id: &str, request: &str) -> Result<bool, StoreError> {
        let read = |answer: &str| match TaskAnswer::decode(answer)? {
            TaskAnswer::Done => Ok(true),
            TaskAnswer::Full => Ok(false),
            TaskAnswer::Nothing
            | TaskAnswer::Task { .. }
            | TaskAnswer::Written(_)
            | TaskAnswer::Conflict
            | TaskAnswer::Configs(_) => Err(Garbled),
        };
        self.ask(Class::Task, &task_name(owner, task_id), request, read).await
    }
}

impl<O> fmt::Debug for DurableTasks<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DurableTasks").field("ttl_ms", &self.ttl_ms).finish_non_exhaustive()
    }
}

impl<O: Objects + Clone + 'static> TaskStore for DurableTasks<O> {
    fn get<'a>(&'a self, owner: &'a Owner, id: &'a str) -> LocalBoxFuture<'a, Result<Option<Stored>, StoreError>> {
        self.read(owner, id).boxed_local()
    }

    fn put<'a>(
        &'a self,
        owner: &'a Owner,
        stored: Stored,
        events: Vec<StreamResponse>,
    ) -> LocalBoxFuture<'a, Result<Stored, StoreError>> {
        async move { self.write(owner, stored, &events, false).await }.boxed_local()
    }

    fn progress<'a>(
        &'a self,
        owner: &'a Owner,
        stored: Stored,
        events: Vec<StreamResponse>,
    ) -> LocalBoxFuture<'a, Result<Stored, StoreError>> {
        async move { self.write(owner, stored, &events, true).await }.boxed_local()
    }

    fn subscribe<'a>(
        &'a self,
        owner: &'a Owner,
        id: &'a str,
    ) -> LocalBoxFuture<'a, Result<Option<Subscription>, StoreError>> {
        self.follow(owner, id).boxed_local()
    }

    fn push_configs<'a>(
        &'a self,
        owner: &'a Owner,
        task_id: &'a str,
    ) -> LocalBoxFuture<'a, Result<Vec<TaskPushNotificationConfig>, StoreError>> {
        self.configs(owner, task_id).boxed_local()
    }

    fn put_push_config<'a>(
        &'a self,
        owner: &'a Owner,
        config: TaskPushNotificationConfig,
    ) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        self.put_config(owner, config).boxed_local()
    }

    fn delete_push_config<'a>(
        &'a self,
        owner: &'a Owner,
        task_id: &'a str,
        id: &'a str,
    ) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        self.delete_config(owner, task_id, id).boxed_local()
    }

    fn list<'a>(&'a self, owner: &'a Owner, query: &'a TaskQuery) -> LocalBoxFuture<'a, Result<TaskPage, StoreError>> {
        self.page(owner, query).boxed_local()
    }
}
