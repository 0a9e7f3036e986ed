//! What A2A says, as pure data: no clock, no I/O, no platform.

pub mod binding;
pub mod card;
pub mod details;
pub mod error;
pub mod grpc;
pub mod http;
pub mod json;
pub mod jsonrpc;
mod kind;
pub mod negotiate;
pub mod operation;
pub(crate) mod path;
pub mod rest;
pub mod schema;
pub mod sse;
pub(crate) mod text;
pub mod time;
pub mod types;
pub mod version;
