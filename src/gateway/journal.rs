//! What the log is told of calls that do not fail, or not yet.

use std::rc::Rc;

use serde_json::{Value, json};

use crate::ports::{Level, Log};
use crate::protocol::error::A2aError;
use crate::protocol::path::{MAX_ECHO, clipped};
use crate::remote::RemoteError;
use crate::remote::call::{Note, Watch};
use crate::remote::failure::Hidden;

/// Writes warnings.
pub(super) struct Journal {
    pub(super) log: Rc<dyn Log>,
    /// The least grave line that is wanted.
    pub(super) level: Level,
}

impl Journal {
    /// The origin's card could not be fetched anew; the one at hand is served on.
    pub(super) fn card_is_stale(&self, error: &RemoteError) {
        self.warn(json!({ "level": "warn", "event": "origin_card_stale", "problem": told(error) }));
    }

    /// A task was answered as it was last seen.
    pub(super) fn stood_in(&self, task: &str, error: &A2aError) {
        let problem = error.log_source().map(ToString::to_string).unwrap_or_default();
        self.warn_of("task_from_cache", task, Some(error.reason()), &problem);
    }

    /// What failed tasks said of it was not passed on.
    pub(super) fn hidden(&self, hidden: &[Hidden]) {
        for Hidden { task, said } in hidden {
            self.warn_of("task_failure_hidden", task, None, said);
        }
    }

    fn warn_of(&self, event: &str, task: &str, reason: Option<&str>, problem: &str) {
        let task = clipped(task, MAX_ECHO);
        self.warn(json!({ "level": "warn", "event": event, "taskId": task, "reason": reason, "problem": problem }));
    }

    fn warn(&self, line: Value) {
        if self.level <= Level::Warn {
            self.log.write(Level::Warn, &line.to_string());
        }
    }
}

impl Watch for Journal {
    fn note(&self, note: &Note<'_>) {
        match note {
            Note::Retry { agent, error, wait } => self.warn(json!({
                "level": "warn", "event": "origin_retry", "origin": agent,
                "waitMs": u64::try_from(wait.as_millis()).unwrap_or(u64::MAX), "problem": told(error),
            })),
            Note::CircuitOpen { agent, retry_after } => self.warn(json!({
                "level": "warn", "event": "origin_circuit_open", "origin": agent,
                "retryAfterMs": u64::try_from(retry_after.as_millis()).unwrap_or(u64::MAX),
            })),
            // The request's own line tells of the last failure.
            Note::Attempt { .. } | Note::GaveUp { .. } => {}
        }
    }
}

/// An error in words that are fit for a log.
fn told(error: &RemoteError) -> String {
    error.to_protocol_error(None).log_source().map(ToString::to_string).unwrap_or_default()
}
