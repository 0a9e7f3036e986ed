//! What a message asks the demo agent for, by its first words.

use std::time::Duration;

use super::disruption::Disruption;

/// Longest time that `slow` waits: a Worker that only waits is not billed for it, but its caller would give up.
const MAX_DELAY_MS: u64 = 60_000;
/// Most chunks that `stream` makes.
const MAX_CHUNKS: u32 = 1_000;

/// Something to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    /// Complete with the same text.
    Echo,
    /// The same, after a while.
    Slow(Duration),
    /// Complete with an artifact in that many chunks.
    Stream(u32),
    /// Work until cancelled.
    Work,
    /// Ask for more input.
    Ask,
    /// Fail the task.
    Fail,
    /// Reject the task.
    Reject,
    /// Refuse the operation.
    Refuse,
    /// Return an error.
    Error(Fault),
    /// Panic or trap.
    Disrupt(Disruption),
}

/// An error to return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// A foreign error with a secret in it.
    Internal,
    /// Another agent answered junk.
    Junk,
    /// Too busy.
    Overloaded,
}

impl Command {
    /// The command in a text. A text that is none is to be echoed, and so is one whose number makes no sense.
    pub(super) fn parse(text: &str) -> Self {
        let words: Vec<&str> = text.split_whitespace().take(3).collect();
        match words.as_slice() {
            ["slow", ms] => number(ms, MAX_DELAY_MS).map_or(Self::Echo, |ms| Self::Slow(Duration::from_millis(ms))),
            ["stream", chunks] => {
                let chunks = number(chunks, MAX_CHUNKS.into()).and_then(|chunks| u32::try_from(chunks).ok());
                chunks.map_or(Self::Echo, Self::Stream)
            }
            ["work"] => Self::Work,
            ["ask"] => Self::Ask,
            ["fail"] => Self::Fail,
            ["reject"] => Self::Reject,
            ["refuse"] => Self::Refuse,
            ["error", "internal"] => Self::Error(Fault::Internal),
            ["error", "junk"] => Self::Error(Fault::Junk),
            ["error", "overloaded"] => Self::Error(Fault::Overloaded),
            ["panic"] => Self::Disrupt(Disruption::Panic),
            ["panic", "late"] => Self::Disrupt(Disruption::PanicLate),
            ["trap", "abort"] => Self::Disrupt(Disruption::Abort),
            ["trap", "late"] => Self::Disrupt(Disruption::AbortLate),
            ["trap", "overflow"] => Self::Disrupt(Disruption::Overflow),
            ["trap", "memory"] => Self::Disrupt(Disruption::Memory),
            ["trap", "unreachable"] => Self::Disrupt(Disruption::Unreachable),
            _ => Self::Echo,
        }
    }
}

fn number(word: &str, limit: u64) -> Option<u64> {
    word.parse().ok().filter(|number| *number <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_has_its_command() {
        for (text, command) in [
            ("hello", Command::Echo),
            ("", Command::Echo),
            ("slow 1500", Command::Slow(Duration::from_millis(1500))),
            ("  slow\n20 ", Command::Slow(Duration::from_millis(20))),
            ("slow", Command::Echo),
            ("slow -1", Command::Echo),
            ("slow 60001", Command::Echo),
            ("stream 5", Command::Stream(5)),
            ("stream 1001", Command::Echo),
            ("work", Command::Work),
            ("work hard", Command::Echo),
            ("ask", Command::Ask),
            ("fail", Command::Fail),
            ("reject", Command::Reject),
            ("refuse", Command::Refuse),
            ("error internal", Command::Error(Fault::Internal)),
            ("error junk", Command::Error(Fault::Junk)),
            ("error overloaded", Command::Error(Fault::Overloaded)),
            ("error", Command::Echo),
            ("panic", Command::Disrupt(Disruption::Panic)),
            ("panic late", Command::Disrupt(Disruption::PanicLate)),
            ("trap abort", Command::Disrupt(Disruption::Abort)),
            ("trap late", Command::Disrupt(Disruption::AbortLate)),
            ("trap overflow", Command::Disrupt(Disruption::Overflow)),
            ("trap memory", Command::Disrupt(Disruption::Memory)),
            ("trap unreachable", Command::Disrupt(Disruption::Unreachable)),
            ("trap door", Command::Echo),
        ] {
            assert_eq!(Command::parse(text), command, "{text:?}");
        }
    }
}
