//! A circuit breaker: an agent that keeps failing is left alone for a while. Pure, over injected time.

use std::time::Duration;

use crate::ports::Timestamp;

/// When a breaker opens, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerPolicy {
    /// After how many failures in a row; 0 is never.
    pub failures: u32,
    /// For how long.
    pub open_for: Duration,
}

impl BreakerPolicy {
    /// Five failures, ten seconds. (Our own: longer than a restart takes at most, shorter than an operator.)
    pub const DEFAULT: Self = Self { failures: 5, open_for: Duration::from_secs(10) };
}

impl Default for BreakerPolicy {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What a breaker lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Everything.
    Closed,
    /// Nothing.
    Open,
    /// One probe, whose outcome decides.
    HalfOpen,
}

/// How an attempt ended, as far as a breaker cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The agent is there: it answered, be it with an error.
    Alive,
    /// It is not.
    Down,
}

/// The breaker of one agent.
#[derive(Debug, Clone)]
pub struct Breaker {
    policy: BreakerPolicy,
    phase: Phase,
    /// Grows whenever the breaker opens or closes, so that outcomes of attempts from before count no more.
    generation: u64,
    /// The generation in which it opened last.
    opened: u64,
}

#[derive(Debug, Clone, Copy)]
enum Phase {
    Closed {
        failures: u32,
    },
    Open {
        until: Timestamp,
    },
    /// The probe has until then to report: one that was given up must not shut the agent out for ever.
    HalfOpen {
        until: Timestamp,
    },
}

/// Leave to make one attempt, to be [reported](Breaker::report) on, or [given back](Breaker::abandon).
#[derive(Debug, PartialEq, Eq)]
#[must_use = "the outcome of the attempt must be reported"]
pub struct Permit {
    generation: u64,
}

impl Breaker {
    /// A closed breaker.
    pub fn new(policy: BreakerPolicy) -> Self {
        Self { policy, phase: Phase::Closed { failures: 0 }, generation: 0, opened: 0 }
    }

    /// Asks leave for an attempt.
    ///
    /// # Errors
    /// How long there will be none.
    pub fn admit(&mut self, now: Timestamp) -> Result<Permit, Duration> {
        match self.phase {
            Phase::Closed { .. } => {}
            Phase::Open { until } | Phase::HalfOpen { until } if self.is_pausing(until, now) => {
                return Err(until.since(now));
            }
            Phase::Open { .. } | Phase::HalfOpen { .. } => {
                self.generation += 1;
                self.phase = Phase::HalfOpen { until: self.after_pause(now) };
            }
        }
        Ok(Permit { generation: self.generation })
    }

    /// Takes in how an attempt ended.
    pub fn report(&mut self, permit: Permit, outcome: Outcome, now: Timestamp) {
        // A probe that has been replaced tells as much when it comes back. An agent that is merely slower than the pause
        // would never be let in again otherwise.
        let is_late_probe = permit.generation > self.opened && matches!(self.phase, Phase::HalfOpen { .. });
        if permit.generation != self.generation && !(is_late_probe && outcome == Outcome::Alive) {
            return;
        }
        match (self.phase, outcome) {
            (Phase::Closed { .. }, Outcome::Alive) => self.phase = Phase::Closed { failures: 0 },
            (Phase::Closed { failures }, Outcome::Down) => {
                let failures = failures.saturating_add(1);
                self.phase = Phase::Closed { failures };
                if self.policy.failures > 0 && failures >= self.policy.failures {
                    self.open(now);
                }
            }
            (Phase::HalfOpen { .. }, Outcome::Alive) => {
                self.generation += 1;
                self.phase = Phase::Closed { failures: 0 };
            }
            (Phase::HalfOpen { .. }, Outcome::Down) => self.open(now),
            // No permit of this generation was given while open.
            (Phase::Open { .. }, Outcome::Alive | Outcome::Down) => {}
        }
    }

    /// Takes in that an attempt was given up by whoever wanted it, which tells nothing: if it was the probe, the next
    /// attempt is.
    pub fn abandon(&mut self, permit: Permit) {
        if permit.generation == self.generation && matches!(self.phase, Phase::HalfOpen { .. }) {
            self.phase = Phase::Open { until: Timestamp(0) };
        }
    }

    /// What it lets through now.
    pub fn state(&self, now: Timestamp) -> State {
        match self.phase {
            Phase::Closed { .. } => State::Closed,
            Phase::Open { until } if self.is_pausing(until, now) => State::Open,
            Phase::Open { .. } | Phase::HalfOpen { .. } => State::HalfOpen,
        }
    }

    fn open(&mut self, now: Timestamp) {
        self.generation += 1;
        self.opened = self.generation;
        self.phase = Phase::Open { until: self.after_pause(now) };
    }

    fn after_pause(&self, now: Timestamp) -> Timestamp {
        now.after(self.policy.open_for)
    }

    /// Whether a pause goes on. One that would take longer than any began before the clock was set back, and is over.
    fn is_pausing(&self, until: Timestamp, now: Timestamp) -> bool {
        now < until && until <= self.after_pause(now)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const POLICY: BreakerPolicy = BreakerPolicy { failures: 3, open_for: Duration::from_millis(100) };

    fn fail(breaker: &mut Breaker, now: u64) {
        let permit = breaker.admit(Timestamp(now)).unwrap();
        breaker.report(permit, Outcome::Down, Timestamp(now));
    }

    fn opened() -> Breaker {
        let mut breaker = Breaker::new(POLICY);
        (0..3).for_each(|now| fail(&mut breaker, now));
        breaker
    }

    #[test]
    fn it_opens_after_so_many_failures_in_a_row() {
        let mut breaker = Breaker::new(POLICY);
        fail(&mut breaker, 0);
        fail(&mut breaker, 1);
        let permit = breaker.admit(Timestamp(2)).unwrap();
        breaker.report(permit, Outcome::Alive, Timestamp(2));
        fail(&mut breaker, 3);
        fail(&mut breaker, 4);
        assert_eq!(breaker.state(Timestamp(4)), State::Closed);
        fail(&mut breaker, 5);
        assert_eq!(breaker.state(Timestamp(5)), State::Open);
        assert_eq!(breaker.admit(Timestamp(5)), Err(Duration::from_millis(100)));
        assert_eq!(breaker.admit(Timestamp(104)), Err(Duration::from_millis(1)));
    }

    #[test]
    fn one_probe_decides() {
        let mut breaker = opened();
        assert_eq!(breaker.state(Timestamp(102)), State::HalfOpen);
        let probe = breaker.admit(Timestamp(102)).unwrap();
        assert_eq!(breaker.admit(Timestamp(110)), Err(Duration::from_millis(92)), "one probe at a time");
        breaker.report(probe, Outcome::Down, Timestamp(150));
        assert_eq!(breaker.admit(Timestamp(249)), Err(Duration::from_millis(1)));
        let probe = breaker.admit(Timestamp(250)).unwrap();
        breaker.report(probe, Outcome::Alive, Timestamp(260));
        assert_eq!(breaker.state(Timestamp(260)), State::Closed);
        // From the start again: two failures do not open it.
        fail(&mut breaker, 261);
        fail(&mut breaker, 262);
        assert_eq!(breaker.state(Timestamp(262)), State::Closed);
    }

    #[test]
    fn a_probe_that_never_reports_is_replaced() {
        let mut breaker = opened();
        let lost = breaker.admit(Timestamp(102)).unwrap();
        let second = breaker.admit(Timestamp(202)).unwrap();
        breaker.report(lost, Outcome::Down, Timestamp(203));
        assert_eq!(breaker.state(Timestamp(203)), State::HalfOpen, "too late to count");
        breaker.report(second, Outcome::Alive, Timestamp(204));
        assert_eq!(breaker.state(Timestamp(204)), State::Closed);
    }

    #[test]
    fn a_probe_that_is_given_up_leaves_its_place_to_the_next() {
        let mut breaker = opened();
        let probe = breaker.admit(Timestamp(102)).unwrap();
        breaker.abandon(probe);
        assert_eq!(breaker.state(Timestamp(102)), State::HalfOpen);
        let next = breaker.admit(Timestamp(103)).unwrap();
        assert!(breaker.admit(Timestamp(103)).is_err(), "one probe at a time");
        breaker.report(next, Outcome::Down, Timestamp(104));
        assert_eq!(breaker.state(Timestamp(104)), State::Open);
        // Nothing else is told by one that was given up.
        let mut breaker = Breaker::new(POLICY);
        let straggler = breaker.admit(Timestamp(0)).unwrap();
        (0..3).for_each(|now| fail(&mut breaker, now));
        breaker.abandon(straggler);
        assert_eq!(breaker.state(Timestamp(50)), State::Open);
    }

    #[test]
    fn a_clock_that_is_set_back_makes_no_pause_longer() {
        let mut breaker = Breaker::new(POLICY);
        (0..3).for_each(|_| fail(&mut breaker, 10_000));
        assert_eq!(breaker.admit(Timestamp(10_000)), Err(Duration::from_millis(100)));
        assert_eq!(breaker.state(Timestamp(5_000)), State::HalfOpen);
        assert!(breaker.admit(Timestamp(5_000)).is_ok());
        assert!(breaker.admit(Timestamp(5_000)).is_err(), "one probe at a time");
    }

    #[test]
    fn an_agent_that_is_slower_than_the_pause_is_let_in_again() {
        let mut breaker = opened();
        let slow = breaker.admit(Timestamp(102)).unwrap();
        let next = breaker.admit(Timestamp(202)).unwrap();
        breaker.report(slow, Outcome::Alive, Timestamp(203));
        assert_eq!(breaker.state(Timestamp(203)), State::Closed);
        breaker.report(next, Outcome::Down, Timestamp(204));
        assert_eq!(breaker.state(Timestamp(204)), State::Closed, "of a time before it closed");
    }

    #[test]
    fn stragglers_from_before_do_not_count() {
        let mut breaker = Breaker::new(POLICY);
        let straggler = breaker.admit(Timestamp(0)).unwrap();
        (0..3).for_each(|now| fail(&mut breaker, now));
        breaker.report(straggler, Outcome::Alive, Timestamp(50));
        assert_eq!(breaker.state(Timestamp(50)), State::Open);
    }

    #[test]
    fn zero_failures_never_open_it() {
        let mut breaker = Breaker::new(BreakerPolicy { failures: 0, ..POLICY });
        (0..100).for_each(|now| fail(&mut breaker, now));
        assert_eq!(breaker.state(Timestamp(100)), State::Closed);
    }

    proptest! {
        /// Whatever happens in whatever order: while open nothing passes, a probe is alone, and nobody waits longer than
        /// the pause for the next.
        #[test]
        fn a_breaker_neither_leaks_nor_locks_up(
            steps in prop::collection::vec((0_u64..60, 0_u8..5), 1..80),
            failures in 1_u32..5,
        ) {
            let mut breaker = Breaker::new(BreakerPolicy { failures, ..POLICY });
            let (mut now, mut pending, mut row) = (Timestamp(0), Vec::new(), 0);
            for (pass, action) in steps {
                now = Timestamp(now.0 + pass);
                let before = breaker.state(now);
                match action {
                    0 | 1 => match breaker.admit(now) {
                        Ok(permit) => {
                            prop_assert_ne!(before, State::Open);
                            if before == State::HalfOpen {
                                prop_assert!(breaker.admit(now).is_err(), "a second probe");
                            }
                            pending.push(permit);
                        }
                        Err(wait) => {
                            prop_assert_ne!(before, State::Closed);
                            prop_assert!(!wait.is_zero() && wait <= POLICY.open_for);
                            let then = Timestamp(now.0 + u64::try_from(wait.as_millis()).unwrap());
                            prop_assert!(breaker.clone().admit(then).is_ok(), "it must let a probe through then");
                        }
                    },
                    2 => if let Some(permit) = pending.pop() {
                        let current = permit.generation == breaker.generation;
                        breaker.report(permit, Outcome::Down, now);
                        if current && before == State::Closed {
                            row += 1;
                            prop_assert_eq!(breaker.state(now) == State::Open, row == failures);
                        }
                        if breaker.state(now) != State::Closed { row = 0; }
                    },
                    3 => if let Some(permit) = pending.pop() {
                        breaker.abandon(permit);
                        let after = breaker.state(now);
                        prop_assert_eq!(after, before);
                    },
                    _ => if let Some(permit) = pending.pop() {
                        let current = permit.generation == breaker.generation;
                        breaker.report(permit, Outcome::Alive, now);
                        if current { row = 0; prop_assert_eq!(breaker.state(now), State::Closed); }
                    },
                }
            }
        }
    }
}
