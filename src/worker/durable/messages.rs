//! What the store and its objects say to each other: text in lines, whose words are divided by spaces.
//!
//! No JSON around JSON: a task crosses as it is stored, and neither side has to escape it. None of the JSON here holds a
//! line break, since `serde_json` writes none, and neither does an id (see [`is_task_id`](crate::ports::is_task_id)).

use std::fmt::Write;

use super::super::kv::hash;
use crate::ports::{Cursor, TaskQuery, Timestamp};
use crate::protocol::types::Task;

/// Greatest integer that survives being a JavaScript number, as it is on its way into SQLite.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// A message that is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Garbled;

/// Asks the object of one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TaskRequest<'a> {
    /// For the task.
    Get,
    /// To write it.
    Put(Put<'a>),
    /// For the task and all that happens to it from then on.
    Subscribe,
    /// For its push notification configs.
    Configs,
    /// To add or replace one.
    PutConfig { id: &'a str, config: &'a str },
    /// To remove one.
    DeleteConfig { id: &'a str },
    /// What its alarm asks.
    Alarm,
}

/// What the alarm of an object asks it, whatever its class.
pub(super) const ALARM: &str = "alarm";

/// Asks the object of a task how many listen to it. Not its logic answers, but whoever keeps the listeners
/// (`js/durable.js`).
pub(super) const SUBSCRIBERS: &str = "subscribers";

/// A write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Put<'a> {
    /// Revision that the write is based on.
    pub(super) base: u64,
    /// How long the task is kept, in milliseconds.
    pub(super) ttl_ms: u64,
    /// Whether the index hears of it later, from the write that follows.
    pub(super) is_step: bool,
    /// Tells this write from every other: a repeated one is done once.
    pub(super) write: &'a str,
    /// Name of the index that the task belongs into.
    pub(super) index: &'a str,
    /// The task's [`Entry`] there, as text.
    pub(super) entry: &'a str,
    /// What to show to subscribers, a JSON array; empty for nothing.
    pub(super) events: &'a str,
    /// The task, as JSON.
    pub(super) task: &'a str,
}

impl<'a> TaskRequest<'a> {
    pub(super) fn encode(&self) -> String {
        match self {
            Self::Get => "get".to_owned(),
            Self::Put(put) => {
                let Put { base, ttl_ms, is_step, write, index, entry, events, task } = put;
                let verb = if *is_step { "step" } else { "put" };
                format!("{verb} {base} {ttl_ms} {write} {index}\n{entry}\n{events}\n{task}")
            }
            Self::Subscribe => "subscribe".to_owned(),
            Self::Configs => "configs".to_owned(),
            Self::PutConfig { id, config } => format!("config\n{id}\n{config}"),
            Self::DeleteConfig { id } => format!("delete\n{id}"),
            Self::Alarm => ALARM.to_owned(),
        }
    }

    pub(super) fn decode(text: &'a str) -> Result<Self, Garbled> {
        let mut lines = text.splitn(4, '\n');
        let mut line = || lines.next().ok_or(Garbled);
        let mut words = line()?.split(' ');
        let verb = words.next().ok_or(Garbled)?;
        Ok(match verb {
            "get" => Self::Get,
            "put" | "step" => Self::Put(Put {
                base: number(words.next())?,
                ttl_ms: number(words.next())?,
                is_step: verb == "step",
                write: words.next().ok_or(Garbled)?,
                index: words.next().ok_or(Garbled)?,
                entry: line()?,
                events: line()?,
                task: line()?,
            }),
            "subscribe" => Self::Subscribe,
            "configs" => Self::Configs,
            "config" => Self::PutConfig { id: line()?, config: line()? },
            "delete" => Self::DeleteConfig { id: line()? },
            ALARM => Self::Alarm,
            _ => return Err(Garbled),
        })
    }
}

/// What the object of a task answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TaskAnswer<'a> {
    /// There is no such task.
    Nothing,
    /// The task, as JSON.
    Task { revision: u64, task: &'a str },
    /// It is written, with this revision.
    Written(u64),
    /// Somebody else wrote it since it was read.
    Conflict,
    /// Push notification configs as JSON, one a line.
    Configs(&'a str),
    /// There are as many configs as a task can have.
    Full,
    /// It is done.
    Done,
}

impl<'a> TaskAnswer<'a> {
    pub(super) fn encode(&self) -> String {
        match self {
            Self::Nothing => "nothing".to_owned(),
            Self::Task { revision, task } => format!("task {revision}\n{task}"),
            Self::Written(revision) => format!("written {revision}"),
            Self::Conflict => "conflict".to_owned(),
            Self::Configs(configs) => format!("configs\n{configs}"),
            Self::Full => "full".to_owned(),
            Self::Done => "done".to_owned(),
        }
    }

    pub(super) fn decode(text: &'a str) -> Result<Self, Garbled> {
        let (head, rest) = text.split_once('\n').unwrap_or((text, ""));
        let mut words = head.split(' ');
        Ok(match words.next() {
            Some("nothing") => Self::Nothing,
            Some("task") => Self::Task { revision: number(words.next())?, task: rest },
            Some("written") => Self::Written(number(words.next())?),
            Some("conflict") => Self::Conflict,
            Some("configs") => Self::Configs(rest),
            Some("full") => Self::Full,
            Some("done") => Self::Done,
            _ => return Err(Garbled),
        })
    }
}

/// A line for subscribers, without its end: a revision and JSON. The first tells of the task as it stands, the others of
/// the events of a write.
pub(super) fn told(revision: u64, json: &str) -> String {
    format!("{revision} {json}")
}

/// Reads such a line.
pub(super) fn read_told(line: &str) -> Result<(u64, &str), Garbled> {
    let (revision, json) = line.split_once(' ').ok_or(Garbled)?;
    Ok((number(Some(revision))?, json))
}

/// What an index knows of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) revision: u64,
    /// Status time in milliseconds since the epoch; 0 for none.
    pub(super) updated: u64,
    /// Name of the state.
    pub(super) state: &'a str,
    /// Hash of the context id, which may be of any length and hold anything.
    pub(super) context: &'a str,
    pub(super) id: &'a str,
}

/// The place of a task in lists, as far as an index can tell times apart.
pub(super) fn updated(task: &Task) -> u64 {
    task.status.timestamp.unwrap_or_default().0.min(MAX_SAFE_INTEGER)
}

/// A change to an index, on a line of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Note<'a> {
    /// The task is there, and as the entry says.
    Known(Entry<'a>),
    /// There is no task any more where the index has one of this revision.
    Gone { revision: u64, id: &'a str },
}

/// The note that tells of a task as it is.
pub(super) fn known(task: &Task, revision: u64) -> String {
    let (state, context) = (task.status.state.name(), &hash(&task.context_id));
    Note::Known(Entry { revision, updated: updated(task), state, context, id: &task.id }).encode()
}

impl<'a> Note<'a> {
    pub(super) fn encode(&self) -> String {
        match self {
            Self::Known(Entry { revision, updated, state, context, id }) => {
                format!("+ {revision} {updated} {state} {context} {id}")
            }
            Self::Gone { revision, id } => format!("- {revision} {id}"),
        }
    }

    pub(super) fn decode(line: &'a str) -> Result<Self, Garbled> {
        let (verb, rest) = line.split_once(' ').ok_or(Garbled)?;
        // An id may hold spaces, so it comes last.
        let mut words = rest.splitn(if verb == "+" { 5 } else { 2 }, ' ');
        let mut word = || words.next().ok_or(Garbled);
        let revision = number(word().ok())?;
        match verb {
            "+" => {
                let updated = number(word().ok())?;
                Ok(Self::Known(Entry { revision, updated, state: word()?, context: word()?, id: word()? }))
            }
            "-" => Ok(Self::Gone { revision, id: word()? }),
            _ => Err(Garbled),
        }
    }
}

/// Asks the index of one owner.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum IndexRequest<'a> {
    /// To take note of changes, one a line. What is new is kept for `ttl_ms`.
    Note { ttl_ms: u64, notes: &'a str },
    /// For a page.
    List(Filter<'a>),
    /// What its alarm asks.
    Alarm,
}

/// A [`TaskQuery`], with the context as its hash.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Filter<'a> {
    pub(super) page_size: usize,
    pub(super) state: Option<&'a str>,
    pub(super) since: Option<u64>,
    pub(super) context: Option<String>,
    pub(super) cursor: Option<(u64, &'a str)>,
}

impl<'a> Filter<'a> {
    /// A page of `page_size` of what `query` asks for.
    pub(super) fn of(query: &'a TaskQuery, page_size: usize) -> Self {
        Self {
            page_size,
            state: query.state.map(crate::protocol::types::TaskState::name),
            since: query.since.map(|since| since.0.min(MAX_SAFE_INTEGER)),
            context: query.context_id.as_deref().map(hash),
            cursor: query.cursor.as_ref().map(|cursor| (cursor.updated.0.min(MAX_SAFE_INTEGER), cursor.id.as_str())),
        }
    }
}

/// Stands for what is not asked for. No hash and no name of a state looks like it.
const ANY: &str = "*";

impl<'a> IndexRequest<'a> {
    pub(super) fn encode(&self) -> String {
        match self {
            Self::Note { ttl_ms, notes } => format!("note {ttl_ms}\n{notes}"),
            Self::List(filter) => {
                let Filter { page_size, state, since, context, cursor } = filter;
                let (state, context) = (state.unwrap_or(ANY), context.as_deref().unwrap_or(ANY));
                let since = since.map_or_else(|| ANY.to_owned(), |since| since.to_string());
                let mut text = format!("list {page_size} {state} {since} {context}");
                if let Some((updated, id)) = cursor {
                    // The id of a cursor comes from the caller and may hold anything, so it ends the message.
                    // Writing to a String does not fail.
                    let _ = write!(text, " {updated}\n{id}");
                }
                text
            }
            Self::Alarm => ALARM.to_owned(),
        }
    }

    pub(super) fn decode(text: &'a str) -> Result<Self, Garbled> {
        let (head, rest) = text.split_once('\n').unwrap_or((text, ""));
        let mut words = head.split(' ');
        match words.next() {
            Some("note") => Ok(Self::Note { ttl_ms: number(words.next())?, notes: rest }),
            Some(ALARM) => Ok(Self::Alarm),
            Some("list") => {
                let page_size = number(words.next())?;
                let state = given(words.next())?;
                let since = given(words.next())?.map(|since| number(Some(since))).transpose()?;
                let context = given(words.next())?.map(str::to_owned);
                let cursor = words.next().map(|updated| Ok((number(Some(updated))?, rest))).transpose()?;
                Ok(Self::List(Filter { page_size, state, since, context, cursor }))
            }
            _ => Err(Garbled),
        }
    }
}

/// A page of an index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct IndexPage {
    /// How many tasks match in all.
    pub(super) total: usize,
    /// Whether there is more behind this page.
    pub(super) has_more: bool,
    /// Places in list order, each with the revision that the index knows.
    pub(super) places: Vec<(u64, Cursor)>,
}

impl IndexPage {
    /// One place a line, each a revision, a status time and an id; behind them how many match in all. There is one place
    /// more than `size` if there is more.
    pub(super) fn decode(text: &str, size: usize) -> Result<Self, Garbled> {
        let (places, total) = text.rsplit_once('\n').unwrap_or(("", text));
        let mut page = Self { total: number(Some(total))?, ..Self::default() };
        for line in places.lines() {
            let mut words = line.splitn(3, ' ');
            let (revision, updated) = (number(words.next())?, number(words.next())?);
            let id = words.next().ok_or(Garbled)?.to_owned();
            page.places.push((revision, Cursor { updated: Timestamp(updated), id }));
        }
        page.has_more = page.places.len() > size;
        page.places.truncate(size);
        Ok(page)
    }
}

/// An index's answer to what it took note of.
pub(super) const NOTED: &str = "noted";

fn number<T: std::str::FromStr>(word: Option<&str>) -> Result<T, Garbled> {
    word.and_then(|word| word.parse().ok()).ok_or(Garbled)
}

fn given(word: Option<&str>) -> Result<Option<&str>, Garbled> {
    Ok(Some(word.ok_or(Garbled)?).filter(|word| *word != ANY))
}

#[cfg(test)]
mod tests;
