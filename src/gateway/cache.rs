//! Tasks that the origin has shown, kept under the credentials that it showed them to.

use std::rc::Rc;

use serde_json::Value;

use crate::ports::{Background, Level, Log, Owner, StoreError, Stored, TaskStore};
use crate::protocol::types::{StreamResponse, Struct, Task};

/// In the metadata of a task that is answered in the place of the origin: why, as a reason.
pub(super) const CACHED: &str = "a2a-edge.cached";
/// In the metadata of a stored task that was put together from a stream, and may lack what the origin has of it.
const PARTIAL: &str = "a2a-edge.partial";

/// Tasks in a store.
#[derive(Clone)]
pub(super) struct Cache {
    pub(super) store: Rc<dyn TaskStore>,
    pub(super) background: Rc<dyn Background>,
    pub(super) log: Rc<dyn Log>,
}

impl Cache {
    /// The task, if nothing can happen to it any more: what the origin would say, too.
    pub(super) async fn settled(&self, owner: &Owner, id: &str, history_length: Option<u32>) -> Option<Task> {
        let task = self.read(owner, id).await?;
        let is_whole = !is_partial(&task);
        shortened(task, history_length).filter(|task| is_whole && task.status.state.is_terminal())
    }

    /// The task as it was last seen, marked with why the origin is not asked.
    pub(super) async fn last_seen(
        &self,
        owner: &Owner,
        id: &str,
        history_length: Option<u32>,
        reason: &str,
    ) -> Option<Task> {
        let mut task = shortened(self.read(owner, id).await?, history_length)?;
        let metadata = task.metadata.get_or_insert_default();
        metadata.remove(PARTIAL);
        metadata.insert(CACHED.to_owned(), Value::String(reason.to_owned()));
        Some(task)
    }

    async fn read(&self, owner: &Owner, id: &str) -> Option<Task> {
        match self.store.get(owner, id).await {
            Ok(stored) => stored.map(|stored| stored.task),
            Err(error) => {
                report(&*self.log, &error);
                None
            }
        }
    }

    /// Keeps a task as the origin gave it. Nobody waits for that.
    pub(super) fn keep(&self, owner: &Owner, task: Task) {
        let (store, log, owner) = (Rc::clone(&self.store), Rc::clone(&self.log), owner.clone());
        self.background.spawn(Box::pin(async move {
            match write(&*store, &owner, task).await {
                // Somebody else has just kept it, or it is too large to be kept.
                Ok(()) | Err(StoreError::Conflict | StoreError::Unstorable(_)) => {}
                Err(error @ (StoreError::Unavailable(_) | StoreError::Corrupt(_))) => report(&*log, &error),
            }
        }));
    }

    /// Follows a stream, to keep its task when it is over.
    pub(super) fn follow(&self, owner: Owner) -> Follower {
        Follower { cache: self.clone(), owner, task: None }
    }
}

async fn write(store: &dyn TaskStore, owner: &Owner, task: Task) -> Result<(), StoreError> {
    let known = store.get(owner, &task.id).await?;
    let revision = match &known {
        // What is settled stays so; an answer that took longer is older.
        Some(known) if known.task.status.state.is_terminal() && !is_partial(&known.task) => return Ok(()),
        Some(known) if known.task == task => return Ok(()),
        Some(known) => known.revision,
        None => 0,
    };
    store.put(owner, Stored { task, revision }, Vec::new()).await.map(|_| ())
}

/// Puts the events of a stream together.
pub(super) struct Follower {
    cache: Cache,
    owner: Owner,
    task: Option<Task>,
}

impl Follower {
    pub(super) fn see(&mut self, event: &StreamResponse) {
        if let StreamResponse::Task(task) = event {
            self.task = Some(task.clone());
        } else if let Some(task) = &mut self.task {
            task.apply(event);
            task.metadata.get_or_insert_with(Struct::new).insert(PARTIAL.to_owned(), Value::Bool(true));
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        if let Some(task) = self.task.take() {
            self.cache.keep(&self.owner, task);
        }
    }
}

fn is_partial(task: &Task) -> bool {
    task.metadata.as_ref().is_some_and(|metadata| metadata.contains_key(PARTIAL))
}

/// With as much history as was asked for; `None` if that may be more than was seen.
fn shortened(mut task: Task, history_length: Option<u32>) -> Option<Task> {
    if let Some(length) = history_length.and_then(|length| usize::try_from(length).ok()) {
        if length > task.history().len() {
            return None;
        }
        task.limit_history(length);
    }
    Some(task)
}

fn report(log: &dyn Log, error: &StoreError) {
    let line = serde_json::json!({ "level": "warn", "event": "task_cache_failed", "problem": error.to_string() });
    log.write(Level::Warn, &line.to_string());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{ManualBackground, ManualClock, MemoryLog, MemoryStore};
    use crate::protocol::types::{Message, TaskState};
    use futures::executor::block_on;

    fn cache() -> (Cache, ManualBackground) {
        let background = ManualBackground::default();
        let clock = Rc::new(ManualClock::default());
        let store = Rc::new(MemoryStore::new(clock));
        (Cache { store, background: Rc::new(background.clone()), log: Rc::new(MemoryLog::default()) }, background)
    }

    fn task(state: TaskState) -> Task {
        let mut task = Task::new("t1", "c1").with_status(state);
        task.push_message(Message::user_text("a"));
        task.push_message(Message::user_text("b"));
        task
    }

    fn keep(cache: &Cache, background: &ManualBackground, owner: &Owner, task: Task) {
        cache.keep(owner, task);
        assert_eq!(background.advance(), 0);
    }

    #[test]
    fn only_what_is_settled_stands_in_for_a_healthy_origin() {
        let (cache, background) = cache();
        let owner = Owner::subject("a");
        keep(&cache, &background, &owner, task(TaskState::Working));
        assert_eq!(block_on(cache.settled(&owner, "t1", None)), None);
        let seen = block_on(cache.last_seen(&owner, "t1", None, "ORIGIN_TIMEOUT")).unwrap();
        assert_eq!(seen.metadata.unwrap()[CACHED], "ORIGIN_TIMEOUT");

        keep(&cache, &background, &owner, task(TaskState::Completed));
        assert_eq!(block_on(cache.settled(&owner, "t1", None)), Some(task(TaskState::Completed)));
        // A late answer is an old one.
        keep(&cache, &background, &owner, task(TaskState::Working));
        assert_eq!(block_on(cache.settled(&owner, "t1", None)), Some(task(TaskState::Completed)));
    }

    #[test]
    fn nobody_else_sees_it() {
        let (cache, background) = cache();
        keep(&cache, &background, &Owner::subject("a"), task(TaskState::Completed));
        for other in [Owner::subject("b"), Owner::anonymous()] {
            assert_eq!(block_on(cache.settled(&other, "t1", None)), None);
            assert_eq!(block_on(cache.last_seen(&other, "t1", None, "x")), None);
        }
    }

    #[test]
    fn more_history_than_was_seen_is_the_origins_to_tell() {
        let (cache, background) = cache();
        let owner = Owner::subject("a");
        keep(&cache, &background, &owner, task(TaskState::Completed));
        let lengths = |wanted| block_on(cache.settled(&owner, "t1", Some(wanted))).map(|task| task.history().len());
        assert_eq!([lengths(0), lengths(1), lengths(2), lengths(3)], [Some(0), Some(1), Some(2), None]);
    }

    #[test]
    fn a_stream_is_put_together_and_stands_in_only_in_need() {
        let (cache, background) = cache();
        let owner = Owner::subject("a");
        let mut follower = cache.follow(owner.clone());
        follower.see(&task(TaskState::Working).into());
        follower.see(&task(TaskState::Completed).status_update());
        drop(follower);
        assert_eq!(background.advance(), 0);
        assert_eq!(block_on(cache.settled(&owner, "t1", None)), None);
        let seen = block_on(cache.last_seen(&owner, "t1", None, "ORIGIN_TIMEOUT")).unwrap();
        assert_eq!(seen.status.state, TaskState::Completed);
        assert_eq!(seen.metadata.unwrap().keys().collect::<Vec<_>>(), [CACHED]);

        // A whole task, as an event or an answer, is the origin's word.
        let mut follower = cache.follow(owner.clone());
        follower.see(&task(TaskState::Completed).into());
        drop(follower);
        assert_eq!(background.advance(), 0);
        assert_eq!(block_on(cache.settled(&owner, "t1", None)), Some(task(TaskState::Completed)));
    }
}
