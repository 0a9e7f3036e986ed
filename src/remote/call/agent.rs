//! An agent with its breaker, and attempts that tell the breaker what came of them.

use std::cell::RefCell;
use std::time::Duration;

use crate::ports::Timestamp;
use crate::remote::breaker::{Breaker, BreakerPolicy, Outcome, Permit, State};
use crate::remote::error::RemoteError;
use crate::remote::request::Endpoint;

#[derive(Debug)]
pub(super) struct Agent {
    pub(super) endpoint: Endpoint,
    breaker: RefCell<Breaker>,
}

impl Agent {
    pub(super) fn new(endpoint: Endpoint, policy: BreakerPolicy) -> Self {
        Self { endpoint, breaker: RefCell::new(Breaker::new(policy)) }
    }

    /// Begins an attempt.
    ///
    /// # Errors
    /// How long there may be none.
    pub(super) fn admit(&self, now: Timestamp) -> Result<Attempt<'_>, Duration> {
        let permit = self.breaker.borrow_mut().admit(now)?;
        Ok(Attempt { breaker: &self.breaker, permit: Some(permit) })
    }

    /// What the breaker lets through.
    pub(super) fn state(&self, now: Timestamp) -> State {
        self.breaker.borrow().state(now)
    }
}

/// An attempt under way. Whoever drops it has given it up.
pub(super) struct Attempt<'a> {
    breaker: &'a RefCell<Breaker>,
    permit: Option<Permit>,
}

impl Attempt<'_> {
    /// Tells the breaker what came of it.
    pub(super) fn report<T>(mut self, result: &Result<T, RemoteError>, now: Timestamp) {
        let is_down = result.as_ref().is_err_and(RemoteError::is_outage);
        let outcome = if is_down { Outcome::Down } else { Outcome::Alive };
        if let Some(permit) = self.permit.take() {
            self.breaker.borrow_mut().report(permit, outcome, now);
        }
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if let Some(permit) = self.permit.take() {
            self.breaker.borrow_mut().abandon(permit);
        }
    }
}
