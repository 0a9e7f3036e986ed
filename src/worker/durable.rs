//! The task store on Durable Objects.

mod binding;
mod class;
mod feed;
mod index;
mod list;
mod messages;
mod objects;
mod storage;
mod task;
mod tasks;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::time::Duration;

pub use binding::Namespaces;
pub use class::{OwnerIndex, TaskObject};
// What the JavaScript side of the objects calls.
#[doc(hidden)]
pub use class::object_answer;
use tasks::DurableTasks;

use super::wrapped::Wrapped;
use crate::ports::{Clock, Random, TaskStore};

/// Keeps tasks in Durable Objects: one for each task, named by a hash of its owner and its id, and for each owner one that
/// knows the order and the states of all its tasks.
///
/// - **Of two writers one wins.** A task's object answers its requests one after the other, each in a transaction. A write
///   that is not based on the last one is a [`StoreError::Conflict`](crate::ports::StoreError::Conflict), always; one that is repeated because its answer
///   was lost is done once.
/// - **What was written is read**, by everybody, everywhere, at once.
/// - **Whoever subscribes sees every change**, in whichever instance it is made: the object tells them, in order. A
///   connection that breaks is made anew, and what was missed meanwhile is told as the difference.
/// - **Lists are right as far as the index is.** A list asks the owner's index which tasks belong on the page, and the
///   tasks themselves for the rest. The index is told of a write after the task is written. Should that fail, the task is
///   missing from lists, or found under its old state, until its object tells the index once more: within about a
///   minute. A list that comes across an entry that its task contradicts puts it right before it answers.
/// - Tasks go when they were not written for as long as they are kept, and their storage with them.
///
/// What each promise costs is in `docs/stores.md`.
#[derive(Debug)]
pub struct DurableStore(DurableTasks<Namespaces>);

impl DurableStore {
    /// The tasks in `objects`, each kept for `ttl` after its last write. `random` names writes and spreads retries.
    pub fn new(objects: Namespaces, clock: Rc<dyn Clock>, random: Rc<dyn Random>, ttl: Duration) -> Self {
        Self(DurableTasks::new(objects, clock, random, ttl))
    }
}

impl Wrapped for DurableStore {
    fn store(&self) -> &dyn TaskStore {
        &self.0
    }
}
