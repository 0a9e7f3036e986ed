//! Calling another agent: what the client and the gateway share.
//!
//! | module | what it does |
//! |---|---|
//! | [`Binding`] | JSON-RPC or HTTP+JSON |
//! | [`request`] | an operation and its params to an HTTP request |
//! | [`answer`], [`events`] | answers and streams, checked, to results or errors |
//! | `told` and `kind` | every dialect of errors to one meaning |
//! | [`failure`] | what a failed task says, made fit for passing on |
//! | [`RemoteError`] | an error with nothing lost; [`RemoteError::to_protocol_error`] makes it fit for passing on |
//! | [`retry`], [`breaker`] | when to try again, and when to leave an agent alone |
//! | [`call`] | all of it, driven over the ports |
//!
//! All but the last is pure.

pub mod answer;
pub mod breaker;
pub mod call;
mod error;
pub mod events;
pub mod failure;
mod fault;
mod forward;
mod internals;
mod kind;
mod lenient;
pub mod request;
pub mod retry;
pub mod retry_after;
#[cfg(test)]
mod tests;
mod told;

pub use crate::protocol::binding::Binding;
pub use error::RemoteError;
pub use fault::{Cause, TransportFault, Violation};
