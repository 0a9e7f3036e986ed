//! Time, chance, HTTP and background work where there is a global `fetch`.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, stream};
use js_sys::{Function, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise, spawn_local};

use crate::ports::{
    Background, BodyStream, Clock, Fetch, FetchError, FetchRequest, FetchResponse, Random, ResponseHead, Timestamp,
};

#[wasm_bindgen(module = "/src/browser/ports.js")]
extern "C" {
    type Timer;
    #[wasm_bindgen(constructor)]
    fn new(milliseconds: f64) -> Timer;
    #[wasm_bindgen(method, getter)]
    fn done(this: &Timer) -> Promise;
    #[wasm_bindgen(method)]
    fn cancel(this: &Timer);

    type Exchange;
    #[wasm_bindgen(constructor)]
    fn new(send: &Function, method: &str, url: &str, headers: Vec<String>, body: Option<&str>) -> Exchange;
    #[wasm_bindgen(method)]
    fn open(this: &Exchange) -> Promise;
    #[wasm_bindgen(method)]
    fn read(this: &Exchange) -> Promise;
    #[wasm_bindgen(method)]
    fn close(this: &Exchange);
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = crypto, js_name = getRandomValues)]
    fn get_random_values(bytes: &mut [u8]);
}

/// Longest wait of `setTimeout`, which counts milliseconds in 32 bits with a sign: 24 days.
const MAX_DELAY_MS: f64 = i32::MAX as f64;

/// Most bytes that `getRandomValues` gives at once (Web Cryptography API, 10.1.1).
const MAX_RANDOM_BYTES: usize = 65_536;

/// The system's clock, and `setTimeout`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PageClock;

impl Clock for PageClock {
    fn now(&self) -> Timestamp {
        // A time before 1970 becomes 0: `as` saturates.
        Timestamp(js_sys::Date::now() as u64)
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        let timer = Running(Timer::new((duration.as_millis() as f64).min(MAX_DELAY_MS)));
        async move {
            // It never fails.
            let _ = JsFuture::from(timer.0.done()).await;
        }
        .boxed_local()
    }
}

/// A timer that is taken back when nobody waits for it any more.
struct Running(Timer);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The Web Cryptography API's source.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PageRandom;

impl Random for PageRandom {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.chunks_mut(MAX_RANDOM_BYTES).for_each(get_random_values);
    }
}

/// The event loop's microtasks.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PageBackground;

impl Background for PageBackground {
    fn spawn(&self, work: LocalBoxFuture<'static, ()>) {
        spawn_local(AssertUnwindSafe(work));
    }
}

/// A fetch function, of the platform or of the user's own.
pub(super) struct JsFetch(pub(super) Function);

impl Fetch for JsFetch {
    fn fetch(&self, request: &FetchRequest) -> LocalBoxFuture<'static, Result<FetchResponse, FetchError>> {
        let headers = request.headers.iter().flat_map(|(name, value)| [name.clone().into_owned(), value.clone()]);
        let body = request.body.as_deref();
        let exchange = Exchange::new(&self.0, request.method, &request.url, headers.collect(), body);
        let open = Open(exchange);
        async move {
            let head = JsFuture::from(open.0.open()).await.map_err(|fault| failed(&fault))?;
            let head = head_of(&head.as_string().unwrap_or_default());
            Ok(FetchResponse { head, body: pieces(open) })
        }
        .boxed_local()
    }
}

/// An exchange whose connection is closed when nobody waits for it any more.
struct Open(Exchange);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.close();
    }
}

fn pieces(open: Open) -> BodyStream {
    Box::pin(stream::unfold(Some(open), |open| async move {
        let open = open?;
        match JsFuture::from(open.0.read()).await {
            Ok(piece) if piece.is_undefined() => None,
            Ok(piece) => Some((Ok(piece.unchecked_into::<Uint8Array>().to_vec()), Some(open))),
            Err(fault) => Some((Err(failed(&fault)), None)),
        }
    }))
}

/// Reads what `open` in ports.js wrote.
fn head_of(text: &str) -> ResponseHead {
    let mut lines = text.split('\n');
    let status = lines.next().and_then(|status| status.parse().ok()).unwrap_or_default();
    let header = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_owned(), value.to_owned()));
    ResponseHead { status, headers: lines.filter_map(header).collect() }
}

/// Reads what `faultOf` in ports.js wrote.
fn failed(fault: &JsValue) -> FetchError {
    let fault = fault.as_string().unwrap_or_default();
    let (word, text) = fault.split_once(' ').unwrap_or((&fault, ""));
    match word {
        "unreachable" => FetchError::Unreachable(text.to_owned()),
        "timed-out" => FetchError::TimedOut,
        _ => FetchError::CutShort(text.to_owned()),
    }
}

/// A promise of what the work comes to. A panic in it rejects the promise, and what the work held is not looked at again.
pub(super) fn promise(work: impl Future<Output = Result<JsValue, JsValue>> + 'static) -> Promise {
    future_to_promise(AssertUnwindSafe(work))
}
