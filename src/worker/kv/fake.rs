//! A KV namespace in memory, as strict as the real one and as unreliable as a test asks for.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use serde_json::Value;

use super::operations::{Fault, KeyPage, Kv, PutOptions};
use crate::memory::ManualClock;
use crate::ports::Clock;

/// What KV said to a write within a second of the one before, in workerd's words.
pub(super) const TOO_MANY_WRITES: &str = "KV PUT failed: 429 Too Many Requests";
pub(super) const UNAVAILABLE: &str = "KV GET failed: 503 Service Unavailable";

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) value: String,
    pub(super) metadata: Option<Value>,
    pub(super) ttl_s: Option<u64>,
    /// In milliseconds.
    written: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Operation {
    Get,
    GetMany,
    Put,
    Delete,
    List,
}

/// What happens to one call.
#[derive(Debug, Clone, Copy)]
pub(super) enum Trouble {
    /// It fails with this text.
    Fails(&'static str),
    /// A write that fails with this text, and was done all the same.
    DoneButFails(&'static str),
}

/// Clones are the same namespace.
#[derive(Debug, Clone)]
pub(super) struct FakeKv(Rc<State>);

#[derive(Debug)]
struct State {
    clock: ManualClock,
    page_len: Cell<usize>,
    entries: RefCell<BTreeMap<String, Entry>>,
    /// What reads see instead of the entries.
    stale: RefCell<Option<BTreeMap<String, Entry>>>,
    trouble: RefCell<BTreeMap<Operation, VecDeque<Trouble>>>,
    calls: RefCell<BTreeMap<Operation, usize>>,
}

impl FakeKv {
    /// An empty namespace whose lists come in pages of `page_len` keys.
    pub(super) fn new(clock: ManualClock, page_len: usize) -> Self {
        Self(Rc::new(State {
            clock,
            page_len: Cell::new(page_len),
            entries: RefCell::default(),
            stale: RefCell::default(),
            trouble: RefCell::default(),
            calls: RefCell::default(),
        }))
    }

    /// The next calls of `operation` go wrong, one after the other.
    pub(super) fn trouble(&self, operation: Operation, trouble: &[Trouble]) {
        self.0.trouble.borrow_mut().entry(operation).or_default().extend(trouble);
    }

    /// How often `operation` was called since this was last asked.
    pub(super) fn calls(&self, operation: Operation) -> usize {
        self.0.calls.borrow_mut().remove(&operation).unwrap_or_default()
    }

    /// From now on values are read as they are now.
    pub(super) fn freeze_reads(&self) {
        let now = self.0.entries.borrow().clone();
        self.0.stale.replace(Some(now));
    }

    pub(super) fn keys(&self) -> Vec<String> {
        self.0.entries.borrow().keys().cloned().collect()
    }

    pub(super) fn entry(&self, key: &str) -> Entry {
        self.0.entries.borrow()[key].clone()
    }

    /// Writes as somebody else might, past all rules.
    pub(super) fn plant(&self, key: &str, value: &str, metadata: Option<Value>) {
        let entry = Entry { value: value.to_owned(), metadata, ttl_s: None, written: 0 };
        self.0.entries.borrow_mut().insert(key.to_owned(), entry);
    }

    /// Puts another value under a key, whose metadata stays as it is.
    pub(super) fn swap_value(&self, key: &str, value: &str) {
        if let Some(entry) = self.0.entries.borrow_mut().get_mut(key) {
            entry.value = value.to_owned();
        }
    }

    /// Deletes the value of a key that lists still show.
    pub(super) fn hide_value(&self, key: &str) {
        let mut reads = self.0.entries.borrow().clone();
        reads.remove(key);
        self.0.stale.replace(Some(reads));
    }

    fn begin(&self, operation: Operation) -> Option<Trouble> {
        *self.0.calls.borrow_mut().entry(operation).or_default() += 1;
        self.0.trouble.borrow_mut().get_mut(&operation)?.pop_front()
    }

    /// Like [`begin`](Self::begin), for what is not a write.
    fn begin_read(&self, operation: Operation) -> Result<(), Fault> {
        match self.begin(operation) {
            None => Ok(()),
            Some(Trouble::Fails(text) | Trouble::DoneButFails(text)) => Err(Fault::from_text(text)),
        }
    }

    fn is_live(&self, entry: &Entry) -> bool {
        entry.ttl_s.is_none_or(|ttl_s| self.0.clock.now().0 < entry.written + ttl_s * 1_000)
    }

    fn read(&self, key: &str) -> Result<Option<String>, Fault> {
        check_key(key)?;
        let entries = self.0.entries.borrow();
        let stale = self.0.stale.borrow();
        let entry = stale.as_ref().unwrap_or(&entries).get(key);
        Ok(entry.filter(|entry| self.is_live(entry)).map(|entry| entry.value.clone()))
    }
}

fn check_key(key: &str) -> Result<(), Fault> {
    if key.is_empty() || key == "." || key == ".." || key.len() > 512 {
        return Err(Fault::from_text("KV GET failed: 414 bad key"));
    }
    Ok(())
}

impl Kv for FakeKv {
    async fn get(&self, key: &str) -> Result<Option<String>, Fault> {
        self.begin_read(Operation::Get)?;
        self.read(key)
    }

    async fn get_many(&self, keys: &[String]) -> Result<Vec<Option<String>>, Fault> {
        self.begin_read(Operation::GetMany)?;
        if keys.len() > 100 {
            return Err(Fault::from_text("KV GET_BULK failed: 400 more than 100 keys"));
        }
        keys.iter().map(|key| self.read(key)).collect()
    }

    async fn put(&self, key: &str, value: &str, options: &PutOptions) -> Result<(), Fault> {
        let trouble = self.begin(Operation::Put);
        if let Some(Trouble::Fails(text)) = trouble {
            return Err(Fault::from_text(text));
        }
        check_key(key)?;
        if options.metadata.as_ref().is_some_and(|metadata| metadata.to_string().len() > 1_024) {
            return Err(Fault::from_text("KV PUT failed: 413 Metadata length exceeds limit of 1024."));
        }
        if options.ttl_s.is_some_and(|ttl_s| ttl_s < 60) {
            return Err(Fault::from_text("KV PUT failed: 400 Invalid expiration_ttl. Must be at least 60."));
        }
        let now = self.0.clock.now().0;
        let mut entries = self.0.entries.borrow_mut();
        if entries.get(key).is_some_and(|entry| now < entry.written + 1_000) {
            return Err(Fault::from_text(TOO_MANY_WRITES));
        }
        let metadata = options.metadata.clone();
        let entry = Entry { value: value.to_owned(), metadata, ttl_s: options.ttl_s, written: now };
        entries.insert(key.to_owned(), entry);
        match trouble {
            Some(Trouble::DoneButFails(text)) => Err(Fault::from_text(text)),
            Some(Trouble::Fails(_)) | None => Ok(()),
        }
    }

    async fn delete(&self, key: &str) -> Result<(), Fault> {
        self.begin_read(Operation::Delete)?;
        self.0.entries.borrow_mut().remove(key);
        Ok(())
    }

    async fn list(&self, prefix: &str, cursor: Option<String>) -> Result<KeyPage, Fault> {
        self.begin_read(Operation::List)?;
        let entries = self.0.entries.borrow();
        let from = cursor.unwrap_or_else(|| prefix.to_owned());
        let mut rest = entries.range(from..).take_while(|(key, _)| key.starts_with(prefix));
        // Expired keys take up room on a page, as in the real KV: a page can be empty and not the last.
        let page = rest.by_ref().take(self.0.page_len.get());
        let live = page.filter(|(_, entry)| self.is_live(entry));
        let keys = live.map(|(key, entry)| (key.clone(), entry.metadata.clone())).collect();
        Ok(KeyPage { keys, cursor: rest.next().map(|(key, _)| key.clone()) })
    }
}
