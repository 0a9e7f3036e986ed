//! A log that keeps its lines.

use std::cell::RefCell;

use crate::ports::{Level, Log};

/// Keeps every line that was written, for a test or a page to look at.
#[derive(Debug, Default)]
pub struct MemoryLog(RefCell<Vec<(Level, String)>>);

impl MemoryLog {
    /// The lines so far, oldest first.
    pub fn lines(&self) -> Vec<(Level, String)> {
        self.0.borrow().clone()
    }

    /// The lines since the last call, oldest first; they are forgotten.
    pub fn take(&self) -> Vec<(Level, String)> {
        self.0.take()
    }
}

impl Log for MemoryLog {
    fn write(&self, level: Level, line: &str) {
        self.0.borrow_mut().push((level, line.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_in_order_until_taken() {
        let log = MemoryLog::default();
        log.write(Level::Warn, "first");
        log.write(Level::Error, "second");
        let both = vec![(Level::Warn, "first".to_owned()), (Level::Error, "second".to_owned())];
        assert_eq!(log.lines(), both);
        assert_eq!(log.take(), both);
        assert_eq!(log.take(), []);
    }
}
