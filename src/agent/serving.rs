//! An admitted request at work: from the agent's method to the reply or the events that its binding formats.

use std::future::ready;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use futures_util::{StreamExt, stream};

use super::discovery::with_interfaces;
use super::dispatch::{Job, Reply};
use super::events::{Events, of_own, subscribed};
use super::gate::Admitted;
use super::record::Trace;
use super::relay::Movable;
use super::sending::{Sending, settled, shorten};
use super::server::{Server, secured};
use super::tasks::Watch;
use super::{Context, Failure, Tasks, boundary};
use crate::protocol::error::A2aError;
use crate::protocol::types::{Params, SendMessageResponse, TaskPushNotificationConfig};

/// What an operation has come to. Nearly always a reply, so boxing it would cost more than it saves.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Done {
    /// Its result.
    Reply(Reply),
    /// Its events, one at least.
    Events(Events),
}

/// Waits for the first event: an error that is known before it is no event, but the answer.
pub(crate) async fn opened(mut events: Events) -> Result<Done, A2aError> {
    match events.next().await {
        Some(Ok(first)) => Ok(Done::Events(stream::once(ready(Ok(first))).chain(events).boxed_local())),
        Some(Err(error)) => Err(error),
        None => Err(A2aError::internal().with_source("a stream without events")),
    }
}

/// Who waits for what a message begins, and how much history they want.
fn wishes(params: &Params) -> (Watch, Option<u32>) {
    let Some(request) = params.sent() else { return (Watch::Nobody, None) };
    let configuration = request.configuration.as_ref();
    let watch = if params.operation().is_streaming() {
        Watch::Events
    } else if configuration.is_some_and(|configuration| configuration.return_immediately) {
        Watch::Task
    } else {
        Watch::Nobody
    };
    (watch, configuration.and_then(|configuration| configuration.history_length))
}

impl Server {
    /// An agent of one's own at work on an admitted request, within the boundary. `dispatch` calls its method.
    pub(super) fn work_locally(
        self: &Rc<Self>,
        admitted: Admitted,
        origin: &str,
        trace: &Trace,
        dispatch: impl FnOnce(Context, Params) -> Job,
    ) -> LocalBoxFuture<'static, Result<Done, A2aError>> {
        let Admitted { caller, extensions, mut params, canonical: _ } = admitted;
        let (watch, history_length) = wishes(&params);
        let inline_push = match self.inline_push(&mut params) {
            Ok(config) => config,
            Err(error) => return Box::pin(ready(Err(error))),
        };
        // Only the extended card is completed here, as the public one is.
        let completion =
            matches!(params, Params::GetExtendedAgentCard(_)).then(|| (Rc::clone(self), origin.to_owned()));
        let ports = Rc::clone(&self.ports);
        let tasks = Tasks::of_request(caller.owner, ports, watch, self.push.clone(), inline_push);
        let cx = Context { subject: caller.subject, extensions, tasks: tasks.clone() };
        match dispatch(cx, params) {
            Job::Reply(work) => Box::pin(async move {
                let mut reply = boundary::run(work).await?;
                if let (Reply::Card(card), Some((server, origin))) = (&mut reply, completion) {
                    let full = with_interfaces(std::mem::take(&mut **card), &origin);
                    // Callers replace the public card by this one (specification 3.1.11), so it must say as much.
                    **card = secured(full, &server.config.tokens);
                }
                Ok(Done::Reply(reply))
            }),
            Job::Send(work) if watch == Watch::Nobody => Box::pin(async move {
                let mut answer = settled(&tasks, boundary::run(work).await).await?;
                shorten(&mut answer, history_length);
                Ok(Done::Reply(Reply::Sent(answer)))
            }),
            Job::Send(work) => {
                let sending = self.sending(work, tasks, trace, history_length);
                Box::pin(async move {
                    let mut answer = sending.at_once().await?;
                    shorten(&mut answer, history_length);
                    Ok(Done::Reply(Reply::Sent(answer)))
                })
            }
            Job::Stream(work) => {
                let events = self.sending(work, tasks, trace, history_length).watched();
                Box::pin(opened(of_own(events)))
            }
            Job::Subscribe(work) => Box::pin(async move { opened(subscribed(boundary::run(work).await?)).await }),
        }
    }

    /// The push notification config that came with a message, taken out: the task that it belongs to is still to come.
    fn inline_push(&self, params: &mut Params) -> Result<Option<TaskPushNotificationConfig>, A2aError> {
        let Some(push) = &self.push else { return Ok(None) };
        let (Params::SendMessage(request) | Params::SendStreamingMessage(request)) = params else { return Ok(None) };
        let configuration = request.configuration.as_mut();
        let config = configuration.and_then(|configuration| configuration.task_push_notification_config.take());
        if let Some(config) = &config {
            push.check(config, "configuration.taskPushNotificationConfig.").map_err(A2aError::invalid_fields)?;
        }
        Ok(config)
    }

    fn sending(
        self: &Rc<Self>,
        work: LocalBoxFuture<'static, Result<SendMessageResponse, Failure>>,
        tasks: Tasks,
        trace: &Trace,
        history_length: Option<u32>,
    ) -> Sending {
        let (server, trace) = (Rc::clone(self), trace.clone());
        let report = Rc::new(move |error: &A2aError| server.log(error, &trace));
        let handler = Box::pin(Movable::new(boundary::run(work)));
        Sending::new(handler, tasks, Rc::clone(&self.ports.background), report, history_length)
    }
}
