//! What the store needs of Durable Objects.

use std::fmt;

use futures_util::stream::LocalBoxStream;

/// Whose objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// One object for each task.
    Task,
    /// One for each owner.
    Index,
}

/// The lines that an object goes on to send. It is told when they are dropped.
pub(super) type Lines = LocalBoxStream<'static, Result<String, Fault>>;

/// An answer, and what comes behind it if the caller listens from now on.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) lines: Option<Lines>,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").field("listens", &self.lines.is_some()).finish_non_exhaustive()
    }
}

/// Reaches objects by their names.
pub(super) trait Objects {
    /// Asks each of these objects the same, all at once: one request to each. Gives their answers in the same order.
    async fn ask(&self, class: Class, names: &[String], request: &str) -> Result<Vec<Answer>, Fault>;
}

/// A request that failed. It may have been carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// Whether another attempt makes sense.
    pub(super) passes: bool,
    /// For the log alone.
    pub(super) text: String,
}

/// More of an error's words than this are of no use.
const MAX_FAULT_CHARS: usize = 200;

impl Fault {
    /// Something that may go better at once.
    pub(super) fn passing(text: &str) -> Self {
        Self { passes: true, text: short(text) }
    }

    /// Something that another attempt would only make worse.
    pub(super) fn lasting(text: &str) -> Self {
        Self { passes: false, text: short(text) }
    }
}

fn short(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(MAX_FAULT_CHARS).collect()
}
