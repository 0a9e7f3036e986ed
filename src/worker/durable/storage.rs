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

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Number(f64),
    Text(String),
    Null,
}

/// The database of one object.
pub(super) trait Sql {
    /// Runs one statement and gives its rows.
    fn run(&self, statement: &str, params: &[Param<'_>]) -> Result<Vec<Vec<Cell>>, Broken>;
}

/// The database failed, or holds what it should not. The text is for the log alone. Nothing of what was asked for is
/// done: it is all taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Broken(pub(super) String);

impl Broken {
    pub(super) fn request() -> Self {
        Self("a request that is none".to_owned())
    }
}

impl Cell {
    pub(super) fn number(&self) -> Result<u64, Broken> {
        match self {
            // Exact: numbers were below 2^53 when they were written.
            Self::Number(number) => Ok(*number as u64),
            Self::Text(_) | Self::Null => Err(Broken("a column holds no number".to_owned())),
        }
    }

    pub(super) fn into_text(self) -> Result<String, Broken> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Number(_) | Self::Null => Err(Broken("a column holds no text".to_owned())),
        }
    }
}

/// Takes a row of as many columns as asked for apart.
pub(super) fn columns<const N: usize>(row: Vec<Cell>) -> Result<[Cell; N], Broken> {
    row.try_into().map_err(|_| Broken("a row of another shape".to_owned()))
}

/// Whether anything was ever written. Reading must not create tables: an object without any is not kept, so that asking
/// for tasks that do not exist costs no storage.
pub(super) fn is_used(sql: &impl Sql) -> Result<bool, Broken> {
    let found = sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'task'", &[])?;
    Ok(!found.is_empty())
}

/// What becomes of an object whose alarm has rung.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Due {
    /// Nothing is kept: the storage can go.
    Delete,
    /// It rings again then, in milliseconds since the epoch. Until then, what the index of this name should be told.
    Again { at: u64, tell: Option<(String, String)> },
}
