//! The client, for JavaScript.

use std::cell::RefCell;
use std::future::Future;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;

use futures_util::StreamExt;
use futures_util::future::{Either, select};
use js_sys::{Function, Promise};
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::notes::Notes;
use super::ports::{JsFetch, PageClock, PageRandom, promise};
use super::{error, from_json, options};
use crate::client::{Answered, Client, Events};
use crate::ports::Timestamp;
use crate::protocol::operation::Operation;
use crate::remote::breaker::State;
use crate::remote::call::CallPorts;

/// A client of one agent. Everything that it gives is JSON, and so is every error that it throws.
#[wasm_bindgen]
pub struct WasmClient {
    client: Rc<Client>,
}

// What a panic could leave half done is a count of failures or of tokens: whatever it is, calls go on.
impl UnwindSafe for WasmClient {}
impl RefUnwindSafe for WasmClient {}

impl std::fmt::Debug for WasmClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.client.fmt(f)
    }
}

/// Fetches a card and makes a client of it; a promise of a [`WasmClient`]. `send` is a fetch function, `tell` is told what
/// happens during calls, and when `cancelled` settles, the fetch is given up.
#[wasm_bindgen]
pub fn connect(url: String, given: &str, send: Function, tell: Option<Function>, cancelled: Promise) -> Promise {
    let options = options::options(given);
    unless(cancelled, async move {
        let options = options.map_err(|problem| error::misuse(&problem))?;
        let client = Client::connect(&url, options, ports(send)).await.map_err(|error| error::to_json(&error))?;
        Ok(WasmClient { client: Rc::new(watched(client, tell)) }.into())
    })
}

#[wasm_bindgen]
impl WasmClient {
    /// A client of an endpoint, without a look at the card.
    ///
    /// # Errors
    /// What is wrong with the endpoint or the options.
    #[wasm_bindgen(constructor)]
    pub fn new(endpoint: &str, given: &str, send: Function, tell: Option<Function>) -> Result<WasmClient, JsValue> {
        let misuse = |problem: String| thrown(&error::misuse(&problem));
        let endpoint = options::endpoint(endpoint).map_err(misuse)?;
        let client = Client::new(endpoint, options::options(given).map_err(misuse)?, ports(send));
        client.check_options().map_err(|error| thrown(&error::to_json(&error.into())))?;
        Ok(Self { client: Rc::new(watched(client, tell)) })
    }

    /// The card that the client was made from.
    #[wasm_bindgen(getter)]
    pub fn card(&self) -> Option<String> {
        self.client.card_json().map(Value::to_string)
    }

    /// What the breaker of the first agent lets through now: `closed`, `open` or `half-open`.
    #[wasm_bindgen(getter)]
    pub fn breaker(&self) -> String {
        let now = Timestamp(js_sys::Date::now() as u64);
        match self.client.breaker_state(now) {
            State::Closed => "closed",
            State::Open => "open",
            State::HalfOpen => "half-open",
        }
        .to_owned()
    }

    /// Asks for an operation that is answered once; a promise of its result.
    pub fn call(&self, operation: &str, params: &str, cancelled: Promise) -> Promise {
        let (client, asked) = (Rc::clone(&self.client), asked(operation, Answered::Once, params));
        unless(cancelled, async move {
            let (operation, params) = asked?;
            let params = if operation == Operation::SendMessage { client.with_message_id(params) } else { params };
            let result = client.call(operation, params).await.map_err(|error| error::to_json(&error))?;
            Ok(JsValue::from_str(&result.to_string()))
        })
    }

    /// Asks for an operation that is answered with a stream; a promise of an [`EventReader`].
    pub fn stream(&self, operation: &str, params: &str, cancelled: Promise) -> Promise {
        let (client, asked) = (Rc::clone(&self.client), asked(operation, Answered::WithAStream, params));
        unless(cancelled, async move {
            let (operation, params) = asked?;
            let params =
                if operation == Operation::SendStreamingMessage { client.with_message_id(params) } else { params };
            let events = client.stream(operation, params).await.map_err(|error| error::to_json(&error))?;
            Ok(EventReader { events: Rc::new(RefCell::new(Some(events))) }.into())
        })
    }
}

/// The events of a stream. Freeing it closes the connection.
#[wasm_bindgen]
pub struct EventReader {
    events: Rc<RefCell<Option<Events<Value>>>>,
}

// A stream that was being waited for is gone after a panic.
impl UnwindSafe for EventReader {}
impl RefUnwindSafe for EventReader {}

impl std::fmt::Debug for EventReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EventReader")
    }
}

#[wasm_bindgen]
impl EventReader {
    /// A promise of the next event; of nothing after the last.
    pub fn next(&self, cancelled: Promise) -> Promise {
        // Taken out while it is waited for: whoever gives up waiting gives up the stream.
        let (slot, events) = (Rc::clone(&self.events), self.events.borrow_mut().take());
        unless(cancelled, async move {
            let Some(mut events) = events else { return Ok(JsValue::UNDEFINED) };
            match events.next().await {
                None => Ok(JsValue::UNDEFINED),
                Some(Err(error)) => Err(error::to_json(&error)),
                Some(Ok(event)) => {
                    slot.replace(Some(events));
                    Ok(JsValue::from_str(&event.to_string()))
                }
            }
        })
    }
}

fn ports(send: Function) -> CallPorts {
    CallPorts { fetch: Rc::new(JsFetch(send)), clock: Rc::new(PageClock), random: Rc::new(PageRandom) }
}

fn watched(client: Client, tell: Option<Function>) -> Client {
    match tell {
        Some(tell) => client.with_watch(Rc::new(Notes { tell, clock: Rc::new(PageClock) })),
        None => client,
    }
}

fn asked(operation: &str, wanted: Answered, params: &str) -> Result<(Operation, Value), Value> {
    let named = Operation::from_method(operation);
    let operation = named.ok_or_else(|| error::misuse(&format!("A2A has no operation \"{operation}\"")))?;
    if let Some(fault) = wanted.fault(operation) {
        return Err(error::misuse(&format!("{operation} {fault}")));
    }
    let params = from_json(params).map_err(|problem| error::misuse(&problem))?;
    Ok((operation, params))
}

/// A promise of what the work comes to, unless `cancelled` settles first. Then the work is dropped.
fn unless(cancelled: Promise, work: impl Future<Output = Result<JsValue, Value>> + 'static) -> Promise {
    promise(async move {
        match select(Box::pin(work), JsFuture::from(cancelled)).await {
            Either::Left((outcome, _)) => outcome.map_err(|error| thrown(&error)),
            Either::Right(_) => Err(thrown(&error::aborted())),
        }
    })
}

fn thrown(error: &Value) -> JsValue {
    JsValue::from_str(&error.to_string())
}
