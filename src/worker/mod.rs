//! Cloudflare: the door that a request comes in by, configuration, task storage, logs.
//!
//! A worker of one's own is an [`Agent`](crate::agent::Agent) and one line:
//!
//! ```ignore
//! a2a_edge::serve!(|_vars| Ok(MyAgent));
//! ```

pub mod config;
mod entry;
pub mod kv;
mod ports;

pub use entry::{answer, fail, fetch};

// For the code that `serve!` expands to.
#[doc(hidden)]
pub use wasm_bindgen;
