//! The client's ports on an ordinary machine: `reqwest`, the timers of `tokio`, the randomness of the system.

use std::error::Error as StdError;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt, stream};

use crate::ports::{
    BodyStream, Clock, Fetch, FetchError, FetchRequest, FetchResponse, Random, ResponseHead, Timestamp,
};
use crate::remote::call::CallPorts;

/// All ports. Calls must be made within a `tokio` runtime whose timers are on.
///
/// # Errors
/// If TLS cannot be set up.
pub fn ports() -> Result<CallPorts, reqwest::Error> {
    Ok(CallPorts { fetch: Rc::new(ReqwestFetch::new()?), clock: Rc::new(SystemClock), random: Rc::new(SystemRandom) })
}

/// How long a connection may take to come about. Short enough that an agent whose host swallows everything leaves time for
/// the next attempt or a fallback: what was never sent may be sent to another. (As long as Node's `fetch` gives it.)
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Sends requests by `reqwest`.
#[derive(Debug, Clone)]
pub struct ReqwestFetch(reqwest::Client);

impl ReqwestFetch {
    /// With a connection pool of its own.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub fn new() -> Result<Self, reqwest::Error> {
        Self::connecting_within(CONNECT_TIMEOUT)
    }

    fn connecting_within(connect_timeout: Duration) -> Result<Self, reqwest::Error> {
        // Redirects and retries are decided above, where it is known what may be repeated.
        let client = reqwest::Client::builder()
            .connect_timeout(connect_timeout)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .build()?;
        Ok(Self(client))
    }
}

impl Fetch for ReqwestFetch {
    fn fetch(&self, request: &FetchRequest) -> LocalBoxFuture<'static, Result<FetchResponse, FetchError>> {
        let method = reqwest::Method::from_bytes(request.method.as_bytes());
        let mut builder = self.0.request(method.unwrap_or(reqwest::Method::POST), &request.url);
        for (name, value) in &request.headers {
            builder = builder.header(name.as_ref(), value);
        }
        if let Some(body) = &request.body {
            builder = builder.body(body.clone());
        }
        async move {
            let response = builder.send().await.map_err(|error| failed(&error))?;
            let status = response.status().as_u16();
            let headers = response.headers().iter().map(|(name, value)| {
                (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
            });
            let head = ResponseHead { status, headers: headers.collect() };
            Ok(FetchResponse { head, body: pieces(response) })
        }
        .boxed_local()
    }
}

fn pieces(response: reqwest::Response) -> BodyStream {
    stream::unfold(response, |mut response| async move {
        let piece = response.chunk().await.map_err(|error| failed(&error)).transpose()?;
        Some((piece.map(|bytes| bytes.to_vec()), response))
    })
    .boxed_local()
}

/// What of a failure the caller must know. Its text without the URL, which may hold credentials.
fn failed(error: &reqwest::Error) -> FetchError {
    let text = || {
        let sources = std::iter::successors(error.source(), |source: &&(dyn StdError + 'static)| (*source).source());
        sources.last().map_or_else(|| "no cause is known".to_owned(), ToString::to_string)
    };
    // First: a connection that timed out is both.
    if error.is_connect() || error.is_builder() {
        FetchError::Unreachable(text())
    } else if error.is_timeout() {
        FetchError::TimedOut
    } else {
        FetchError::CutShort(text())
    }
}

/// The system's time, and the timers of `tokio`.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Timestamp(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
    }

    fn sleep(&self, duration: Duration) -> LocalBoxFuture<'static, ()> {
        async move { tokio::time::sleep(duration).await }.boxed_local()
    }
}

/// The randomness of the system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&self, bytes: &mut [u8]) {
        // Jitter and message ids need to differ, not to be secret: where the system has no randomness, its time will do.
        if getrandom::fill(bytes).is_err() {
            let now = SystemClock.now().0.to_le_bytes();
            bytes.iter_mut().zip(now.iter().cycle()).for_each(|(byte, time)| *byte ^= time);
        }
    }
}

#[cfg(test)]
mod tests;
