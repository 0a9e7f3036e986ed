//! Time, chance and the log on Workers.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::ports::{Clock, Level, Log, Random, Timestamp};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = crypto, js_name = getRandomValues)]
    fn get_random_values(bytes: &mut [u8]);

    #[wasm_bindgen(js_namespace = console, js_name = log)]
    fn console_log(line: &str);

    #[wasm_bindgen(js_namespace = console, js_name = warn)]
    fn console_warn(line: &str);

    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn console_error(line: &str);
}

/// Longest wait of `setTimeout`, which counts milliseconds in 32 bits with a sign: 24 days.
const MAX_DELAY: Duration = Duration::from_millis(i32::MAX as u64);

/// Most bytes that `getRandomValues` gives at once (Web Cryptography API, 10.1.1).
const MAX_RANDOM_BYTES: usize = 65_536;

/// How many random bytes are fetched at once: enough for 32 ids.
const RANDOM_STOCK_BYTES: usize = 512;

/// The isolate's clock. On Workers it moves with I/O only, so that nobody can measure computation with it. So within one
/// call from JavaScript it stands still, and is asked once.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WorkerClock;

thread_local! {
    static NOW: Cell<Option<Timestamp>> = const { Cell::new(None) };
}

impl WorkerClock {
    /// A call from JavaScript begins.
    pub(super) fn begin_call() {
        NOW.set(None);
    }
}

impl Clock for WorkerClock {
    fn now(&self) -> Timestamp {
        NOW.get().unwrap_or_else(|| {
            // A time before 1970 becomes 0: `as` saturates.
            let now = Timestamp(js_sys::Date::now() as u64);
            NOW.set(Some(now));
            now
        })
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        worker::Delay::from(duration.min(MAX_DELAY)).boxed_local()
    }
}

/// The Web Cryptography API's source. It may be asked only while a request is served.
///
/// A call costs far more than the few bytes that an id needs, so some are kept in stock.
#[derive(Default)]
pub(super) struct WorkerRandom(RefCell<Vec<u8>>);

impl Random for WorkerRandom {
    fn fill(&self, bytes: &mut [u8]) {
        let mut stock = self.0.borrow_mut();
        if bytes.len() > RANDOM_STOCK_BYTES {
            return bytes.chunks_mut(MAX_RANDOM_BYTES).for_each(get_random_values);
        }
        if stock.len() < bytes.len() {
            let mut fresh = vec![0; RANDOM_STOCK_BYTES];
            get_random_values(&mut fresh);
            *stock = fresh;
        }
        // What is given leaves the stock: no byte is given twice.
        let rest = stock.len() - bytes.len();
        bytes.copy_from_slice(&stock[rest..]);
        stock.truncate(rest);
    }
}

/// `console`, which is where Workers Logs and `wrangler tail` read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ConsoleLog;

impl Log for ConsoleLog {
    fn write(&self, level: Level, line: &str) {
        let line = one_line(line);
        match level {
            Level::Info => console_log(&line),
            Level::Warn => console_warn(&line),
            Level::Error => console_error(&line),
        }
    }
}

/// A line break in a line would let whoever caused it write lines of their own.
fn one_line(line: &str) -> Cow<'_, str> {
    if line.contains(['\n', '\r']) { line.replace(['\n', '\r'], " ").into() } else { line.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line() {
        assert_eq!(one_line("{\"a\":1}"), "{\"a\":1}");
        assert_eq!(one_line("a\r\nb\nc"), "a  b c");
    }
}
