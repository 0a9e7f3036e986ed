//! What every [`TaskStore`] must do. A store's own tests call [`store_suite!`] with what makes an empty one.

mod live;

pub(crate) use live::*;

use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::json;

use crate::memory::ManualClock;
use crate::ports::{Cursor, MAX_TASK_ID_BYTES, Owner, StoreError, Stored, TaskPage, TaskQuery, TaskStore, Timestamp};
use crate::protocol::types::{Artifact, Content, Message, Part, Task, TaskState, TaskStatus};

/// How long the stores under test keep a task: longer than all the waiting of one test.
pub(crate) const TTL: Duration = Duration::from_secs(24 * 60 * 60);

/// When the clocks of the tests start: 2025-10-28T10:30:00Z.
pub(crate) const START: Timestamp = Timestamp(1_761_647_400_000);

/// An empty store with [`TTL`], and the clock that it lives by.
pub(crate) struct Subject {
    pub(crate) store: Rc<dyn TaskStore>,
    pub(crate) clock: ManualClock,
}

/// Makes a test of every behaviour, each with a store of its own: `store_suite!(make)`, where `make` is
/// `fn() -> Subject`.
macro_rules! store_suite {
    ($make:path) => {
        $crate::store_suite::store_suite!(
            $make:
            an_unknown_task_is_not_there
            a_task_comes_back_whole
            revisions_grow_with_every_write
            a_write_that_is_based_on_an_old_read_is_refused
            owners_do_not_see_each_other
            crafted_ids_do_not_reach_other_owners
            unfit_ids_are_not_found_and_not_stored
            the_longest_id_is_stored
            the_newest_status_comes_first
            a_new_status_moves_a_task_to_the_front
            a_status_without_a_time_is_the_oldest
            filters_are_all_obeyed
            pages_join_to_the_whole
            a_page_that_holds_everything_is_the_last
            page_sizes_are_kept_in_bounds
            a_cursor_is_a_place_and_not_a_task
            nobody_s_list_is_empty
            tasks_expire_after_their_last_write
            an_expired_task_can_be_written
            lists_agree_with_a_model
            nobody_subscribes_to_what_is_not_there
            subscribers_see_every_change_in_order
            who_subscribes_late_misses_nothing_and_sees_nothing_twice
            a_step_that_is_based_on_an_old_read_is_refused
            steps_are_seen_by_who_reads
            push_configs_are_kept_by_task_and_id
            push_configs_outlive_writes
            push_configs_have_bounds
        );
    };
    ($make:path: $($behaviour:ident)*) => {
        $(
            #[test]
            fn $behaviour() {
                $crate::store_suite::$behaviour($make);
            }
        )*
    };
}
pub(crate) use store_suite;

impl Subject {
    pub(crate) fn run<F: Future>(&self, future: F) -> F::Output {
        self.clock.run(future).expect("the store waits for something that never comes")
    }

    pub(crate) fn get(&self, owner: &Owner, id: &str) -> Option<Stored> {
        self.run(self.store.get(owner, id)).expect("get")
    }

    pub(crate) fn put(&self, owner: &Owner, task: &Task, revision: u64) -> Result<Stored, StoreError> {
        self.run(self.store.put(owner, Stored { task: task.clone(), revision }, Vec::new()))
    }

    /// Writes tasks that are not there yet.
    fn put_all(&self, owner: &Owner, tasks: &[Task]) {
        for task in tasks {
            self.put(owner, task, 0).expect("put");
        }
    }

    pub(crate) fn list(&self, owner: &Owner, query: &TaskQuery) -> TaskPage {
        self.run(self.store.list(owner, query)).expect("list")
    }

    fn ids(&self, owner: &Owner, query: &TaskQuery) -> Vec<String> {
        ids(&self.list(owner, query))
    }
}

pub(crate) fn alice() -> Owner {
    Owner::subject("alice")
}

/// A task whose status is `seconds` after the start.
pub(crate) fn task(id: &str, context: &str, state: TaskState, seconds: u64) -> Task {
    Task::new(id, context).with_status(TaskStatus::new(state).at(after(seconds)))
}

pub(crate) fn after(seconds: u64) -> Timestamp {
    Timestamp(START.0 + seconds * 1_000)
}

pub(crate) fn everything() -> TaskQuery {
    TaskQuery { page_size: 100, ..TaskQuery::default() }
}

fn ids(page: &TaskPage) -> Vec<String> {
    page.tasks.iter().map(|task| task.id.clone()).collect()
}

pub(crate) fn an_unknown_task_is_not_there(make: fn() -> Subject) {
    let subject = make();
    assert_eq!(subject.get(&alice(), "task-1"), None);
}

pub(crate) fn a_task_comes_back_whole(make: fn() -> Subject) {
    let subject = make();
    let mut task = task("task-1", "context-1", TaskState::InputRequired, 5);
    task.status.message = Some(Message::agent_text("which one?\n\"é\" \u{1F980} \u{0}").with_id("m-2"));
    task.push_message(Message::user_text("do it").with_id("m-1"));
    task.push_artifact(Artifact::new("a-1", vec![Part::raw([0, 255]), Content::Data(json!(null)).into()]));
    task.metadata =
        json!({"nested": {"list": [1, 2.5, "x", null]}, "big": 9_007_199_254_740_993_u64}).as_object().cloned();
    subject.put(&alice(), &task, 0).expect("put");
    assert_eq!(subject.get(&alice(), "task-1"), Some(Stored { task: task.clone(), revision: 1 }));
    assert_eq!(subject.list(&alice(), &everything()).tasks, [task]);
}

pub(crate) fn revisions_grow_with_every_write(make: fn() -> Subject) {
    let subject = make();
    for revision in 0..3 {
        let task = task("task-1", "context-1", TaskState::Working, revision);
        let written = subject.put(&alice(), &task, revision).expect("put");
        let expected = Stored { task, revision: revision + 1 };
        assert_eq!(written, expected);
        assert_eq!(subject.get(&alice(), "task-1"), Some(expected));
    }
}

pub(crate) fn a_write_that_is_based_on_an_old_read_is_refused(make: fn() -> Subject) {
    let subject = make();
    subject.put(&alice(), &task("task-1", "c", TaskState::Working, 0), 0).expect("first");
    let winner = task("task-1", "c", TaskState::Canceled, 1);
    subject.put(&alice(), &winner, 1).expect("second");
    let loser = subject.put(&alice(), &task("task-1", "c", TaskState::Completed, 1), 1);
    assert!(matches!(loser, Err(StoreError::Conflict)), "{loser:?}");
    assert_eq!(subject.get(&alice(), "task-1"), Some(Stored { task: winner, revision: 2 }));
}

pub(crate) fn owners_do_not_see_each_other(make: fn() -> Subject) {
    let subject = make();
    let owners = [
        Owner::anonymous(),
        Owner::subject("anonymous"),
        Owner::subject(""),
        Owner::subject("alice"),
        Owner::subject("alice:"),
        Owner::subject("Alice"),
        Owner::subject(&"a".repeat(2_000)),
    ];
    for (context, owner) in owners.iter().enumerate() {
        subject.put(owner, &task("task-1", &context.to_string(), TaskState::Working, 0), 0).expect("put");
    }
    for (context, owner) in owners.iter().enumerate() {
        let expected = task("task-1", &context.to_string(), TaskState::Working, 0);
        let page = subject.list(owner, &everything());
        assert_eq!((page.tasks, page.total), (vec![expected.clone()], 1), "{owner:?}");
        assert_eq!(subject.get(owner, "task-1"), Some(Stored { task: expected, revision: 1 }), "{owner:?}");
    }
}

pub(crate) fn crafted_ids_do_not_reach_other_owners(make: fn() -> Subject) {
    let subject = make();
    let bob = Owner::subject("bob");
    subject.put(&bob, &task("secret", "c", TaskState::Working, 0), 0).expect("put");
    for id in ["subject:bob:secret", ":secret", "../secret", "task:secret", "%73ecret", "secret ", "secret/", "*", "."]
    {
        assert_eq!(subject.get(&alice(), id), None, "{id}");
        subject.put(&alice(), &task(id, "c", TaskState::Failed, 9), 0).expect(id);
        assert_eq!(subject.get(&alice(), id).map(|stored| stored.task.id).as_deref(), Some(id));
    }
    assert_eq!(subject.list(&bob, &everything()).tasks, [task("secret", "c", TaskState::Working, 0)]);
}

pub(crate) fn unfit_ids_are_not_found_and_not_stored(make: fn() -> Subject) {
    let subject = make();
    for id in ["", "\0", "a\nb", "tab\t", "\u{7f}", "\u{85}", &"x".repeat(MAX_TASK_ID_BYTES + 1), &"é".repeat(129)] {
        assert_eq!(subject.get(&alice(), id), None, "{id:?}");
        let written = subject.put(&alice(), &task(id, "c", TaskState::Working, 0), 0);
        assert!(matches!(written, Err(StoreError::Unstorable(_))), "{id:?}: {written:?}");
    }
    assert_eq!(subject.list(&alice(), &everything()).total, 0);
}

pub(crate) fn the_longest_id_is_stored(make: fn() -> Subject) {
    let subject = make();
    for id in ["x".repeat(MAX_TASK_ID_BYTES), "é".repeat(MAX_TASK_ID_BYTES / 2)] {
        subject.put(&alice(), &task(&id, "c", TaskState::Working, 0), 0).expect("put");
        assert!(subject.get(&alice(), &id).is_some());
    }
    assert_eq!(subject.list(&alice(), &everything()).total, 2);
}

pub(crate) fn the_newest_status_comes_first(make: fn() -> Subject) {
    let subject = make();
    let tasks = [("b", 2), ("old", 1), ("a", 2), ("new", 3), ("B", 2)];
    subject.put_all(&alice(), &tasks.map(|(id, seconds)| task(id, "c", TaskState::Working, seconds)));
    assert_eq!(subject.ids(&alice(), &everything()), ["new", "B", "a", "b", "old"]);
}

pub(crate) fn a_new_status_moves_a_task_to_the_front(make: fn() -> Subject) {
    let subject = make();
    subject.put_all(&alice(), &["a", "b", "c"].map(|id| task(id, "c", TaskState::Working, 1)));
    subject.put(&alice(), &task("c", "c", TaskState::Completed, 2), 1).expect("put");
    assert_eq!(subject.ids(&alice(), &everything()), ["c", "a", "b"]);
    assert_eq!(subject.list(&alice(), &everything()).total, 3);
}

pub(crate) fn a_status_without_a_time_is_the_oldest(make: fn() -> Subject) {
    let subject = make();
    let timeless = Task::new("timeless", "c");
    subject.put_all(&alice(), &[timeless, task("timed", "c", TaskState::Submitted, 0)]);
    assert_eq!(subject.ids(&alice(), &everything()), ["timed", "timeless"]);
    let query = TaskQuery { since: Some(Timestamp(1)), ..everything() };
    assert_eq!(subject.ids(&alice(), &query), ["timed"]);
}

pub(crate) fn filters_are_all_obeyed(make: fn() -> Subject) {
    let subject = make();
    let long_context = "context".repeat(300);
    subject.put_all(
        &alice(),
        &[
            task("t1", "one", TaskState::Working, 1),
            task("t2", "one", TaskState::Completed, 2),
            task("t3", "two", TaskState::Working, 3),
            task("t4", "", TaskState::Working, 4),
            task("t5", &long_context, TaskState::Completed, 5),
        ],
    );
    let context = |id: &str| TaskQuery { context_id: Some(id.to_owned()), ..everything() };
    let state = |state| TaskQuery { state: Some(state), ..everything() };
    let since = |seconds| TaskQuery { since: Some(after(seconds)), ..everything() };
    for (query, expected) in [
        (context("one"), &["t2", "t1"][..]),
        (context("One"), &[]),
        (context("on"), &[]),
        (context(""), &["t4"]),
        (context(&long_context), &["t5"]),
        (context(&long_context[1..]), &[]),
        (state(TaskState::Working), &["t4", "t3", "t1"]),
        (state(TaskState::AuthRequired), &[]),
        (since(3), &["t5", "t4", "t3"]),
        (since(6), &[]),
        (TaskQuery { state: Some(TaskState::Working), ..context("one") }, &["t1"]),
        (TaskQuery { state: Some(TaskState::Working), ..since(2) }, &["t4", "t3"]),
        (TaskQuery { since: Some(after(2)), ..context("one") }, &["t2"]),
    ] {
        let page = subject.list(&alice(), &query);
        assert_eq!(
            (ids(&page), page.total),
            (expected.iter().map(|id| id.to_string()).collect(), expected.len()),
            "{query:?}"
        );
        // A total counts what matches, not what is on the page.
        let page = subject.list(&alice(), &TaskQuery { page_size: 1, ..query });
        assert_eq!((page.tasks.len(), page.total), (expected.len().min(1), expected.len()));
    }
}

pub(crate) fn pages_join_to_the_whole(make: fn() -> Subject) {
    let subject = make();
    // Seven to a second, so that pages end among equals.
    let tasks: Vec<_> = (0..23).map(|i| task(&format!("t{i:02}"), "c", TaskState::Working, i / 7)).collect();
    subject.put_all(&alice(), &tasks);
    let whole = subject.ids(&alice(), &everything());
    assert_eq!(whole.len(), 23);
    for page_size in [1, 2, 5, 22, 23] {
        let mut joined = Vec::new();
        let mut query = TaskQuery { page_size, ..everything() };
        loop {
            let page = subject.list(&alice(), &query);
            assert_eq!(page.total, 23);
            joined.extend(ids(&page));
            assert!(joined.len() <= 23, "pages overlap: {joined:?}");
            query.cursor = page.next;
            if query.cursor.is_none() {
                break;
            }
            assert_eq!(page.tasks.len(), page_size, "only the last page is short");
        }
        assert_eq!(joined, whole, "in pages of {page_size}");
    }
}

pub(crate) fn a_page_that_holds_everything_is_the_last(make: fn() -> Subject) {
    let subject = make();
    subject.put_all(&alice(), &["a", "b", "c", "d"].map(|id| task(id, "c", TaskState::Working, 1)));
    let first = subject.list(&alice(), &TaskQuery { page_size: 2, ..everything() });
    assert_eq!(first.next, Some(Cursor { updated: after(1), id: "b".to_owned() }));
    let second = subject.list(&alice(), &TaskQuery { page_size: 2, cursor: first.next, ..everything() });
    assert_eq!((ids(&second), second.next), (vec!["c".to_owned(), "d".to_owned()], None));
    assert_eq!(subject.list(&alice(), &TaskQuery { page_size: 4, ..everything() }).next, None);
}

pub(crate) fn page_sizes_are_kept_in_bounds(make: fn() -> Subject) {
    let subject = make();
    let tasks: Vec<_> = (0..102).map(|i| task(&format!("t{i}"), "c", TaskState::Working, i)).collect();
    subject.put_all(&alice(), &tasks);
    // The bounds of ListTasksRequest.page_size.
    for (asked, got) in [(0, 1), (100, 100), (usize::MAX, 100)] {
        let page = subject.list(&alice(), &TaskQuery { page_size: asked, ..everything() });
        assert_eq!((page.tasks.len(), page.total, page.next.is_some()), (got, 102, true), "asked for {asked}");
    }
}

pub(crate) fn a_cursor_is_a_place_and_not_a_task(make: fn() -> Subject) {
    let subject = make();
    let tasks = [("a", 1), ("b", 2), ("c", 3)];
    subject.put_all(&alice(), &tasks.map(|(id, seconds)| task(id, "c", TaskState::Working, seconds)));
    let behind = |seconds, id: &str| TaskQuery {
        cursor: Some(Cursor { updated: after(seconds), id: id.to_owned() }),
        ..everything()
    };
    assert_eq!(subject.ids(&alice(), &behind(3, "c")), ["b", "a"]);
    // What has become newer since is not shown twice, and shifts nothing.
    subject.put(&alice(), &task("c", "c", TaskState::Completed, 9), 1).expect("put");
    assert_eq!(subject.ids(&alice(), &behind(3, "c")), ["b", "a"]);
    assert_eq!(subject.ids(&alice(), &behind(2, "aa")), ["b", "a"]);
    assert_eq!(subject.ids(&alice(), &behind(2, "bb")), ["a"]);
    let end = subject.list(&alice(), &behind(0, ""));
    assert_eq!((end.tasks, end.next, end.total), (vec![], None, 3));
}

pub(crate) fn nobody_s_list_is_empty(make: fn() -> Subject) {
    let page = make().list(&Owner::anonymous(), &everything());
    assert_eq!(page, TaskPage { tasks: vec![], next: None, total: 0 });
}

pub(crate) fn tasks_expire_after_their_last_write(make: fn() -> Subject) {
    let subject = make();
    let second = Duration::from_secs(1);
    subject.put_all(&alice(), &["left", "renewed"].map(|id| task(id, "c", TaskState::Working, 1)));
    subject.clock.advance(TTL - 10 * second);
    subject.put(&alice(), &task("renewed", "c", TaskState::Working, 2), 1).expect("put");
    assert_eq!(subject.list(&alice(), &everything()).total, 2);
    subject.clock.advance(20 * second);
    assert_eq!(subject.get(&alice(), "left"), None);
    assert!(subject.get(&alice(), "renewed").is_some());
    let page = subject.list(&alice(), &everything());
    assert_eq!((ids(&page), page.total), (vec!["renewed".to_owned()], 1));
}

pub(crate) fn an_expired_task_can_be_written(make: fn() -> Subject) {
    let subject = make();
    let task = task("task-1", "c", TaskState::Working, 1);
    subject.put(&alice(), &task, 0).expect("put");
    subject.clock.advance(TTL + Duration::from_secs(10));
    assert_eq!(subject.put(&alice(), &task, 1).expect("put"), Stored { task: task.clone(), revision: 2 });
    assert_eq!(subject.get(&alice(), "task-1"), Some(Stored { task, revision: 2 }));
}

/// Random tasks, queries and page sizes against a sorted vector.
pub(crate) fn lists_agree_with_a_model(make: fn() -> Subject) {
    let states = prop::sample::select(vec![TaskState::Working, TaskState::Completed, TaskState::Failed]);
    let tasks = prop::collection::btree_map("[a-c]{1,3}", ("[xy]", states.clone(), 0_u64..4), 0..30);
    let query = (prop::option::of("[xyz]"), prop::option::of(states), prop::option::of(0_u64..5), 1_usize..8);
    let run = TestRunner::new(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })
        .run(&(tasks, query), |(tasks, (context, state, since, page_size))| {
            let subject = make();
            let tasks: Vec<_> =
                tasks.iter().map(|(id, (context, state, seconds))| task(id, context, *state, *seconds)).collect();
            subject.put_all(&alice(), &tasks);
            let mut expected: Vec<_> = tasks
                .into_iter()
                .filter(|task| context.as_ref().is_none_or(|context| *context == task.context_id))
                .filter(|task| state.is_none_or(|state| state == task.status.state))
                .filter(|task| since.is_none_or(|seconds| task.status.timestamp >= Some(after(seconds))))
                .collect();
            expected.sort_by_key(|task| (std::cmp::Reverse(task.status.timestamp), task.id.clone()));
            let mut query = TaskQuery { context_id: context, state, since: since.map(after), page_size, cursor: None };
            for (i, chunk) in expected.chunks(page_size).enumerate() {
                let page = subject.list(&alice(), &query);
                prop_assert_eq!(&page.tasks[..], chunk);
                prop_assert_eq!(page.total, expected.len());
                prop_assert_eq!(page.next.is_some(), (i + 1) * page_size < expected.len());
                query.cursor = page.next;
            }
            Ok(())
        });
    run.unwrap();
}
