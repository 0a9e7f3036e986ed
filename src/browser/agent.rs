//! The demo agent, inside a page.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;

use futures_util::StreamExt;
use js_sys::Promise;
use serde::Deserialize;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use super::from_json;
use super::origin::{self, Scripted};
use super::ports::{PageBackground, PageClock, PageRandom, promise};
use crate::A2aError;
use crate::agent::{self, Answer, Config, Ports, Server, Tokens, Witness};
use crate::demo::{Demo, abilities};
use crate::gateway::Gateway;
use crate::memory::{MemoryLog, MemoryStore};
use crate::protocol::details::FieldViolation;
use crate::protocol::http::{Body, Headers, Request, Response, TextStream};
use crate::protocol::negotiate::ErrorFormat;
use crate::vars::{ConfigError, Vars};

/// Longest request body when `MAX_BODY_BYTES` is not given, in bytes: as on Workers.
const MAX_BODY_BYTES: u64 = 1 << 20;

/// A request: `method`, `url`, `headers` (an object) and `body` (a text).
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PageRequest {
    method: String,
    url: String,
    headers: BTreeMap<String, String>,
    body: String,
}

/// Who answers.
#[derive(Clone)]
enum Handler {
    Agent(Rc<Server>),
    Gateway(Rc<Gateway>),
}

impl Handler {
    async fn answer(self, request: PageRequest, limit: u64) -> Response {
        let request = request.borrowed(limit);
        let answer = match &self {
            Self::Agent(server) => server.handle(&request, &Blind),
            Self::Gateway(gateway) => {
                if let Some(preparation) = gateway.prepare(&request) {
                    preparation.await;
                }
                gateway.handle(&request, &Blind)
            }
        };
        match answer {
            Answer::Ready(response) => response,
            Answer::Pending(work) => work.await,
        }
    }
}

/// An agent that is served to the page alone.
#[wasm_bindgen]
pub struct PageAgent {
    handler: Handler,
    log: Rc<MemoryLog>,
    limit: u64,
}

// The server catches what panics in it; the log is a list of lines.
impl UnwindSafe for PageAgent {}
impl RefUnwindSafe for PageAgent {}

impl std::fmt::Debug for PageAgent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PageAgent")
    }
}

#[wasm_bindgen]
impl PageAgent {
    /// The demo agent, configured by these variables (a JSON object of texts, named as those of the worker). With a
    /// `script` (a JSON array of answers) it is a gateway instead, whose origin gives them.
    ///
    /// # Errors
    /// What is wrong with the variables or the script.
    #[wasm_bindgen(constructor)]
    pub fn new(vars: &str, script: Option<String>) -> Result<PageAgent, JsValue> {
        let bad = |problem: String| JsValue::from_str(&problem);
        let vars: BTreeMap<String, String> = from_json(vars).map_err(bad)?;
        let lookup = |name: &str| vars.get(name).cloned();
        let vars = Vars::new(&lookup);
        let log = Rc::new(MemoryLog::default());
        let script: Option<Vec<Scripted>> = script.map(|script| from_json(&script)).transpose().map_err(bad)?;
        agent::install_panic_hook(None);
        let config = config(&vars).map_err(|error| bad(error.to_string()))?;
        let ports = ports(&log);
        let handler = match script {
            Some(script) => Handler::Gateway(origin::gateway(script, config, ports)),
            None => {
                let abilities = abilities(&vars).map_err(|error| bad(error.to_string()))?;
                let server = Server::new(Demo::new(abilities), config, ports)
                    .map_err(|faults| bad(FieldViolation::list(&faults)))?;
                Handler::Agent(server)
            }
        };
        let limit = vars
            .number("MAX_BODY_BYTES", MAX_BODY_BYTES, 1..=MAX_BODY_BYTES)
            .map_err(|error| bad(error.to_string()))?;
        Ok(Self { handler, log, limit })
    }

    /// Answers a request (JSON); a promise of a [`PageResponse`].
    ///
    /// # Errors
    /// If it is no request.
    pub fn handle(&self, request: &str) -> Result<Promise, JsValue> {
        let request = read(request)?;
        let (handler, limit) = (self.handler.clone(), self.limit);
        Ok(promise(async move { Ok(PageResponse::new(handler.answer(request, limit).await).into()) }))
    }

    /// The log lines since the last call, as a JSON array of texts.
    #[wasm_bindgen(js_name = takeLog)]
    pub fn take_log(&self) -> String {
        let lines = self.log.take().into_iter().map(|(_, line)| Value::String(line));
        Value::Array(lines.collect()).to_string()
    }
}

/// Answers a request (JSON) with -32603, in its own binding and under its own id: what the trap of another instance leaves
/// to be said.
///
/// # Errors
/// If it is no request.
#[wasm_bindgen]
pub fn refuse(request: &str) -> Result<PageResponse, JsValue> {
    let request = read(request)?;
    let response = agent::refuse(&request.borrowed(MAX_BODY_BYTES), ErrorFormat::Both, &A2aError::internal());
    Ok(PageResponse::new(response))
}

/// A response.
#[wasm_bindgen]
pub struct PageResponse {
    head: String,
    body: String,
    stream: Option<Rc<RefCell<TextStream>>>,
}

// After a panic in it a stream is over, which its caller is told.
impl UnwindSafe for PageResponse {}
impl RefUnwindSafe for PageResponse {}

impl std::fmt::Debug for PageResponse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PageResponse").field("head", &self.head).finish_non_exhaustive()
    }
}

#[wasm_bindgen]
impl PageResponse {
    fn new(response: Response) -> Self {
        let content_type = response.content_type.map(|value| json!(["Content-Type", value]));
        let others = response.headers.iter().map(|(name, value)| json!([name, value]));
        let headers: Vec<Value> = content_type.into_iter().chain(others).collect();
        let head = json!({ "status": response.status, "headers": headers }).to_string();
        let stream = response.stream.map(|stream| Rc::new(RefCell::new(stream)));
        Self { head, body: response.body, stream }
    }

    /// `status` and `headers` (pairs), as JSON.
    #[wasm_bindgen(getter)]
    pub fn head(&self) -> String {
        self.head.clone()
    }

    /// The body; of a stream, what comes before its pieces.
    #[wasm_bindgen(getter)]
    pub fn body(&self) -> String {
        self.body.clone()
    }

    /// Whether pieces follow.
    #[wasm_bindgen(getter, js_name = isStream)]
    pub fn is_stream(&self) -> bool {
        self.stream.is_some()
    }

    /// A promise of the next piece; of nothing after the last. One at a time.
    #[allow(clippy::await_holding_refcell_ref)] // whoever asks for two pieces at once is told so
    pub fn next(&self) -> Promise {
        let stream = self.stream.clone();
        promise(async move {
            let Some(stream) = stream else { return Ok(JsValue::UNDEFINED) };
            let Ok(mut pieces) = stream.try_borrow_mut() else {
                return Err(JsValue::from_str("a piece is being waited for already"));
            };
            Ok(pieces.next().await.map_or(JsValue::UNDEFINED, |piece| JsValue::from_str(&piece)))
        })
    }
}

/// Nothing is sent again here, so nobody needs to know how far a request came.
struct Blind;

impl Witness for Blind {
    fn reached_agent(&self, _: bool) {}
}

fn ports(log: &Rc<MemoryLog>) -> Ports {
    let clock = Rc::new(PageClock);
    Ports {
        store: Rc::new(MemoryStore::new(clock.clone())),
        clock,
        random: Rc::new(PageRandom),
        log: log.clone(),
        background: Rc::new(PageBackground),
        // Nothing leaves the page, webhooks included.
        fetch: None,
    }
}

/// The variables that make a difference within a page.
fn config(vars: &Vars<'_>) -> Result<Config, ConfigError> {
    let tokens = vars.text("AUTH_TOKENS").map(|text| Tokens::parse(&text));
    let tokens = tokens.transpose().map_err(|error| ConfigError::new("AUTH_TOKENS", error.to_string()))?;
    Ok(Config {
        rest_error_format: vars.parsed::<ErrorFormat>("REST_ERROR_FORMAT")?.unwrap_or_default(),
        assume_version: vars.text("ASSUME_VERSION"),
        tokens: tokens.unwrap_or_default(),
        ..Config::default()
    })
}

fn read(request: &str) -> Result<PageRequest, JsValue> {
    from_json(request).map_err(|problem| JsValue::from_str(&problem))
}

impl PageRequest {
    fn borrowed(&self, limit: u64) -> Request<'_> {
        let header = |name: &str| {
            let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.as_str())
        };
        let headers = Headers {
            accept: header("Accept"),
            content_type: header("Content-Type"),
            version: header("A2A-Version"),
            extensions: header("A2A-Extensions"),
            authorization: header("Authorization"),
            if_none_match: header("If-None-Match"),
            if_modified_since: header("If-Modified-Since"),
            ..Headers::default()
        };
        let (origin, path, query) = split(&self.url);
        let is_too_large = self.body.len() as u64 > limit;
        let body = if is_too_large { Body::TooLarge { limit } } else { Body::Bytes(self.body.as_bytes()) };
        Request { method: &self.method, origin, path, query, headers, body }
    }
}

/// Origin, path and query of an absolute URL that JavaScript's `URL` has written, without a fragment.
fn split(url: &str) -> (&str, &str, &str) {
    let authority = url.find("://").map_or(0, |scheme| scheme + 3);
    let path = url[authority..].find(['/', '?']).map_or(url.len(), |path| authority + path);
    let (origin, rest) = url.split_at(path);
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    (origin, path, query)
}
