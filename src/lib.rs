//! A2A (Agent2Agent protocol 1.0) for Cloudflare Workers, where whatever breaks, the caller gets a correct, typed,
//! harmless protocol error with the right request id.
//!
//! The layers, each using only those above it:
//!
//! | module | what it holds |
//! |---|---|
//! | [`protocol`] | what A2A says, as pure data |
//! | [`agent`] | the trait to write, and what stands between it and the wire |
//! | [`remote`] | calling another agent: requests, answers, errors of every dialect, retries |
//! | [`client`] | a typed client for agents |
//! | [`gateway`] | stands before an agent that somebody else wrote |
//! | [`ports`] | what the layers above need of a platform |
//! | [`memory`] | the ports in memory |
//! | [`vars`] | configuration variables, from wherever |
//! | `demo` | an agent that fails on demand |
//! | `browser` | the client and the demo agent for JavaScript in a page or in Node |
//! | `worker` | the ports on Cloudflare, and the door that a request comes in by |

pub mod agent;
pub mod client;
pub mod gateway;
mod hub;
pub mod memory;
pub mod ports;
pub mod protocol;
pub mod remote;
pub mod vars;

#[cfg(feature = "browser")]
pub mod browser;
#[cfg(feature = "demo")]
pub mod demo;
#[cfg(feature = "worker")]
pub mod worker;

#[cfg(test)]
mod store_suite;

pub use protocol::error::{A2aError, ErrorKind};
