//! When to send a request again: pure, over injected time and chance.

mod budget;

use std::time::Duration;

use super::error::RemoteError;
use crate::ports::{Random, Timestamp};

pub use budget::Budget;

/// How often and how soon a request is sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How many times at most, after the first.
    pub max_retries: u32,
    /// Upper bound of the first wait; that of each further one is twice that of the one before.
    pub base: Duration,
    /// Upper bound of every wait, but for one that the agent asks for.
    pub cap: Duration,
    /// Whether operations are sent again that may then be done twice (`RETRY_SENDS`).
    pub sends: bool,
}

impl RetryPolicy {
    /// At most three retries, as both seeds have it; waits of at most 0.2, 0.4 and 0.8 seconds.
    pub const DEFAULT: Self =
        Self { max_retries: 3, base: Duration::from_millis(200), cap: Duration::from_secs(5), sends: false };

    /// No second try.
    pub const NONE: Self = Self { max_retries: 0, ..Self::DEFAULT };
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What to do after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Send it again after this long.
    RetryAfter(Duration),
    /// Leave it at that.
    GiveUp(GiveUp),
}

/// Why a request is not sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GiveUp {
    /// The answer would be the same.
    Permanent,
    /// The operation might be done twice.
    NotIdempotent,
    /// It was sent often enough.
    Exhausted,
    /// The wait would outlast the deadline.
    Deadline,
    /// Too much of the traffic is retries already.
    Budget,
    /// The agent asks for more time than it would be given otherwise, and another can be asked meanwhile.
    AskedToWait,
}

/// One failed attempt, as the decision needs it.
#[derive(Debug, Clone, Copy)]
pub struct Failed<'a> {
    /// How many attempts there have been, this one included.
    pub attempts: u32,
    /// Why it failed.
    pub error: &'a RemoteError,
    /// Whether the operation may be done twice.
    pub is_idempotent: bool,
    /// Whether another agent can be asked.
    pub has_stand_in: bool,
    /// Now.
    pub now: Timestamp,
    /// When the whole call must be over.
    pub deadline: Timestamp,
}

impl RetryPolicy {
    /// Whether, and when, to send the request again. A retry is taken from the budget.
    pub fn decide(&self, failed: &Failed<'_>, budget: &mut Budget, random: &dyn Random) -> Decision {
        if !failed.error.is_retryable() {
            return Decision::GiveUp(GiveUp::Permanent);
        }
        if !(failed.is_idempotent || self.sends || failed.error.was_not_sent()) {
            return Decision::GiveUp(GiveUp::NotIdempotent);
        }
        if failed.attempts > self.max_retries {
            return Decision::GiveUp(GiveUp::Exhausted);
        }
        let asked = failed.error.retry_after().unwrap_or_default();
        if failed.has_stand_in && asked > self.cap {
            return Decision::GiveUp(GiveUp::AskedToWait);
        }
        let wait = asked.max(full_jitter(self.bound(failed.attempts), random));
        let left = failed.deadline.since(failed.now);
        if wait >= left {
            return Decision::GiveUp(GiveUp::Deadline);
        }
        if !budget.withdraw() {
            return Decision::GiveUp(GiveUp::Budget);
        }
        Decision::RetryAfter(wait)
    }

    /// The longest wait after so many attempts: the base, doubled with each, up to the cap.
    fn bound(&self, attempts: u32) -> Duration {
        let factor = 1_u32.checked_shl(attempts.saturating_sub(1)).unwrap_or(u32::MAX);
        self.base.saturating_mul(factor).min(self.cap)
    }
}

/// A wait from nothing to `bound`, each as likely as the other: "full jitter" of the AWS Architecture Blog, "Exponential
/// Backoff And Jitter" (2015), which spreads callers best.
fn full_jitter(bound: Duration, random: &dyn Random) -> Duration {
    let mut bytes = [0; size_of::<u64>()];
    random.fill(&mut bytes);
    let millis = u64::try_from(bound.as_millis()).unwrap_or(u64::MAX);
    // The remainder favours small numbers by less than one in 10^15 for any wait that somebody would sit out.
    Duration::from_millis(u64::from_le_bytes(bytes) % millis.saturating_add(1))
}

#[cfg(test)]
mod tests;
