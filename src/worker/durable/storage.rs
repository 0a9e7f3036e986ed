//! What an object needs of its storage: SQLite.

/// A value for a statement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Param<'a> {
    /// A whole number below 2^53: it passes through JavaScript.
    Number(u64),
    Text(&'a str),
    Null,
}

impl<'a> Param<'a> {
    pub(super) fn number(number: Option<u64>) -> Self {
        number.map_or(Self::Null, Self::Number)
    }

    pub(super) fn text(text: Option<&'a str>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }
}

/// The database of one object.
pub(super) trait Sql {
    /// Runs one statement and gives the cells of its rows, one a line: nothing that is stored here holds a line break.
    fn run(&self, statement: &str, params: &[Param<'_>]) -> Result<String, Broken>;
}

/// The database failed, or holds what it should not. The text is for the log alone. Nothing of what was asked for is
/// done: it is all taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Broken(pub(super) String);

impl From<super::messages::Garbled> for Broken {
    fn from(_: super::messages::Garbled) -> Self {
        Self("a request that is none".to_owned())
    }
}

/// The number in a cell.
pub(super) fn number(cell: Option<&str>) -> Result<u64, Broken> {
    let number = cell.and_then(|cell| cell.parse().ok());
    number.ok_or_else(|| Broken("a cell holds no number".to_owned()))
}

/// Whether anything was ever written. Reading must not create tables: an object without any is not kept, so that asking
/// for tasks that do not exist costs no storage.
pub(super) fn is_used(sql: &dyn Sql) -> Result<bool, Broken> {
    let found = sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'task'", &[])?;
    Ok(!found.is_empty())
}

/// What a request comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reply {
    /// For the caller. For an alarm: the name of an index and, on the lines below, what to tell it; or nothing.
    pub(super) answer: String,
    /// For all who listen, a line.
    pub(super) publish: Option<String>,
    /// When the alarm is to ring, in milliseconds since the epoch. `None` leaves it as it is set; from an alarm it means
    /// that nothing is kept and the storage can go.
    pub(super) alarm: Option<u64>,
    /// Whether the caller listens from now on; `answer` is the first line that it hears.
    pub(super) listens: bool,
}
