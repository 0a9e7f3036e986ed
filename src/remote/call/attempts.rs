//! One agent, asked until it answers or there is no use in asking on.

use super::agent::Agent;
use super::{Call, Caller, Note, Reply};
use crate::ports::Timestamp;
use crate::remote::breaker::State;
use crate::remote::error::RemoteError;
use crate::remote::fault::{Cause, TransportFault};
use crate::remote::retry::{Decision, Failed};

/// Until when an agent may be asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    /// When an attempt must be over.
    pub(super) attempt: Timestamp,
    /// When no further one may begin.
    pub(super) retry: Timestamp,
}

impl Caller {
    /// Asks the agent of this number.
    pub(super) async fn try_agent(
        &self,
        number: usize,
        agent: &Agent,
        call: Call<'_>,
        times: Times,
    ) -> Result<Reply, RemoteError> {
        self.budget.borrow_mut().deposit();
        let note = |note: Note<'_>| call.watch.into_iter().for_each(|watch| watch.note(&note));
        let mut last: Option<RemoteError> = None;
        for attempts in 1.. {
            let attempt = match agent.admit(self.ports.clock.now()) {
                Ok(attempt) => attempt,
                Err(retry_after) => {
                    note(Note::CircuitOpen { agent: number, retry_after });
                    let open = || TransportFault::CircuitOpen { retry_after };
                    // What made the breaker open says more than that it is.
                    return Err(last.unwrap_or_else(|| RemoteError::transport(agent.endpoint.binding, open())));
                }
            };
            note(Note::Attempt { agent: number, attempt: attempts });
            let result = self.exchange(&agent.endpoint, call, times.attempt).await;
            let now = self.ports.clock.now();
            attempt.report(&result, now);
            let was_sent = last.as_ref().is_some_and(|error| !error.was_not_sent());
            let error = match result {
                Ok(reply) => return Ok(reply),
                Err(error) => error.after_sending(was_sent),
            };
            match self.decide(number, call, attempts, &error, now, times.retry) {
                Decision::GiveUp(why) => {
                    note(Note::GaveUp { agent: number, error: &error, why });
                    return Err(if now >= times.attempt { told_before(last, error) } else { error });
                }
                Decision::RetryAfter(wait) => {
                    note(Note::Retry { agent: number, error: &error, wait });
                    self.ports.clock.sleep(wait).await;
                    last = Some(error);
                }
            }
        }
        Err(last.unwrap_or_else(|| RemoteError::transport(agent.endpoint.binding, TransportFault::Unreachable)))
    }

    /// What to do after so many attempts, of which the last failed with `error`.
    fn decide(
        &self,
        number: usize,
        call: Call<'_>,
        attempts: u32,
        error: &RemoteError,
        now: Timestamp,
        deadline: Timestamp,
    ) -> Decision {
        let is_idempotent = call.operation.is_idempotent();
        let has_stand_in = self.fallbacks[number..].iter().any(|agent| agent.state(now) != State::Open);
        let failed = Failed { attempts, error, is_idempotent, has_stand_in, now, deadline };
        self.policy.retry.decide(&failed, &mut self.budget.borrow_mut(), &*self.ports.random)
    }
}

/// What is told of a call whose time is over: what the agent said last says more than that there was no time for it to say
/// so again.
fn told_before(last: Option<RemoteError>, error: RemoteError) -> RemoteError {
    let is_late = matches!(error.cause(), Cause::Transport(TransportFault::TimedOut));
    last.filter(|_| is_late).map_or(error, |told| told.after_sending(true))
}
