//! The gateway: stands before an agent that somebody else wrote, so that it answers like a good one.
//!
//! Requests go through the same bindings and the same gate as those to an agent of one's own, by the card of the origin;
//! behind the gate they are passed on by [`remote`](crate::remote), in the binding that the origin speaks. State that
//! requests share (the card, breakers) is plain data: nothing that does I/O outlives its request.

mod absent;
mod cache;
mod card;
mod config;
mod forward;
mod freshness;
mod headers;
mod journal;
mod origin;
mod sequence;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use self::absent::{Absent, permissive};
use self::cache::Cache;
use self::card::OriginCard;
use self::forward::Forwarder;
use self::freshness::Freshness;
use self::headers::CredentialHeaders;
use self::journal::Journal;
use crate::agent::{self, Answer, Backend, Ports, Server, Witness};
use crate::client::card_url;
use crate::ports::{Fetch, Timestamp};
use crate::protocol::card::AgentCard;
use crate::protocol::details::FieldViolation;
use crate::protocol::error::A2aError;
use crate::protocol::http::Request;
use crate::protocol::rest::CARD_PATH;
use crate::remote::call::card::{Fetched, revalidate};
use crate::remote::call::{CallPorts, Caller};
use crate::remote::request::Endpoint;
use crate::remote::{Binding, RemoteError};

pub use config::Config;

/// How long a card that could not be fetched is not asked for again. (Our own: long enough for all who come meanwhile to
/// be answered at once, short enough for nobody to notice when the origin is back.)
const CARD_RETRY: Duration = Duration::from_secs(1);

/// A gateway before one origin.
pub struct Gateway {
    config: Config,
    server_config: agent::Config,
    ports: Rc<Ports>,
    call_ports: CallPorts,
    journal: Rc<Journal>,
    state: RefCell<State>,
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway").field("config", &self.config).finish_non_exhaustive()
    }
}

/// What the gateway knows of its origin.
#[derive(Default)]
struct State {
    /// Answers requests, by the card or by the lack of one. `None` before the first attempt to get it.
    server: Option<Rc<Server>>,
    known: Option<Rc<Known>>,
    /// Before this time nobody asks for the card: somebody is at it, or has just failed.
    not_before: Timestamp,
}

/// A card, and what was made of it.
struct Known {
    card: OriginCard,
    /// `ORIGIN_URL`, or the fallback that gave it.
    from: String,
    freshness: Freshness,
    /// Lives on under a new card that names the same place: its breaker has seen things.
    caller: Rc<Caller>,
    endpoints: (Endpoint, Vec<Endpoint>),
}

impl Gateway {
    /// A gateway that serves as `server_config` says and keeps tasks in the store of `ports`.
    pub fn new(config: Config, server_config: agent::Config, ports: Ports, fetch: Rc<dyn Fetch>) -> Rc<Self> {
        let call_ports = CallPorts { fetch, clock: ports.clock.clone(), random: ports.random.clone() };
        let journal = Rc::new(Journal { log: ports.log.clone(), level: server_config.log_level });
        Rc::new(Self { config, server_config, ports: Rc::new(ports), call_ports, journal, state: RefCell::default() })
    }

    /// What must be waited for before the request can be [handled](Self::handle), if there is anything: the origin's card.
    /// One that is only stale is good enough for operations, and is fetched anew in the background.
    pub fn prepare(self: &Rc<Self>, request: &Request<'_>) -> Option<LocalBoxFuture<'static, ()>> {
        let now = self.ports.clock.now();
        let mut state = self.state.borrow_mut();
        let is_fresh = state.known.as_ref().is_some_and(|known| known.freshness.is_fresh(now));
        if is_fresh || now < state.not_before {
            return None;
        }
        let is_needed = state.known.is_none() || request.path == CARD_PATH;
        let gateway = Rc::clone(self);
        if is_needed {
            return Some(async move { gateway.refresh().await }.boxed_local());
        }
        state.not_before = now.after(self.config.policy.total);
        drop(state);
        self.ports.background.spawn(async move { gateway.refresh().await }.boxed_local());
        None
    }

    /// Answers a request, after what [`prepare`](Self::prepare) asks for.
    pub fn handle(&self, request: &Request<'_>, witness: &dyn Witness) -> Answer {
        let server = self.state.borrow().server.clone();
        match server {
            Some(server) => server.handle(request, witness),
            None => {
                let error = A2aError::internal().with_source("the gateway was not prepared");
                Answer::Ready(agent::refuse(request, self.server_config.rest_error_format, &error))
            }
        }
    }

    /// Fetches the card from the origin, or else from one of its fallbacks, all within the time of one call: requests wait
    /// for it.
    async fn refresh(&self) {
        let mut failure = None;
        let deadline = self.ports.clock.now().after(self.config.policy.total);
        for url in std::iter::once(&self.config.url).chain(&self.config.fallbacks) {
            let request = self.tags_of(url).request(card_url(url));
            let fetched = revalidate(request, deadline, &self.config.policy, &self.call_ports).await;
            match fetched.and_then(|fetched| self.take_in(url, fetched)) {
                Ok(()) => return,
                Err(error) => failure = failure.or(Some(error)),
            }
            if self.ports.clock.now() >= deadline {
                break;
            }
        }
        if let Some(error) = failure {
            self.make_do(error);
        }
    }

    /// What the card at hand can be asked for by, where it came from. The same tags may mean another card elsewhere.
    fn tags_of(&self, url: &str) -> Freshness {
        let state = self.state.borrow();
        let known = state.known.as_ref().filter(|known| known.from == url);
        known.map(|known| known.freshness.clone()).unwrap_or_default()
    }

    /// Serves by a new card, or goes on with the old one.
    fn take_in(&self, from: &str, Fetched { head, card }: Fetched) -> Result<(), RemoteError> {
        let now = self.ports.clock.now();
        let before = self.state.borrow().known.clone();
        let (card, freshness) = match (card, &before) {
            (Some(card), _) => (OriginCard::new(card), Freshness::of(&head, now)),
            (None, Some(known)) => (known.card.clone(), known.freshness.renewed(&head, now)),
            (None, None) => return Err(no_card()),
        };
        let known = self.known(from, card, freshness, before.as_deref())?;
        let is_same = before.is_some_and(|before| before.card == known.card);
        let server = if is_same { None } else { Some(self.serving(&known)) };
        let mut state = self.state.borrow_mut();
        state.server = server.or(state.server.take());
        state.known = Some(Rc::new(known));
        state.not_before = Timestamp::default();
        Ok(())
    }

    fn known(
        &self,
        from: &str,
        card: OriginCard,
        freshness: Freshness,
        before: Option<&Known>,
    ) -> Result<Known, RemoteError> {
        let Config { url, fallbacks, binding, policy } = &self.config;
        let endpoints = origin::endpoints(&card.interfaces(), *binding, url, fallbacks)?;
        let caller = before.filter(|before| before.endpoints == endpoints).map(|before| Rc::clone(&before.caller));
        let caller = caller.unwrap_or_else(|| {
            let (first, others) = endpoints.clone();
            Rc::new(Caller::new(first, others, policy.clone(), self.call_ports.clone()))
        });
        Ok(Known { card, from: from.to_owned(), freshness, caller, endpoints })
    }

    fn serving(&self, Known { card, caller, .. }: &Known) -> Rc<Server> {
        let Ports { store, background, log, .. } = &*self.ports;
        let forwarder = Forwarder {
            caller: Rc::clone(caller),
            card: card.clone(),
            needs_token: self.server_config.tokens.are_required(),
            credentials: CredentialHeaders::of(card),
            cache: Cache {
                store: store.clone(),
                background: background.clone(),
                log: log.clone(),
                max_task_bytes: self.config.policy.max_response_bytes,
            },
            journal: Rc::clone(&self.journal),
            origin: self.config.url.as_str().into(),
        };
        self.server(Rc::new(forwarder), &card.for_the_gate())
    }

    /// Goes on with the card at hand, or without any.
    fn make_do(&self, error: RemoteError) {
        let not_before = self.ports.clock.now().after(CARD_RETRY);
        let is_known = self.state.borrow().known.is_some();
        if is_known {
            self.journal.card_is_stale(&error);
        } else {
            let absent = Absent { error, retry_after: CARD_RETRY };
            let server = self.server(Rc::new(absent), &permissive());
            self.state.borrow_mut().server = Some(server);
        }
        self.state.borrow_mut().not_before = not_before;
    }

    fn server(&self, backend: Rc<dyn Backend>, card: &AgentCard) -> Rc<Server> {
        Server::before(backend, card, self.server_config.clone(), Rc::clone(&self.ports))
    }
}

fn no_card() -> RemoteError {
    RemoteError::unusable(Binding::Rest, FieldViolation::new("card", "must be an agent card"))
}
