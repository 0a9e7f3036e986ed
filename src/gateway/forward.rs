//! From an admitted request to the origin, and its answer back.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use futures_util::{StreamExt, stream};
use serde_json::Value;

use super::cache::{Cache, Follower};
use super::card::OriginCard;
use super::headers::CredentialHeaders;
use super::journal::Journal;
use super::sequence::{OTHER_TASK, Sequence};
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
        if let Some(id) = self.asked_task()
            && result.get("id").and_then(Value::as_str) != Some(id)
        {
            return Err(unfit(OTHER_TASK));
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

    /// The task that was asked for by its id.
    fn asked_task(&self) -> Option<&str> {
        match self.operation {
            Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => self.params.get("id")?.as_str(),
            Operation::SendMessage
            | Operation::SendStreamingMessage
            | Operation::ListTasks
            | Operation::CreateTaskPushNotificationConfig
            | Operation::GetTaskPushNotificationConfig
            | Operation::ListTaskPushNotificationConfigs
            | Operation::DeleteTaskPushNotificationConfig
            | Operation::GetExtendedAgentCard => None,
        }
    }

    fn events(&self, events: EventStream) -> Events {
        let sequence = self.asked_task().map(Sequence::of_task).unwrap_or_default();
        let follower = self.wish.is_whole().then(|| self.cache.follow(self.owner.clone()));
        let passing =
            Passing { events, sequence, follower, service: self.service.clone(), params: self.params.clone() };
        let events = stream::unfold(Some(passing), |passing| async move {
            let mut passing = passing?;
            let item = passing.next().await?;
            let is_over = item.as_ref().map_or(true, Sequence::ends_with);
            Some((item, (!is_over).then_some(passing)))
        });
        events.boxed_local()
    }
}

/// A stream on its way to the caller.
struct Passing {
    events: EventStream,
    sequence: Sequence,
    follower: Option<Follower>,
    service: Service,
    params: Value,
}

impl Passing {
    async fn next(&mut self) -> Option<Result<StreamResponse, A2aError>> {
        let event = self.events.next().await?;
        Some(self.checked(event))
    }

    fn checked(&mut self, event: Result<Value, RemoteError>) -> Result<StreamResponse, A2aError> {
        let event = event.map_err(|error| error.to_protocol_error_without(&secrets(&self.service, &self.params)))?;
        let event: StreamResponse = types::from_value(event).map_err(unreadable)?;
        self.sequence.take(&event).map_err(unfit)?;
        if let Some(follower) = &mut self.follower {
            follower.see(&event);
        }
        Ok(event)
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
