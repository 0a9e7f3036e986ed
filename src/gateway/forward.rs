//! From an admitted request to the origin, and its answer back.

use std::rc::Rc;

use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use serde_json::Value;

use super::cache::Cache;
use super::card::OriginCard;
use super::headers::CredentialHeaders;
use super::journal::Journal;
use crate::agent::{Admitted, Backend, Done, Events, Reply, Server, Trace, opened, within_boundary};
use crate::ports::Owner;
use crate::protocol::error::A2aError;
use crate::protocol::http::Request;
use crate::protocol::operation::Operation;
use crate::protocol::types::{self, GetTaskRequest, Params, SendMessageRequest, StreamResponse, Task};
use crate::remote::call::{Call, Caller, EventStream, Reply as Answer};
use crate::remote::request::Service;
use crate::remote::{Cause, RemoteError};

/// The way to the origin.
pub(super) struct Forwarder {
    pub(super) caller: Rc<Caller>,
    pub(super) card: OriginCard,
    /// Whether the gateway asks for tokens of its own.
    pub(super) needs_token: bool,
    pub(super) credentials: CredentialHeaders,
    pub(super) cache: Cache,
    pub(super) journal: Rc<Journal>,
    /// `ORIGIN_URL`
    pub(super) origin: Rc<str>,
}

impl Backend for Forwarder {
    fn passes_on(&self) -> bool {
        true
    }

    fn card(&self, origin: &str) -> Result<Option<String>, A2aError> {
        Ok(Some(self.card.at(origin, self.needs_token).to_string()))
    }

    fn begin(
        &self,
        _: &Rc<Server>,
        admitted: Admitted,
        request: &Request<'_>,
        _: &Trace,
    ) -> LocalBoxFuture<'static, Result<Done, A2aError>> {
        let Admitted { params, canonical, .. } = admitted;
        let service = self.credentials.service(&request.headers);
        let canonical = canonical.unwrap_or_default();
        let tenant = canonical.get("tenant").and_then(Value::as_str).unwrap_or_default();
        let forward = Forward {
            caller: Rc::clone(&self.caller),
            cache: self.cache.clone(),
            journal: Rc::clone(&self.journal),
            owner: self.credentials.owner(&service, &self.origin, tenant),
            needs_token: self.needs_token,
            edge: request.origin.to_owned(),
            service,
            wish: Wish::of(&params),
            operation: params.operation(),
            params: canonical,
        };
        Box::pin(within_boundary(async move { Ok(forward.run().await?) }))
    }
}

/// What of a request matters to the cache.
enum Wish {
    /// It asks for a task.
    Task(GetTaskRequest),
    /// It is answered with a task as it is, with all the history that the origin gives.
    Whole,
    /// Neither.
    Other,
}

impl Wish {
    fn of(params: &Params) -> Self {
        let sent = |request: &SendMessageRequest| request.configuration.as_ref().and_then(|it| it.history_length);
        match params {
            Params::GetTask(request) => Self::Task(request.clone()),
            Params::SendMessage(request) | Params::SendStreamingMessage(request) if sent(request).is_none() => {
                Self::Whole
            }
            Params::CancelTask(_) | Params::SubscribeToTask(_) => Self::Whole,
            Params::SendMessage(_)
            | Params::SendStreamingMessage(_)
            | Params::ListTasks(_)
            | Params::CreateTaskPushNotificationConfig(_)
            | Params::GetTaskPushNotificationConfig(_)
            | Params::ListTaskPushNotificationConfigs(_)
            | Params::DeleteTaskPushNotificationConfig(_)
            | Params::GetExtendedAgentCard(_) => Self::Other,
        }
    }

    fn is_whole(&self) -> bool {
        match self {
            Self::Whole => true,
            Self::Task(request) => request.history_length.is_none(),
            Self::Other => false,
        }
    }
}

/// One request on its way.
struct Forward {
    caller: Rc<Caller>,
    cache: Cache,
    journal: Rc<Journal>,
    owner: Owner,
    needs_token: bool,
    /// The host that was asked.
    edge: String,
    service: Service,
    wish: Wish,
    operation: Operation,
    params: Value,
}

impl Forward {
    async fn run(self) -> Result<Done, A2aError> {
        if let Wish::Task(GetTaskRequest { id, history_length, .. }) = &self.wish
            && let Some(task) = self.cache.settled(&self.owner, id, *history_length).await
        {
            return Ok(Done::Reply(Reply::Task(task)));
        }
        let call = Call {
            operation: self.operation,
            params: &self.params,
            service: &self.service,
            watch: Some(&*self.journal),
        };
        match self.caller.call(call).await {
            Ok(Answer::Whole(result)) => self.reply(result).map(Done::Reply),
            Ok(Answer::Stream(events)) => opened(self.events(events)).await,
            Err(error) => self.in_need(error).await.map(Done::Reply),
        }
    }

    fn reply(&self, result: Value) -> Result<Reply, A2aError> {
        if self.operation == Operation::GetExtendedAgentCard {
            return Ok(Reply::Canonical(OriginCard::new(result).at(&self.edge, self.needs_token)));
        }
        if self.wish.is_whole() {
            let task = if self.operation == Operation::SendMessage { result.get("task") } else { Some(&result) };
            if let Some(task) = task.and_then(|task| types::from_value::<Task>(task.clone()).ok()) {
                self.cache.keep(&self.owner, task);
            }
        }
        Ok(Reply::Canonical(result))
    }

    /// The task as it was last seen, if the origin cannot be asked for it now.
    async fn in_need(&self, error: RemoteError) -> Result<Reply, A2aError> {
        let refused = error.to_protocol_error(self.service.authorization.as_deref());
        let is_away = matches!(error.cause(), Cause::Transport(_)) || error.is_outage();
        if let (Wish::Task(GetTaskRequest { id, history_length, .. }), true) = (&self.wish, is_away) {
            let reason = refused.reason();
            if let Some(task) = self.cache.last_seen(&self.owner, id, *history_length, reason).await {
                self.journal.stood_in(id, &refused);
                return Ok(Reply::Task(task));
            }
        }
        Err(refused)
    }

    fn events(&self, events: EventStream) -> Events {
        let credential = self.service.authorization.clone();
        let mut follower = self.wish.is_whole().then(|| self.cache.follow(self.owner.clone()));
        let events = events.map(move |event| {
            let event = event.map_err(|error| error.to_protocol_error(credential.as_deref()))?;
            let event: StreamResponse = types::from_value(event).map_err(unreadable)?;
            if let Some(follower) = &mut follower {
                follower.see(&event);
            }
            Ok(event)
        });
        events.boxed_local()
    }
}

/// What was checked against the schema can be read, or the schema and the types differ.
fn unreadable(error: types::NotCanonical) -> A2aError {
    A2aError::invalid_agent_response().with_source(error)
}
