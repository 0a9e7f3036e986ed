use super::*;
use crate::memory::ManualClock;
use crate::store_suite::{START, Subject, TTL, alice, everything, store_suite, task};

fn subject(configure: fn(MemoryStore) -> MemoryStore) -> Subject {
    let clock = ManualClock::new(START);
    let store = configure(MemoryStore::new(Rc::new(clock.clone())));
    Subject { store: Rc::new(store), clock }
}

fn make() -> Subject {
    subject(|store| store.with_ttl(TTL))
}

store_suite!(make);

/// Room for ten tasks of [`small`], and not for eleven.
const ROOM: usize = 10 * SMALL_BYTES + SMALL_BYTES / 2;
/// The JSON of [`small`], written out: 121 or 122 bytes; its id; and what an entry costs.
const SMALL_BYTES: usize = ENTRY_BYTES + 2 + 122;

fn small(number: u64, state: TaskState) -> Task {
    let task = task(&format!("t{number}"), "context", state, 1);
    let padding = 122 - serde_json::to_vec(&task).unwrap().len();
    Task { context_id: format!("context{}", " ".repeat(padding)), ..task }
}

fn full(states: impl Fn(u64) -> TaskState) -> Subject {
    let subject = subject(|store| store.with_capacity(ROOM));
    for number in 0..10 {
        subject.put(&alice(), &small(number, states(number)), 0).unwrap();
    }
    assert_eq!(subject.list(&alice(), &everything()).total, 10, "ten fit");
    subject
}

fn numbers(subject: &Subject) -> Vec<u64> {
    let page = subject.list(&alice(), &everything());
    page.tasks.iter().map(|task| task.id[1..].parse().unwrap()).collect()
}

#[test]
fn a_write_without_a_read_does_not_overwrite() {
    let subject = make();
    subject.put(&alice(), &small(1, TaskState::Completed), 0).unwrap();
    for revision in [0, 2] {
        let again = subject.put(&alice(), &small(1, TaskState::Working), revision);
        assert!(matches!(again, Err(StoreError::Conflict)), "{again:?}");
    }
}

#[test]
fn without_a_ttl_tasks_stay() {
    let subject = subject(|store| store);
    subject.put(&alice(), &small(1, TaskState::Completed), 0).unwrap();
    subject.clock.advance(Duration::from_secs(u64::MAX / 2_000));
    assert!(subject.get(&alice(), "t1").is_some());
}

#[test]
fn the_oldest_terminal_tasks_make_room_first() {
    // Odd ones are done. An eighth of the room is 1.3 tasks: with the eleventh, that makes two to go.
    let subject = full(|number| if number % 2 == 1 { TaskState::Completed } else { TaskState::Working });
    subject.put(&alice(), &small(10, TaskState::Working), 0).unwrap();
    assert_eq!(numbers(&subject), [0, 10, 2, 4, 5, 6, 7, 8, 9], "by id, as text");
}

#[test]
fn the_oldest_open_tasks_go_when_nothing_else_is_left() {
    let subject = full(|_| TaskState::Working);
    subject.put(&alice(), &small(0, TaskState::Working), 1).unwrap();
    subject.put(&alice(), &small(10, TaskState::Working), 0).unwrap();
    assert_eq!(numbers(&subject), [0, 10, 3, 4, 5, 6, 7, 8, 9], "0 was written again");
}

#[test]
fn expired_tasks_go_before_all_others() {
    let subject = subject(|store| store.with_ttl(TTL).with_capacity(ROOM));
    for number in 0..2 {
        subject.put(&alice(), &small(number, TaskState::Working), 0).unwrap();
    }
    subject.clock.advance(TTL + Duration::from_secs(1));
    for number in 2..11 {
        subject.put(&alice(), &small(number, TaskState::Completed), 0).unwrap();
    }
    assert_eq!(numbers(&subject), [10, 2, 3, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn the_room_is_shared_by_all_owners() {
    let subject = full(|_| TaskState::Completed);
    let bob = Owner::subject("bob");
    for number in 0..20 {
        subject.put(&bob, &small(number, TaskState::Completed), 0).unwrap();
    }
    assert!(numbers(&subject).is_empty());
    let page = subject.list(&bob, &everything());
    assert!((8..=10).contains(&page.total), "{}", page.total);
    assert!(page.tasks.iter().any(|task| task.id == "t19"), "the newest is there");
}

#[test]
fn room_is_given_back_when_a_task_shrinks() {
    let subject = subject(|store| store.with_capacity(ROOM));
    let mut large = small(0, TaskState::Working);
    large.context_id = "x".repeat(ROOM - 2 * SMALL_BYTES);
    subject.put(&alice(), &large, 0).unwrap();
    subject.put(&alice(), &small(0, TaskState::Working), 1).unwrap();
    for number in 1..10 {
        subject.put(&alice(), &small(number, TaskState::Working), 0).unwrap();
    }
    assert_eq!(numbers(&subject).len(), 10);
}

#[test]
fn a_task_that_is_larger_than_the_store_is_refused_and_drives_nobody_out() {
    let subject = full(|_| TaskState::Completed);
    let mut huge = small(10, TaskState::Working);
    huge.context_id = "x".repeat(ROOM);
    let written = subject.put(&alice(), &huge, 0);
    assert!(matches!(written, Err(StoreError::Unstorable(_))), "{written:?}");
    assert_eq!(numbers(&subject).len(), 10);
}

#[test]
fn debug_shows_no_task() {
    let subject = make();
    subject.put(&alice(), &small(1, TaskState::Completed), 0).unwrap();
    let text = format!("{:?}", subject.store);
    assert!(text.contains("owners: 1") && !text.contains("alice") && !text.contains("t1"), "{text}");
}
