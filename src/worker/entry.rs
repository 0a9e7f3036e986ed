//! The door. JavaScript (`js/boundary.js`) reads a request once and makes one synchronous call into [`answer`]; the
//! answer comes back at once when no I/O is needed, and as a promise otherwise.
//!
//! Crossings between JavaScript and WebAssembly are what a small request costs here, so there is one each way: the
//! request's head and body as a string each, the answer as one string (see `frame`).

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use js_sys::Reflect;
use wasm_bindgen::prelude::*;

use super::config::{self, Settings, StoreKind};
use super::durable::{DurableStore, Namespaces};
use super::fetch::WorkerFetch;
use super::frame::{self, frame, request};
use super::kv::{KvStore, Namespace};
use super::ports::{ConsoleLog, WorkerClock, WorkerRandom};
use super::work::{self, WaitUntil};
use crate::agent::{self, Agent, Answer, Ports, Server, Witness};
use crate::gateway::{self, Gateway};
use crate::memory::MemoryStore;
use crate::ports::{Level, Log, TaskStore};
use crate::protocol::details::FieldViolation;
use crate::protocol::error::A2aError;
use crate::protocol::http::{Request, Response};
use crate::protocol::negotiate::ErrorFormat;
use crate::vars::{ConfigError, Vars};

/// Name of the KV binding in wrangler.toml.
const KV_BINDING: &str = "TASKS";

#[wasm_bindgen(module = "/js/boundary.js")]
extern "C" {
    /// Serves a request; calls `answer` and, if this instance dies over it, `fail` on the next one.
    fn serve(request: JsValue, env: JsValue, ctx: JsValue) -> JsValue;
    /// `serve` itself.
    #[wasm_bindgen(js_name = handler)]
    fn serve_function() -> JsValue;
    /// The Worker's environment: variables and bindings.
    fn environment() -> JsValue;
    /// The request that is being answered right now has reached the agent.
    #[wasm_bindgen(js_name = reachedAgent)]
    fn reached_agent(idempotent: bool);
}

/// Exports an agent as this crate's worker. Takes a function from its [`Vars`](crate::vars::Vars) to the agent or a
/// [`ConfigError`](crate::vars::ConfigError).
#[macro_export]
macro_rules! serve {
    ($load:expr) => {
        $crate::__export_worker!(|host| host.agent($load));
    };
}

/// Exports an agent as [`serve!`](crate::serve) does, and where `ORIGIN_URL` is set a gateway in its place.
#[macro_export]
macro_rules! serve_or_forward {
    ($load:expr) => {
        $crate::__export_worker!(|host| host.gateway_or_agent($load));
    };
}

/// Exports what a [`Host`] opens.
#[doc(hidden)]
#[macro_export]
macro_rules! __export_worker {
    ($open:expr) => {
        #[allow(unreachable_pub)] // reached from JavaScript
        const _: () = {
            use $crate::worker::wasm_bindgen::{JsValue, prelude::wasm_bindgen};

            /// Answers a request: the `fetch` handler of the Worker.
            #[wasm_bindgen(wasm_bindgen = $crate::worker::wasm_bindgen)]
            pub fn fetch(request: JsValue, env: JsValue, ctx: JsValue) -> JsValue {
                $crate::worker::fetch(request, env, ctx)
            }

            /// Called by the JavaScript side of the door.
            #[wasm_bindgen(wasm_bindgen = $crate::worker::wasm_bindgen)]
            pub fn answer(key: u32, head: &str, body: &str, fault: u32) -> JsValue {
                $crate::worker::answer(key, head, body, fault, $open)
            }
        };
    };
}

/// Hands a request to the JavaScript side of the door.
pub fn fetch(request: JsValue, env: JsValue, ctx: JsValue) -> JsValue {
    serve(request, env, ctx)
}

/// What [`fetch`] calls, for a main module that would rather call it itself (`js/worker.mjs`).
#[wasm_bindgen]
pub fn handler() -> JsValue {
    serve_function()
}

/// Answers the request with this head and body, or with nothing if there is work to be [polled](super::work::poll) for
/// the answer. `open` sets up what answers, with the first request.
pub fn answer(key: u32, head: &str, body: &str, fault: u32, open: impl FnOnce(&Host<'_>) -> Opened) -> JsValue {
    WorkerClock::begin_call();
    let handler = HANDLER.with_borrow_mut(|handler| Rc::clone(handler.get_or_insert_with(|| set_up(open))));
    let request = request(head, frame::body(body, fault, LIMIT.get()));
    if let Some(preparation) = handler.prepare(&request) {
        return work::start(key, prepared(preparation, handler, head.to_owned(), body.to_owned(), fault));
    }
    match handler.handle(&request, &Boundary) {
        Answer::Ready(response) => work::settle(key, response),
        Answer::Pending(answer) => work::start(key, answer),
    }
}

/// Answers a request that something must be waited for first.
#[inline(never)]
fn prepared(
    preparation: LocalBoxFuture<'static, ()>,
    handler: Rc<dyn Handler>,
    head: String,
    body: String,
    fault: u32,
) -> LocalBoxFuture<'static, Response> {
    // Told now or never: later another request's call may be going on. Only what is a GET may surely be sent again.
    reached_agent(head.starts_with("GET\n"));
    Box::pin(async move {
        preparation.await;
        let answer = handler.handle(&request(&head, frame::body(&body, fault, LIMIT.get())), &Told);
        match answer {
            Answer::Ready(response) => response,
            Answer::Pending(answer) => answer.await,
        }
    })
}

/// How long whoever was not at fault should wait: the next instance is there at once.
const RESET_RETRY: Duration = Duration::from_secs(1);

/// Answers a request whose instance died, with -32603. `reason` is empty, or `INSTANCE_RESET` for a request that was
/// not at fault. `as_event` is for one whose answer is a stream already.
#[wasm_bindgen]
pub fn fail(head: &str, body: &str, fault: u32, reason: &str, as_event: bool) -> JsValue {
    WorkerClock::begin_call();
    let mut error = A2aError::internal();
    if !reason.is_empty() {
        error = error.with_reason(reason.to_owned()).with_retry_after(RESET_RETRY);
    }
    let request = request(head, frame::body(body, fault, LIMIT.get()));
    ConsoleLog.write(Level::Error, &agent::refusal_line(&request, &error));
    if as_event {
        return JsValue::from_str(&agent::refuse_event(&request, &error));
    }
    JsValue::from_str(&frame(&agent::refuse(&request, FORMAT.get(), &error)))
}

/// Longest body that the JavaScript side should read.
#[wasm_bindgen(js_name = bodyLimit)]
pub fn body_limit() -> f64 {
    let env = environment();
    let lookup = |name: &str| variable(&env, name);
    let limit = config::max_body_bytes(&Vars::new(&lookup)).unwrap_or(config::DEFAULT_MAX_BODY_BYTES);
    // Exact: the greatest limit is far below 2^53.
    limit as f64
}

/// Takes no argument, so that the generated wrapper re-creates a dead instance before anything is copied into it.
#[wasm_bindgen]
pub fn wake() {}

thread_local! {
    static HANDLER: RefCell<Option<Rc<dyn Handler>>> = const { RefCell::new(None) };
    /// What the refusals of an instance without a server need of the configuration.
    static FORMAT: Cell<ErrorFormat> = const { Cell::new(ErrorFormat::Both) };
    static LIMIT: Cell<u64> = const { Cell::new(config::DEFAULT_MAX_BODY_BYTES) };
}

/// Something that answers requests: a server of some agent, a gateway, or what stands in for one that could not be set up.
trait Handler {
    /// What must be waited for before the request can be handled.
    fn prepare(&self, _: &Request<'_>) -> Option<LocalBoxFuture<'static, ()>> {
        None
    }

    fn handle(&self, request: &Request<'_>, witness: &dyn Witness) -> Answer;
}

impl Handler for Rc<Server> {
    fn handle(&self, request: &Request<'_>, witness: &dyn Witness) -> Answer {
        Server::handle(self, request, witness)
    }
}

impl Handler for Rc<Gateway> {
    fn prepare(&self, request: &Request<'_>) -> Option<LocalBoxFuture<'static, ()>> {
        Gateway::prepare(self, request)
    }

    fn handle(&self, request: &Request<'_>, witness: &dyn Witness) -> Answer {
        Gateway::handle(self, request, witness)
    }
}

/// What answers when the configuration is bad: -32603 for every request, and a log line that says why.
struct Misconfigured(String);

impl Handler for Misconfigured {
    fn handle(&self, request: &Request<'_>, _: &dyn Witness) -> Answer {
        ConsoleLog.write(Level::Error, &self.0);
        Answer::Ready(agent::refuse(request, ErrorFormat::Both, &A2aError::internal()))
    }
}

struct Boundary;

impl Witness for Boundary {
    fn reached_agent(&self, idempotent: bool) {
        reached_agent(idempotent);
    }
}

/// The boundary knows already.
struct Told;

impl Witness for Told {
    fn reached_agent(&self, _: bool) {}
}

/// What answers requests, or why nothing can.
pub struct Opened(Result<Rc<dyn Handler>, String>);

/// The Worker that an agent is to be served on.
pub struct Host<'a> {
    env: &'a JsValue,
    vars: &'a Vars<'a>,
    settings: Settings,
}

impl Host<'_> {
    /// Serves an agent.
    pub fn agent<A: Agent + 'static>(&self, load: impl FnOnce(&Vars<'_>) -> Result<A, ConfigError>) -> Opened {
        Opened(self.serve(load))
    }

    /// Serves a gateway if there is an origin, and else an agent.
    pub fn gateway_or_agent<A: Agent + 'static>(
        &self,
        load: impl FnOnce(&Vars<'_>) -> Result<A, ConfigError>,
    ) -> Opened {
        Opened(match &self.settings.gateway {
            Some(config) => self.forward(config.clone()),
            None => self.serve(load),
        })
    }

    fn serve<A: Agent + 'static>(
        &self,
        load: impl FnOnce(&Vars<'_>) -> Result<A, ConfigError>,
    ) -> Result<Rc<dyn Handler>, String> {
        let agent = load(self.vars).map_err(|error| error.to_string())?;
        let server = Server::new(agent, self.settings.server.clone(), self.ports()?)
            .map_err(|violations| format!("agent card: {}", FieldViolation::list(&violations)))?;
        Ok(Rc::new(server))
    }

    #[inline(never)]
    fn forward(&self, config: gateway::Config) -> Result<Rc<dyn Handler>, String> {
        let (server, ports) = (self.settings.server.clone(), self.ports()?);
        Ok(Rc::new(Gateway::new(config, server, ports, Rc::new(WorkerFetch))))
    }

    fn ports(&self) -> Result<Ports, String> {
        ports(&self.settings, self.env).map_err(|error| error.to_string())
    }
}

fn set_up(open: impl FnOnce(&Host<'_>) -> Opened) -> Rc<dyn Handler> {
    agent::install_panic_hook(None);
    build(&environment(), open).unwrap_or_else(|problem| {
        let line = serde_json::json!({ "level": "error", "event": "misconfigured", "problem": problem });
        Rc::new(Misconfigured(line.to_string()))
    })
}

fn build(env: &JsValue, open: impl FnOnce(&Host<'_>) -> Opened) -> Result<Rc<dyn Handler>, String> {
    let lookup = |name: &str| variable(env, name);
    let vars = Vars::new(&lookup);
    let settings = Settings::build(&vars).map_err(|error| error.to_string())?;
    if settings.server.in_development {
        agent::install_panic_hook(Some(console_error_panic_hook::hook));
    }
    let (format, limit) = (settings.server.rest_error_format, settings.max_body_bytes);
    let handler = open(&Host { env, vars: &vars, settings }).0?;
    FORMAT.set(format);
    LIMIT.set(limit);
    Ok(handler)
}

fn ports(settings: &Settings, env: &JsValue) -> Result<Ports, ConfigError> {
    let (clock, random) = (Rc::new(WorkerClock), Rc::new(WorkerRandom::default()));
    let store: Rc<dyn TaskStore> = match settings.store {
        StoreKind::Memory => Rc::new(MemoryStore::new(clock.clone()).with_ttl(settings.task_ttl)),
        StoreKind::Kv => {
            let namespace = Reflect::get(env, &JsValue::from_str(KV_BINDING)).ok().filter(JsValue::is_object);
            let namespace: Namespace = namespace
                .ok_or_else(|| ConfigError::new(KV_BINDING, "must be a KV namespace when TASK_STORE is kv"))?
                .unchecked_into();
            Rc::new(KvStore::new(namespace, clock.clone(), random.clone()).with_ttl(settings.task_ttl))
        }
        StoreKind::Durable => {
            let objects = Namespaces::of(env)?;
            Rc::new(DurableStore::new(objects, clock.clone(), random.clone(), settings.task_ttl))
        }
    };
    Ok(Ports {
        store,
        clock,
        random,
        log: Rc::new(ConsoleLog),
        background: Rc::new(WaitUntil),
        fetch: Some(Rc::new(WorkerFetch)),
    })
}

/// A variable as text; numbers and objects, which wrangler.toml allows, as their JSON.
fn variable(env: &JsValue, name: &str) -> Option<String> {
    let value = Reflect::get(env, &JsValue::from_str(name)).ok()?;
    if value.is_undefined() || value.is_null() {
        return None;
    }
    value.as_string().or_else(|| js_sys::JSON::stringify(&value).ok()?.as_string())
}
