//! The index of one owner: which tasks there are, in which order, and in which state. The tasks themselves are elsewhere,
//! and what they say counts.

use super::messages::{Entry, Filter, IndexPage, IndexRequest, NOTED, Note};
use super::storage::{Broken, Due, Param, Sql, columns, is_used};
use super::task::Reply;
use crate::ports::{Cursor, Timestamp};

/// How long expired entries may stay, in milliseconds: sweeping is reading them all.
pub(super) const SWEEP_INTERVAL_MS: u64 = 60 * 60 * 1_000;

/// Answers a request at `now`, in milliseconds since the epoch.
pub(super) fn answer(sql: &impl Sql, now: u64, request: &str) -> Result<Reply, Broken> {
    match IndexRequest::decode(request).map_err(|_| Broken::request())? {
        IndexRequest::Note { ttl_ms, notes } => note(sql, now, ttl_ms, &notes),
        IndexRequest::List(filter) => {
            let page = if is_used(sql)? { page(sql, now, &filter)? } else { IndexPage::default() };
            Ok(Reply { answer: page.encode(), ..Reply::default() })
        }
    }
}

/// The alarm rings at `now`.
pub(super) fn alarm(sql: &impl Sql, now: u64) -> Result<Due, Broken> {
    if !is_used(sql)? {
        return Ok(Due::Delete);
    }
    sql.run("DELETE FROM task WHERE expires <= ?", &[Param::Number(now)])?;
    let row = sql.run("SELECT MIN(expires), COUNT(*) FROM task", &[])?.pop().unwrap_or_default();
    let [next, count] = columns(row)?;
    if count.number()? == 0 {
        return Ok(Due::Delete);
    }
    Ok(Due::Again { at: next.number()?.max(now + SWEEP_INTERVAL_MS), tell: None })
}

fn note(sql: &impl Sql, now: u64, ttl_ms: u64, notes: &[Note<'_>]) -> Result<Reply, Broken> {
    sql.run(
        "CREATE TABLE IF NOT EXISTS task (id TEXT PRIMARY KEY, revision INTEGER NOT NULL, updated INTEGER NOT NULL, \
         state TEXT NOT NULL, context TEXT NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID",
        &[],
    )?;
    let is_empty = sql.run("SELECT 1 FROM task LIMIT 1", &[])?.is_empty();
    let expires = now + ttl_ms;
    for note in notes {
        match note {
            Note::Known(entry) => know(sql, now, expires, entry)?,
            Note::Gone { revision, id } => {
                let params = [Param::Text(id), Param::Number(*revision)];
                sql.run("DELETE FROM task WHERE id = ? AND revision = ?", &params)?;
            }
        }
    }
    // As long as there is an entry there is an alarm.
    let alarm = Some(expires).filter(|_| is_empty);
    Ok(Reply { answer: NOTED.to_owned(), alarm, ..Reply::default() })
}

/// Notes may arrive in another order than the writes they tell of, and more than once.
fn know(sql: &impl Sql, now: u64, expires: u64, entry: &Entry<'_>) -> Result<(), Broken> {
    let params = [
        Param::Text(entry.id),
        Param::Number(entry.revision),
        Param::Number(entry.updated),
        Param::Text(entry.state),
        Param::Text(&entry.context),
        Param::Number(expires),
        Param::Number(now),
    ];
    sql.run(
        "INSERT INTO task (id, revision, updated, state, context, expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
         ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, updated = excluded.updated, \
         state = excluded.state, context = excluded.context, expires = excluded.expires \
         WHERE excluded.revision > task.revision OR task.expires <= ?7",
        &params,
    )?;
    Ok(())
}

const MATCHES: &str = "expires > ?1 AND (?2 IS NULL OR state = ?2) AND (?3 IS NULL OR updated >= ?3) \
                       AND (?4 IS NULL OR context = ?4)";

fn page(sql: &impl Sql, now: u64, filter: &Filter<'_>) -> Result<IndexPage, Broken> {
    let context = filter.context.as_deref();
    let wanted = [Param::Number(now), Param::text(filter.state), Param::number(filter.since), Param::text(context)];
    let row = sql.run(&format!("SELECT COUNT(*) FROM task WHERE {MATCHES}"), &wanted)?.pop().unwrap_or_default();
    let [total] = columns(row)?;
    let (updated, id) = filter.cursor.unzip();
    let limit = filter.page_size as u64 + 1;
    // Ids compare by their bytes, in SQLite as in Rust.
    let statement = format!(
        "SELECT revision, updated, id FROM task WHERE {MATCHES} \
         AND (?5 IS NULL OR updated < ?5 OR (updated = ?5 AND id > ?6)) ORDER BY updated DESC, id LIMIT ?7"
    );
    let [now, state, since, context] = wanted;
    let params = [now, state, since, context, Param::number(updated), Param::text(id), Param::Number(limit)];
    let mut places = Vec::new();
    for row in sql.run(&statement, &params)? {
        let [revision, updated, id] = columns(row)?;
        places.push((revision.number()?, Cursor { updated: Timestamp(updated.number()?), id: id.into_text()? }));
    }
    let has_more = places.len() > filter.page_size;
    places.truncate(filter.page_size);
    Ok(IndexPage { total: total.number()? as usize, has_more, places })
}
