//! A client for A2A agents, whatever they answer: results that are known to be sound, and one model of errors.
//!
//! ```no_run
//! # #[cfg(feature = "native")]
//! # async fn ask() -> Result<(), Box<dyn std::error::Error>> {
//! use a2a_edge::client::{Client, Options, native};
//! use a2a_edge::protocol::types::{Message, SendMessageResponse};
//!
//! let client = Client::connect("https://agent.example", Options::default(), native::ports()?).await?;
//! match client.send_message(Message::user_text("hello").into()).await?.into_result()? {
//!     SendMessageResponse::Task(task) => println!("{}: {}", task.id, task.status.state),
//!     SendMessageResponse::Message(message) => println!("{}", message.text()),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Dropping a future or a stream gives the call up. Retries, breaker and fallbacks are those of [`remote`](crate::remote),
//! which the gateway uses too.

mod connect;
mod error;
#[cfg(feature = "native")]
pub mod native;
mod operations;
mod outcome;
#[cfg(test)]
mod tests;
mod url;

use std::rc::Rc;

use futures_util::StreamExt;
use futures_util::stream::LocalBoxStream;
use serde_json::Value;

use crate::ports::{Random, Timestamp};
use crate::protocol::card::AgentCard;
use crate::protocol::details::FieldViolation;
use crate::protocol::operation::Operation;
use crate::protocol::{schema, types};
use crate::remote::Binding;
use crate::remote::breaker::State;
use crate::remote::call::{Call, CallPolicy, CallPorts, Caller, Watch};
use crate::remote::request::{Endpoint, Service};

pub(crate) use connect::{card_url, fitting};
pub use error::{ClientError, JsonRpcError, RestError, TransportError, ValidationError};
pub use outcome::TaskFailure;

/// So that the programs of docs/client.md are compiled.
#[cfg(all(doctest, feature = "native"))]
#[doc = include_str!("../../docs/client.md")]
struct Documented;

/// How a client goes about its calls.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Deadlines, limits, retries and the breaker.
    pub policy: CallPolicy,
    /// Credentials and extensions, sent with every request; with that for the card, too.
    pub service: Service,
    /// The binding to use, if the agent has it; by default the one that its card names first.
    pub binding: Option<Binding>,
    /// Agents to ask, in this order, when the first is in trouble.
    pub fallbacks: Vec<Endpoint>,
}

/// A client of one agent.
pub struct Client {
    caller: Caller,
    service: Service,
    card: Option<Value>,
    random: Rc<dyn Random>,
    watch: Option<Rc<dyn Watch>>,
    faults: Vec<FieldViolation>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("caller", &self.caller).field("service", &self.service).finish_non_exhaustive()
    }
}

/// What is wrong with the URLs of the fallbacks, and with what goes into headers.
fn faults(options: &Options) -> impl Iterator<Item = FieldViolation> {
    let fallbacks = options.fallbacks.iter().enumerate();
    let urls = fallbacks.filter_map(|(index, fallback)| url::fault(format!("fallbacks[{index}].url"), &fallback.url));
    let service = options.service.faults();
    urls.chain(service.map(|(name, rule)| FieldViolation::new(format!("service.{name}"), format!("must be {rule}"))))
}

/// How somebody wants an operation answered.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Answered {
    Once,
    WithAStream,
}

impl Answered {
    /// What is wrong with an operation that is asked for in this way.
    pub(crate) const fn fault(self, operation: Operation) -> Option<&'static str> {
        match (self, operation.is_streaming()) {
            (Self::Once, true) => Some("is answered with a stream: ask for it by stream"),
            (Self::WithAStream, false) => Some("is answered once: ask for it by call"),
            (Self::Once, false) | (Self::WithAStream, true) => None,
        }
    }
}

/// Events as an operation gives them. A stream ends with an error unless its task reached a terminal or interrupted
/// state, or the agent answered with a message.
pub type Events<T> = LocalBoxStream<'static, Result<T, ClientError>>;

impl Client {
    /// A client of the agent at `endpoint`, without a look at its card. If the URL is none, of the endpoint or of a fallback,
    /// or the service has what no header can hold, or a header that requests have already, every call ends in a
    /// [`ValidationError`].
    pub fn new(endpoint: Endpoint, options: Options, ports: CallPorts) -> Self {
        let random = ports.random.clone();
        let faults = url::fault("endpoint.url", &endpoint.url).into_iter().chain(faults(&options)).collect();
        let caller = Caller::new(endpoint, options.fallbacks, options.policy, ports);
        Self { caller, service: options.service, card: None, random, watch: None, faults }
    }

    /// Has `watch` told what happens in every call.
    pub fn with_watch(mut self, watch: Rc<dyn Watch>) -> Self {
        self.watch = Some(watch);
        self
    }

    /// The card that the client was made from, read anew with each call.
    pub fn card(&self) -> Option<AgentCard> {
        // What passed the schema has the form of the type.
        types::from_value(self.card.clone()?).ok()
    }

    /// The same in the canonical form of JSON, with what this version of the protocol does not know.
    pub fn card_json(&self) -> Option<&Value> {
        self.card.as_ref()
    }

    /// What the breaker of the first agent lets through.
    pub fn breaker_state(&self, now: Timestamp) -> State {
        self.caller.breaker_state(now)
    }

    /// Asks for an operation that is answered once, with params and result as JSON.
    ///
    /// # Errors
    /// [`ValidationError`] before anything is sent; the others, after the retries that the policy allows.
    pub async fn call(&self, operation: Operation, params: Value) -> Result<Value, ClientError> {
        let params = self.checked(operation, Answered::Once, params)?;
        Ok(self.caller.unary(self.of(operation, &params)).await?)
    }

    /// Asks for an operation that is answered with a stream, with params and events as JSON. Resolves when it begins.
    ///
    /// # Errors
    /// As [`call`](Self::call). What happens later is in the stream.
    pub async fn stream(&self, operation: Operation, params: Value) -> Result<Events<Value>, ClientError> {
        let params = self.checked(operation, Answered::WithAStream, params)?;
        let events = self.caller.stream(self.of(operation, &params)).await?;
        Ok(events.map(|event| event.map_err(ClientError::from)).boxed_local())
    }

    /// That all of its URLs can be asked, with the headers that it sends.
    pub(crate) fn check_options(&self) -> Result<(), ValidationError> {
        if self.faults.is_empty() { Ok(()) } else { Err(ValidationError::new(self.faults.clone())) }
    }

    /// The params in canonical form.
    fn checked(&self, operation: Operation, wanted: Answered, params: Value) -> Result<Value, ClientError> {
        self.check_options()?;
        if let Some(rule) = wanted.fault(operation) {
            return Err(ValidationError::new(vec![FieldViolation::new("operation", rule)]).into());
        }
        let params = schema::check(operation, params).map_err(ValidationError::new)?;
        match self.caller.unsayable(operation, &params) {
            None => Ok(params),
            Some(segment) => {
                let rule = "Must be neither \".\" nor \"..\", which no path of a URL can hold";
                Err(ValidationError::new(vec![FieldViolation::new(segment.param(), rule)]).into())
            }
        }
    }

    fn of<'a>(&'a self, operation: Operation, params: &'a Value) -> Call<'a> {
        Call { operation, params, service: &self.service, watch: self.watch.as_deref() }
    }
}
