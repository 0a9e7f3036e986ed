//! Subscriptions: the object of the task tells every change, whichever instance makes it.

use std::collections::VecDeque;

use futures_util::{StreamExt, stream};

use super::messages::{TaskRequest, read_told};
use super::objects::{Answer, Class, Lines, Objects};
use super::tasks::{DurableTasks, read_task, task_name};
use crate::ports::{Owner, StoreError, Stored, Subscription, is_task_id};
use crate::protocol::types::{self, StreamResponse};

/// How often a connection that broke is made anew before any change has come over it. Objects move to another machine
/// and get new versions, and their connections break then.
pub(super) const MAX_RECONNECTIONS: u32 = 3;

struct Feed<O> {
    tasks: DurableTasks<O>,
    name: String,
    lines: Lines,
    /// The task as the subscriber knows it.
    known: Stored,
    waiting: VecDeque<StreamResponse>,
    reconnections: u32,
    is_over: bool,
}

impl<O: Objects + Clone + 'static> DurableTasks<O> {
    pub(super) async fn follow(&self, owner: &Owner, id: &str) -> Result<Option<Subscription>, StoreError> {
        if !is_task_id(id) {
            return Ok(None);
        }
        let name = task_name(owner, id);
        let Some((lines, known)) = self.connect(&name).await? else { return Ok(None) };
        let task = known.task.clone();
        let feed = Feed {
            tasks: self.clone(),
            name,
            lines,
            known,
            waiting: VecDeque::new(),
            reconnections: 0,
            is_over: false,
        };
        let events = stream::unfold(feed, |mut feed| async { feed.next().await.map(|event| (event, feed)) });
        Ok(Some(Subscription { task, events: events.boxed_local() }))
    }

    /// Listens, and takes the task as it stands.
    async fn connect(&self, name: &str) -> Result<Option<(Lines, Stored)>, StoreError> {
        let answers = self.ask_all(Class::Task, vec![name.to_owned()], TaskRequest::Subscribe.encode()).await?;
        let Some(Answer { text, lines: Some(lines) }) = answers.into_iter().next() else { return Ok(None) };
        let (revision, json) = read_told(&text)?;
        Ok(Some((lines, Stored { task: read_task(json)?, revision })))
    }
}

impl<O: Objects + Clone + 'static> Feed<O> {
    async fn next(&mut self) -> Option<Result<StreamResponse, StoreError>> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(Ok(event));
            }
            if self.is_over {
                return None;
            }
            let more = match self.lines.next().await {
                Some(Ok(line)) => self.take(&line),
                Some(Err(fault)) => self.reconnect(fault.text).await,
                None => self.reconnect("the object has gone".to_owned()).await,
            };
            if let Err(error) = more {
                self.is_over = true;
                return Some(Err(error));
            }
        }
    }

    fn take(&mut self, line: &str) -> Result<(), StoreError> {
        let (revision, json) = read_told(line)?;
        let events: Vec<StreamResponse> =
            types::from_json(json).map_err(|error| StoreError::unreadable("events of an object", &error))?;
        events.iter().for_each(|event| self.known.task.apply(event));
        self.known.revision = revision;
        self.waiting.extend(events);
        self.reconnections = 0;
        Ok(())
    }

    /// Listens anew. What was missed shows in what has become of the task.
    async fn reconnect(&mut self, why: String) -> Result<(), StoreError> {
        if self.reconnections == MAX_RECONNECTIONS {
            return Err(StoreError::Unavailable(why));
        }
        self.reconnections += 1;
        let Some((lines, current)) = self.tasks.connect(&self.name).await? else {
            self.is_over = true; // The task has expired meanwhile.
            return Ok(());
        };
        self.lines = lines;
        if current.revision != self.known.revision {
            self.waiting.extend(current.task.changes_since(&self.known.task));
            self.known = current;
            self.reconnections = 0;
        }
        Ok(())
    }
}
