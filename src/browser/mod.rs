//! For JavaScript outside of Workers: the client, for browsers and for Node, and the demo agent inside a page.
//!
//! Built by `wasm-pack`. What is exported here is plain (texts of JSON in and out); `packages/client` makes JavaScript
//! objects, error classes and async iterators of it.

mod agent;
mod client;
mod decode;
mod error;
mod members;
mod notes;
mod options;
mod origin;
mod ports;
mod request;

pub use agent::{PageAgent, PageResponse, refuse};
pub use client::{EventReader, WasmClient, connect};
pub use decode::{decode, fault};
pub use request::build_request;

use crate::protocol::json;

/// Reads a value of JSON text, with what is wrong with it named for a developer. By way of a `Value`, so that each type has
/// one deserializer in the module and not two.
fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    let value = json::parse_own(text).map_err(|error| error.to_string())?;
    serde_json::from_value(value).map_err(|error| error.to_string())
}
