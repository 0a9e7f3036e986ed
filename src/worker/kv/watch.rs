//! Subscriptions: what happens in this instance is seen at once, what happens elsewhere by looking again.

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::{Either, select};
use futures_util::{StreamExt, stream};

use super::layout;
use super::operations::Kv;
use super::tasks::KvTasks;
use crate::hub::Listener;
use crate::ports::{Clock, Owner, StoreError, Stored, Subscription};
use crate::protocol::types::StreamResponse;

/// How often a subscriber looks for what other instances have written. Reads of KV are as old as 60 seconds anyway, and
/// each is billed.
pub(super) const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// How often it looks at most: a request of the free plan has 50 subrequests
/// (<https://developers.cloudflare.com/workers/platform/limits/>). After that it sees this instance alone.
const MAX_LOOKS: u32 = 40;

struct Watch<K> {
    kv: K,
    key: String,
    clock: Rc<dyn Clock>,
    listener: Listener,
    /// The task as the subscriber knows it.
    known: Stored,
    found: VecDeque<StreamResponse>,
    looks: u32,
}

impl<K: Kv + Clone + 'static> KvTasks<K> {
    pub(super) async fn watch(&self, owner: &Owner, id: &str) -> Result<Option<Subscription>, StoreError> {
        let Some(key) = layout::key(owner, id) else { return Ok(None) };
        // Before reading: what comes between would be lost otherwise.
        let listener = self.live.listen(owner, id);
        let Some(known) = self.read(owner, id).await? else { return Ok(None) };
        self.live.catch_up(owner, &listener, &known);
        let task = known.task.clone();
        let (kv, clock, found) = (self.kv.clone(), Rc::clone(&self.clock), VecDeque::new());
        let watch = Watch { kv, key, clock, listener, known, found, looks: 0 };
        let events = stream::unfold(watch, |mut watch| async { watch.next().await.map(|event| (event, watch)) });
        Ok(Some(Subscription { task, events: events.boxed_local() }))
    }
}

impl<K: Kv> Watch<K> {
    async fn next(&mut self) -> Option<Result<StreamResponse, StoreError>> {
        loop {
            if let Some(event) = self.found.pop_front() {
                return Some(Ok(event));
            }
            if self.looks == MAX_LOOKS {
                return self.listener.next().await;
            }
            let event = match select(self.listener.next(), self.clock.sleep(LOOK_AGAIN)).await {
                Either::Left((event, _)) => event?,
                Either::Right(_) => {
                    self.look().await;
                    continue;
                }
            };
            if let Ok(event) = &event {
                self.known.task.apply(event);
            }
            return Some(event);
        }
    }

    /// A look that fails is no reason to end the stream: there will be another.
    async fn look(&mut self) {
        self.looks += 1;
        let Ok(Some(value)) = self.kv.get(&self.key).await else { return };
        let Ok(current) = layout::decode(&self.key, &value) else { return };
        if current.revision > self.known.revision {
            self.found.extend(current.task.changes_since(&self.known.task));
            self.known = current;
        }
    }
}
