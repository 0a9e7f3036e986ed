//! An HTTP exchange as the crate sees it: what was read of the request, and what is to be sent.
//!
//! Not the `http` crate's types: a request here borrows the few headers that matter from one buffer, which is all
//! that crosses from JavaScript, and a `HeaderMap` would be built only to be read once.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::Stream;
use futures_util::stream::LocalBoxStream;

use super::error::{A2aError, SERVER_ERROR};
use super::text;

/// A request, read whole.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// HTTP method, upper case.
    pub method: &'a str,
    /// Scheme and authority that were asked, like `https://agent.example.com`.
    pub origin: &'a str,
    /// Path, still percent-encoded, starting with `/`.
    pub path: &'a str,
    /// Query without the `?`, still percent-encoded; empty if there is none.
    pub query: &'a str,
    /// The headers that matter.
    pub headers: Headers<'a>,
    /// The body.
    pub body: Body<'a>,
}

/// A request's body, or why there is none to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body<'a> {
    /// All of it; empty if there is none.
    Bytes(&'a [u8]),
    /// It is longer than this limit, in bytes.
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// It was found not to be UTF-8 when it was read.
    NotUtf8,
}

impl Default for Body<'_> {
    fn default() -> Self {
        Self::Bytes(b"")
    }
}

impl<'a> Body<'a> {
    /// The bytes.
    ///
    /// # Errors
    /// 413 for a body over the limit; `-32700` for one that is not UTF-8.
    pub fn bytes(self) -> Result<&'a [u8], A2aError> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::NotUtf8 => Err(text::malformed("the body is not UTF-8")),
            Self::TooLarge { limit } => Err(A2aError::custom("Request body too large", SERVER_ERROR, 413)
                .with_reason("REQUEST_TOO_LARGE")
                .with_metadata("maxBytes", limit.to_string())),
        }
    }
}

/// The request headers that the crate reads. An absent header is `None`; an empty one is `Some("")`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Headers<'a> {
    /// `Accept`
    pub accept: Option<&'a str>,
    /// `Content-Type`
    pub content_type: Option<&'a str>,
    /// `A2A-Version`
    pub version: Option<&'a str>,
    /// `A2A-Extensions`; several header fields are joined by commas.
    pub extensions: Option<&'a str>,
    /// `Authorization`
    pub authorization: Option<&'a str>,
    /// `Origin`
    pub origin: Option<&'a str>,
    /// `If-None-Match`
    pub if_none_match: Option<&'a str>,
    /// `If-Modified-Since`
    pub if_modified_since: Option<&'a str>,
    /// `Access-Control-Request-Method`, which makes an OPTIONS request a preflight.
    pub preflight_method: Option<&'a str>,
    /// `CF-Ray`, Cloudflare's id of the request, for the log.
    pub ray: Option<&'a str>,
    /// All headers, a line for each as `name: value` with the name in lower case. Read only where requests are passed on.
    pub all: &'a str,
}

impl<'a> Headers<'a> {
    /// The value of a header among [all](Self::all), by its name in lower case.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        let mut lines = self.all.split('\n');
        lines.find_map(|line| line.split_once(": ").filter(|(known, _)| *known == name)).map(|(_, value)| value)
    }
}

/// A token (RFC 9110, section 5.6.2): what a header's name is, or an authentication scheme's.
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// What a header's value can be: ASCII that is seen, spaces and tabs (RFC 9110, section 5.5). Platforms refuse control
/// characters, and each writes other letters in its own way.
pub(crate) fn is_header_value(value: &str) -> bool {
    value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'))
}

/// A response header: its name as it is sent, and its value.
pub type Header = (&'static str, Cow<'static, str>);

/// A response.
#[derive(Debug)]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// `Content-Type`; `None` goes with an empty body.
    pub content_type: Option<&'static str>,
    /// Further headers.
    pub headers: Vec<Header>,
    /// The body: UTF-8 text in every case, which saves the platform a conversion.
    pub body: String,
    /// What follows the body, piece by piece.
    pub stream: Option<TextStream>,
}

/// Pieces of a body that are still to come. Dropping it stops what makes them.
pub struct TextStream(LocalBoxStream<'static, String>);

impl TextStream {
    /// A stream of these pieces.
    pub fn new(pieces: impl Stream<Item = String> + 'static) -> Self {
        Self(Box::pin(pieces))
    }
}

impl Stream for TextStream {
    type Item = String;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<String>> {
        self.0.as_mut().poll_next(cx)
    }
}

impl fmt::Debug for TextStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TextStream")
    }
}

impl Response {
    /// A response with a body.
    pub fn new(status: u16, content_type: &'static str, body: String) -> Self {
        Self { status, content_type: Some(content_type), headers: Vec::new(), body, stream: None }
    }

    /// A response without one.
    pub fn empty(status: u16) -> Self {
        Self { status, content_type: None, headers: Vec::new(), body: String::new(), stream: None }
    }

    /// Adds a header.
    pub fn with_header(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The value of a header, by its name in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_ref())
    }
}

/// `application/json`
pub const JSON: &str = "application/json";
/// `application/a2a+json` (specification 14.1.1)
pub const A2A_JSON: &str = "application/a2a+json";
/// `application/problem+json` (RFC 9457)
pub const PROBLEM_JSON: &str = "application/problem+json";
