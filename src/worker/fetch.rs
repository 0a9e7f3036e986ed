//! HTTP by the platform's `fetch`.
//!
//! By a little JavaScript of our own (`js/fetch.js`) and not the `worker` crate's types: each header would be a crossing
//! of its own, and all of them come at a price in the upload.

use std::fmt::Write;

use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;

use crate::ports::{BodyStream, Fetch, FetchError, FetchRequest, FetchResponse, ResponseHead};

#[wasm_bindgen(module = "/js/fetch.js")]
extern "C" {
    type Exchange;

    fn send(method: &str, url: &str, headers: &str, body: Option<&str>) -> Exchange;

    #[wasm_bindgen(method, catch)]
    async fn head(this: &Exchange) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    async fn read(this: &Exchange) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method)]
    fn abort(this: &Exchange);
}

/// The global `fetch`. What it begins belongs to the request that is being served, as everything that does I/O.
#[derive(Debug, Clone, Copy, Default)]
pub struct WorkerFetch;

impl Fetch for WorkerFetch {
    fn fetch(&self, request: &FetchRequest) -> LocalBoxFuture<'static, Result<FetchResponse, FetchError>> {
        let headers = lines(request);
        let open = Open(send(request.method, &request.url, &headers, request.body.as_deref()));
        async move {
            let head = open.0.head().await.map_err(|error| failed(&text(&error)))?;
            let head = read_head(&head.as_string().unwrap_or_default());
            match no_answer(&head) {
                Some(error) => Err(error),
                None => Ok(FetchResponse { head, body: pieces(open) }),
            }
        }
        .boxed_local()
    }
}

/// An exchange that ends when nobody wants it any more.
struct Open(Exchange);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn pieces(open: Open) -> BodyStream {
    stream::unfold(open, |open| async move {
        match open.0.read().await {
            Ok(piece) => Some((Ok(piece.dyn_into::<Uint8Array>().ok()?.to_vec()), open)),
            Err(error) => Some((Err(cut_short(&text(&error))), open)),
        }
    })
    .boxed_local()
}

fn lines(request: &FetchRequest) -> String {
    let mut lines = String::new();
    for (name, value) in &request.headers {
        let end = if lines.is_empty() { "" } else { "\n" };
        // Writing to a String does not fail.
        let _ = write!(lines, "{end}{name}: {value}");
    }
    lines
}

fn read_head(text: &str) -> ResponseHead {
    let mut lines = text.split('\n');
    let status = lines.next().and_then(|status| status.parse().ok()).unwrap_or_default();
    let headers = lines.filter_map(|line| line.split_once(": "));
    ResponseHead { status, headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect() }
}

/// Cloudflare answers in the place of a server that gives none, with statuses of its own
/// (<https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/>).
fn no_answer(head: &ResponseHead) -> Option<FetchError> {
    let is_cloudflare = head.header("Server").is_some_and(|server| server.eq_ignore_ascii_case("cloudflare"));
    let status = head.status;
    match status {
        // Refused, no connection in time, no route, TLS, no such host.
        521 | 522 | 523 | 525 | 526 | 530 if is_cloudflare => {
            Some(FetchError::Unreachable(format!("Cloudflare answered {status}")))
        }
        524 if is_cloudflare => Some(FetchError::TimedOut),
        520 if is_cloudflare => Some(FetchError::CutShort(format!("Cloudflare answered {status}"))),
        _ => None,
    }
}

/// What was thrown, in its own words.
fn text(error: &JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message())).unwrap_or_default()
}

/// The platform tells kinds of failure only by their texts.
fn failed(text: &str) -> FetchError {
    const UNREACHABLE: [&str; 4] = ["refused", "DNS", "Invalid URL", "unreachable"];
    if UNREACHABLE.iter().any(|word| text.contains(word)) {
        FetchError::Unreachable(text.to_owned())
    } else {
        cut_short(text)
    }
}

fn cut_short(text: &str) -> FetchError {
    FetchError::CutShort(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, server: &str) -> Option<FetchError> {
        no_answer(&read_head(&format!("{status}\nserver: {server}")))
    }

    #[test]
    fn a_head_is_read_line_by_line() {
        let head = read_head("404\ncontent-type: text/plain; x=\": \"\nretry-after: 3");
        assert_eq!(head.status, 404);
        assert_eq!(head.header("Content-Type"), Some("text/plain; x=\": \""));
        assert_eq!(head.header("Retry-After"), Some("3"));
        assert_eq!(read_head("200").headers, []);
    }

    #[test]
    fn what_cloudflare_says_for_a_server_is_no_answer_of_the_servers() {
        assert!(matches!(answer(521, "cloudflare"), Some(FetchError::Unreachable(_))));
        assert!(matches!(answer(530, "Cloudflare"), Some(FetchError::Unreachable(_))));
        assert!(matches!(answer(520, "cloudflare"), Some(FetchError::CutShort(_))));
        assert_eq!(answer(524, "cloudflare"), Some(FetchError::TimedOut));
        assert_eq!(answer(521, "nginx"), None);
        assert_eq!(answer(502, "cloudflare"), None);
    }

    #[test]
    fn only_what_certainly_was_not_sent_is_unreachable() {
        assert!(matches!(failed("connect(): Connection refused"), FetchError::Unreachable(_)));
        assert!(matches!(failed("Network connection lost."), FetchError::CutShort(_)));
        assert!(matches!(failed(""), FetchError::CutShort(_)));
    }
}
