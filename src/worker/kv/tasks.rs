//! The store on top of any [`Kv`].

use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, ready, try_join_all};

use super::live::Live;

use super::layout::{self, Filter, MIN_TTL, Metadata};
use super::operations::{Fault, FaultKind, Kv, PutOptions};
use crate::ports::{
    Clock, Cursor, MAX_PAGE_SIZE, Owner, Random, StoreError, Stored, Subscription, TaskPage, TaskQuery, TaskStore,
    is_task_id,
};
use crate::protocol::types::{StreamResponse, Task, TaskPushNotificationConfig};

/// How often a write is tried: the caller waits meanwhile, and after four waits of a second and a half nearly
/// everyone whose client gives up after ten seconds is still there.
pub(super) const PUT_ATTEMPTS: u32 = 5;

/// How often a read is tried.
pub(super) const READ_ATTEMPTS: u32 = 3;

/// KV takes one write per second and key (<https://developers.cloudflare.com/kv/platform/limits/>); the rest is for clocks
/// that differ.
const WRITE_INTERVAL: Duration = Duration::from_millis(1_100);

/// Writers who collided come back at different times within this.
const WRITE_JITTER: Duration = Duration::from_millis(400);

/// The wait after a passing fault; it doubles from attempt to attempt, and up to as much again is added by chance.
const BACKOFF: Duration = Duration::from_millis(50);

/// How many pages of 1,000 keys a list may read. A request has 1,000 operations of KV (same source), but on the free plan
/// 50 subrequests (<https://developers.cloudflare.com/workers/platform/limits/>): half of those.
pub(super) const MAX_LIST_CALLS: usize = 25;

/// Keeps tasks in `kv`.
pub(super) struct KvTasks<K> {
    pub(super) kv: K,
    pub(super) clock: Rc<dyn Clock>,
    random: Rc<dyn Random>,
    ttl: Option<Duration>,
    pub(super) live: Live,
}

impl<K> KvTasks<K> {
    pub(super) fn new(kv: K, clock: Rc<dyn Clock>, random: Rc<dyn Random>) -> Self {
        Self { kv, clock, random, ttl: None, live: Live::default() }
    }

    pub(super) fn with_ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl.max(MIN_TTL));
        self
    }

    /// Waits for as long as `fault` asks for after attempt number `attempt`, which is counted from 0.
    async fn back_off(&self, fault: &Fault, attempt: u32) {
        let (wait, jitter) = match fault.kind {
            FaultKind::TooManyWrites => (WRITE_INTERVAL, WRITE_JITTER),
            FaultKind::Passing | FaultKind::Lasting => {
                let wait = BACKOFF * 2_u32.pow(attempt);
                (wait, wait)
            }
        };
        let mut bytes = [0; 2];
        self.random.fill(&mut bytes);
        let share = f64::from(u16::from_le_bytes(bytes)) / f64::from(u16::MAX);
        self.clock.sleep(wait + jitter.mul_f64(share)).await;
    }
}

impl<K: Kv> KvTasks<K> {
    pub(super) async fn retry<T>(&self, operation: impl AsyncFn() -> Result<T, Fault>) -> Result<T, StoreError> {
        let mut attempt = 0;
        loop {
            match operation().await {
                Ok(value) => return Ok(value),
                Err(fault) if fault.kind == FaultKind::Lasting || attempt + 1 == READ_ATTEMPTS => {
                    return Err(StoreError::Unavailable(fault.text));
                }
                Err(fault) => self.back_off(&fault, attempt).await,
            }
            attempt += 1;
        }
    }

    async fn value(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.retry(async || self.kv.get(key).await).await
    }

    pub(super) async fn read(&self, owner: &Owner, id: &str) -> Result<Option<Stored>, StoreError> {
        let Some(key) = layout::key(owner, id) else { return Ok(None) };
        let value = self.value(&key).await?;
        let written = value.map(|value| layout::decode(&key, &value)).transpose()?;
        Ok(self.live.newer(owner, id, written))
    }

    async fn write(&self, owner: &Owner, stored: Stored, events: &[StreamResponse]) -> Result<Stored, StoreError> {
        self.live.check(owner, &stored)?;
        let stored = self.write_value(owner, stored).await?;
        self.live.written(owner, &stored, events);
        Ok(stored)
    }

    async fn write_value(&self, owner: &Owner, mut stored: Stored) -> Result<Stored, StoreError> {
        let Some(key) = layout::key(owner, &stored.task.id) else {
            return Err(StoreError::Unstorable("unfit task id".to_owned()));
        };
        let base = stored.revision;
        stored.revision += 1;
        let value = layout::encode(&stored)?;
        let metadata = Some(Metadata::of(&stored.task).to_value());
        let options = PutOptions { metadata, ..self.options() };
        // Before every attempt: the time that a refused write waits for is the time in which others write.
        let is_written = async || Ok(base > 0 && self.is_written(&key, &value, base).await?);
        self.put_value(&key, &value, &options, is_written).await?;
        Ok(stored)
    }

    pub(super) fn options(&self) -> PutOptions {
        PutOptions { metadata: None, ttl_s: self.ttl.map(|ttl| ttl.as_secs()) }
    }

    /// Writes a key unless `is_written`, which is asked before each attempt.
    pub(super) async fn put_value(
        &self,
        key: &str,
        value: &str,
        options: &PutOptions,
        is_written: impl AsyncFn() -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        let mut attempt = 0;
        while !is_written().await? {
            match self.kv.put(key, value, options).await {
                Ok(()) => break,
                Err(fault) if fault.kind == FaultKind::Lasting || attempt + 1 == PUT_ATTEMPTS => {
                    return Err(StoreError::Unavailable(fault.text));
                }
                Err(fault) => self.back_off(&fault, attempt).await,
            }
            attempt += 1;
        }
        Ok(())
    }

    /// Whether `value` is there already, since an attempt that seemed to fail did not.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if there is something newer than revision `base`. Something older is no conflict, and
    /// neither is nothing: the caller has seen `base`, so it is this read that is behind.
    async fn is_written(&self, key: &str, value: &str, base: u64) -> Result<bool, StoreError> {
        let Some(current) = self.value(key).await? else { return Ok(false) };
        if current == value {
            return Ok(true);
        }
        if layout::decode(key, &current)?.revision > base {
            return Err(StoreError::Conflict);
        }
        Ok(false)
    }

    async fn page(&self, owner: &Owner, query: &TaskQuery) -> Result<TaskPage, StoreError> {
        let filter = Filter::new(query);
        let size = query.page_size.clamp(1, MAX_PAGE_SIZE);
        let mut places = self.scan(&layout::prefix(owner), &filter).await?;
        let mut total = places.len();
        if let Some(cursor) = &query.cursor {
            places.retain(|place| cursor.list_order(place).is_lt());
        }
        places.sort_unstable_by(Cursor::list_order);
        let has_more = places.len() > size;
        places.truncate(size);
        let mut tasks = self.load(owner, &places).await?;
        // Metadata can be older than the value: what is shown must pass the filters as it is, and in its own order.
        tasks.retain(|task| filter.passes(&Metadata::of(task)));
        total -= places.len() - tasks.len();
        tasks.sort_by(|a, b| b.status.timestamp.cmp(&a.status.timestamp).then_with(|| a.id.cmp(&b.id)));
        Ok(TaskPage { tasks, next: places.pop().filter(|_| has_more), total })
    }

    /// The places of all tasks that pass, in no order.
    async fn scan(&self, prefix: &str, filter: &Filter<'_>) -> Result<Vec<Cursor>, StoreError> {
        let mut places = Vec::new();
        let mut cursor = None;
        for _ in 0..MAX_LIST_CALLS {
            let page = self.retry(async || self.kv.list(prefix, cursor.clone()).await).await?;
            for (key, metadata) in page.keys {
                let Some(id) = key.strip_prefix(prefix).filter(|id| is_task_id(id)) else { continue };
                let metadata = Metadata::read(&key, metadata)?;
                if filter.passes(&metadata) {
                    places.push(metadata.place(id));
                }
            }
            cursor = page.cursor;
            if cursor.is_none() {
                return Ok(places);
            }
        }
        Err(StoreError::Unavailable(format!("too many tasks to list: more than {MAX_LIST_CALLS} pages of keys")))
    }

    /// The values of these keys, in their order.
    pub(super) async fn values(&self, keys: &[String]) -> Result<Vec<Option<String>>, StoreError> {
        match self.kv.get_many(keys).await {
            Ok(values) => Ok(values),
            // Large tasks may be more than KV gives in one answer, and each of them can still be had.
            Err(_) => try_join_all(keys.iter().map(|key| self.value(key))).await,
        }
    }

    /// The tasks at these places, without those that have gone since.
    async fn load(&self, owner: &Owner, places: &[Cursor]) -> Result<Vec<Task>, StoreError> {
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let prefix = layout::prefix(owner);
        let keys: Vec<_> = places.iter().map(|place| format!("{prefix}{}", place.id)).collect();
        let values = self.values(&keys).await?;
        let found = keys.iter().zip(values).filter_map(|(key, value)| Some((key, value?)));
        found.map(|(key, value)| Ok(layout::decode(key, &value)?.task)).collect()
    }
}

impl<K> fmt::Debug for KvTasks<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KvTasks").field("ttl", &self.ttl).finish_non_exhaustive()
    }
}

impl<K: Kv + Clone + 'static> TaskStore for KvTasks<K> {
    fn get<'a>(&'a self, owner: &'a Owner, id: &'a str) -> LocalBoxFuture<'a, Result<Option<Stored>, StoreError>> {
        self.read(owner, id).boxed_local()
    }

    fn put<'a>(
        &'a self,
        owner: &'a Owner,
        stored: Stored,
        events: Vec<StreamResponse>,
    ) -> LocalBoxFuture<'a, Result<Stored, StoreError>> {
        async move { self.write(owner, stored, &events).await }.boxed_local()
    }

    fn progress<'a>(
        &'a self,
        owner: &'a Owner,
        stored: Stored,
        events: Vec<StreamResponse>,
    ) -> LocalBoxFuture<'a, Result<Stored, StoreError>> {
        ready(self.live.progress(owner, stored, &events)).boxed_local()
    }

    fn list<'a>(&'a self, owner: &'a Owner, query: &'a TaskQuery) -> LocalBoxFuture<'a, Result<TaskPage, StoreError>> {
        self.page(owner, query).boxed_local()
    }

    fn subscribe<'a>(
        &'a self,
        owner: &'a Owner,
        id: &'a str,
    ) -> LocalBoxFuture<'a, Result<Option<Subscription>, StoreError>> {
        self.watch(owner, id).boxed_local()
    }

    fn subscribers<'a>(&'a self, owner: &'a Owner, id: &'a str) -> LocalBoxFuture<'a, Result<usize, StoreError>> {
        ready(Ok(self.live.subscribers(owner, id))).boxed_local()
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
}
