//! The life of a task, and who wins when two requests want to change it.

#![allow(clippy::unwrap_used)] // in helpers as well

mod support;

use std::cell::Cell;
use std::rc::Rc;

use a2a_edge::ErrorKind;
use a2a_edge::agent::{Ports, Tasks};
use a2a_edge::memory::{ManualBackground, ManualClock, MemoryLog, MemoryStore, SeededRandom};
use a2a_edge::ports::{Owner, StoreError, Stored, Subscription, TaskPage, TaskQuery, TaskStore};
use a2a_edge::protocol::types::{
    CancelTaskRequest, GetTaskRequest, ListTasksRequest, Message, StreamResponse, TaskPushNotificationConfig, TaskState,
};
use futures::executor::block_on;
use futures::future::{FutureExt, LocalBoxFuture};
use support::START;

fn tasks_in(store: Rc<dyn TaskStore>, owner: Owner) -> Tasks {
    let ports = Ports {
        store,
        clock: Rc::new(ManualClock::new(START)),
        random: Rc::new(SeededRandom::new(7)),
        log: Rc::new(MemoryLog::default()),
        background: Rc::new(ManualBackground::default()),
        fetch: None,
    };
    Tasks::new(owner, Rc::new(ports))
}

fn memory() -> Rc<MemoryStore> {
    Rc::new(MemoryStore::new(Rc::new(ManualClock::new(START))))
}

fn hello() -> Message {
    Message::user_text("hello").with_id("m1")
}

#[test]
fn a_new_task_gets_ids_of_its_own_and_keeps_the_context_it_was_given() {
    let tasks = tasks_in(memory(), Owner::anonymous());
    let work = block_on(tasks.begin(hello())).unwrap();
    let task = work.task();
    assert!(work.is_new());
    assert_eq!(task.status.state, TaskState::Submitted);
    assert_eq!(task.id.len(), 36);
    assert_eq!(&task.id[14..15], "4", "{}", task.id);
    assert!(["8", "9", "a", "b"].contains(&&task.id[19..20]), "{}", task.id);
    assert_ne!(task.id, task.context_id);
    assert_eq!(task.history()[0].task_id.as_deref(), Some(task.id.as_str()));
    assert_eq!(task.history()[0].context_id.as_deref(), Some(task.context_id.as_str()));

    let mut message = hello();
    message.context_id = Some("ctx-1".to_owned());
    assert_eq!(block_on(tasks.begin(message)).unwrap().task().context_id, "ctx-1");
}

#[test]
fn a_task_id_that_a_client_made_up_is_not_found() {
    let tasks = tasks_in(memory(), Owner::anonymous());
    let mut message = hello();
    message.task_id = Some("my-own-id".to_owned());
    assert_eq!(block_on(tasks.begin(message)).unwrap_err().kind(), ErrorKind::TaskNotFound);
}

#[test]
fn a_follow_up_infers_its_context_and_must_not_contradict_it() {
    let tasks = tasks_in(memory(), Owner::anonymous());
    let mut work = block_on(tasks.begin(hello())).unwrap();
    let task = block_on(work.save(TaskState::InputRequired, None)).unwrap();

    let mut follow_up = hello();
    follow_up.task_id = Some(task.id.clone());
    let continued = block_on(tasks.begin(follow_up.clone())).unwrap();
    assert!(!continued.is_new());
    assert_eq!(continued.task().history().len(), 2);
    assert_eq!(continued.task().history()[1].context_id.as_deref(), Some(task.context_id.as_str()));

    follow_up.context_id = Some("another".to_owned());
    let error = block_on(tasks.begin(follow_up)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidParams);
    assert_eq!(error.metadata("fields"), Some("message.contextId"));
}

#[test]
fn a_terminal_task_takes_no_message_and_no_cancellation() {
    for state in TaskState::ALL.into_iter().filter(|state| state.is_terminal()) {
        let tasks = tasks_in(memory(), Owner::anonymous());
        let mut work = block_on(tasks.begin(hello())).unwrap();
        let id = block_on(work.save(state, None)).unwrap().id;

        let mut follow_up = hello();
        follow_up.task_id = Some(id.clone());
        let error = block_on(tasks.begin(follow_up)).unwrap_err();
        assert_eq!((error.code(), error.message()), (-32004, "Task is in a terminal state"), "{state}");

        let error = block_on(tasks.cancel(&CancelTaskRequest { id, ..Default::default() })).unwrap_err();
        assert_eq!((error.code(), error.metadata("state")), (-32002, Some(state.name())));
    }
}

#[test]
fn other_callers_tasks_do_not_exist() {
    let store = memory();
    let alice = tasks_in(store.clone(), Owner::subject("alice"));
    let bob = tasks_in(store, Owner::subject("bob"));
    let mut work = block_on(alice.begin(hello())).unwrap();
    let id = block_on(work.save(TaskState::Working, None)).unwrap().id;

    let get = GetTaskRequest { id: id.clone(), ..Default::default() };
    let missing = GetTaskRequest { id: "no-such-task".to_owned(), ..Default::default() };
    let foreign = block_on(bob.get(&get)).unwrap_err();
    let unknown = block_on(bob.get(&missing)).unwrap_err();
    assert_eq!((foreign.kind(), foreign.message()), (unknown.kind(), unknown.message()));
    let cancel = CancelTaskRequest { id, ..Default::default() };
    assert_eq!(block_on(bob.cancel(&cancel)).unwrap_err().kind(), ErrorKind::TaskNotFound);
    assert_eq!(block_on(bob.list(&ListTasksRequest::default())).unwrap().total_size, 0);
    assert_eq!(block_on(alice.list(&ListTasksRequest::default())).unwrap().total_size, 1);
}

#[test]
fn a_page_token_of_anybodys_making_is_refused_and_harms_nothing() {
    let tasks = tasks_in(memory(), Owner::anonymous());
    for token in ["x", "!!!", "bm90IG91cnM", "LTE6eA", "OjoxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTA"] {
        let request = ListTasksRequest { page_token: Some(token.to_owned()), ..Default::default() };
        let error = block_on(tasks.list(&request)).unwrap_err();
        assert_eq!((error.kind(), error.metadata("fields")), (ErrorKind::InvalidParams, Some("pageToken")), "{token}");
    }
}

/// A store in which somebody else does something to the task right before a write, `rivals` times.
#[derive(Debug)]
struct Contended {
    inner: Rc<MemoryStore>,
    rivals: Cell<usize>,
    rival_state: TaskState,
}

impl TaskStore for Contended {
    fn get<'a>(&'a self, owner: &'a Owner, id: &'a str) -> LocalBoxFuture<'a, Result<Option<Stored>, StoreError>> {
        self.inner.get(owner, id)
    }

    fn put<'a>(
        &'a self,
        owner: &'a Owner,
        stored: Stored,
        events: Vec<StreamResponse>,
    ) -> LocalBoxFuture<'a, Result<Stored, StoreError>> {
        async move {
            if stored.revision > 0 && self.rivals.get() > 0 {
                self.rivals.set(self.rivals.get() - 1);
                let mut current = self.inner.get(owner, &stored.task.id).await?.unwrap();
                current.task.status.state = self.rival_state;
                self.inner.put(owner, current, Vec::new()).await?;
            }
            self.inner.put(owner, stored, events).await
        }
        .boxed_local()
    }

    fn list<'a>(&'a self, owner: &'a Owner, query: &'a TaskQuery) -> LocalBoxFuture<'a, Result<TaskPage, StoreError>> {
        self.inner.list(owner, query)
    }

    fn subscribe<'a>(
        &'a self,
        owner: &'a Owner,
        id: &'a str,
    ) -> LocalBoxFuture<'a, Result<Option<Subscription>, StoreError>> {
        self.inner.subscribe(owner, id)
    }

    fn subscribers<'a>(&'a self, owner: &'a Owner, id: &'a str) -> LocalBoxFuture<'a, Result<usize, StoreError>> {
        self.inner.subscribers(owner, id)
    }

    fn push_configs<'a>(
        &'a self,
        owner: &'a Owner,
        task_id: &'a str,
    ) -> LocalBoxFuture<'a, Result<Vec<TaskPushNotificationConfig>, StoreError>> {
        self.inner.push_configs(owner, task_id)
    }

    fn put_push_config<'a>(
        &'a self,
        owner: &'a Owner,
        config: TaskPushNotificationConfig,
    ) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        self.inner.put_push_config(owner, config)
    }

    fn delete_push_config<'a>(
        &'a self,
        owner: &'a Owner,
        task_id: &'a str,
        id: &'a str,
    ) -> LocalBoxFuture<'a, Result<(), StoreError>> {
        self.inner.delete_push_config(owner, task_id, id)
    }
}

fn contended(rivals: usize, rival_state: TaskState) -> Tasks {
    let store = Contended { inner: memory(), rivals: Cell::new(rivals), rival_state };
    tasks_in(Rc::new(store), Owner::anonymous())
}

#[test]
fn a_completion_that_comes_after_a_cancellation_does_not_undo_it() {
    let tasks = contended(1, TaskState::Canceled);
    let mut work = block_on(tasks.begin(hello())).unwrap();
    block_on(work.save(TaskState::Working, None)).unwrap();
    let task = block_on(work.save(TaskState::Completed, None)).unwrap();
    assert_eq!(task.status.state, TaskState::Canceled);
}

#[test]
fn a_cancellation_that_comes_after_a_completion_is_told_so() {
    let tasks = contended(1, TaskState::Completed);
    let mut work = block_on(tasks.begin(hello())).unwrap();
    let id = block_on(work.save(TaskState::Working, None)).unwrap().id;
    let error = block_on(tasks.cancel(&CancelTaskRequest { id, ..Default::default() })).unwrap_err();
    assert_eq!((error.code(), error.metadata("state")), (-32002, Some("TASK_STATE_COMPLETED")));
}

#[test]
fn a_write_is_decided_anew_while_the_task_is_still_open_and_given_up_in_the_end() {
    let tasks = contended(3, TaskState::Working);
    let mut work = block_on(tasks.begin(hello())).unwrap();
    block_on(work.save(TaskState::Working, None)).unwrap();
    assert_eq!(block_on(work.save(TaskState::Completed, None)).unwrap().status.state, TaskState::Completed);

    let tasks = contended(100, TaskState::Working);
    let mut work = block_on(tasks.begin(hello())).unwrap();
    let id = block_on(work.save(TaskState::Working, None)).unwrap().id;
    let error = block_on(tasks.cancel(&CancelTaskRequest { id, ..Default::default() })).unwrap_err();
    assert_eq!((error.code(), error.message()), (-32603, "Internal error"));
}

#[test]
fn two_messages_to_one_task_are_both_kept_while_it_is_open() {
    let tasks = tasks_in(memory(), Owner::anonymous());
    let mut asked = block_on(tasks.begin(hello())).unwrap();
    let id = block_on(asked.save(TaskState::InputRequired, None)).unwrap().id;
    let said = |text: &str| Message { task_id: Some(id.clone()), ..Message::user_text(text).with_id(text) };
    let mut first = block_on(tasks.begin(said("first"))).unwrap();
    let mut second = block_on(tasks.begin(said("second"))).unwrap();
    block_on(first.save(TaskState::InputRequired, None)).unwrap();
    let task = block_on(second.save(TaskState::Completed, None)).unwrap();
    let ids: Vec<&str> = task.history().iter().map(|message| message.message_id.as_str()).collect();
    assert_eq!((ids, task.status.state), (vec!["m1", "first", "second"], TaskState::Completed));

    let error = block_on(first.save(TaskState::Completed, None)).map(|task| task.history().len());
    assert_eq!(error.unwrap(), 3, "its message is part of the task that has ended");
}
