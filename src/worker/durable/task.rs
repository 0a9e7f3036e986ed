//! The object of one task. Every request is answered within one transaction and without waiting, so of two writers that
//! read the same revision one wins.

use super::messages::{IndexRequest, Put, TaskAnswer, TaskRequest, told};
use super::storage::{Broken, Param, Reply, Sql, is_used, number};
use crate::ports::MAX_PUSH_CONFIGS;

/// When a task is written, its object tells the index once more after this long: whatever kept the writer from doing it
/// itself (its instance died, the index was not to be reached), the index is right again then.
pub(super) const TELL_AGAIN_MS: u64 = 60_000;

/// Longest piece of a task in one row, in bytes: SQLite in a Durable Object takes 2 MB in a row
/// (<https://developers.cloudflare.com/durable-objects/platform/limits/>).
pub(super) const MAX_PIECE_BYTES: usize = 1_500_000;

impl From<TaskAnswer<'_>> for Reply {
    fn from(answer: TaskAnswer<'_>) -> Self {
        Self { answer: answer.encode(), ..Self::default() }
    }
}

/// Answers a request at `now`, in milliseconds since the epoch.
pub(super) fn answer(sql: &dyn Sql, now: u64, request: &str) -> Result<Reply, Broken> {
    let request = TaskRequest::decode(request)?;
    let head = head(sql)?.filter(|head| head.expires > now);
    match (request, head) {
        (TaskRequest::Put(request), head) => put(sql, now, head, &request),
        (TaskRequest::Get, Some(head)) => {
            let task = pieces(sql)?;
            Ok(TaskAnswer::Task { revision: head.revision, task: &task }.into())
        }
        (TaskRequest::Subscribe, Some(head)) => {
            Ok(Reply { answer: told(head.revision, &pieces(sql)?), listens: true, ..Reply::default() })
        }
        (TaskRequest::Get | TaskRequest::Subscribe, None) => Ok(TaskAnswer::Nothing.into()),
        (TaskRequest::Configs, Some(_)) => {
            Ok(TaskAnswer::Configs(&sql.run("SELECT json FROM config ORDER BY id", &[])?).into())
        }
        (TaskRequest::Configs, None) => Ok(TaskAnswer::Configs("").into()),
        (TaskRequest::PutConfig { id, config }, Some(_)) => Ok(put_config(sql, id, config)?.into()),
        (TaskRequest::DeleteConfig { id }, Some(_)) => {
            sql.run("DELETE FROM config WHERE id = ?", &[Param::Text(id)])?;
            Ok(TaskAnswer::Done.into())
        }
        (TaskRequest::Alarm, Some(head)) => alarm(sql, now, &head),
        (TaskRequest::Alarm, None) => Ok(Reply::default()),
        // The task went since it was looked up, and its configs with it.
        (TaskRequest::PutConfig { .. } | TaskRequest::DeleteConfig { .. }, None) => Ok(TaskAnswer::Done.into()),
    }
}

/// It is told to the index again, and rings again when the task expires.
fn alarm(sql: &dyn Sql, now: u64, head: &Head) -> Result<Reply, Broken> {
    let row = sql.run("SELECT owner, entry FROM task WHERE part = 0", &[])?;
    let (index, notes) = row.split_once('\n').unwrap_or_default();
    let note = IndexRequest::Note { ttl_ms: head.expires - now, notes }.encode();
    Ok(Reply { answer: format!("{index}\n{note}"), alarm: Some(head.expires), ..Reply::default() })
}

struct Head {
    revision: u64,
    expires: u64,
    write: String,
}

fn head(sql: &dyn Sql) -> Result<Option<Head>, Broken> {
    if !is_used(sql)? {
        return Ok(None);
    }
    let row = sql.run("SELECT revision, expires, write FROM task WHERE part = 0", &[])?;
    if row.is_empty() {
        return Ok(None);
    }
    let mut cells = row.split('\n');
    let (revision, expires) = (number(cells.next())?, number(cells.next())?);
    Ok(Some(Head { revision, expires, write: cells.next().unwrap_or_default().to_owned() }))
}

/// The whole JSON of the task.
fn pieces(sql: &dyn Sql) -> Result<String, Broken> {
    let pieces = sql.run("SELECT json FROM task ORDER BY part", &[])?;
    Ok(if pieces.contains('\n') { pieces.replace('\n', "") } else { pieces })
}

fn put(sql: &dyn Sql, now: u64, head: Option<Head>, request: &Put<'_>) -> Result<Reply, Broken> {
    match &head {
        // The same write once more: its answer did not arrive.
        Some(head) if head.write == request.write => return Ok(TaskAnswer::Written(head.revision).into()),
        Some(head) if head.revision != request.base => return Ok(TaskAnswer::Conflict.into()),
        Some(_) => {}
        None => clear(sql)?,
    }
    let (revision, expires) = (request.base + 1, now + request.ttl_ms);
    write(sql, revision, expires, request)?;
    let is_quiet = request.is_step && head.is_some();
    Ok(Reply {
        answer: TaskAnswer::Written(revision).encode(),
        publish: Some(request.events).filter(|events| !events.is_empty()).map(|events| told(revision, events)),
        // There is always one set: the first write sets it, and whenever it rings it is set anew.
        alarm: if is_quiet { None } else { Some(expires.min(now + TELL_AGAIN_MS)) },
        listens: false,
    })
}

/// Makes an empty database of whatever is there.
fn clear(sql: &dyn Sql) -> Result<(), Broken> {
    for statement in [
        "CREATE TABLE IF NOT EXISTS task (part INTEGER PRIMARY KEY, json TEXT NOT NULL, revision INTEGER, \
         expires INTEGER, write TEXT, owner TEXT, entry TEXT)",
        "CREATE TABLE IF NOT EXISTS config (id TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID",
        "DELETE FROM task",
        "DELETE FROM config",
    ] {
        sql.run(statement, &[])?;
    }
    Ok(())
}

fn write(sql: &dyn Sql, revision: u64, expires: u64, request: &Put<'_>) -> Result<(), Broken> {
    let (first, mut rest) = split(request.task);
    let params = [
        Param::Text(first),
        Param::Number(revision),
        Param::Number(expires),
        Param::Text(request.write),
        Param::Text(request.index),
        Param::Text(request.entry),
    ];
    sql.run(
        "REPLACE INTO task (part, json, revision, expires, write, owner, entry) VALUES (0, ?, ?, ?, ?, ?, ?)",
        &params,
    )?;
    sql.run("DELETE FROM task WHERE part > 0", &[])?;
    let mut part = 0;
    while !rest.is_empty() {
        part += 1;
        let (piece, behind) = split(rest);
        sql.run("INSERT INTO task (part, json) VALUES (?, ?)", &[Param::Number(part), Param::Text(piece)])?;
        rest = behind;
    }
    Ok(())
}

/// The first piece of a text, and the rest.
fn split(text: &str) -> (&str, &str) {
    text.split_at(text.floor_char_boundary(MAX_PIECE_BYTES))
}

fn put_config(sql: &dyn Sql, id: &str, config: &str) -> Result<TaskAnswer<'static>, Broken> {
    let others = sql.run("SELECT COUNT(*) FROM config WHERE id <> ?", &[Param::Text(id)])?;
    if number(Some(&others))? >= MAX_PUSH_CONFIGS as u64 {
        return Ok(TaskAnswer::Full);
    }
    sql.run("REPLACE INTO config (id, json) VALUES (?, ?)", &[Param::Text(id), Param::Text(config)])?;
    Ok(TaskAnswer::Done)
}
