//! Streams of events: where they end, and how they look on the wire.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::{Either, select};
use futures_util::stream::{self, LocalBoxStream};
use futures_util::{Stream, StreamExt};
use serde::Serialize;
use serde_json::Value;

use super::boundary;
use crate::ports::{Clock, StoreError, Subscription};
use crate::protocol::error::A2aError;
use crate::protocol::http::{Response, TextStream};
use crate::protocol::sse;
use crate::protocol::types::StreamResponse;

/// What a streaming operation gives: an error is the last item, and so is an event that ends the stream.
pub(crate) type Events = LocalBoxStream<'static, Result<Event, A2aError>>;

/// An event of a stream, as both bindings send it. A worker sends one kind or the other, so boxing would only cost.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Event {
    Own(StreamResponse),
    /// In canonical form, as another agent gave it: with members that the types here do not know.
    Canonical(Value),
}

/// What happens to a task, to the same end.
type Changes = LocalBoxStream<'static, Result<StreamResponse, A2aError>>;

/// How long a stream is silent before a comment shows that it is still there: proxies give up after a minute or less
/// (Cloudflare after 100 seconds).
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The events of a subscription: the task first (specification 3.1.6), and then what happens until it ends or waits.
pub(super) fn subscribed(subscription: Subscription) -> Events {
    let Subscription { task, events } = subscription;
    let task = stream::once(async { Ok(task.into()) });
    of_own(task.chain(UntilLast::new(events)))
}

/// The events of an agent of one's own.
pub(super) fn of_own(changes: impl Stream<Item = Result<StreamResponse, A2aError>> + 'static) -> Events {
    changes.map(|change| change.map(Event::Own)).boxed_local()
}

/// Changes of a task up to the one that ends a stream.
pub(super) struct UntilLast(Option<Changes>);

impl UntilLast {
    pub(super) fn new(changes: LocalBoxStream<'static, Result<StreamResponse, StoreError>>) -> Self {
        Self(Some(boundary::guard(changes).boxed_local()))
    }
}

impl Stream for UntilLast {
    type Item = Result<StreamResponse, A2aError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(events) = &mut self.0 else { return Poll::Ready(None) };
        let Poll::Ready(next) = events.as_mut().poll_next(cx) else { return Poll::Pending };
        let item = match next {
            Some(event) => event,
            // A stream never just stops.
            None => Err(A2aError::internal().with_source("the store ended the subscription")),
        };
        if item.as_ref().map_or(true, StreamResponse::is_last) {
            self.0 = None;
        }
        Poll::Ready(Some(item))
    }
}

/// Puts what happens on the wire: `format` gives the data of an event or of an error, in the binding's own shape.
pub(super) fn response(
    events: Events,
    clock: Rc<dyn Clock>,
    format: impl FnMut(Result<Event, A2aError>) -> Data + 'static,
) -> Response {
    let frames = events.map(format).map(|data| match data {
        Data::Event(text) => sse::event(&text),
        Data::Error(text) => sse::error_event(&text),
    });
    let response = Response::new(200, sse::EVENT_STREAM, String::new()).with_header("Cache-Control", "no-store");
    Response { stream: Some(TextStream::new(kept_alive(frames.boxed_local(), clock))), ..response }
}

/// The data of a frame.
pub(super) enum Data {
    Event(String),
    Error(String),
}

fn kept_alive(frames: LocalBoxStream<'static, String>, clock: Rc<dyn Clock>) -> impl Stream<Item = String> + 'static {
    stream::unfold((frames, clock), |(mut frames, clock)| async {
        let frame = match select(frames.next(), clock.sleep(KEEP_ALIVE)).await {
            Either::Left((frame, _)) => frame?,
            Either::Right(_) => sse::comment("keep-alive"),
        };
        Some((frame, (frames, clock)))
    })
    .fuse()
}
