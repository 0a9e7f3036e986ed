//! Every dialect of errors that agents, SDKs and gateways were seen to speak, each with what it means.

mod any;
mod envelope;
mod forward;
mod jsonrpc;
mod rest;
mod stream;

use serde_json::Value;

use super::answer::{self, Sent};
use super::{Binding, RemoteError};
use crate::ports::{ResponseHead, Timestamp};
use crate::protocol::jsonrpc::Id;
use crate::protocol::operation::Operation;

/// 1994-11-06T08:49:30Z
pub(super) const NOW: Timestamp = Timestamp(784_111_770_000);

pub(super) fn head(status: u16, content_type: &str) -> ResponseHead {
    ResponseHead { status, headers: vec![("content-type".to_owned(), content_type.to_owned())] }
}

/// Reads an answer to a request of id 1.
pub(super) fn receive(
    binding: Binding,
    operation: Operation,
    head: &ResponseHead,
    body: &str,
) -> Result<Value, RemoteError> {
    let id = Id::from_json("1").unwrap();
    answer::read(&Sent { binding, operation, id: &id }, head, body.as_bytes(), NOW)
}

/// The error in the `error` member of a JSON-RPC answer.
pub(super) fn jsonrpc_error(error: &str) -> RemoteError {
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{error}}}"#);
    receive(Binding::JsonRpc, Operation::GetTask, &head(200, "application/json"), &body).unwrap_err()
}

/// The error of a REST answer to GetTask.
pub(super) fn rest_error(status: u16, content_type: &str, body: &str) -> RemoteError {
    receive(Binding::Rest, Operation::GetTask, &head(status, content_type), body).unwrap_err()
}

pub(super) fn metadata(error: &RemoteError) -> Vec<(&str, &str)> {
    error.metadata().collect()
}

pub(super) fn violations(error: &RemoteError) -> Vec<(&str, &str)> {
    error.field_violations().iter().map(|found| (found.field.as_str(), found.description.as_str())).collect()
}
