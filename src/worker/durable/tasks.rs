//! The store on top of any [`Objects`].

use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, ready};

use super::super::kv::hash;
use super::messages::{Garbled, IndexRequest, NOTED, Put, SUBSCRIBERS, TaskAnswer, TaskRequest, known};
use super::objects::{Answer, Class, Objects};
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

impl From<Garbled> for StoreError {
    fn from(_: Garbled) -> Self {
        // The object runs another version of the worker, as happens for a moment when one is deployed.
        Self::Unavailable("an object answered what is no answer".to_owned())
    }
}

/// The task in an answer to [`TaskRequest::Get`].
pub(super) fn read_stored(answer: &str) -> Result<Option<Stored>, StoreError> {
    match TaskAnswer::decode(answer)? {
        TaskAnswer::Nothing => Ok(None),
        TaskAnswer::Task { revision, task } => Ok(Some(Stored { task: read_task(task)?, revision })),
        TaskAnswer::Written(_)
        | TaskAnswer::Conflict
        | TaskAnswer::Configs(_)
        | TaskAnswer::Full
        | TaskAnswer::Done => Err(Garbled.into()),
    }
}

fn read_written(answer: &str) -> Result<u64, StoreError> {
    match TaskAnswer::decode(answer)? {
        TaskAnswer::Written(revision) => Ok(revision),
        TaskAnswer::Conflict => Err(StoreError::Conflict),
        TaskAnswer::Nothing
        | TaskAnswer::Task { .. }
        | TaskAnswer::Configs(_)
        | TaskAnswer::Full
        | TaskAnswer::Done => Err(Garbled.into()),
    }
}

fn read_configs(answer: &str) -> Result<Vec<TaskPushNotificationConfig>, StoreError> {
    let configs = match TaskAnswer::decode(answer)? {
        TaskAnswer::Configs(configs) => configs,
        TaskAnswer::Nothing
        | TaskAnswer::Task { .. }
        | TaskAnswer::Written(_)
        | TaskAnswer::Conflict
        | TaskAnswer::Full
        | TaskAnswer::Done => return Err(Garbled.into()),
    };
    let mut found = Vec::new();
    for config in configs.lines() {
        let config = types::from_json(config);
        found.push(config.map_err(|error| StoreError::unreadable("config in its object", &error))?);
    }
    Ok(found)
}

fn read_done(answer: &str) -> Result<(), StoreError> {
    match TaskAnswer::decode(answer)? {
        TaskAnswer::Done => Ok(()),
        TaskAnswer::Full => Err(StoreError::too_many_push_configs()),
        TaskAnswer::Nothing
        | TaskAnswer::Task { .. }
        | TaskAnswer::Written(_)
        | TaskAnswer::Conflict
        | TaskAnswer::Configs(_) => Err(Garbled.into()),
    }
}

impl<O: Objects> DurableTasks<O> {
    /// Asks until all have answered.
    ///
    /// Boxed, as all that waits here is: each future that holds this one by itself would have its code again.
    pub(super) fn ask_all(
        &self,
        class: Class,
        names: Vec<String>,
        request: String,
    ) -> LocalBoxFuture<'_, Result<Vec<Answer>, StoreError>> {
        async move {
            let mut attempt = 0;
            loop {
                match self.objects.ask(class, &names, &request).await {
                    Ok(answers) => return Ok(answers),
                    Err(fault) if !fault.passes || attempt + 1 == ATTEMPTS => {
                        return Err(StoreError::Unavailable(fault.text));
                    }
                    Err(_) => self.back_off(attempt).await,
                }
                attempt += 1;
            }
        }
        .boxed_local()
    }

    /// Asks one object and reads its answer.
    pub(super) fn ask<T: 'static>(
        &self,
        class: Class,
        name: String,
        request: String,
        read: fn(&str) -> Result<T, StoreError>,
    ) -> LocalBoxFuture<'_, Result<T, StoreError>> {
        let answers = self.ask_all(class, vec![name], request);
        answers
            .map(move |answers| read(answers?.first().map(|answer| answer.text.as_str()).unwrap_or_default()))
            .boxed_local()
    }

    /// Tells the index of `owner` what has changed.
    pub(super) fn note(&self, owner: &Owner, notes: &str) -> LocalBoxFuture<'_, Result<(), StoreError>> {
        let request = IndexRequest::Note { ttl_ms: self.ttl_ms, notes }.encode();
        let read = |answer: &str| if answer == NOTED { Ok(()) } else { Err(Garbled.into()) };
        self.ask(Class::Index, index_name(owner), request, read)
    }

    async fn write(
        &self,
        owner: &Owner,
        mut stored: Stored,
        events: &[StreamResponse],
        is_step: bool,
    ) -> Result<Stored, StoreError> {
        let note = known(&stored.task, stored.revision + 1);
        let request = self.put_request(owner, &stored, events, is_step, &note)?;
        stored.revision = self.ask(Class::Task, task_name(owner, &stored.task.id), request, read_written).await?;
        if !is_step {
            // The task is written, whatever becomes of this. Its object tells the index once more in a minute.
            let _ = self.note(owner, &note).await;
        }
        Ok(stored)
    }

    fn put_request(
        &self,
        owner: &Owner,
        stored: &Stored,
        events: &[StreamResponse],
        is_step: bool,
        entry: &str,
    ) -> Result<String, StoreError> {
        if !is_task_id(&stored.task.id) {
            return Err(StoreError::Unstorable("unfit task id".to_owned()));
        }
        let task = write_json(&stored.task)?;
        if task.len() > MAX_TASK_BYTES {
            return Err(StoreError::Unstorable(format!("{} bytes, an object takes {MAX_TASK_BYTES}", task.len())));
        }
        let put = Put {
            base: stored.revision,
            ttl_ms: self.ttl_ms,
            is_step,
            write: &format!("{:016x}", self.chance()),
            index: &index_name(owner),
            entry,
            events: &if events.is_empty() { String::new() } else { write_json(&events)? },
            task: &task,
        };
        Ok(TaskRequest::Put(put).encode())
    }

    fn config_request(config: &TaskPushNotificationConfig) -> Result<String, StoreError> {
        if !is_task_id(&config.id) {
            return Err(StoreError::Unstorable("unfit config id".to_owned()));
        }
        Ok(TaskRequest::PutConfig { id: &config.id, config: &write_json(config)? }.encode())
    }
}

impl<O> fmt::Debug for DurableTasks<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DurableTasks").field("ttl_ms", &self.ttl_ms).finish_non_exhaustive()
    }
}

impl<O: Objects + Clone + 'static> TaskStore for DurableTasks<O> {
    fn get<'a>(&'a self, owner: &'a Owner, id: &'a str) -> LocalBoxFuture<'a, Result<Option<Stored>, StoreError>> {
        if !is_task_id(id) {
            return ready(Ok(None)).boxed_local();
        }
        self.ask(Class::Task, task_name(owner, id), TaskRequest::Get.encode(), read_stored)
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

    fn subscribers<'a>(&'a self, owner: &'a Owner, id: &'a str) -> LocalBoxFuture<'a, Result<usize, StoreError>> {
        if !is_task_id(id) {
            return ready(Ok(0)).boxed_local();
        }
        self.ask(Class::Task, task_name(owner, id), SUBSCRIBERS.to_owned(), |answer| {
            answer.parse().map_err(|_| StoreError::from(Garbled))
        })
    }

    fn push_configs<'a>(
        &'a self,
        owner: &'a Owner,
        task_id: &'a str,
    ) -> LocalBoxFuture<'a, Result<Vec<TaskPushNotificationConfig>, StoreError>> {
        if !is_task_id(task_id) {
            return ready(Ok(Vec::new())).boxed_local();
        }
        self.ask(Class::Task, task_name(owner, task_id), TaskRequest::Configs.encode(), read_configs)
    }

    fn put_push_config<'a>(
        &'a self,
        owner: &'a Owner,
        config: TaskPushNotificationConfig,
    ) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        match Self::config_request(&config) {
            Ok(request) => self.ask(Class::Task, task_name(owner, &config.task_id), request, read_done),
            Err(error) => ready(Err(error)).boxed_local(),
        }
    }

    fn delete_push_config<'a>(
        &'a self,
        owner: &'a Owner,
        task_id: &'a str,
        id: &'a str,
    ) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        if !is_task_id(task_id) || !is_task_id(id) {
            return ready(Ok(())).boxed_local();
        }
        self.ask(Class::Task, task_name(owner, task_id), TaskRequest::DeleteConfig { id }.encode(), read_done)
    }

    fn list<'a>(&'a self, owner: &'a Owner, query: &'a TaskQuery) -> LocalBoxFuture<'a, Result<TaskPage, StoreError>> {
        self.page(owner, query).boxed_local()
    }
}
