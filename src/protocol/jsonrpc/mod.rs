//! JSON-RPC 2.0: the envelope around the operations (specification 9).
//!
//! Parsing has two phases. This module reads the envelope only and leaves `params` as text, so that a request with an
//! unknown method or a bad version costs no more than one pass over the body.

mod id;
mod request;
mod response;

pub use id::Id;
pub use request::{Call, Incoming, MAX_BATCH, Payload, Rejected, parse};
pub use response::{batch, failure, success};
