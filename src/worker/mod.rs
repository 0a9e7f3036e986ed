//! Cloudflare: the door that a request comes in by, configuration, task storage, logs.
//!
//! A worker of one's own is an [`Agent`](crate::agent::Agent) and one line:
//!
//! ```text
//! a2a_edge::serve!(|_vars| Ok(MyAgent));
//! ```

pub mod config;
pub mod durable;
mod entry;
mod fetch;
mod frame;
pub mod kv;
mod ports;
mod work;
mod wrapped;

use std::rc::Rc;

use self::ports::{WorkerClock, WorkerRandom};
use crate::remote::call::CallPorts;

/// The ports of a [`Client`](crate::client::Client) on Workers, for an agent that asks others. A client may serve many
/// requests; what it does for one of them ends with it.
pub fn ports() -> CallPorts {
    CallPorts { fetch: Rc::new(WorkerFetch), clock: Rc::new(WorkerClock), random: Rc::new(WorkerRandom::default()) }
}

pub use entry::{answer, fetch};
pub use fetch::WorkerFetch;
// The exports that the JavaScript side of the door calls.
#[doc(hidden)]
pub use entry::{Host, Opened, body_limit, fail, handler, wake};
#[doc(hidden)]
pub use work::{leave, poll};

// For the code that `serve!` expands to.
#[doc(hidden)]
pub use wasm_bindgen;
