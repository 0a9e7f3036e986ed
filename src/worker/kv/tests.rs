use std::rc::Rc;
use std::time::Duration;

use serde_json::json;

use super::fake::{FakeKv, Operation, TOO_MANY_WRITES, Trouble, UNAVAILABLE};
use super::tasks::{KvTasks, MAX_LIST_CALLS, PUT_ATTEMPTS, READ_ATTEMPTS};
use crate::memory::{ManualClock, SeededRandom};
use crate::ports::{Clock, MAX_TASK_ID_BYTES, Owner, StoreError, Stored, TaskQuery};
use crate::protocol::types::{Message, Task, TaskState};
use crate::store_suite::{START, Subject, TTL, after, everything, store_suite, task};

/// SHA-256 of "anonymous" and of "context-1" in base64url, as openssl computes them.
const ANONYMOUS: &str = "Lxg6TmRJOvPzd_dF7aUCNjzT5-9uTSZtREdY3gqF_Mg";
const CONTEXT_1: &str = "m_VYz0f9V7CtAqieixNcHvYZ3fW4QqwXRryKiicc1GA";

struct Bench {
    kv: FakeKv,
    subject: Subject,
}

fn bench_with(page_len: usize, ttl: Duration) -> Bench {
    let clock = ManualClock::new(START);
    let kv = FakeKv::new(clock.clone(), page_len);
    let random = Rc::new(SeededRandom::new(1));
    let store = KvTasks::new(kv.clone(), Rc::new(clock.clone()), random).with_ttl(ttl);
    Bench { kv, subject: Subject { store: Rc::new(store), clock } }
}

fn bench() -> Bench {
    bench_with(1_000, TTL)
}

fn make() -> Subject {
    // Small pages, so that every list of the suite has several. It writes about a hundred tasks at most.
    bench_with(7, TTL).subject
}

store_suite!(make);

fn working(seconds: u64) -> Task {
    task("task-1", "context-1", TaskState::Working, seconds)
}

fn anonymous_key(id: &str) -> String {
    format!("task:{ANONYMOUS}:{id}")
}

impl Bench {
    fn put(&self, task: &Task, revision: u64) -> Result<Stored, StoreError> {
        self.subject.put(&Owner::anonymous(), task, revision)
    }

    fn get(&self) -> Result<Option<Stored>, StoreError> {
        self.subject.run(self.subject.store.get(&Owner::anonymous(), "task-1"))
    }

    fn list(&self, query: &TaskQuery) -> Result<(Vec<String>, usize), StoreError> {
        let page = self.subject.run(self.subject.store.list(&Owner::anonymous(), query))?;
        Ok((page.tasks.into_iter().map(|task| task.id).collect(), page.total))
    }

    fn seconds(&self) -> f64 {
        (self.subject.clock.now().0 - START.0) as f64 / 1_000.0
    }
}

#[test]
fn key_value_and_metadata_are_as_documented() {
    let bench = bench();
    bench.put(&working(5), 0).unwrap();
    let key = anonymous_key("task-1");
    assert_eq!(bench.kv.keys(), [&*key]);
    let entry = bench.kv.entry(&key);
    let value: serde_json::Value = serde_json::from_str(&entry.value).unwrap();
    let status = json!({"state": "TASK_STATE_WORKING", "timestamp": "2025-10-28T10:30:05.000Z"});
    assert_eq!(value, json!({"revision": 1, "task": {"id": "task-1", "contextId": "context-1", "status": status}}));
    assert_eq!(entry.metadata, Some(json!({"u": 1_761_647_405_000_u64, "s": "TASK_STATE_WORKING", "c": CONTEXT_1})));
    assert_eq!(entry.ttl_s, Some(TTL.as_secs()));
}

#[test]
fn the_longest_keys_and_contexts_fit() {
    let bench = bench();
    let mut task = task(&"i".repeat(MAX_TASK_ID_BYTES), &"\u{1}".repeat(10_000), TaskState::InputRequired, 0);
    task.status.timestamp = Some(crate::ports::Timestamp(u64::MAX));
    bench.put(&task, 0).unwrap();
    let owner = Owner::subject(&"o".repeat(10_000));
    bench.subject.put(&owner, &task, 0).unwrap();
    assert!(bench.kv.keys().iter().all(|key| key.len() == 49 + MAX_TASK_ID_BYTES));
}

#[test]
fn a_ttl_that_kv_would_refuse_is_lengthened() {
    let bench = bench_with(1_000, Duration::from_secs(5));
    bench.put(&working(0), 0).unwrap();
    assert_eq!(bench.kv.entry(&anonymous_key("task-1")).ttl_s, Some(60));
}

#[test]
fn a_second_write_within_a_second_waits_for_its_turn() {
    let bench = bench();
    bench.put(&working(0), 0).unwrap();
    assert_eq!(bench.put(&working(1), 1).unwrap().revision, 2);
    assert_eq!(bench.kv.calls(Operation::Put), 3);
    assert!((1.1..=1.5).contains(&bench.seconds()), "{} s", bench.seconds());
    assert_eq!(bench.get().unwrap(), Some(Stored { task: working(1), revision: 2 }));
}

#[test]
fn a_write_that_is_refused_again_and_again_is_given_up() {
    let bench = bench();
    bench.kv.trouble(Operation::Put, &[Trouble::Fails(TOO_MANY_WRITES); 9]);
    let written = bench.put(&working(0), 0);
    assert!(matches!(&written, Err(StoreError::Unavailable(text)) if text == TOO_MANY_WRITES), "{written:?}");
    assert_eq!(bench.kv.calls(Operation::Put), PUT_ATTEMPTS as usize);
    assert!((4.4..=6.0).contains(&bench.seconds()), "{} s", bench.seconds());
}

#[test]
fn passing_faults_are_survived() {
    let bench = bench();
    let once = [Trouble::Fails(UNAVAILABLE)];
    bench.kv.trouble(Operation::Put, &once);
    bench.put(&working(0), 0).unwrap();
    bench.kv.trouble(Operation::Get, &[Trouble::Fails(UNAVAILABLE); READ_ATTEMPTS as usize - 1]);
    assert!(bench.get().unwrap().is_some());
    bench.kv.trouble(Operation::List, &once);
    bench.kv.trouble(Operation::GetMany, &once);
    bench.kv.trouble(Operation::Get, &once);
    assert_eq!(bench.list(&everything()).unwrap(), (vec!["task-1".to_owned()], 1));
    assert!(bench.seconds() < 1.0, "passing faults are repeated soon: {} s", bench.seconds());
}

#[test]
fn faults_that_stay_are_reported() {
    let bench = bench();
    bench.put(&working(0), 0).unwrap();
    bench.kv.trouble(Operation::Get, &[Trouble::Fails(UNAVAILABLE); READ_ATTEMPTS as usize]);
    let read = bench.get();
    assert!(matches!(&read, Err(StoreError::Unavailable(text)) if text == UNAVAILABLE), "{read:?}");
    bench.kv.trouble(Operation::List, &[Trouble::Fails(UNAVAILABLE); READ_ATTEMPTS as usize]);
    assert!(matches!(bench.list(&everything()), Err(StoreError::Unavailable(_))));
}

#[test]
fn faults_that_will_stay_are_not_tried_again() {
    let bench = bench();
    let lasting = Trouble::Fails("KV put() limit exceeded for the day.");
    bench.kv.trouble(Operation::Put, &[lasting]);
    assert!(matches!(bench.put(&working(0), 0), Err(StoreError::Unavailable(_))));
    bench.kv.trouble(Operation::Get, &[lasting]);
    assert!(matches!(bench.get(), Err(StoreError::Unavailable(_))));
    assert_eq!((bench.kv.calls(Operation::Put), bench.kv.calls(Operation::Get)), (1, 1));
}

#[test]
fn a_write_that_only_seemed_to_fail_is_no_conflict_with_itself() {
    let bench = bench();
    bench.put(&working(0), 0).unwrap();
    bench.subject.clock.advance(Duration::from_secs(2));
    bench.kv.trouble(Operation::Put, &[Trouble::DoneButFails(UNAVAILABLE)]);
    assert_eq!(bench.put(&working(1), 1).unwrap(), Stored { task: working(1), revision: 2 });
}

#[test]
fn the_writer_who_waited_finds_the_other_one_s_write() {
    let bench = bench();
    bench.put(&working(0), 0).unwrap();
    let owner = Owner::anonymous();
    let write = |state| {
        let task = task("task-1", "context-1", state, 1);
        bench.subject.store.put(&owner, Stored { task, revision: 1 }, Vec::new())
    };
    let both = futures_util::future::join(write(TaskState::Completed), write(TaskState::Canceled));
    let (one, other) = bench.subject.run(both);
    let states = [&one, &other].map(|result| result.as_ref().map(|stored| stored.task.status.state));
    let winner = match states {
        [Ok(state), Err(StoreError::Conflict)] | [Err(StoreError::Conflict), Ok(state)] => state,
        _ => panic!("one winner, one conflict: {states:?}"),
    };
    let stored = bench.get().unwrap().unwrap();
    assert_eq!((stored.task.status.state, stored.revision), (winner, 2));
}

#[test]
fn a_read_that_is_behind_is_no_conflict() {
    let bench = bench();
    bench.kv.freeze_reads();
    bench.put(&working(0), 0).unwrap();
    bench.put(&working(1), 1).expect("nothing is seen yet");
    bench.kv.freeze_reads();
    bench.put(&working(2), 2).unwrap();
    bench.put(&working(3), 3).expect("revision 2 is seen");
    assert_eq!(bench.kv.entry(&anonymous_key("task-1")).value.split(',').next(), Some("{\"revision\":4"));
}

#[test]
fn a_new_task_is_written_without_reading() {
    let bench = bench();
    bench.put(&working(0), 0).unwrap();
    assert_eq!((bench.kv.calls(Operation::Get), bench.kv.calls(Operation::Put)), (0, 1));
}

#[test]
fn unfit_ids_cost_no_operation() {
    let bench = bench();
    let long = "x".repeat(MAX_TASK_ID_BYTES + 1);
    assert_eq!(bench.subject.get(&Owner::anonymous(), &long), None);
    assert_eq!(bench.kv.calls(Operation::Get), 0);
}

#[test]
fn junk_is_corrupt_and_is_not_quoted() {
    let metadata = json!({"u": 1, "s": "TASK_STATE_WORKING", "c": CONTEXT_1});
    for junk in [
        "",
        "secret",
        "\"secret\"",
        "{\"revision\":1,\"task\":\"secret\"}",
        "{\"revision\":-7,\"task\":{\"id\":\"task-1\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}",
        "{\"revision\":1,\"task\":{\"id\":\"task-1\",\"status\":{\"state\":\"secret\"}}}",
        "{\"revision\":1,\"task\":{\"id\":\"1\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}",
    ] {
        let bench = bench();
        let key = anonymous_key("task-1");
        bench.kv.plant(&key, junk, Some(metadata.clone()));
        let update = bench.put(&working(0), 1).map(|_| ());
        for result in [bench.get().map(|_| ()), bench.list(&everything()).map(|_| ()), update] {
            let Err(StoreError::Corrupt(text)) = &result else { panic!("{junk}: {result:?}") };
            assert!(text.contains(&key) && !text.contains("secret") && !text.contains("-7"), "{text}");
        }
    }
}

#[test]
fn junk_metadata_is_corrupt() {
    for junk in [None, Some(json!(null)), Some(json!("secret")), Some(json!({"u": 1, "s": "secret", "c": "x"}))] {
        let bench = bench();
        bench.kv.plant(&anonymous_key("task-1"), "secret", junk);
        let result = bench.list(&everything());
        let Err(StoreError::Corrupt(text)) = &result else { panic!("{result:?}") };
        assert!(text.contains(&anonymous_key("task-1")) && !text.contains("secret"), "{text}");
    }
}

#[test]
fn other_keys_of_the_namespace_are_left_alone() {
    let bench = bench();
    bench.put(&working(0), 0).unwrap();
    for key in ["a", "task:", "task:x", "z", &format!("task:{ANONYMOUS}"), &anonymous_key("")] {
        bench.kv.plant(key, "not a task", None);
    }
    bench.kv.plant(&anonymous_key(&"x".repeat(400)), "not a task", None);
    assert_eq!(bench.list(&everything()).unwrap(), (vec!["task-1".to_owned()], 1));
}

#[test]
fn a_page_of_values_is_one_operation() {
    let bench = bench();
    for i in 0..100 {
        bench.put(&task(&format!("t{i}"), "c", TaskState::Working, i), 0).unwrap();
    }
    assert_eq!(bench.list(&everything()).unwrap().0.len(), 100);
    let calls = [Operation::List, Operation::GetMany, Operation::Get].map(|operation| bench.kv.calls(operation));
    assert_eq!(calls, [1, 1, 0]);
}

#[test]
fn values_that_kv_does_not_give_at_once_are_read_one_by_one() {
    let bench = bench();
    for i in 0..3 {
        bench.put(&task(&format!("t{i}"), "c", TaskState::Working, i), 0).unwrap();
    }
    bench.kv.trouble(Operation::GetMany, &[Trouble::Fails("KV GET_BULK failed: 413 Total size exceeds the limit")]);
    assert_eq!(bench.list(&everything()).unwrap(), (["t2", "t1", "t0"].map(str::to_owned).to_vec(), 3));
    assert_eq!(bench.kv.calls(Operation::Get), 3);
}

#[test]
fn an_empty_list_reads_no_values() {
    let bench = bench();
    assert_eq!(bench.list(&everything()).unwrap(), (vec![], 0));
    assert_eq!(bench.kv.calls(Operation::GetMany), 0);
}

#[test]
fn what_has_changed_since_the_metadata_was_read_is_shown_as_it_is() {
    let bench = bench();
    for (id, seconds) in [("a", 1), ("b", 2), ("c", 3)] {
        bench.put(&task(id, "c", TaskState::Working, seconds), 0).unwrap();
    }
    // "a" is the newest now, "b" is done: the values know, the metadata does not.
    for (id, state, seconds) in [("a", TaskState::Working, 9), ("b", TaskState::Completed, 8)] {
        let value = json!({"revision": 2, "task": task(id, "c", state, seconds)});
        bench.kv.swap_value(&anonymous_key(id), &value.to_string());
    }
    let ids = |ids: &[&str]| ids.iter().map(|id| id.to_string()).collect::<Vec<_>>();
    assert_eq!(bench.list(&everything()).unwrap(), (ids(&["a", "b", "c"]), 3));
    let working = TaskQuery { state: Some(TaskState::Working), ..everything() };
    assert_eq!(bench.list(&working).unwrap(), (ids(&["a", "c"]), 2));
    let recent = TaskQuery { since: Some(after(3)), ..everything() };
    assert_eq!(bench.list(&recent).unwrap(), (ids(&["c"]), 1), "filters can be behind, but never let through");
}

#[test]
fn what_has_gone_since_the_keys_were_read_is_left_out() {
    let bench = bench();
    for id in ["a", "b"] {
        bench.put(&task(id, "c", TaskState::Working, 1), 0).unwrap();
    }
    bench.kv.hide_value(&anonymous_key("a"));
    assert_eq!(bench.list(&everything()).unwrap(), (vec!["b".to_owned()], 1));
}

#[test]
fn a_list_ends_at_the_limit_of_operations() {
    let tasks = |count: usize| {
        let bench = bench_with(1, TTL);
        for i in 0..count {
            bench.put(&task(&format!("t{i}"), "c", TaskState::Working, 0), 0).unwrap();
        }
        bench
    };
    assert_eq!(tasks(MAX_LIST_CALLS).list(&everything()).unwrap().1, MAX_LIST_CALLS);
    let bench = tasks(MAX_LIST_CALLS + 1);
    assert!(matches!(bench.list(&everything()), Err(StoreError::Unavailable(_))));
    assert_eq!(bench.kv.calls(Operation::List), MAX_LIST_CALLS);
}

#[test]
fn a_task_that_kv_has_no_room_for_is_not_sent() {
    let bench = bench();
    let mut task = working(0);
    task.push_message(Message::agent_text("x".repeat(25 * 1024 * 1024)));
    let written = bench.put(&task, 0);
    assert!(matches!(written, Err(StoreError::Unstorable(_))), "{written:?}");
    assert_eq!(bench.kv.calls(Operation::Put), 0);
}
