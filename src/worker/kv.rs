//! The task store on Workers KV.

mod binding;
mod layout;
mod live;
mod operations;
mod push;
mod tasks;
mod watch;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::time::Duration;

pub use binding::Namespace;
pub use layout::MIN_TTL;
pub(super) use layout::hash;
use tasks::KvTasks;

use super::wrapped::Wrapped;
use crate::ports::{Clock, Random, TaskStore};

/// Keeps tasks in a KV namespace.
///
/// A task is the value of the key `task:{owner}:{task id}`, where `owner` is a hash of the owner: always as long, so that no
/// choice of ids makes one owner's key another's. What lists need to know of a task is in the metadata of its key.
///
/// # What KV costs in truth
/// KV is made for reading. What follows from that:
/// - **Two writers can both win.** KV has no compare-and-set. The store reads before it writes and reports a
///   [`StoreError::Conflict`](crate::ports::StoreError::Conflict) if there is a newer revision. It does not see a write that falls between that read
///   and its own, nor one made in another location whose news has not arrived. Then the later write stays, whole.
///   A task without a revision is written without reading first: its id has just been made.
/// - **Reads can be old**, by 60 seconds or more where the key has been read before, in lists as well; also a task that
///   was looked up before it existed can go on missing for that long. Where it was written, it is usually seen at once.
/// - **A key takes one write a second.** A refused write waits and is repeated a few times, so writing a task several times in a
///   row takes seconds. Better write it once.
/// - **Who subscribes in another location learns late**, since there is nothing but reading to learn by. In the instance that
///   works on the task every change is seen at once and in order, also the pieces of an artifact, which are written
///   only with the status that follows them.
/// - A list reads the metadata of all tasks of the owner, whatever is asked for. There is a limit to that: an owner with
///   more than 25,000 tasks gets [`StoreError::Unavailable`](crate::ports::StoreError::Unavailable).
///
/// A Durable Object has none of these limits: see [`DurableStore`](super::durable::DurableStore).
#[derive(Debug)]
pub struct KvStore(KvTasks<Namespace>);

impl KvStore {
    /// The tasks in the namespace `kv`, kept forever. `random` spreads the retries of writers who collided.
    pub fn new(kv: Namespace, clock: Rc<dyn Clock>, random: Rc<dyn Random>) -> Self {
        Self(KvTasks::new(kv, clock, random))
    }

    /// Lets tasks go that were not written for `ttl`, which is at least [`MIN_TTL`].
    pub fn with_ttl(self, ttl: Duration) -> Self {
        Self(self.0.with_ttl(ttl))
    }
}

impl Wrapped for KvStore {
    fn store(&self) -> &dyn TaskStore {
        &self.0
    }
}
