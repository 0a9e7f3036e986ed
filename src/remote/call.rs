//! One operation on another agent, from beginning to end: deadlines, limits, retries, breakers and fallbacks.

mod agent;
mod attempts;
mod body;
pub mod card;
mod exchange;
mod redirect;
mod stream;
#[cfg(test)]
pub(crate) mod tests;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use futures_util::stream::LocalBoxStream;
use serde_json::Value;

use self::agent::Agent;
use self::attempts::Times;
use super::breaker::{BreakerPolicy, State};
use super::error::RemoteError;
use super::fault::{Cause, Fault, TransportFault, Violation};
use super::request::{self, Endpoint, Segment, Service};
use super::retry::{Budget, GiveUp, RetryPolicy};
use crate::ports::{Clock, Fetch, Random, Timestamp};
use crate::protocol::binding::Binding;
use crate::protocol::error::ErrorKind;
use crate::protocol::jsonrpc::Id;
use crate::protocol::operation::Operation;

#[cfg(feature = "browser")]
pub(crate) use exchange::receive;

/// The events of a stream, each checked. It ends with an error unless it reached a terminal or interrupted state.
/// Dropping it closes the connection.
pub type EventStream = LocalBoxStream<'static, Result<Value, RemoteError>>;

/// How long and how large a call may become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallPolicy {
    /// When to send a request again.
    pub retry: RetryPolicy,
    /// When to leave an agent alone.
    pub breaker: BreakerPolicy,
    /// How long one attempt may take until the head of its answer is there.
    pub head_timeout: Duration,
    /// How long the whole call may take, retries and fallbacks included; of a stream, until it begins. Where a fallback can
    /// take over, each agent has an equal part of what is left.
    pub total: Duration,
    /// How long a stream may be silent. Comments count as sound.
    pub idle: Duration,
    /// How long a stream may last in all.
    pub stream_total: Duration,
    /// How large an answer may be, and each event of a stream, in bytes.
    pub max_response_bytes: usize,
}

impl CallPolicy {
    /// 30 seconds an attempt, a minute in all, 1 MiB; streams may be silent for a minute and last for an hour. (Our own;
    /// the gateway and the client set what they are told to.)
    pub const DEFAULT: Self = Self {
        retry: RetryPolicy::DEFAULT,
        breaker: BreakerPolicy::DEFAULT,
        head_timeout: Duration::from_secs(30),
        total: Duration::from_secs(60),
        idle: Duration::from_secs(60),
        stream_total: Duration::from_secs(60 * 60),
        max_response_bytes: 1024 * 1024,
    };
}

impl Default for CallPolicy {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// What a call needs of its platform.
#[derive(Clone)]
pub struct CallPorts {
    /// Sends requests.
    pub fetch: Rc<dyn Fetch>,
    /// Tells the time.
    pub clock: Rc<dyn Clock>,
    /// Spreads retries.
    pub random: Rc<dyn Random>,
}

impl fmt::Debug for CallPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallPorts(..)")
    }
}

/// What happens during a call, for a log or a timeline. Agents are numbered in the order of preference, from 0.
#[derive(Debug)]
pub enum Note<'a> {
    /// A request is sent.
    Attempt {
        /// To which agent.
        agent: usize,
        /// The how manieth to it, from 1.
        attempt: u32,
    },
    /// It failed, and is sent again after a wait.
    Retry {
        /// To which agent.
        agent: usize,
        /// Why it failed.
        error: &'a RemoteError,
        /// How long the wait is.
        wait: Duration,
    },
    /// It failed, and is not sent to this agent again.
    GaveUp {
        /// Which agent.
        agent: usize,
        /// Why it failed.
        error: &'a RemoteError,
        /// Why it is not sent again.
        why: GiveUp,
    },
    /// The breaker let no request through.
    CircuitOpen {
        /// Which agent's.
        agent: usize,
        /// When it lets the next one through.
        retry_after: Duration,
    },
}

/// Is told what happens.
pub trait Watch {
    /// Something happened.
    fn note(&self, note: &Note<'_>);
}

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The operation.
    pub operation: Operation,
    /// Its params, in canonical form.
    pub params: &'a Value,
    /// What goes along.
    pub service: &'a Service,
    /// Is told what happens, if somebody wants to know.
    pub watch: Option<&'a dyn Watch>,
}

impl fmt::Debug for dyn Watch + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}

/// Calls an agent, or those that stand in for it.
#[derive(Debug)]
pub struct Caller {
    ports: CallPorts,
    policy: CallPolicy,
    first: Agent,
    fallbacks: Vec<Agent>,
    budget: RefCell<Budget>,
    next_id: Cell<u64>,
}

/// What came of a call.
pub enum Reply {
    /// The result.
    Whole(Value),
    /// The events that follow.
    Stream(EventStream),
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(value) => f.debug_tuple("Whole").field(value).finish(),
            Self::Stream(_) => f.write_str("Stream(..)"),
        }
    }
}

impl Caller {
    /// Calls `endpoint`; where that fails for reasons of its own, the `fallbacks` in their order.
    pub fn new(endpoint: Endpoint, fallbacks: Vec<Endpoint>, policy: CallPolicy, ports: CallPorts) -> Self {
        let agent = |endpoint| Agent::new(endpoint, policy.breaker);
        Self {
            first: agent(endpoint),
            fallbacks: fallbacks.into_iter().map(agent).collect(),
            budget: RefCell::default(),
            next_id: Cell::new(1),
            policy,
            ports,
        }
    }

    /// Asks for an operation that is answered once. The result is in canonical form.
    ///
    /// # Errors
    /// Why it failed at last.
    pub async fn unary(&self, call: Call<'_>) -> Result<Value, RemoteError> {
        match self.call(call).await? {
            Reply::Whole(value) => Ok(value),
            Reply::Stream(_) => Err(self.mismatch(Violation::ContentType)),
        }
    }

    /// Asks for an operation that is answered with a stream, and waits until it begins.
    ///
    /// # Errors
    /// Why it did not begin. Once it has, it is not asked for again.
    pub async fn stream(&self, call: Call<'_>) -> Result<EventStream, RemoteError> {
        match self.call(call).await? {
            Reply::Stream(events) => Ok(events),
            Reply::Whole(_) => Err(self.mismatch(Violation::NotAStream)),
        }
    }

    /// The binding of the first agent.
    pub(crate) fn binding(&self) -> Binding {
        self.first.endpoint.binding
    }

    /// Somebody asked for a stream by an operation without one, or the other way round.
    fn mismatch(&self, violation: Violation) -> RemoteError {
        RemoteError::of_fault(self.binding(), None, Fault::Invalid(violation))
    }

    /// Asks for any operation. Those that [stream](Operation::is_streaming) are answered with a stream, all others whole.
    ///
    /// # Errors
    /// As [`unary`](Self::unary) and [`stream`](Self::stream).
    pub async fn call(&self, call: Call<'_>) -> Result<Reply, RemoteError> {
        let deadline = self.ports.clock.now().after(self.policy.total);
        let times = |agents| self.times(call, deadline, agents);
        let mut failure = match self.try_agent(0, &self.first, call, times(1 + self.fallbacks.len())).await {
            Ok(reply) => return Ok(reply),
            Err(error) => error,
        };
        let mut may_go_on = self.may_fall_back(call, &failure);
        let mut was_sent = !failure.was_not_sent();
        for (agent, fallback) in (1..).zip(&self.fallbacks) {
            if !may_go_on || self.ports.clock.now() >= deadline {
                break;
            }
            match self.try_agent(agent, fallback, call, times(1 + self.fallbacks.len() - agent)).await {
                Ok(reply) => return Ok(reply),
                Err(error) => {
                    was_sent |= !error.was_not_sent();
                    let says_nothing = self.says_nothing(call, &failure, &error);
                    may_go_on = self.may_fall_back(call, &error) || says_nothing && self.may_repeat(call);
                    if !says_nothing {
                        failure = error;
                    }
                }
            }
        }
        Err(failure.after_sending(was_sent))
    }

    /// Whether another agent may be asked the same.
    fn may_fall_back(&self, call: Call<'_>, error: &RemoteError) -> bool {
        error.is_retryable() && (self.may_repeat(call) || error.was_not_sent())
    }

    /// Whether the operation may be done twice.
    fn may_repeat(&self, call: Call<'_>) -> bool {
        call.operation.is_idempotent() || self.policy.retry.sends
    }

    /// Whether what a stand-in says is nothing beside what the agent before it said, so that the next may be asked. That it
    /// is left alone, or does not answer where the other one did, is nothing new; that it has no such task only means that
    /// the task is with the agent that failed; and what breaks the protocol is not an agent's answer at all, unless it may
    /// be all that is known of something done.
    fn says_nothing(&self, call: Call<'_>, before: &RemoteError, error: &RemoteError) -> bool {
        match error.cause() {
            Cause::Transport(TransportFault::CircuitOpen { .. }) => true,
            Cause::Transport(_) => matches!(before.cause(), Cause::Reported),
            Cause::Invalid(_) => self.may_repeat(call),
            Cause::Reported => {
                matches!(error.kind(), ErrorKind::TaskNotFound | ErrorKind::PushNotificationConfigNotFound)
            }
        }
    }

    /// How long the first of so many agents may take: an equal part of what is left, or one that hangs would leave no time
    /// to ask the others. But an attempt has all of it, if what it may have done must not be done by another.
    fn times(&self, call: Call<'_>, deadline: Timestamp, agents: usize) -> Times {
        let now = self.ports.clock.now();
        let share = now.after(deadline.since(now) / u32::try_from(agents).unwrap_or(u32::MAX));
        Times { attempt: if self.may_repeat(call) { share } else { deadline }, retry: share }
    }

    /// The param that cannot be said to one of the agents, if there is one. Nothing is to be asked then.
    pub fn unsayable(&self, operation: Operation, params: &Value) -> Option<Segment> {
        let mut agents = std::iter::once(&self.first).chain(&self.fallbacks);
        agents.find_map(|agent| request::unsayable(&agent.endpoint, operation, params))
    }

    /// What the first agent's breaker lets through.
    pub fn breaker_state(&self, now: Timestamp) -> State {
        self.first.state(now)
    }

    fn id(&self) -> Id {
        let id = self.next_id.get();
        self.next_id.set(id.wrapping_add(1));
        // A text, and not one of digits: agents were seen to answer "1" with 1 and the other way round.
        Id::from_json(&format!("\"call-{id}\"")).unwrap_or(Id::NULL)
    }
}
