//! Subscriptions and push notification configs.

use futures_util::{FutureExt, StreamExt};

use super::{Subject, alice, task};
use crate::ports::{MAX_PUSH_CONFIGS, MAX_TASK_ID_BYTES, Owner, StoreError, Stored, Subscription};
use crate::protocol::types::{
    Artifact, AuthenticationInfo, StreamResponse, Task, TaskArtifactUpdateEvent, TaskPushNotificationConfig, TaskState,
};

fn piece(number: u64) -> StreamResponse {
    let mut update = TaskArtifactUpdateEvent::new("task-1", "c", Artifact::text("a", format!("{number} ")));
    update.append = number > 1;
    update.into()
}

impl Subject {
    fn subscribe(&self) -> Subscription {
        self.run(self.store.subscribe(&alice(), "task-1")).expect("subscribe").expect("a task")
    }

    /// Does what `event` tells, as a step on the way or as a write.
    fn make_happen(&self, stored: Stored, event: &StreamResponse, is_step: bool) -> Stored {
        let (owner, events) = (alice(), vec![event.clone()]);
        let mut next = stored;
        next.task.apply(event);
        let done =
            if is_step { self.store.progress(&owner, next, events) } else { self.store.put(&owner, next, events) };
        self.run(done).expect("a change")
    }

    fn subscribers(&self) -> usize {
        self.run(self.store.subscribers(&alice(), "task-1")).expect("a number")
    }

    fn begin(&self) -> Stored {
        self.put(&alice(), &task("task-1", "c", TaskState::Working, 0), 0).expect("put")
    }

    fn configs(&self, owner: &Owner, task_id: &str) -> Vec<TaskPushNotificationConfig> {
        self.run(self.store.push_configs(owner, task_id)).expect("configs")
    }

    fn add(&self, owner: &Owner, id: &str, url: &str) -> Result<(), StoreError> {
        self.run(self.store.put_push_config(owner, config(id, url)))
    }
}

fn config(id: &str, url: &str) -> TaskPushNotificationConfig {
    TaskPushNotificationConfig {
        id: id.to_owned(),
        task_id: "task-1".to_owned(),
        url: url.to_owned(),
        token: Some("t".to_owned()),
        authentication: Some(AuthenticationInfo { scheme: "Bearer".to_owned(), credentials: Some("c".to_owned()) }),
        ..TaskPushNotificationConfig::default()
    }
}

/// What waits to be taken.
fn taken(subscription: &mut Subscription) -> Vec<StreamResponse> {
    let next = || subscription.events.next().now_or_never().flatten();
    std::iter::from_fn(next).map(|event| event.expect("an event")).collect()
}

fn completed(stored: &Stored) -> StreamResponse {
    task(&stored.task.id, "c", TaskState::Completed, 9).status_update()
}

pub(crate) fn nobody_subscribes_to_what_is_not_there(make: fn() -> Subject) {
    let subject = make();
    assert!(subject.run(subject.store.subscribe(&alice(), "task-1")).expect("subscribe").is_none());
    subject.begin();
    assert!(subject.run(subject.store.subscribe(&Owner::anonymous(), "task-1")).expect("subscribe").is_none());
}

pub(crate) fn subscribers_see_every_change_in_order(make: fn() -> Subject) {
    let subject = make();
    let mut stored = subject.begin();
    assert_eq!(subject.subscribers(), 0);
    let (mut first, mut second) = (subject.subscribe(), subject.subscribe());
    assert_eq!(subject.subscribers(), 2);
    assert_eq!((&first.task, &second.task), (&stored.task, &stored.task));
    let told: Vec<_> = (1..=5).map(piece).chain([completed(&stored)]).collect();
    subject.clock.advance(std::time::Duration::from_secs(2));
    for event in &told {
        stored = subject.make_happen(stored, event, !event.is_last());
    }
    assert_eq!(taken(&mut first), told);
    assert_eq!(taken(&mut second), told);
    drop(first);
    assert_eq!(subject.subscribers(), 1);
    assert_eq!(subject.get(&alice(), "task-1").map(|stored| stored.task), Some(stored.task));
}

pub(crate) fn who_subscribes_late_misses_nothing_and_sees_nothing_twice(make: fn() -> Subject) {
    let subject = make();
    let mut stored = subject.begin();
    subject.clock.advance(std::time::Duration::from_secs(2));
    let told: Vec<_> = (1..=4).map(piece).chain([completed(&stored)]).collect();
    let mut subscriptions = Vec::new();
    for event in &told {
        subscriptions.push(subject.subscribe());
        stored = subject.make_happen(stored, event, !event.is_last());
    }
    for (missed, mut subscription) in subscriptions.into_iter().enumerate() {
        let events = taken(&mut subscription);
        assert_eq!(events, told[missed..], "subscribed after {missed}");
        let mut task = subscription.task;
        events.iter().for_each(|event| task.apply(event));
        assert_eq!(task, stored.task, "subscribed after {missed}");
    }
}

pub(crate) fn a_step_that_is_based_on_an_old_read_is_refused(make: fn() -> Subject) {
    let subject = make();
    let stored = subject.begin();
    subject.clock.advance(std::time::Duration::from_secs(2));
    let mut subscription = subject.subscribe();
    let old = subject.make_happen(stored, &piece(1), true);
    let mut canceled = old.clone();
    canceled.task.status = TaskState::Canceled.into();
    let event = canceled.task.status_update();
    subject.run(subject.store.put(&alice(), canceled.clone(), vec![event.clone()])).expect("cancel");
    let step = subject.run(subject.store.progress(&alice(), old.clone(), vec![piece(2)]));
    assert!(matches!(step, Err(StoreError::Conflict)), "{step:?}");
    let write = subject.run(subject.store.put(&alice(), old, vec![piece(2)]));
    assert!(matches!(write, Err(StoreError::Conflict)), "{write:?}");
    assert_eq!(taken(&mut subscription), [piece(1), event]);
    assert_eq!(subject.get(&alice(), "task-1").map(|stored| stored.task), Some(canceled.task));
}

pub(crate) fn steps_are_seen_by_who_reads(make: fn() -> Subject) {
    let subject = make();
    let stored = subject.begin();
    let step = subject.make_happen(stored, &piece(1), true);
    let read = subject.get(&alice(), "task-1").expect("a task");
    assert_eq!(read, step);
    assert_eq!(read.task.artifacts(), [Artifact::text("a", "1 ")]);
}

pub(crate) fn push_configs_are_kept_by_task_and_id(make: fn() -> Subject) {
    let subject = make();
    let owner = alice();
    assert!(subject.configs(&owner, "task-1").is_empty());
    subject.begin();
    for (id, url) in [("b", "https://b.example/"), ("a", "https://a.example/"), ("b", "https://c.example/")] {
        subject.clock.advance(std::time::Duration::from_secs(2));
        subject.add(&owner, id, url).expect(id);
    }
    let (a, b) = (config("a", "https://a.example/"), config("b", "https://c.example/"));
    assert_eq!(subject.configs(&owner, "task-1"), [a, b.clone()]);
    assert!(subject.configs(&Owner::anonymous(), "task-1").is_empty());
    assert!(subject.configs(&owner, "task-2").is_empty());
    for _ in 0..2 {
        subject.run(subject.store.delete_push_config(&owner, "task-1", "a")).expect("delete");
        assert_eq!(subject.configs(&owner, "task-1"), std::slice::from_ref(&b));
    }
}

pub(crate) fn push_configs_outlive_writes(make: fn() -> Subject) {
    let subject = make();
    subject.begin();
    subject.add(&alice(), "a", "https://a.example/").expect("add");
    subject.clock.advance(std::time::Duration::from_secs(2));
    subject.put(&alice(), &Task::new("task-1", "c").with_status(TaskState::Completed), 1).expect("put");
    assert_eq!(subject.configs(&alice(), "task-1"), [config("a", "https://a.example/")]);
}

pub(crate) fn push_configs_have_bounds(make: fn() -> Subject) {
    let subject = make();
    subject.begin();
    for id in ["", "a\nb", &"x".repeat(MAX_TASK_ID_BYTES + 1)] {
        let added = subject.add(&alice(), id, "https://a.example/");
        assert!(matches!(added, Err(StoreError::Unstorable(_))), "{id:?}: {added:?}");
    }
    for number in 0..MAX_PUSH_CONFIGS {
        subject.add(&alice(), &format!("{number:03}"), "https://a.example/").expect("add");
    }
    let one_more = subject.add(&alice(), "one more", "https://a.example/");
    assert!(matches!(one_more, Err(StoreError::Unstorable(_))), "{one_more:?}");
    subject.clock.advance(std::time::Duration::from_secs(2));
    subject.add(&alice(), "000", "https://b.example/").expect("replace");
    assert_eq!(subject.configs(&alice(), "task-1").len(), MAX_PUSH_CONFIGS);
}
