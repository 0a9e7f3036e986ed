//! From an admitted request to the origin, and its answer back.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use futures_util::{StreamExt, stream};
use serde_json::Value;

use super::cache::{Cache, Follower};
use super::card::OriginCard;
use super::headers::CredentialHeaders;
use super::journal::Journal;
use super::sequence::{self, Sequence};
use crate::agent::{Admitted, Backend, Done, Event, Events, Reply, Server, Trace, opened, within_boundary};
use crate::ports::Owner;
use crate::protocol::details::FieldViolation;
use crate::protocol::error::A2aError;
use crate::protocol::http::Request;
use crate::protocol::json::text;
use crate::protocol::operation::Operation;
use crate::protocol::types::{self, GetTaskRequest, Params, SendMessageRequest, StreamResponse};
use crate::remote::call::{Call, Caller, EventStream, Reply as Answer};
use crate::remote::request::{Segment, Service};
use crate::remote::{Cause, RemoteError, failure};

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
        let tenant = text(&canonical, "tenant").unwrap_or_default();
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
        if let Some(segment) = self.caller.unsayable(self.operation, &self.params) {
            return Err(self.unsayable(segment));
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

    /// The error about a param that cannot be said to the origin, which therefore has nothing of that name.
    fn unsayable(&self, segment: Segment) -> A2aError {
        let named = |segment: Segment| text(&self.params, segment.param()).unwrap_or_default();
        match segment {
            Segment::Task | Segment::TaskOfConfig => A2aError::task_not_found(named(segment)),
            Segment::Config => {
                A2aError::push_notification_config_not_found(named(Segment::TaskOfConfig), named(Segment::Config))
            }
            Segment::Tenant => {
                A2aError::invalid_fields(vec![FieldViolation::new(segment.param(), "There is no such tenant")])
            }
        }
    }

    fn reply(&self, mut result: Value) -> Result<Reply, A2aError> {
        if self.operation == Operation::GetExtendedAgentCard {
            return Ok(Reply::Canonical(OriginCard::new(result).at(&self.edge, self.needs_token)));
        }
        sequence::belongs(self.operation, &self.params, &result).map_err(unfit)?;
        self.journal.hidden(&failure::hide(self.operation, &mut result, &secrets(&self.service, &self.params)));
        if self.wish.is_whole() {
            let task = if self.operation == Operation::SendMessage { result.get("task") } else { Some(&result) };
            if let Some(task) = task {
                self.cache.keep_given(&self.owner, task.clone());
            }
        }
        Ok(Reply::Canonical(result))
    }

    /// The task as it was last seen, if the origin cannot be asked for it now.
    async fn in_need(&self, error: RemoteError) -> Result<Reply, A2aError> {
        let refused = error.to_protocol_error_without(&secrets(&self.service, &self.params));
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
        let sequence = Sequence::of(self.operation, &self.params);
        let follower = self.wish.is_whole().then(|| self.cache.follow(self.owner.clone()));
        let passing = Passing {
            events,
            sequence,
            follower,
            journal: Rc::clone(&self.journal),
            service: self.service.clone(),
            operation: self.operation,
            params: self.params.clone(),
        };
        let events = stream::unfold(Some(passing), |passing| async move {
            let mut passing = passing?;
            let item = passing.next().await?;
            let is_over = item.as_ref().map_or(true, |(_, is_last)| *is_last);
            Some((item.map(|(event, _)| Event::Canonical(event)), (!is_over).then_some(passing)))
        });
        events.boxed_local()
    }
}

/// A stream on its way to the caller.
struct Passing {
    events: EventStream,
    sequence: Sequence,
    follower: Option<Follower>,
    journal: Rc<Journal>,
    service: Service,
    operation: Operation,
    params: Value,
}

impl Passing {
    /// The next event, and whether the stream is over with it.
    async fn next(&mut self) -> Option<Result<(Value, bool), A2aError>> {
        let event = self.events.next().await?;
        Some(self.checked(event))
    }

    fn checked(&mut self, event: Result<Value, RemoteError>) -> Result<(Value, bool), A2aError> {
        let secrets = secrets(&self.service, &self.params);
        let mut event = event.map_err(|error| error.to_protocol_error_without(&secrets))?;
        self.journal.hidden(&failure::hide(self.operation, &mut event, &secrets));
        let typed: StreamResponse = types::from_value(event.clone()).map_err(unreadable)?;
        self.sequence.take(&typed).map_err(unfit)?;
        if let Some(follower) = &mut self.follower {
            follower.see(&typed, &event);
        }
        Ok((event, Sequence::ends_with(&typed)))
    }
}

/// Where the parameters of an operation hold secrets.
const SECRET_PARAMS: [&str; 4] = [
    "/token",
    "/authentication/credentials",
    "/configuration/taskPushNotificationConfig/token",
    "/configuration/taskPushNotificationConfig/authentication/credentials",
];

/// What the caller sent that no answer and no log line may repeat.
fn secrets<'a>(service: &'a Service, params: &'a Value) -> Vec<&'a str> {
    let headers = service.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("traceparent"));
    let headers = headers.map(|(_, value)| value.as_str());
    let in_params = SECRET_PARAMS.iter().filter_map(|path| params.pointer(path)?.as_str());
    service.authorization.as_deref().into_iter().chain(headers).chain(in_params).collect()
}

fn unfit(what: &'static str) -> A2aError {
    A2aError::invalid_agent_response().with_source(what)
}

/// What was checked against the schema can be read, or the schema and the types differ.
fn unreadable(error: types::NotCanonical) -> A2aError {
    A2aError::invalid_agent_response().with_source(error)
}
