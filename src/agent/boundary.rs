//! The one place that catches: whatever an agent does, what leaves here is a result or a protocol error.

use std::any::Any;
use std::cell::Cell;
use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures_util::{FutureExt, Stream, StreamExt};

use super::Failure;
use super::tasks::store_failed;
use crate::ports::StoreError;
use crate::protocol::error::A2aError;

thread_local! {
    static LAST_PANIC: Cell<Option<String>> = const { Cell::new(None) };
}

/// A panic, for the log: where it was. Its message is left out, since it may quote anything.
#[derive(Debug, thiserror::Error)]
#[error("panic at {location}")]
struct Panicked {
    location: String,
}

/// Runs the agent's future to its end. A panic in it, before or after an await, is an error like any other.
pub(crate) async fn run<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, A2aError> {
    match AssertUnwindSafe(work).catch_unwind().await {
        Ok(Ok(reply)) => Ok(reply),
        Ok(Err(failure)) => Err(failure.into_error()),
        Err(payload) => Err(panicked(payload)),
    }
}

/// Guards a stream that the agent makes in the same way: a panic in it is its last item.
pub(super) fn guard<T: 'static>(
    items: impl Stream<Item = Result<T, StoreError>> + 'static,
) -> impl Stream<Item = Result<T, A2aError>> + 'static {
    AssertUnwindSafe(items).catch_unwind().map(|item| match item {
        Ok(item) => item.map_err(store_failed),
        Err(payload) => Err(panicked(payload)),
    })
}

fn panicked(payload: Box<dyn Any + Send>) -> A2aError {
    drop(payload);
    let location = LAST_PANIC.take().unwrap_or_else(|| "an unknown place".to_owned());
    A2aError::internal().with_source(Panicked { location })
}

/// Makes panics leave their location behind, and calls `then` (the hook for development, say).
///
/// Without it a panic is answered all the same, but its log line cannot tell where it was.
pub fn install_panic_hook(then: Option<fn(&std::panic::PanicHookInfo<'_>)>) {
    std::panic::set_hook(Box::new(move |info| {
        LAST_PANIC.set(info.location().map(|location| location.to_string()));
        if let Some(then) = then {
            then(info);
        }
    }));
}
