//! The index of one owner: which tasks there are, in which order, and in which state. The tasks themselves are elsewhere,
//! and what they say counts.

use super::messages::{Entry, Filter, IndexRequest, NOTED, Note};
use super::storage::{Broken, Param, Reply, Sql, is_used, number};

/// How long expired entries may stay, in milliseconds: sweeping is reading them all.
pub(super) const SWEEP_INTERVAL_MS: u64 = 60 * 60 * 1_000;

/// Answers a request at `now`, in milliseconds since the epoch.
pub(super) fn answer(sql: &dyn Sql, now: u64, request: &str) -> Result<Reply, Broken> {
    match IndexRequest::decode(request)? {
        IndexRequest::Note { ttl_ms, notes } => note(sql, now, ttl_ms, notes),
        IndexRequest::List(filter) => {
            let answer = if is_used(sql)? { page(sql, now, &filter)? } else { "0".to_owned() };
            Ok(Reply { answer, ..Reply::default() })
        }
        IndexRequest::Alarm => Ok(Reply { alarm: sweep(sql, now)?, ..Reply::default() }),
    }
}

/// Drops what has expired, and says when to sweep again: never, if nothing is left.
fn sweep(sql: &dyn Sql, now: u64) -> Result<Option<u64>, Broken> {
    if !is_used(sql)? {
        return Ok(None);
    }
    sql.run("DELETE FROM task WHERE expires <= ?", &[Param::Number(now)])?;
    let next = sql.run("SELECT MIN(expires) FROM task", &[])?;
    if next.is_empty() {
        return Ok(None);
    }
    Ok(Some(number(Some(&next))?.max(now + SWEEP_INTERVAL_MS)))
}

fn note(sql: &dyn Sql, now: u64, ttl_ms: u64, notes: &str) -> Result<Reply, Broken> {
    sql.run(
        "CREATE TABLE IF NOT EXISTS task (id TEXT PRIMARY KEY, revision INTEGER NOT NULL, updated INTEGER NOT NULL, \
         state TEXT NOT NULL, context TEXT NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID",
        &[],
    )?;
    let is_empty = sql.run("SELECT 1 FROM task LIMIT 1", &[])?.is_empty();
    let expires = now + ttl_ms;
    for line in notes.lines() {
        match Note::decode(line)? {
            Note::Known(entry) => know(sql, now, expires, &entry)?,
            Note::Gone { revision, id } => {
                let params = [Param::Text(id), Param::Number(revision)];
                sql.run("DELETE FROM task WHERE id = ? AND revision = ?", &params)?;
            }
        }
    }
    // As long as there is an entry there is an alarm.
    let alarm = is_empty.then_some(expires);
    Ok(Reply { answer: NOTED.to_owned(), alarm, ..Reply::default() })
}

/// Notes may arrive in another order than the writes they tell of, and more than once.
fn know(sql: &dyn Sql, now: u64, expires: u64, entry: &Entry<'_>) -> Result<(), Broken> {
    let params = [
        Param::Text(entry.id),
        Param::Number(entry.revision),
        Param::Number(entry.updated),
        Param::Text(entry.state),
        Param::Text(entry.context),
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

/// The answer that [`IndexPage`](super::messages::IndexPage) reads.
fn page(sql: &dyn Sql, now: u64, filter: &Filter<'_>) -> Result<String, Broken> {
    let (state, context) = (Param::text(filter.state), Param::text(filter.context.as_deref()));
    let (now, since) = (Param::Number(now), Param::number(filter.since));
    let (updated, id) = filter.cursor.unzip();
    let limit = Param::Number(filter.page_size as u64 + 1);
    // Ids compare by their bytes, in SQLite as in Rust.
    let statement = format!(
        "SELECT revision || ' ' || updated || ' ' || id FROM task WHERE {MATCHES} \
         AND (?5 IS NULL OR updated < ?5 OR (updated = ?5 AND id > ?6)) ORDER BY updated DESC, id LIMIT ?7"
    );
    let params = [now, state, since, context, Param::number(updated), Param::text(id), limit];
    let mut answer = sql.run(&statement, &params)?;
    let total = sql.run(&format!("SELECT COUNT(*) FROM task WHERE {MATCHES}"), &params[..4])?;
    if !answer.is_empty() {
        answer.push('\n');
    }
    answer.push_str(&total);
    Ok(answer)
}
