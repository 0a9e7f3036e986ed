//! Work that is not done at once: answers to come, event streams, and what is left when a request has been answered.
//!
//! `js/boundary.js` takes each piece of work further, in the context of the request that it belongs to: workerd lets no
//! request touch an I/O object of another's, and work may well be woken by another request. That module also knows in
//! this way whose work is going on when the instance dies.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use futures_util::Stream;
use futures_util::future::LocalBoxFuture;
use wasm_bindgen::prelude::*;

use super::frame::frame;
use super::ports::WorkerClock;
use crate::ports::Background;
use crate::protocol::http::{Response, TextStream};

#[wasm_bindgen(module = "/js/boundary.js")]
extern "C" {
    /// The work of this key can go on.
    #[wasm_bindgen(js_name = wake)]
    fn wake_up(key: u32);
    /// Announces work in the background of the request that is going on now, and gives it a key.
    fn spawn() -> u32;
}

/// Something that is polled until it is done.
enum Work {
    Answer(LocalBoxFuture<'static, Response>),
    Pieces(TextStream),
    Background(LocalBoxFuture<'static, ()>),
}

thread_local! {
    static GOING: RefCell<BTreeMap<u32, Work>> = const { RefCell::new(BTreeMap::new()) };
}

/// Wakes the work of a key.
struct Alarm(u32);

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        wake_up(self.0);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        wake_up(self.0);
    }
}

/// Starts on an answer: polls it, and keeps it if it has to wait.
pub(super) fn start(key: u32, answer: LocalBoxFuture<'static, Response>) -> JsValue {
    // What wakes it before the other side has noted the key is not lost: work that waits is polled once more at once.
    advance(key, Work::Answer(answer))
}

/// The answer as `js/boundary.js` reads it. If it is a stream, its pieces are what is polled next.
pub(super) fn settle(key: u32, mut response: Response) -> JsValue {
    if let Some(pieces) = response.stream.take() {
        keep(key, Work::Pieces(pieces));
    }
    JsValue::from_str(&frame(&response))
}

/// Takes work further: its next item, `null` after the last, or nothing if it has to wait.
#[wasm_bindgen]
pub fn poll(key: u32) -> JsValue {
    WorkerClock::begin_call();
    // Taken out while it is polled, so that it may bring more work, or panic.
    match GOING.with_borrow_mut(|going| going.remove(&key)) {
        Some(work) => advance(key, work),
        None => JsValue::NULL,
    }
}

/// Nobody wants the pieces of this work any more.
#[wasm_bindgen]
pub fn leave(key: u32) {
    WorkerClock::begin_call();
    drop(GOING.with_borrow_mut(|going| going.remove(&key)));
}

fn keep(key: u32, work: Work) {
    GOING.with_borrow_mut(|going| going.insert(key, work));
}

fn advance(key: u32, mut work: Work) -> JsValue {
    let waker = Waker::from(Arc::new(Alarm(key)));
    let mut cx = Context::from_waker(&waker);
    match &mut work {
        Work::Answer(answer) => {
            if let Poll::Ready(response) = answer.as_mut().poll(&mut cx) {
                return settle(key, response);
            }
        }
        Work::Pieces(pieces) => match Pin::new(pieces).poll_next(&mut cx) {
            Poll::Ready(Some(piece)) => {
                keep(key, work);
                return JsValue::from_str(&piece);
            }
            Poll::Ready(None) => return JsValue::NULL,
            Poll::Pending => {}
        },
        Work::Background(work) => {
            if work.as_mut().poll(&mut cx).is_ready() {
                return JsValue::NULL;
            }
        }
    }
    keep(key, work);
    JsValue::UNDEFINED
}

/// Work that the Worker's `waitUntil` keeps the request alive for.
pub(super) struct WaitUntil;

impl Background for WaitUntil {
    fn spawn(&self, work: LocalBoxFuture<'static, ()>) {
        keep(spawn(), Work::Background(work));
    }
}
