//! HTTP, as a caller of other agents needs it.

use std::borrow::Cow;
use std::fmt;

use futures_util::future::LocalBoxFuture;
use futures_util::stream::LocalBoxStream;

/// A request to another server.
#[derive(Clone, PartialEq, Eq)]
pub struct FetchRequest {
    /// HTTP method, upper case.
    pub method: &'static str,
    /// Absolute URL.
    pub url: String,
    /// Headers. `Host`, `Content-Length` and what belongs to the connection are the adapter's.
    pub headers: Vec<(Cow<'static, str>, String)>,
    /// The body; `None` sends none.
    pub body: Option<String>,
}

impl FetchRequest {
    /// The value of a header, by its name in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

impl fmt::Debug for FetchRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither URL nor values of headers: both may hold credentials. Nor the body: it is the user's.
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_ref()).collect();
        f.debug_struct("FetchRequest").field("method", &self.method).field("headers", &names).finish_non_exhaustive()
    }
}

/// Status and headers of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResponseHead {
    /// HTTP status.
    pub status: u16,
    /// Headers, in the order in which they came; names in any case.
    pub headers: Vec<(String, String)>,
}

impl ResponseHead {
    /// The value of a header, by its name in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The values of all headers of this name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// The body of an answer, piece by piece, without its content coding. Dropping it closes the connection.
pub type BodyStream = LocalBoxStream<'static, Result<Vec<u8>, FetchError>>;

/// An answer whose body is still to be read.
pub struct FetchResponse {
    /// Status and headers.
    pub head: ResponseHead,
    /// The body.
    pub body: BodyStream,
}

impl fmt::Debug for FetchResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FetchResponse").field("head", &self.head).finish_non_exhaustive()
    }
}

/// Why there is no answer, or not all of one. The texts are for the log alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// No connection came about, so the request was not sent: refused, no such host, no route, TLS. An adapter that cannot
    /// tell says [`CutShort`](Self::CutShort).
    #[error("no connection: {0}")]
    Unreachable(String),
    /// The platform's own time limit was reached.
    #[error("timed out")]
    TimedOut,
    /// The connection broke, or the body ended before it was whole. The request may have been carried out.
    #[error("connection lost: {0}")]
    CutShort(String),
    /// The answer is longer than the platform takes.
    #[error("answer too large")]
    TooLarge,
}

/// Sends HTTP requests.
///
/// An adapter follows no redirects (the caller above decides), keeps no cookies, and sends only the headers that it is
/// given. Dropping the future gives the request up.
pub trait Fetch {
    /// Sends a request, which is only lent: a body may be large, and may have to be sent again. Resolves when the head of
    /// the answer is there.
    fn fetch(&self, request: &FetchRequest) -> LocalBoxFuture<'static, Result<FetchResponse, FetchError>>;
}
