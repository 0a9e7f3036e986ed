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

use futures_util::future::LocalBoxFuture;

pub use binding::Namespaces;
pub use class::{OwnerIndex, TaskObject};
// What the JavaScript side of the objects calls.
#[doc(hidden)]
pub use class::object_answer;
use tasks::DurableTasks;

use crate::ports::{Clock, Owner, Random, StoreError, Stored, Subscription, TaskPage, TaskQuery, TaskStore};
use crate::protocol::types::{StreamResponse, TaskPushNotificationConfig};

/// Keeps tasks in Durable Objects: one for each task, named by a hash of its owner and its id, and for each owner one that
/// knows the order and the states of all its tasks.
///
/// - **Of two writers one wins.** A task's object answers its requests one after the other, each in a transaction. A write
///   that is not based on the last one is a [`StoreError::Conflict`], always; one that is repeated because its answer
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

impl TaskStore for DurableStore {
    fn get<'a>(&'a self, owner: &'a Owner, id: &'a str) -> LocalBoxFuture<'a, Result<Option<Stored>, StoreError>> {
        self.0.get(owner, id)
    }

    fn put<'a>(
        &'a self,
        owner: &'a Owner,
        stored: Stored,
        events: Vec<StreamResponse>,
    ) -> LocalBoxFuture<'a, Result<Stored, StoreError>> {
        self.0.put(owner, stored, events)
    }

    fn progress<'a>(
        &'a self,
        owner: &'a Owner,
        stored: Stored,
        events: Vec<StreamResponse>,
    ) -> LocalBoxFuture<'a, Result<Stored, StoreError>> {
        self.0.progress(owner, stored, events)
    }

    fn subscribe<'a>(
        &'a self,
        owner: &'a Owner,
        id: &'a str,
    ) -> LocalBoxFuture<'a, Result<Option<Subscription>, StoreError>> {
        self.0.subscribe(owner, id)
    }

    fn subscribers<'a>(&'a self, owner: &'a Owner, id: &'a str) -> LocalBoxFuture<'a, Result<usize, StoreError>> {
        self.0.subscribers(owner, id)
    }

    fn push_configs<'a>(
        &'a self,
        owner: &'a Owner,
        task_id: &'a str,
    ) -> LocalBoxFuture<'a, Result<Vec<TaskPushNotificationConfig>, StoreError>> {
        self.0.push_configs(owner, task_id)
    }

    fn put_push_config<'a>(
        &'a self,
        owner: &'a Owner,
        config: TaskPushNotificationConfig,
    ) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        self.0.put_push_config(owner, config)
    }

    fn delete_push_config<'a>(
        &'a self,
        owner: &'a Owner,
        task_id: &'a str,
        id: &'a str,
    ) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        self.0.delete_push_config(owner, task_id, id)
    }

    fn list<'a>(&'a self, owner: &'a Owner, query: &'a TaskQuery) -> LocalBoxFuture<'a, Result<TaskPage, StoreError>> {
        self.0.list(owner, query)
    }
}
