//! One error for a whole request, whoever asks: for when no agent can be reached (bad configuration, a dead instance).

use super::record::{self, Binding, Trace};
use crate::protocol::error::A2aError;
use crate::protocol::http::{JSON, Request, Response};
use crate::protocol::jsonrpc::{self, Id, Payload};
use crate::protocol::negotiate::ErrorFormat;
use crate::protocol::operation::Operation;
use crate::protocol::rest::Route;
use crate::protocol::{rest, sse};

/// Answers every call in `request` with `error`, each with its own id, in the form of the binding that was asked.
///
/// A request that cannot be read at all is told that, as it would be by a working agent.
pub fn refuse(request: &Request<'_>, format: ErrorFormat, error: &A2aError) -> Response {
    if !(rest::is_jsonrpc_path(request.path) && request.method == "POST") {
        return rest::failure(error, request.headers.accept, format);
    }
    let refused = |id: Option<Id>| id.map(|id| jsonrpc::failure(&id, error));
    match request.body.bytes().and_then(jsonrpc::parse) {
        Err(unreadable) => Response::new(200, JSON, jsonrpc::failure(&Id::NULL, &unreadable)),
        Ok(Payload::Single(Err(rejected))) => Response::new(200, JSON, jsonrpc::failure(&rejected.id, &rejected.error)),
        Ok(Payload::Single(Ok(call))) => match refused(call.id) {
            Some(body) => Response::new(200, JSON, body),
            None => Response::empty(204),
        },
        Ok(Payload::Batch(members)) => {
            let answers = members.into_iter().filter_map(|member| match member {
                Ok(call) => refused(call.id),
                Err(rejected) => Some(jsonrpc::failure(&rejected.id, &rejected.error)),
            });
            let answers: Vec<String> = answers.collect();
            if answers.is_empty() { Response::empty(204) } else { Response::new(200, JSON, jsonrpc::batch(answers)) }
        }
    }
}

/// The event that ends a stream with `error`, in the form of the binding that was asked.
pub fn refuse_event(request: &Request<'_>, error: &A2aError) -> String {
    if !(rest::is_jsonrpc_path(request.path) && request.method == "POST") {
        return sse::error_event(&rest::error_event(error));
    }
    let id = match request.body.bytes().and_then(jsonrpc::parse) {
        Ok(Payload::Single(Ok(call))) => call.id,
        // No other request is answered with a stream.
        Ok(Payload::Single(Err(_)) | Payload::Batch(_)) | Err(_) => None,
    };
    sse::error_event(&jsonrpc::failure(&id.unwrap_or(Id::NULL), error))
}

/// The log line of a request that is refused as a whole.
pub fn refusal_line(request: &Request<'_>, error: &A2aError) -> String {
    let is_jsonrpc = rest::is_jsonrpc_path(request.path) && request.method == "POST";
    let call = match request.body.bytes().and_then(jsonrpc::parse) {
        Ok(Payload::Single(Ok(call))) if is_jsonrpc => Some(call),
        Ok(Payload::Single(_) | Payload::Batch(_)) | Err(_) => None,
    };
    let operation = match rest::route(request.method, request.path) {
        Route::Operation { operation, .. } => Some(operation),
        Route::Card | Route::NotAllowed { .. } | Route::Unknown => None,
    };
    let trace = Trace {
        binding: if is_jsonrpc { Binding::JsonRpc } else { Binding::Rest },
        request_id: call
            .as_ref()
            .and_then(|call| call.id.as_ref())
            .map(|id| id.as_str().to_owned())
            .unwrap_or_default(),
        operation: call.as_ref().map_or(operation, |call| Operation::from_method(&call.method)),
        task_id: None,
        ray: request.headers.ray.map(str::to_owned),
        started: None,
    };
    record::line(error, &trace, 0)
}
