//! The tasks that this instance is working on, as they stand between two writes.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::hub::{Hub, Listener};
use crate::ports::{Owner, StoreError, Stored};
use crate::protocol::types::StreamResponse;

/// How many tasks are remembered whose last step is written. One such task is remembered so that whoever still works on what
/// it was before is told; there are as many of those as requests in flight.
const MAX_WRITTEN: usize = 64;

/// The tasks that had steps here, as they stand.
#[derive(Default)]
pub(super) struct Live {
    tasks: RefCell<BTreeMap<(Owner, String), Entry>>,
    hub: Hub,
}

struct Entry {
    stored: Stored,
    is_written: bool,
}

/// What a step is marked with: it comes after the write that it is based on, and before the next.
fn step(revision: u64) -> u64 {
    2 * revision + 1
}

/// What a write is marked with.
fn write(revision: u64) -> u64 {
    2 * revision
}

impl Live {
    /// The task as it stands, when KV has `written`.
    pub(super) fn newer(&self, owner: &Owner, id: &str, written: Option<Stored>) -> Option<Stored> {
        let tasks = self.tasks.borrow();
        if tasks.is_empty() {
            return written;
        }
        let live = tasks.get(&(owner.clone(), id.to_owned()));
        let is_newer = |live: &&Stored| written.as_ref().is_none_or(|written| live.revision >= written.revision);
        live.map(|live| &live.stored).filter(is_newer).cloned().or(written)
    }

    /// Has anybody here written the task since `stored` was read?
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if so.
    pub(super) fn check(&self, owner: &Owner, stored: &Stored) -> Result<(), StoreError> {
        let tasks = self.tasks.borrow();
        if tasks.is_empty() {
            return Ok(());
        }
        let live = tasks.get(&(owner.clone(), stored.task.id.clone()));
        if live.is_some_and(|live| live.stored.revision > stored.revision) { Err(StoreError::Conflict) } else { Ok(()) }
    }

    /// A step that is not written.
    pub(super) fn progress(
        &self,
        owner: &Owner,
        stored: Stored,
        events: &[StreamResponse],
    ) -> Result<Stored, StoreError> {
        self.check(owner, &stored)?;
        self.hub.publish(owner, &stored.task.id, step(stored.revision), events);
        let mut tasks = self.tasks.borrow_mut();
        if tasks.len() >= MAX_WRITTEN {
            tasks.retain(|_, entry| !entry.is_written);
        }
        let entry = Entry { stored: stored.clone(), is_written: false };
        tasks.insert((owner.clone(), stored.task.id.clone()), entry);
        Ok(stored)
    }

    /// The task was written.
    pub(super) fn written(&self, owner: &Owner, stored: &Stored, events: &[StreamResponse]) {
        self.hub.publish(owner, &stored.task.id, write(stored.revision), events);
        let mut tasks = self.tasks.borrow_mut();
        if tasks.is_empty() {
            return;
        }
        if let Some(entry) = tasks.get_mut(&(owner.clone(), stored.task.id.clone())) {
            *entry = Entry { stored: stored.clone(), is_written: true };
        }
    }

    pub(super) fn listen(&self, owner: &Owner, id: &str) -> Listener {
        self.hub.listen(owner, id)
    }

    pub(super) fn subscribers(&self, owner: &Owner, id: &str) -> usize {
        self.hub.count(owner, id)
    }

    /// Lets a listener forget what it has seen in `snapshot`, which was read since it began to listen.
    pub(super) fn catch_up(&self, owner: &Owner, listener: &Listener, snapshot: &Stored) {
        let key = (owner.clone(), snapshot.task.id.clone());
        let is_live = self.tasks.borrow().get(&key).is_some_and(|live| live.stored == *snapshot);
        listener.forget(if is_live { step(snapshot.revision) } else { write(snapshot.revision) });
    }
}
