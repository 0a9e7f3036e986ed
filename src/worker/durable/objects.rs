//! What the store needs of Durable Objects.

use futures_util::stream::LocalBoxStream;

use super::messages::Garbled;

/// Whose objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// One object for each task.
    Task,
    /// One for each owner.
    Index,
}

/// The lines that an object sends, in pieces that end anywhere. It is told when they are dropped.
pub(super) type Pieces = LocalBoxStream<'static, Result<Vec<u8>, Fault>>;

/// Reaches objects by their names. Each call is one request to one of them.
pub(super) trait Objects {
    /// Asks the object of this name, and gives its answer.
    async fn ask(&self, class: Class, name: &str, request: &str) -> Result<String, Fault>;

    /// Listens to the object of a task. `None` if there is no such task.
    async fn listen(&self, name: &str, request: &str) -> Result<Option<Pieces>, Fault>;
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

impl From<Garbled> for Fault {
    fn from(_: Garbled) -> Self {
        // The object runs another version of the worker, as happens for a moment when one is deployed.
        Self::passing("an object answered what is no answer")
    }
}
