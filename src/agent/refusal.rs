//! One error for a whole request, whoever asks: for when no agent can be reached (bad configuration, a dead instance).

use super::jsonrpc::batch_of;
use super::record::{self, Trace};
use crate::protocol::binding::Binding;
use crate::protocol::error::A2aError;
use crate::protocol::http::{JSON, Request, Response};
use crate::protocol::jsonrpc::{self, Call, Id, Payload};
use crate::protocol::negotiate::ErrorFormat;
use crate::protocol::operation::Operation;
use crate::protocol::rest::Route;
use crate::protocol::{rest, sse};

/// Answers every call in `request` with `error`, each with its own id, in the form of the binding that was asked.
///
/// A request that cannot be read at all is told that, as it would be by a working agent.
pub fn refuse(request: &Request<'_>, format: ErrorFormat, error: &A2aError) -> Response {
    if binding(request) == Binding::Rest {
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
            batch_of(answers.collect())
        }
    }
}

/// The event that ends a stream with `error`, in the form of the binding that was asked.
pub fn refuse_event(request: &Request<'_>, error: &A2aError) -> String {
    if binding(request) == Binding::Rest {
        return sse::error_event(&rest::error_event(error));
    }
    // No request but a single call is answered with a stream.
    let id = single_call(request).and_then(|call| call.id);
    sse::error_event(&jsonrpc::failure(&id.unwrap_or(Id::NULL), error))
}

/// The log line of a request that is refused as a whole.
pub fn refusal_line(request: &Request<'_>, error: &A2aError) -> String {
    let binding = binding(request);
    let (id, operation) = match binding {
        Binding::JsonRpc => {
            let call = single_call(request);
            let operation = call.as_ref().and_then(|call| Operation::from_method(&call.method));
            (call.and_then(|call| call.id), operation)
        }
        Binding::Rest => match rest::route(request.method, request.path) {
            Route::Operation { operation, .. } => (None, Some(operation)),
            Route::Card | Route::NotAllowed { .. } | Route::Unknown => (None, None),
        },
    };
    let trace = Trace {
        binding,
        request_id: id.map(|id| id.as_str().to_owned()).unwrap_or_default(),
        operation,
        task_id: None,
        ray: request.headers.ray.map(str::to_owned),
        started: None,
    };
    record::line(error, &trace, 0)
}

/// The binding that a request is made in, if only by its method and path.
fn binding(request: &Request<'_>) -> Binding {
    let is_jsonrpc = rest::is_jsonrpc_path(request.path) && request.method == "POST";
    if is_jsonrpc { Binding::JsonRpc } else { Binding::Rest }
}

fn single_call<'a>(request: &Request<'a>) -> Option<Call<'a>> {
    match request.body.bytes().and_then(jsonrpc::parse) {
        Ok(Payload::Single(call)) => call.ok(),
        Ok(Payload::Batch(_)) | Err(_) => None,
    }
}
