use std::rc::Rc;
use std::time::Duration;

use futures_util::future::{join, join_all};
use futures_util::{FutureExt, StreamExt};

use super::fake::{FakeObjects, Trouble};
use super::index::SWEEP_INTERVAL_MS;
use super::messages::{IndexRequest, known};
use super::objects::{Class, Objects};
use super::task::{MAX_PIECE_BYTES, TELL_AGAIN_MS};
use super::tasks::{ATTEMPTS, DurableTasks, MAX_TASK_BYTES, index_name, task_name};
use crate::memory::{ManualClock, SeededRandom};
use crate::ports::{Owner, StoreError, Stored, Subscription, TaskQuery};
use crate::protocol::types::{Artifact, StreamResponse, Task, TaskPushNotificationConfig, TaskState};
use crate::store_suite::{START, Subject, TTL, alice, everything, store_suite, task};

struct Bench {
    objects: FakeObjects,
    subject: Subject,
}

fn bench() -> Bench {
    let clock = ManualClock::new(START);
    let objects = FakeObjects::new(clock.clone());
    let (shared, random) = (Rc::new(clock.clone()), Rc::new(SeededRandom::new(1)));
    let store = DurableTasks::new(objects.clone(), shared, random, TTL);
    Bench { objects, subject: Subject { store: Rc::new(store), clock } }
}

fn make() -> Subject {
    bench().subject
}

store_suite!(make);

fn in_state(state: TaskState, seconds: u64) -> Task {
    task("task-1", "c", state, seconds)
}

fn is_unavailable<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Unavailable(_)))
}

impl Bench {
    fn put(&self, task: &Task, revision: u64) -> Result<Stored, StoreError> {
        self.subject.put(&alice(), task, revision)
    }

    fn get(&self) -> Option<Stored> {
        self.subject.get(&alice(), "task-1")
    }

    /// Ids and total of what is in this state.
    fn listed(&self, state: TaskState) -> (Vec<String>, usize) {
        let page = self.subject.list(&alice(), &TaskQuery { state: Some(state), ..everything() });
        (page.tasks.into_iter().map(|task| task.id).collect(), page.total)
    }

    fn subscribe(&self) -> Subscription {
        self.subject.run(self.subject.store.subscribe(&alice(), "task-1")).expect("subscribe").expect("a task")
    }

    /// Writes the task as completed, and tells.
    fn complete(&self, revision: u64) -> StreamResponse {
        let task = in_state(TaskState::Completed, 9);
        let event = task.status_update();
        self.subject
            .run(self.subject.store.put(&alice(), Stored { task, revision }, vec![event.clone()]))
            .expect("put");
        event
    }

    fn wait(&self, time: Duration) {
        self.subject.clock.advance(time);
        self.objects.ring();
    }

    fn next(&self, subscription: &mut Subscription) -> Option<Result<StreamResponse, StoreError>> {
        self.subject.run(subscription.events.next())
    }
}

fn one(id: &str) -> (Vec<String>, usize) {
    (vec![id.to_owned()], 1)
}

fn none() -> (Vec<String>, usize) {
    (Vec::new(), 0)
}

/// Everybody reads, then everybody writes: of each pair one wins, and the other knows.
#[test]
fn of_cancel_and_complete_one_wins_every_time() {
    let bench = bench();
    bench.objects.slow_down();
    let (owner, store) = (alice(), &bench.subject.store);
    let ids: Vec<String> = (0..200).map(|number| format!("task-{number}")).collect();
    let races = ids.iter().map(|id| {
        let owner = &owner;
        async move {
            let working = Stored { task: task(id, "c", TaskState::Working, 0), revision: 0 };
            let stored = store.put(owner, working, Vec::new()).await.expect("put");
            let mut subscription = store.subscribe(owner, id).await.expect("subscribe").expect("a task");
            let finish = |state| {
                let mut stored = stored.clone();
                stored.task.status.state = state;
                let events = vec![stored.task.status_update()];
                store.put(owner, stored, events)
            };
            let (cancel, complete) = join(finish(TaskState::Canceled), finish(TaskState::Completed)).await;
            let winner = match (cancel, complete) {
                (Ok(winner), Err(StoreError::Conflict)) | (Err(StoreError::Conflict), Ok(winner)) => winner,
                both => panic!("{id}: {both:?}"),
            };
            assert_eq!(store.get(owner, id).await.expect("get"), Some(winner.clone()));
            // And the subscriber has heard of the winner alone.
            let told = subscription.events.next().await.expect("an event").expect("an event");
            assert_eq!(told, winner.task.status_update());
            assert!(subscription.events.next().now_or_never().is_none(), "{id} was told of the loser");
            winner.task.status.state
        }
    });
    let states = bench.subject.run(join_all(races));
    let canceled = states.iter().filter(|state| **state == TaskState::Canceled).count();
    for (state, count) in [(TaskState::Canceled, canceled), (TaskState::Completed, 200 - canceled)] {
        let query = TaskQuery { state: Some(state), ..everything() };
        assert_eq!(bench.subject.list(&owner, &query).total, count, "{state}");
    }
}

#[test]
fn a_write_whose_answer_is_lost_is_done_once() {
    let bench = bench();
    bench.put(&in_state(TaskState::Working, 0), 0).expect("put");
    let mut subscription = bench.subscribe();
    bench.objects.trouble(Class::Task, &[Trouble::AnswerLost]);
    let event = bench.complete(1);
    assert_eq!(bench.get().map(|stored| stored.revision), Some(2));
    assert_eq!(bench.next(&mut subscription).unwrap().unwrap(), event);
    assert!(subscription.events.next().now_or_never().is_none(), "told twice");
}

#[test]
fn an_instance_that_dies_takes_its_write_back_and_the_next_one_does_it() {
    let bench = bench();
    bench.put(&in_state(TaskState::Working, 0), 0).expect("put");
    bench.objects.trouble(Class::Task, &[Trouble::Trap]);
    assert_eq!(bench.put(&in_state(TaskState::Completed, 1), 1).expect("put").revision, 2);
    bench.objects.trouble(Class::Task, &[Trouble::Trap; ATTEMPTS as usize]);
    assert!(is_unavailable(&bench.put(&in_state(TaskState::Failed, 2), 2)));
    assert_eq!(bench.get(), Some(Stored { task: in_state(TaskState::Completed, 1), revision: 2 }));
}

#[test]
fn passing_faults_are_survived_and_others_reported() {
    let bench = bench();
    bench.put(&in_state(TaskState::Working, 0), 0).expect("put");
    bench.objects.trouble(Class::Task, &[Trouble::Lost; ATTEMPTS as usize - 1]);
    assert!(bench.get().is_some());
    let read = || bench.subject.run(bench.subject.store.get(&Owner::anonymous(), "x"));
    bench.objects.trouble(Class::Task, &[Trouble::Lost; ATTEMPTS as usize]);
    assert!(is_unavailable(&read()));
    bench.objects.requests(Class::Task);
    bench.objects.trouble(Class::Task, &[Trouble::Overloaded]);
    assert!(is_unavailable(&read()));
    assert_eq!(bench.objects.requests(Class::Task), 1, "what is overloaded is left alone");
    bench.objects.trouble(Class::Index, &[Trouble::Overloaded]);
    assert!(is_unavailable(&bench.subject.run(bench.subject.store.list(&alice(), &everything()))));
}

#[test]
fn an_index_that_missed_a_new_task_learns_of_it_within_a_minute() {
    let bench = bench();
    bench.objects.trouble(Class::Index, &[Trouble::Lost; ATTEMPTS as usize]);
    bench.put(&in_state(TaskState::Working, 0), 0).expect("the task is written");
    assert!(bench.get().is_some());
    assert_eq!(bench.listed(TaskState::Working), none());
    bench.wait(Duration::from_millis(TELL_AGAIN_MS));
    assert_eq!(bench.listed(TaskState::Working), one("task-1"));
}

#[test]
fn an_index_that_missed_a_change_is_put_right_by_a_list_or_by_the_task() {
    let bench = bench();
    for listed_first in [true, false] {
        let revision = bench.get().map_or(0, |stored| stored.revision);
        bench.put(&in_state(TaskState::Working, 0), revision).expect("put");
        bench.objects.trouble(Class::Index, &[Trouble::Overloaded]);
        bench.put(&in_state(TaskState::Completed, 5), revision + 1).expect("the task is written");
        if listed_first {
            assert_eq!(bench.listed(TaskState::Working), none());
        } else {
            bench.wait(Duration::from_millis(TELL_AGAIN_MS));
        }
        assert_eq!(bench.listed(TaskState::Completed), one("task-1"));
        assert_eq!(bench.listed(TaskState::Working), none());
    }
}

#[test]
fn an_index_that_is_away_for_long_is_told_in_the_end() {
    let bench = bench();
    bench.objects.trouble(Class::Index, &[Trouble::Overloaded; 4]);
    bench.put(&in_state(TaskState::Working, 0), 0).expect("the task is written");
    for _ in 0..3 {
        bench.wait(Duration::from_millis(TELL_AGAIN_MS));
    }
    assert_eq!(bench.objects.stored(Class::Index), 0);
    bench.wait(Duration::from_millis(TELL_AGAIN_MS));
    assert_eq!(bench.listed(TaskState::Working), one("task-1"));
}

#[test]
fn an_entry_without_a_task_goes() {
    let bench = bench();
    bench.put(&in_state(TaskState::Working, 0), 0).expect("put");
    bench.put(&task("task-2", "c", TaskState::Working, 1), 0).expect("put");
    bench.objects.meddle(Class::Task, "DELETE FROM task WHERE json LIKE '%task-1%'");
    assert_eq!(bench.listed(TaskState::Working), one("task-2"));
    bench.objects.requests(Class::Index);
    assert_eq!(bench.listed(TaskState::Working), one("task-2"));
    assert_eq!(bench.objects.requests(Class::Index), 1, "it is put right already");
}

/// Also when the index cannot be put right, a list shows nothing that is not so.
#[test]
fn a_list_shows_tasks_as_they_are() {
    let bench = bench();
    bench.put(&in_state(TaskState::Working, 0), 0).expect("put");
    bench.put(&task("task-2", "c", TaskState::Working, 1), 0).expect("put");
    bench.objects.trouble(Class::Index, &[Trouble::Overloaded]);
    bench.put(&in_state(TaskState::Completed, 5), 1).expect("put");
    // The list's question arrives, what it says to the index does not.
    bench
        .objects
        .meddle(Class::Index, "CREATE TRIGGER stuck BEFORE UPDATE ON task BEGIN SELECT RAISE(FAIL, 'full'); END");
    assert_eq!(bench.listed(TaskState::Working), one("task-2"));
}

#[test]
fn notes_that_arrive_late_or_twice_change_nothing() {
    let bench = bench();
    bench.put(&in_state(TaskState::Working, 0), 0).expect("put");
    bench.put(&in_state(TaskState::Completed, 1), 1).expect("put");
    let old = known(&in_state(TaskState::Working, 0), 1);
    for notes in [old.as_str(), "- 1 task-1"] {
        let request = IndexRequest::Note { ttl_ms: 60_000, notes }.encode();
        bench.subject.run(bench.objects.ask(Class::Index, &[index_name(&alice())], &request)).expect("note");
    }
    assert_eq!(bench.listed(TaskState::Completed), one("task-1"));
    assert_eq!(bench.listed(TaskState::Working), none());
}

#[test]
fn steps_are_written_without_the_index() {
    let bench = bench();
    let stored = bench.put(&in_state(TaskState::Working, 0), 0).expect("put");
    bench.objects.requests(Class::Index);
    let step = bench.subject.run(bench.subject.store.progress(&alice(), stored, Vec::new())).expect("step");
    assert_eq!(bench.objects.requests(Class::Index), 0);
    bench.objects.evict();
    assert_eq!(bench.get(), Some(step));
    assert_eq!(bench.listed(TaskState::Working), one("task-1"));
}

#[test]
fn what_is_stored_outlives_the_objects() {
    let bench = bench();
    bench.put(&in_state(TaskState::Working, 0), 0).expect("put");
    bench.objects.evict();
    assert_eq!(bench.put(&in_state(TaskState::Completed, 1), 1).expect("put").revision, 2);
    bench.objects.evict();
    assert_eq!(bench.listed(TaskState::Completed), one("task-1"));
    assert!(matches!(bench.put(&in_state(TaskState::Failed, 1), 1), Err(StoreError::Conflict)));
}

#[test]
fn a_subscriber_whose_connection_breaks_misses_nothing() {
    let bench = bench();
    bench.put(&in_state(TaskState::Working, 0), 0).expect("put");
    let mut subscription = bench.subscribe();
    bench.objects.evict();
    let mut task = in_state(TaskState::Working, 0);
    task.push_artifact(Artifact::text("a", "made meanwhile, é\u{1F980}"));
    bench.put(&task, 1).expect("put");
    let made = bench.next(&mut subscription).unwrap().unwrap();
    let StreamResponse::ArtifactUpdate(update) = made else { panic!("{made:?}") };
    assert_eq!(update.artifact, task.artifacts()[0]);
    let event = bench.complete(2);
    assert_eq!(bench.next(&mut subscription).unwrap().unwrap(), event);
    assert_eq!(bench.objects.listeners(), 1);
}

#[test]
fn a_connection_that_breaks_again_and_again_is_given_up() {
    let bench = bench();
    bench.put(&in_state(TaskState::Working, 0), 0).expect("put");
    let mut subscription = bench.subscribe();
    bench.objects.evict();
    bench.objects.trouble(Class::Task, &[Trouble::Lost; ATTEMPTS as usize]);
    assert!(bench.next(&mut subscription).is_some_and(|last| is_unavailable(&last)));
    assert!(bench.next(&mut subscription).is_none());
}

#[test]
fn a_subscription_to_a_task_that_has_gone_ends() {
    let bench = bench();
    bench.put(&in_state(TaskState::Working, 0), 0).expect("put");
    let mut subscription = bench.subscribe();
    bench.wait(TTL + Duration::from_secs(1));
    bench.objects.evict();
    assert!(bench.next(&mut subscription).is_none());
}

#[test]
fn who_stops_listening_leaves_nothing_behind() {
    let bench = bench();
    bench.put(&in_state(TaskState::Working, 0), 0).expect("put");
    let (first, second) = (bench.subscribe(), bench.subscribe());
    assert_eq!(bench.objects.listeners(), 2);
    drop(first);
    assert_eq!(bench.objects.listeners(), 1);
    drop(second);
    assert_eq!(bench.objects.listeners(), 0);
}

#[test]
fn expired_tasks_free_their_storage() {
    let bench = bench();
    bench.put(&in_state(TaskState::Working, 0), 0).expect("put");
    let config = TaskPushNotificationConfig {
        id: "a".to_owned(),
        task_id: "task-1".to_owned(),
        url: "https://a.example/".to_owned(),
        ..TaskPushNotificationConfig::default()
    };
    bench.subject.run(bench.subject.store.put_push_config(&alice(), config)).expect("config");
    assert_eq!((bench.objects.stored(Class::Task), bench.objects.stored(Class::Index)), (1, 1));
    bench.wait(TTL / 2);
    bench.put(&in_state(TaskState::Working, 1), 1).expect("put");
    bench.wait(TTL / 2 + Duration::from_secs(1));
    assert_eq!(bench.listed(TaskState::Working), one("task-1"), "it was renewed");
    bench.wait(TTL / 2 + Duration::from_millis(SWEEP_INTERVAL_MS));
    assert_eq!((bench.objects.stored(Class::Task), bench.objects.stored(Class::Index)), (0, 0));
    bench.put(&in_state(TaskState::Working, 1), 0).expect("put");
    let configs = bench.subject.run(bench.subject.store.push_configs(&alice(), "task-1")).expect("configs");
    assert!(configs.is_empty(), "a new task does not inherit");
}

#[test]
fn asking_for_what_is_not_there_stores_nothing() {
    let bench = bench();
    assert_eq!(bench.get(), None);
    assert!(bench.subject.run(bench.subject.store.subscribe(&alice(), "task-1")).expect("subscribe").is_none());
    assert!(bench.subject.run(bench.subject.store.push_configs(&alice(), "task-1")).expect("configs").is_empty());
    bench.subject.run(bench.subject.store.delete_push_config(&alice(), "task-1", "a")).expect("delete");
    assert_eq!(bench.subject.list(&alice(), &everything()).total, 0);
    assert_eq!((bench.objects.stored(Class::Task), bench.objects.stored(Class::Index)), (0, 0));
}

#[test]
fn tasks_larger_than_a_row_are_stored_and_larger_than_the_limit_are_not() {
    let bench = bench();
    let with_text = |text: String| in_state(TaskState::Working, 0).with_artifact(Artifact::text("a", text));
    // Of three bytes each, so that no piece ends where a character does by chance alone.
    let large = with_text("\u{20AC}".repeat(MAX_PIECE_BYTES));
    bench.put(&large, 0).expect("put");
    assert_eq!(bench.get().map(|stored| stored.task), Some(large));
    bench.put(&in_state(TaskState::Working, 1), 1).expect("put");
    assert_eq!(bench.get().map(|stored| stored.task), Some(in_state(TaskState::Working, 1)));
    let too_large = bench.put(&with_text("x".repeat(MAX_TASK_BYTES)), 2);
    assert!(matches!(too_large, Err(StoreError::Unstorable(_))), "{too_large:?}");
}

#[test]
fn names_are_hashes() {
    let (task, index) = (task_name(&alice(), "task-1"), index_name(&alice()));
    // SHA-256 of "subject:alice\ntask-1" and of "subject:alice" in base64url, as openssl computes them.
    assert_eq!(task, "tacuZZz5nzJih-3U3biMUunKag6Ttxk9l1wzc7181qg");
    assert_eq!(index, "ICDlddZdQg_sBfbVhKZO-d3jD8O3GYV4hTxi_vu0mrU");
}
