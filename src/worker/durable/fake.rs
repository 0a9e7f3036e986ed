//! Durable Objects in memory: each with a real SQLite, the logic of its class, and failures as a test asks for them.

use std::cell::{Cell as StdCell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures_util::StreamExt;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ToSql, params_from_iter};

use super::messages::{ALARM, SUBSCRIBERS};
use super::objects::{Answer, Class, Fault, Lines, Objects};
use super::storage::{Broken, Param, Reply, Sql};
use super::{index, task};
use crate::memory::ManualClock;
use crate::ports::Clock;

/// What happens to one request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Trouble {
    /// It does not arrive.
    Lost,
    /// It is carried out, and the answer does not arrive.
    AnswerLost,
    /// The object is asked for too much.
    Overloaded,
    /// The object's instance dies over it.
    Trap,
}

/// Clones are the same objects.
#[derive(Clone)]
pub(super) struct FakeObjects(Rc<State>);

struct State {
    clock: ManualClock,
    objects: RefCell<BTreeMap<(Class, String), Rc<Object>>>,
    trouble: RefCell<BTreeMap<Class, VecDeque<Trouble>>>,
    requests: RefCell<BTreeMap<Class, usize>>,
    /// Whether requests wait for a moment, so that others come in between.
    is_slow: StdCell<bool>,
}

struct Object {
    class: Class,
    database: Connection,
    listeners: RefCell<Vec<UnboundedSender<Result<String, Fault>>>>,
    alarm: StdCell<Option<u64>>,
}

impl FakeObjects {
    pub(super) fn new(clock: ManualClock) -> Self {
        Self(Rc::new(State {
            clock,
            objects: RefCell::default(),
            trouble: RefCell::default(),
            requests: RefCell::default(),
            is_slow: StdCell::new(false),
        }))
    }

    /// The next requests to objects of this class go wrong, one after the other.
    pub(super) fn trouble(&self, class: Class, trouble: &[Trouble]) {
        self.0.trouble.borrow_mut().entry(class).or_default().extend(trouble);
    }

    /// Every request takes a millisecond to arrive from now on.
    pub(super) fn slow_down(&self) {
        self.0.is_slow.set(true);
    }

    /// How many requests to this class there were since this was last asked.
    pub(super) fn requests(&self, class: Class) -> usize {
        self.0.requests.borrow_mut().remove(&class).unwrap_or_default()
    }

    /// Takes all objects out of memory, as the platform does when it pleases: what they have stored stays.
    pub(super) fn evict(&self) {
        for object in self.0.objects.borrow().values() {
            for listener in object.listeners.take() {
                let _ = listener.unbounded_send(Err(Fault::passing("evicted")));
            }
        }
    }

    /// How many objects of this class have anything stored.
    pub(super) fn stored(&self, class: Class) -> usize {
        let objects = self.0.objects.borrow();
        objects.iter().filter(|((of, _), object)| *of == class && object.has_tables()).count()
    }

    /// How many listen to all objects together.
    pub(super) fn listeners(&self) -> usize {
        let objects = self.0.objects.borrow();
        objects.values().map(|object| object.listening()).sum()
    }

    /// Changes what an object has stored, past all rules.
    pub(super) fn meddle(&self, class: Class, statement: &str) {
        for object in self.0.objects.borrow().values().filter(|object| object.class == class && object.has_tables()) {
            object.database.execute_batch(statement).expect(statement);
        }
    }

    /// Lets all alarms ring whose time has come, as often as it takes.
    pub(super) fn ring(&self) {
        let now = self.0.clock.now().0;
        let is_due = |object: &Rc<Object>| object.alarm.get().is_some_and(|at| at <= now);
        loop {
            let due = self.0.objects.borrow().values().find(|object| is_due(object)).cloned();
            let Some(object) = due else { return };
            object.alarm.set(None);
            let reply = object.transaction(|object| object.answer(now, ALARM)).expect("alarm");
            object.alarm.set(reply.alarm);
            let Some(at) = reply.alarm else {
                object.clear();
                continue;
            };
            if let Some((index, note)) = reply.answer.split_once('\n')
                && self.request(Class::Index, index, note).is_err()
            {
                object.alarm.set(Some(at.min(now + 60_000)));
            }
        }
    }

    fn object(&self, class: Class, name: &str) -> Rc<Object> {
        let mut objects = self.0.objects.borrow_mut();
        let object = objects.entry((class, name.to_owned())).or_insert_with(|| Rc::new(Object::new(class)));
        Rc::clone(object)
    }

    async fn arrive(&self) {
        if self.0.is_slow.get() {
            self.0.clock.sleep(std::time::Duration::from_millis(1)).await;
        }
    }

    fn request(&self, class: Class, name: &str, request: &str) -> Result<(Rc<Object>, Reply), Fault> {
        *self.0.requests.borrow_mut().entry(class).or_default() += 1;
        let trouble = self.0.trouble.borrow_mut().get_mut(&class).and_then(VecDeque::pop_front);
        let object = self.object(class, name);
        match trouble {
            Some(Trouble::Lost) => return Err(Fault::passing("Network connection lost.")),
            Some(Trouble::Overloaded) => return Err(Fault::lasting("Durable Object is overloaded.")),
            Some(Trouble::Trap) => {
                let died: Result<Reply, Broken> = object.transaction(|object| {
                    object.answer(self.0.clock.now().0, request)?;
                    Err(Broken("unreachable".to_owned()))
                });
                return Err(Fault::passing(&died.unwrap_err().0));
            }
            Some(Trouble::AnswerLost) | None => {}
        }
        let now = self.0.clock.now().0;
        let reply = object.transaction(|object| object.answer(now, request));
        let reply = reply.map_err(|Broken(text)| Fault::passing(&text))?;
        if let Some(line) = &reply.publish {
            object.publish(line);
        }
        if let Some(at) = reply.alarm {
            object.alarm.set(Some(at));
        }
        match trouble {
            Some(Trouble::AnswerLost) => Err(Fault::passing("Network connection lost.")),
            Some(Trouble::Lost | Trouble::Overloaded | Trouble::Trap) | None => Ok((object, reply)),
        }
    }
}

impl Objects for FakeObjects {
    async fn ask(&self, class: Class, names: &[String], request: &str) -> Result<Vec<Answer>, Fault> {
        self.arrive().await;
        let mut answers = Vec::new();
        for name in names {
            if request == SUBSCRIBERS {
                let text = self.object(class, name).listening().to_string();
                answers.push(Answer { text, lines: None });
                continue;
            }
            let (object, reply) = self.request(class, name, request)?;
            let lines = reply.listens.then(|| object.listen());
            answers.push(Answer { text: reply.answer, lines });
        }
        Ok(answers)
    }
}

impl Object {
    fn new(class: Class) -> Self {
        let database = Connection::open_in_memory().expect("a database");
        Self { class, database, listeners: RefCell::default(), alarm: StdCell::new(None) }
    }

    fn listening(&self) -> usize {
        self.listeners.borrow().iter().filter(|one| !one.is_closed()).count()
    }

    fn answer(&self, now: u64, request: &str) -> Result<Reply, Broken> {
        match self.class {
            Class::Task => task::answer(self, now, request),
            Class::Index => index::answer(self, now, request),
        }
    }

    fn transaction<T>(&self, work: impl FnOnce(&Self) -> Result<T, Broken>) -> Result<T, Broken> {
        let transaction = self.database.unchecked_transaction().expect("begin");
        let done = work(self)?;
        transaction.commit().expect("commit");
        Ok(done)
    }

    fn publish(&self, line: &str) {
        let send = |listener: &UnboundedSender<_>| listener.unbounded_send(Ok(line.to_owned())).is_ok();
        self.listeners.borrow_mut().retain(send);
    }

    fn listen(&self) -> Lines {
        let (sender, receiver) = unbounded();
        self.listeners.borrow_mut().push(sender);
        receiver.boxed_local()
    }

    fn has_tables(&self) -> bool {
        let count = self.database.query_row("SELECT COUNT(*) FROM sqlite_master", [], |row| row.get::<_, i64>(0));
        count.expect("count") > 0
    }

    fn clear(&self) {
        self.database.execute_batch("DROP TABLE IF EXISTS task; DROP TABLE IF EXISTS config").expect("clear");
    }
}

impl Sql for Object {
    fn run(&self, statement: &str, params: &[Param<'_>]) -> Result<String, Broken> {
        let broken = |error: rusqlite::Error| Broken(error.to_string());
        let mut statement = self.database.prepare(statement).map_err(broken)?;
        assert_eq!(statement.parameter_count(), params.len(), "a Durable Object refuses any other number of them");
        let width = statement.column_count();
        let mut rows = statement.query(params_from_iter(params.iter().map(bound))).map_err(broken)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(broken)? {
            found.extend((0..width).map(|column| cell(row.get_ref(column).expect("a column"))));
        }
        Ok(found.join("\n"))
    }
}

/// Numbers as doubles: so a Durable Object binds those of JavaScript.
fn bound<'a>(param: &'a Param<'a>) -> Box<dyn ToSql + 'a> {
    match param {
        Param::Number(number) => {
            assert!(*number < 1 << 53, "{number} does not survive JavaScript");
            Box::new(*number as f64)
        }
        Param::Text(text) => {
            assert!(text.len() < 2_000_000, "a row takes 2 MB");
            Box::new(text)
        }
        Param::Null => Box::new(rusqlite::types::Null),
    }
}

/// As JavaScript writes it.
fn cell(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8(text.to_vec()).expect("UTF-8"),
        ValueRef::Blob(_) => panic!("nothing stores bytes"),
    }
}
