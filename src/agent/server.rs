//! From an HTTP request to its answer, on both bindings.
//!
//! Everything up to the agent is synchronous: a request that is refused never waits. Only what the agent itself awaits
//! makes an answer [`Answer::Pending`].

use std::borrow::Cow;
use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use serde_json::Value;

use super::auth::Tokens;
use super::backend::{Backend, Local};
use super::cors::AllowedOrigins;
use super::delivery::Push;
use super::discovery::Discovery;
use super::dispatch::Reply;
use super::events::{self, Data, Event, Events};
use super::gate::{Admitted, Gate, Service};
use super::record::Trace;
use super::serving::Done;
use super::{Agent, record};
use crate::ports::{Background, Clock, Fetch, Level, Log, Random, TaskStore, Timestamp};
use crate::protocol::binding::Binding;
use crate::protocol::card::AgentCard;
use crate::protocol::details::FieldViolation;
use crate::protocol::error::A2aError;
use crate::protocol::http::{Body, Header, Request, Response};
use crate::protocol::negotiate::ErrorFormat;
use crate::protocol::operation::Operation;
use crate::protocol::path::{MAX_ECHO, clipped};
use crate::protocol::rest::{self, Route};
use crate::protocol::types::Params;

/// How an agent is served.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// Body of REST errors for callers that state no preference.
    pub rest_error_format: ErrorFormat,
    /// Version that a request without `A2A-Version` is taken to be of, in place of 0.3.
    pub assume_version: Option<String>,
    /// Web origins that may read the answers.
    pub allowed_origins: AllowedOrigins,
    /// Tokens to ask for; none asks for none.
    pub tokens: Tokens,
    /// The least grave failure that is logged.
    pub log_level: Level,
    /// Whether webhooks may be called that are not https, or not public.
    pub in_development: bool,
}

/// The platform that the agent runs on.
#[derive(Clone)]
pub struct Ports {
    /// Where tasks are kept.
    pub store: Rc<dyn TaskStore>,
    /// The time.
    pub clock: Rc<dyn Clock>,
    /// Unpredictable bytes.
    pub random: Rc<dyn Random>,
    /// Where log lines go.
    pub log: Rc<dyn Log>,
    /// Who does what is left when a request has been answered.
    pub background: Rc<dyn Background>,
    /// How webhooks are called; without it, none is.
    pub fetch: Option<Rc<dyn Fetch>>,
}

/// Is told how far a request came, so that it can be sent again, or not, if this instance dies over another one.
pub trait Witness {
    /// The request passed the gate and reaches the agent now. `idempotent` says that it may be sent again even so.
    fn reached_agent(&self, idempotent: bool);
}

/// The answer to a request.
pub enum Answer {
    /// It is here.
    Ready(Response),
    /// The agent is at work.
    Pending(LocalBoxFuture<'static, Response>),
}

impl Answer {
    /// Adds headers, or takes the body away again: what is asked of an answer whatever it is.
    fn finished(self, cors: Vec<Header>, without_body: bool) -> Self {
        let finish = move |mut response: Response| {
            response.headers.extend(cors);
            if without_body {
                response.body.clear();
                response.stream = None;
            }
            response
        };
        match self {
            Self::Ready(response) => Self::Ready(finish(response)),
            Self::Pending(work) => Self::Pending(work.map(finish).boxed_local()),
        }
    }
}

/// An agent, served.
pub struct Server {
    backend: Rc<dyn Backend>,
    gate: Gate,
    discovery: Discovery,
    pub(super) config: Config,
    pub(super) ports: Rc<Ports>,
    pub(super) push: Option<Rc<Push>>,
}

impl Server {
    /// Serves `agent` on `ports`.
    ///
    /// # Errors
    /// What is wrong with the agent's card.
    pub fn new<A: Agent + 'static>(agent: A, config: Config, ports: Ports) -> Result<Rc<Self>, Vec<FieldViolation>> {
        let card = secured(agent.card(), &config.tokens);
        let server = Self::with(Rc::new(Local(Rc::new(agent))), &card, config, Rc::new(ports));
        let discovery = Discovery::new(card, server.ports.clock.now())?;
        Ok(Rc::new(Self { discovery, ..server }))
    }

    /// Stands before an agent elsewhere, by what of its card the gate needs to know.
    pub(crate) fn before(backend: Rc<dyn Backend>, card: &AgentCard, config: Config, ports: Rc<Ports>) -> Rc<Self> {
        Rc::new(Self::with(backend, card, config, ports))
    }

    fn with(backend: Rc<dyn Backend>, card: &AgentCard, config: Config, ports: Rc<Ports>) -> Self {
        let gate = Gate::new(card, config.tokens.clone(), config.assume_version.clone());
        let gate = if backend.passes_on() { gate.keeping_canonical() } else { gate };
        let in_development = config.in_development;
        let fetch = ports.fetch.clone().filter(|_| card.capabilities.push_notifications == Some(true));
        let push = fetch.map(|fetch| Rc::new(Push { fetch, in_development }));
        let discovery = Discovery::of_others(ports.clock.now());
        Self { backend, gate, discovery, config, ports, push }
    }

    /// Answers one request.
    pub fn handle(self: &Rc<Self>, request: &Request<'_>, witness: &dyn Witness) -> Answer {
        let cors = self.config.allowed_origins.headers(&request.headers);
        let without_body = request.method == "HEAD";
        let answer = self.route(request, witness);
        // Most requests ask for neither, and a future costs an allocation.
        if cors.is_empty() && !without_body { answer } else { answer.finished(cors, without_body) }
    }

    fn route(self: &Rc<Self>, request: &Request<'_>, witness: &dyn Witness) -> Answer {
        let is_jsonrpc = rest::is_jsonrpc_path(request.path);
        if request.method == "OPTIONS" {
            let allow = if is_jsonrpc { Some(super::jsonrpc::ALLOW) } else { rest::allow(request.path) };
            if let Some(allow) = allow {
                return Answer::Ready(AllowedOrigins::options(&request.headers, allow));
            }
        }
        if is_jsonrpc {
            if request.method == "POST" {
                return self.jsonrpc(request, witness);
            }
            return self.not_allowed(request, super::jsonrpc::ALLOW);
        }
        match rest::route(request.method, request.path) {
            Route::Operation { operation, path_params } => self.rest(request, operation, &path_params, witness),
            Route::Card => self.card(request),
            Route::NotAllowed { allow } => self.not_allowed(request, allow),
            Route::Unknown => self.refuse(request, no_such_route(request)),
        }
    }

    #[inline(never)]
    fn card(&self, request: &Request<'_>) -> Answer {
        let card = self.backend.card(request.origin).and_then(|card| match card {
            Some(text) => Ok(self.discovery.answer_with(text, &request.headers)),
            None => self.discovery.answer(request.origin, &request.headers).map_err(unserialisable),
        });
        match card {
            Ok(response) => Answer::Ready(response),
            Err(error) => self.refuse(request, error),
        }
    }

    fn not_allowed(&self, request: &Request<'_>, allow: &'static str) -> Answer {
        let error = no_such_route(request).with_message("Method not allowed").with_http_status(405);
        self.refuse(request, error.with_header("Allow", allow))
    }

    /// The binding of HTTP+JSON (specification 11).
    #[inline(never)]
    fn rest(
        self: &Rc<Self>,
        request: &Request<'_>,
        operation: Operation,
        path_params: &[(&'static str, Cow<'_, str>)],
        witness: &dyn Witness,
    ) -> Answer {
        let mut trace = self.trace(Binding::Rest, request);
        trace.operation = Some(operation);
        let version = rest::version(&request.headers, request.query);
        let admitted = Self::check_content_type(request, 415).and_then(|()| {
            let body = request.body.bytes()?;
            let params = |operation| rest::params(operation, path_params, request.query, body);
            self.gate.admit(service(request, version.as_deref()), || Ok(operation), params)
        });
        let accept = request.headers.accept;
        match admitted {
            Err(error) => Answer::Ready(self.rest_answer(Err(error), &trace, accept)),
            Ok(admitted) => {
                witness.reached_agent(operation.is_idempotent());
                self.admitted(&mut trace, &admitted.params);
                let (server, accept) = (Rc::clone(self), accept.map(str::to_owned));
                let work = self.work(admitted, request, &trace);
                let answer = async move { server.rest_reply(work.await, trace, accept.as_deref()) };
                Answer::Pending(answer.boxed_local())
            }
        }
    }

    fn rest_reply(self: &Rc<Self>, outcome: Result<Done, A2aError>, trace: Trace, accept: Option<&str>) -> Response {
        match outcome {
            Ok(Done::Events(events)) => self.event_stream(events, trace, rest::event, rest::error_event),
            Ok(Done::Reply(reply)) => self.rest_answer(Ok(reply), &trace, accept),
            Err(error) => self.rest_answer(Err(error), &trace, accept),
        }
    }

    /// A response of events, in the words of a binding. An error in its course is logged, and is the last event.
    pub(super) fn event_stream(
        self: &Rc<Self>,
        events: Events,
        trace: Trace,
        event: impl Fn(&Event) -> Result<String, serde_json::Error> + 'static,
        failure: impl Fn(&A2aError) -> String + 'static,
    ) -> Response {
        let server = Rc::clone(self);
        events::response(events, Rc::clone(&self.ports.clock), move |item| {
            match item.and_then(|item| event(&item).map_err(unserialisable)) {
                Ok(text) => Data::Event(text),
                Err(error) => {
                    server.log(&error, &trace);
                    Data::Error(failure(&error))
                }
            }
        })
    }

    fn rest_answer(&self, outcome: Result<Reply, A2aError>, trace: &Trace, accept: Option<&str>) -> Response {
        let answer = outcome.and_then(|reply| rest::success(&reply, accept).map_err(unserialisable));
        answer.unwrap_or_else(|error| {
            self.log(&error, trace);
            rest::failure(&error, accept, self.config.rest_error_format)
        })
    }

    /// Answers a request that is no operation's.
    fn refuse(&self, request: &Request<'_>, error: A2aError) -> Answer {
        let trace = self.trace(Binding::Rest, request);
        Answer::Ready(self.rest_answer(Err(error), &trace, request.headers.accept))
    }

    /// Is the body said to be JSON? On REST, HTTP has a status of its own for that.
    pub(super) fn check_content_type(request: &Request<'_>, wrong_type_status: u16) -> Result<(), A2aError> {
        let content_type = request.headers.content_type;
        if request.body != Body::default() && !rest::is_json_content_type(content_type) {
            let named = clipped(content_type.unwrap_or_default(), MAX_ECHO);
            return Err(A2aError::content_type_not_supported(named).with_http_status(wrong_type_status));
        }
        Ok(())
    }

    pub(super) fn gate(&self) -> &Gate {
        &self.gate
    }

    /// The backend at work on an admitted request, within the boundary.
    pub(super) fn work(
        self: &Rc<Self>,
        admitted: Admitted,
        request: &Request<'_>,
        trace: &Trace,
    ) -> LocalBoxFuture<'static, Result<Done, A2aError>> {
        self.backend.begin(self, admitted, request, trace)
    }

    pub(super) fn trace(&self, binding: Binding, request: &Request<'_>) -> Trace {
        Trace {
            binding,
            request_id: String::new(),
            operation: None,
            task_id: None,
            ray: request.headers.ray.map(str::to_owned),
            started: None,
        }
    }

    /// Notes that the request reaches the agent.
    pub(super) fn admitted(&self, trace: &mut Trace, params: &Params) {
        trace.task_id = params.task_id().map(str::to_owned);
        trace.started = Some(self.ports.clock.now());
    }

    pub(super) fn log(&self, error: &A2aError, trace: &Trace) {
        let level = record::level(error);
        if level < self.config.log_level {
            return;
        }
        let elapsed = |started: Timestamp| self.ports.clock.now().0.saturating_sub(started.0);
        self.ports.log.write(level, &record::line(error, trace, trace.started.map_or(0, elapsed)));
    }
}

pub(super) fn service<'a>(request: &Request<'a>, version: Option<&'a str>) -> Service<'a> {
    Service { version, extensions: request.headers.extensions, authorization: request.headers.authorization }
}

pub(super) fn unserialisable(error: serde_json::Error) -> A2aError {
    A2aError::internal().with_source(error)
}

fn no_such_route(request: &Request<'_>) -> A2aError {
    let route = format!("{} {}", request.method, request.path);
    A2aError::method_not_found(clipped(&route, MAX_ECHO))
}

/// The card, with the security scheme that the tokens make, unless it declares its own.
pub(super) fn secured(mut card: AgentCard, tokens: &Tokens) -> AgentCard {
    if tokens.are_required() && card.security_schemes.is_empty() {
        card.require_bearer();
    }
    card
}

/// Parameters of an operation that takes none may be left out.
pub(super) fn no_params() -> Value {
    Value::Object(serde_json::Map::new())
}
