//! The door. JavaScript (`js/boundary.js`) reads a request once and makes one synchronous call into [`answer`]; the
//! answer comes back at once when no I/O is needed, and as a promise otherwise.
//!
//! Crossings between JavaScript and WebAssembly are what a small request costs here, so there is one each way: the
//! request's head and body as a string each, the answer as one string (see `frame`).

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use futures_util::future::LocalBoxFuture;
use js_sys::{Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use super::config::{self, Settings, StoreKind};
use super::durable::{DurableStore, Namespaces};
use super::frame::{self, frame, request};
use super::kv::{KvStore, Namespace};
use super::ports::{ConsoleLog, WorkerClock, WorkerRandom};
use super::relay::Relay;
use crate::agent::{self, Agent, Answer, Ports, Server, Witness};
use crate::memory::MemoryStore;
use crate::ports::{Level, Log, TaskStore};
use crate::protocol::error::A2aError;
use crate::protocol::http::{Request, Response};
use crate::protocol::negotiate::ErrorFormat;
use crate::vars::{ConfigError, Vars};

/// Name of the KV binding in wrangler.toml.
const KV_BINDING: &str = "TASKS";

#[wasm_bindgen(module = "/js/boundary.js")]
extern "C" {
    /// Serves a request; calls `answer` and, if this instance dies over it, `fail` on the next one.
    fn serve(request: JsValue, env: JsValue, ctx: JsValue) -> Promise;
    /// The request that is being answered right now has reached the agent.
    #[wasm_bindgen(js_name = reachedAgent)]
    fn reached_agent(idempotent: bool);
    /// The work of request `key` goes on now: if the instance dies, it is to blame.
    fn resume(key: u32);
}

/// Exports an agent as this crate's worker. Takes a function from its [`Vars`](crate::vars::Vars) to the agent or a
/// [`ConfigError`](crate::vars::ConfigError).
#[macro_export]
macro_rules! serve {
    ($load:expr) => {
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
            pub fn answer(key: u32, head: &str, body: &str, fault: u32, env: JsValue) -> JsValue {
                $crate::worker::answer(key, head, body, fault, env, $load)
            }
        };
    };
}

/// Hands a request to the JavaScript side of the door.
pub fn fetch(request: JsValue, env: JsValue, ctx: JsValue) -> JsValue {
    serve(request, env, ctx).into()
}

/// Answers the request with this head and body: with a string, or a promise of one.
pub fn answer<A: Agent + 'static>(
    key: u32,
    head: &str,
    body: &str,
    fault: u32,
    env: JsValue,
    load: impl FnOnce(&Vars<'_>) -> Result<A, ConfigError>,
) -> JsValue {
    let handler = HANDLER.with_borrow_mut(|handler| Rc::clone(handler.get_or_insert_with(|| open(env, load))));
    let request = request(head, frame::body(body, fault, LIMIT.get()));
    match handler.handle(&request) {
        Answer::Ready(response) => framed(&response),
        Answer::Pending(work) => first_poll(key, work),
    }
}

/// Answers a request whose instance died, with -32603. `reason` is empty, or `INSTANCE_RESET` for a request that was
/// not at fault.
#[wasm_bindgen]
pub fn fail(head: &str, body: &str, fault: u32, reason: &str) -> JsValue {
    let mut error = A2aError::internal();
    if !reason.is_empty() {
        error = error.with_reason(reason.to_owned());
    }
    let request = request(head, frame::body(body, fault, LIMIT.get()));
    framed(&agent::refuse(&request, FORMAT.get(), &error))
}

/// Longest body that the JavaScript side should read.
#[wasm_bindgen(js_name = bodyLimit)]
pub fn body_limit(env: &JsValue) -> f64 {
    let lookup = |name: &str| variable(env, name);
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

/// Something that answers requests: a server of some agent, or what stands in for one that could not be set up.
trait Handler {
    fn handle(&self, request: &Request<'_>) -> Answer;
}

struct Serving<A>(Rc<Server<A>>);

impl<A: Agent + 'static> Handler for Serving<A> {
    fn handle(&self, request: &Request<'_>) -> Answer {
        self.0.handle(request, &Boundary)
    }
}

/// What answers when the configuration is bad: -32603 for every request, and a log line that says why.
struct Misconfigured(String);

impl Handler for Misconfigured {
    fn handle(&self, request: &Request<'_>) -> Answer {
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

fn open<A: Agent + 'static>(env: JsValue, load: impl FnOnce(&Vars<'_>) -> Result<A, ConfigError>) -> Rc<dyn Handler> {
    agent::install_panic_hook(None);
    match build(env, load) {
        Ok(server) => Rc::new(Serving(server)),
        Err(problem) => {
            let line = serde_json::json!({ "level": "error", "event": "misconfigured", "problem": problem });
            Rc::new(Misconfigured(line.to_string()))
        }
    }
}

fn build<A: Agent + 'static>(
    env: JsValue,
    load: impl FnOnce(&Vars<'_>) -> Result<A, ConfigError>,
) -> Result<Rc<Server<A>>, String> {
    let lookup = |name: &str| variable(&env, name);
    let vars = Vars::new(&lookup);
    let settings = Settings::build(&vars).map_err(|error| error.to_string())?;
    if settings.development {
        agent::install_panic_hook(Some(console_error_panic_hook::hook));
    }
    let agent = load(&vars).map_err(|error| error.to_string())?;
    FORMAT.set(settings.server.rest_error_format);
    LIMIT.set(settings.max_body_bytes);
    let ports = ports(&settings, &env).map_err(|error| error.to_string())?;
    Server::new(agent, settings.server, ports).map_err(|violations| {
        let fields: Vec<String> = violations.into_iter().map(|v| format!("{}: {}", v.field, v.description)).collect();
        format!("agent card: {}", fields.join("; "))
    })
}

fn ports(settings: &Settings, env: &JsValue) -> Result<Ports, ConfigError> {
    let (clock, random) = (Rc::new(WorkerClock), Rc::new(WorkerRandom));
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
    Ok(Ports { store, clock, random, log: Rc::new(ConsoleLog) })
}

/// A variable as text; numbers and objects, which wrangler.toml allows, as their JSON.
fn variable(env: &JsValue, name: &str) -> Option<String> {
    let value = Reflect::get(env, &JsValue::from_str(name)).ok()?;
    if value.is_undefined() || value.is_null() {
        return None;
    }
    value.as_string().or_else(|| js_sys::JSON::stringify(&value).ok()?.as_string())
}

fn framed(response: &Response) -> JsValue {
    JsValue::from_str(&frame(response))
}

/// Polls once before making a promise: an agent that waits for nothing is answered without one.
fn first_poll(key: u32, mut work: LocalBoxFuture<'static, Response>) -> JsValue {
    let relay = Arc::new(Relay::default());
    let waker = Waker::from(Arc::clone(&relay));
    // Polled again from the promise at once, so that no wake-up before that is lost.
    match work.as_mut().poll(&mut Context::from_waker(&waker)) {
        Poll::Ready(response) => framed(&response),
        Poll::Pending => {
            let work = Tracked { key, work, relay, waker };
            // A panic of the agent ends at its boundary; one out of here ends the promise, and nothing polls the work again.
            future_to_promise(AssertUnwindSafe(async move { Ok(framed(&work.await)) })).into()
        }
    }
}

/// Says whose work goes on at each poll.
struct Tracked {
    key: u32,
    work: LocalBoxFuture<'static, Response>,
    relay: Arc<Relay>,
    /// The relay's, of the first poll and of every other.
    waker: Waker,
}

impl Future for Tracked {
    type Output = Response;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Response> {
        let this = self.get_mut();
        resume(this.key);
        this.relay.forward_to(cx.waker());
        this.work.as_mut().poll(&mut Context::from_waker(&this.waker))
    }
}
