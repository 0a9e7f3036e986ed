//! Tasks that the origin has shown, kept under the credentials that it showed them to.

use std::rc::Rc;

use serde_json::Value;

use crate::ports::{Background, Level, Log, Owner, StoreError, Stored, TaskStore};
use crate::protocol::types::{self, StreamResponse, Struct, Task};

/// In the metadata of a task that is answered in the place of the origin: why, as a reason.
pub(super) const CACHED: &str = "a2a-edge.cached";
/// In the metadata of a stored task that may lack what the origin has of it: it was put together from a stream, or has
/// members that the types here cannot hold.
const PARTIAL: &str = "a2a-edge.partial";

/// Tasks in a store.
#[derive(Clone)]
pub(super) struct Cache {
    pub(super) store: Rc<dyn TaskStore>,
    pub(super) background: Rc<dyn Background>,
    pub(super) log: Rc<dyn Log>,
    /// How large a task may become that is put together from a stream, in bytes.
    pub(super) max_task_bytes: usize,
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

    /// Keeps a task, in canonical form, as the origin gave it.
    pub(super) fn keep_given(&self, owner: &Owner, given: Value) {
        self.keep(owner, move || types::from_value(given.clone()).ok().map(|task| marked(task, &given)));
    }

    /// Keeps what is made, if it is. Nobody waits for that.
    fn keep(&self, owner: &Owner, make: impl FnOnce() -> Option<Task> + 'static) {
        let (store, log, owner) = (Rc::clone(&self.store), Rc::clone(&self.log), owner.clone());
        self.background.spawn(Box::pin(async move {
            let Some(task) = make() else { return };
            match write(&*store, &owner, task).await {
                // Somebody else has just kept it, or it is too large to be kept.
                Ok(()) | Err(StoreError::Conflict | StoreError::Unstorable(_)) => {}
                Err(error @ (StoreError::Unavailable(_) | StoreError::Corrupt(_))) => report(&*log, &error),
            }
        }));
    }

    /// Follows a stream, to keep its task when it is over.
    pub(super) fn follow(&self, owner: Owner) -> Follower {
        Follower { cache: self.clone(), owner, seen: None, bytes: 0 }
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

/// Puts the events of a stream together. A stream may go on for as long as it likes, so a task that has become too large
/// is let go: nobody could be answered with it anyhow.
pub(super) struct Follower {
    cache: Cache,
    owner: Owner,
    seen: Option<Seen>,
    /// How much the task and what came on top of it are.
    bytes: usize,
}

/// What a stream has told of its task.
#[allow(clippy::large_enum_variant)] // one for each stream, and mostly the larger
enum Seen {
    /// All of it, in canonical form.
    Whole(Value),
    /// The task with changes on top.
    Changed(Task),
}

impl Follower {
    /// Takes in an event, which was `given` in canonical form.
    pub(super) fn see(&mut self, event: &StreamResponse, given: &Value) {
        if let Some(task) = given.get("task") {
            self.bytes = weight(task);
            self.seen = Some(Seen::Whole(task.clone()));
        } else if let Some(mut task) = self.seen.take().and_then(Seen::task) {
            self.bytes = self.bytes.saturating_add(weight(given));
            task.apply(event);
            mark(&mut task);
            self.seen = Some(Seen::Changed(task));
        }
        if self.bytes > self.cache.max_task_bytes {
            self.seen = None;
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        match self.seen.take() {
            Some(Seen::Whole(given)) => self.cache.keep_given(&self.owner, given),
            Some(Seen::Changed(task)) => self.cache.keep(&self.owner, move || Some(task)),
            None => {}
        }
    }
}

impl Seen {
    fn task(self) -> Option<Task> {
        match self {
            Self::Whole(given) => types::from_value(given).ok(),
            Self::Changed(task) => Some(task),
        }
    }
}

/// About how long a value is as JSON.
fn weight(value: &Value) -> usize {
    const SCALAR: usize = 8;
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => SCALAR,
        Value::String(text) => SCALAR + text.len(),
        Value::Array(items) => SCALAR + items.iter().map(weight).sum::<usize>(),
        Value::Object(members) => {
            SCALAR + members.iter().map(|(name, value)| name.len() + weight(value)).sum::<usize>()
        }
    }
}

fn mark(task: &mut Task) {
    task.metadata.get_or_insert_with(Struct::new).insert(PARTIAL.to_owned(), Value::Bool(true));
}

/// The task, marked if there is more to what was given than it can hold.
fn marked(mut task: Task, given: &Value) -> Task {
    // By its text: `to_value` would be a second serialiser of everything, six KiB of the upload.
    let held = serde_json::to_string(&task).ok().and_then(|text| serde_json::from_str(&text).ok());
    if !held.is_some_and(|held: Value| covers(&held, given)) {
        mark(&mut task);
    }
    task
}

/// Whether every member of `given` that says something is among those of `held`.
fn covers(held: &Value, given: &Value) -> bool {
    match (held, given) {
        (Value::Object(held), Value::Object(given)) => {
            given.iter().all(|(name, given)| held.get(name).map_or_else(|| is_empty(given), |held| covers(held, given)))
        }
        (Value::Array(held), Value::Array(given)) => {
            held.len() == given.len() && held.iter().zip(given).all(|(held, given)| covers(held, given))
        }
        // Of the same type, but perhaps in another spelling, as of a time.
        (_, _) => true,
    }
}

/// What ProtoJSON leaves out, or may.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(it) => !it,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
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
    use crate::protocol::types::{Artifact, Message, TaskArtifactUpdateEvent, TaskState};
    use futures::executor::block_on;

    fn cache() -> (Cache, ManualBackground) {
        let background = ManualBackground::default();
        let clock = Rc::new(ManualClock::default());
        let store = Rc::new(MemoryStore::new(clock));
        let cache = Cache {
            store,
            background: Rc::new(background.clone()),
            log: Rc::new(MemoryLog::default()),
            max_task_bytes: 1000,
        };
        (cache, background)
    }

    fn task(state: TaskState) -> Task {
        let mut task = Task::new("t1", "c1").with_status(state);
        task.push_message(Message::user_text("a"));
        task.push_message(Message::user_text("b"));
        task
    }

    fn keep(cache: &Cache, background: &ManualBackground, owner: &Owner, task: Task) {
        cache.keep(owner, move || Some(task));
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

    fn see(follower: &mut Follower, event: &StreamResponse) {
        follower.see(event, &serde_json::to_value(event).unwrap());
    }

    #[test]
    fn what_cannot_be_held_whole_stands_in_only_in_need() {
        let (cache, background) = cache();
        let owner = Owner::subject("a");
        let settled = || block_on(cache.settled(&owner, "t1", None)).is_some();
        let mut given = serde_json::to_value(task(TaskState::Completed)).unwrap();
        given["history"][1]["parts"][0]["fromALaterVersion"] = true.into();
        cache.keep_given(&owner, given.clone());
        assert_eq!(background.advance(), 0);
        assert!(!settled() && block_on(cache.last_seen(&owner, "t1", None, "x")).is_some());

        let parts = given["history"][1]["parts"].as_array_mut().unwrap();
        parts[0].as_object_mut().unwrap().remove("fromALaterVersion");
        // Nothing is lost with these.
        given["fromALaterVersion"] = "".into();
        given["artifacts"] = Value::Array(Vec::new());
        given["status"]["timestamp"] = "2026-01-01T00:00:00Z".into();
        cache.keep_given(&owner, given.clone());
        assert_eq!(background.advance(), 0);
        assert!(settled());
    }

    #[test]
    fn a_task_that_outgrows_every_answer_is_let_go() {
        let (cache, background) = cache();
        let owner = Owner::subject("a");
        let piece = || TaskArtifactUpdateEvent {
            append: true,
            ..TaskArtifactUpdateEvent::new("t1", "c1", Artifact::text("a", "x".repeat(100)))
        };
        for (pieces, is_kept) in [(1, true), (20, false)] {
            let mut follower = cache.follow(owner.clone());
            see(&mut follower, &Task::new("t1", "c1").with_status(TaskState::Working).into());
            for _ in 0..pieces {
                see(&mut follower, &piece().into());
            }
            assert_eq!(follower.seen.is_some(), is_kept, "{pieces}");
        }
        assert_eq!(background.advance(), 0);
        let seen = block_on(cache.last_seen(&owner, "t1", None, "x")).unwrap();
        assert_eq!(seen.artifacts.unwrap()[0].parts.len(), 1);
    }

    #[test]
    fn a_stream_is_put_together_and_stands_in_only_in_need() {
        let (cache, background) = cache();
        let owner = Owner::subject("a");
        let mut follower = cache.follow(owner.clone());
        see(&mut follower, &task(TaskState::Working).into());
        see(&mut follower, &task(TaskState::Completed).status_update());
        drop(follower);
        assert_eq!(background.advance(), 0);
        assert_eq!(block_on(cache.settled(&owner, "t1", None)), None);
        let seen = block_on(cache.last_seen(&owner, "t1", None, "ORIGIN_TIMEOUT")).unwrap();
        assert_eq!(seen.status.state, TaskState::Completed);
        assert_eq!(seen.metadata.unwrap().keys().collect::<Vec<_>>(), [CACHED]);

        // A whole task, as an event or an answer, is the origin's word.
        let mut follower = cache.follow(owner.clone());
        see(&mut follower, &task(TaskState::Completed).into());
        drop(follower);
        assert_eq!(background.advance(), 0);
        assert_eq!(block_on(cache.settled(&owner, "t1", None)), Some(task(TaskState::Completed)));
    }
}
