//! An answer that somebody else received, read as the client reads it: by the same code, with the defaults of its limits.

use std::future::pending;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use super::error;
use super::members::Members;
use crate::client::ClientError;
use crate::ports::{Clock, FetchResponse, ResponseHead, Timestamp};
use crate::protocol::jsonrpc::Id;
use crate::protocol::operation::Operation;
use crate::remote::call::{CallPolicy, EventStream, Reply, receive};
use crate::remote::events;
use crate::remote::{Binding, RemoteError, TransportFault};

/// An exchange: what was asked, and what came.
struct Exchange {
    binding: String,
    operation: String,
    /// The id of a JSON-RPC request, as JSON text.
    id: String,
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Exchange {
    fn read(json: &str) -> Result<Self, String> {
        let mut given = Members::read("exchange", json)?;
        let exchange = Self {
            binding: given.needed_text("binding")?,
            operation: given.needed_text("operation")?,
            id: given.needed_text("id")?,
            status: given.status("status")?,
            headers: given.pair_list("headers")?,
            body: given.needed_text("body")?,
        };
        given.end()?;
        Ok(exchange)
    }
}

/// Reads an exchange (JSON) and gives `{"result": …}`, `{"error": …}`, or `{"events": […]}` with an `error` where the
/// stream ends with one. `now` is in milliseconds since 1970, for dates in `Retry-After`.
///
/// # Errors
/// If it is no exchange.
#[wasm_bindgen]
pub fn decode(exchange: &str, now: f64) -> Result<String, JsValue> {
    read(exchange, Timestamp(now as u64)).map(|read| read.to_string()).map_err(|problem| JsValue::from_str(&problem))
}

/// What the client says of an exchange without a whole answer: `unreachable`, `no-answer`, `timed-out`, or anything else for
/// one that was cut short.
#[wasm_bindgen]
pub fn fault(binding: &str, fault: &str) -> String {
    let fault = match fault {
        "unreachable" => TransportFault::Unreachable,
        "no-answer" => TransportFault::NoAnswer,
        "timed-out" => TransportFault::TimedOut,
        _ => TransportFault::CutShort,
    };
    failed(RemoteError::transport(Binding::from_name(binding).unwrap_or(Binding::JsonRpc), fault)).to_string()
}

fn failed(error: RemoteError) -> Value {
    json!({ "error": error::to_json(&ClientError::from(error)) })
}

fn read(exchange: &str, now: Timestamp) -> Result<Value, String> {
    let exchange = Exchange::read(exchange)?;
    let binding = Binding::from_name(&exchange.binding).ok_or("exchange.binding must be JSONRPC or HTTP+JSON")?;
    // Of an operation that does not exist, only errors can be read, and they look the same for all.
    let operation = Operation::from_method(&exchange.operation).unwrap_or(Operation::SendMessage);
    let id = Id::from_json(&exchange.id).unwrap_or(Id::NULL);
    let head = ResponseHead { status: exchange.status, headers: exchange.headers };
    let is_stream = operation.is_streaming() && events::is_event_stream(&head);
    let body = stream::iter([Ok(exchange.body.into_bytes())]).boxed_local();
    let (clock, policy): (Rc<dyn Clock>, _) = (Rc::new(Still(now)), CallPolicy::DEFAULT);
    let deadline = now.after(policy.total);
    let received = receive(binding, operation, id, FetchResponse { head, body }, deadline, &policy, &clock);
    // All of it is here, so nothing is waited for; what did wait would have been cut short.
    Ok(match received.now_or_never().unwrap_or_else(|| Err(cut_short(binding))) {
        Ok(Reply::Whole(result)) => json!({ "result": result }),
        Ok(Reply::Stream(events)) => read_stream(binding, events),
        Err(error) if is_stream => with_events(failed(error), Vec::new()),
        Err(error) => failed(error),
    })
}

fn read_stream(binding: Binding, mut events: EventStream) -> Value {
    let mut seen = Vec::new();
    while let Some(event) = events.next().now_or_never().unwrap_or_else(|| Some(Err(cut_short(binding)))) {
        match event {
            Ok(event) => seen.push(event),
            Err(error) => return with_events(failed(error), seen),
        }
    }
    json!({ "events": seen })
}

fn cut_short(binding: Binding) -> RemoteError {
    RemoteError::transport(binding, TransportFault::CutShort)
}

/// The time at which an answer was received. It stands still while the answer is read.
struct Still(Timestamp);

impl Clock for Still {
    fn now(&self) -> Timestamp {
        self.0
    }

    fn sleep(&self, _: Duration) -> LocalBoxFuture<'static, ()> {
        pending().boxed_local()
    }
}

fn with_events(mut outcome: Value, events: Vec<Value>) -> Value {
    outcome["events"] = events.into();
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(operation: &str, content_type: &str, body: &str) -> Value {
        let exchange = json!({
            "binding": "JSONRPC", "operation": operation, "id": "7", "status": 200,
            "headers": [["content-type", content_type]], "body": body,
        });
        read(&exchange.to_string(), Timestamp(0)).unwrap()
    }

    #[test]
    fn what_is_no_exchange_is_named() {
        let whole =
            json!({"binding": "JSONRPC", "operation": "GetTask", "id": "7", "status": 200, "headers": [], "body": ""});
        for (name, value, problem) in [
            ("status", json!("200"), "exchange.status must be an HTTP status"),
            ("status", json!(99), "exchange.status must be an HTTP status"),
            ("headers", json!({"a": "b"}), "exchange.headers must be an array of names and values"),
            ("headers", json!([["a"]]), "exchange.headers must be an array of names and values"),
            ("body", Value::Null, "exchange.body must be a string"),
            ("binding", json!("SOAP"), "exchange.binding must be JSONRPC or HTTP+JSON"),
            ("more", json!(1), "exchange has no member \"more\""),
        ] {
            let mut exchange = whole.clone();
            exchange[name] = value;
            assert_eq!(read(&exchange.to_string(), Timestamp(0)).unwrap_err(), problem);
        }
    }

    #[test]
    fn an_error_is_read_under_its_id() {
        let body = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"Task not found"}}"#;
        let read = decoded("GetTask", "application/json", body);
        assert_eq!((&read["error"]["name"], &read["error"]["kind"]), (&"JsonRpcError".into(), &"TaskNotFound".into()));
    }

    #[test]
    fn an_error_about_no_method_of_a2a_is_read_too() {
        let body = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found"}}"#;
        assert_eq!(decoded("NoSuchMethod", "application/json", body)["error"]["kind"], "MethodNotFound");
    }

    #[test]
    fn what_the_client_would_not_read_is_not_read() {
        let large = "x".repeat(CallPolicy::DEFAULT.max_response_bytes);
        let result = format!(
            r#"{{"jsonrpc":"2.0","id":7,"result":{{"id":"{large}","status":{{"state":"TASK_STATE_WORKING"}}}}}}"#
        );
        assert_eq!(decoded("GetTask", "application/json", &result)["error"]["cause"], "too-large");
        let read = decoded("SubscribeToTask", "text/event-stream", &format!("data: {result}\n\n"));
        assert_eq!((&read["error"]["cause"], &read["events"]), (&"too-large".into(), &json!([])));
    }

    #[test]
    fn a_stream_that_stops_halfway_says_so_after_its_events() {
        let event = r#"{"jsonrpc":"2.0","id":7,"result":{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}}"#;
        let read = decoded("SendStreamingMessage", "text/event-stream", &format!("data: {event}\n\n"));
        assert_eq!(read["events"].as_array().map(Vec::len), Some(1));
        assert_eq!(read["error"]["reason"], "ORIGIN_INTERRUPTED");
        // Half a frame is the fault of the connection, and not of the agent.
        let read = decoded("SendStreamingMessage", "text/event-stream", &format!("data: {event}\n\ndata: {{\"jso"));
        assert_eq!(read["error"]["reason"], "ORIGIN_INTERRUPTED");
        let done = event.replace("WORKING", "COMPLETED");
        let read = decoded("SendStreamingMessage", "text/event-stream", &format!("data: {done}\n\ndata: <html>\n\n"));
        assert_eq!((read["events"].as_array().map(Vec::len), read.get("error")), (Some(1), None), "nothing follows");
        let read = decoded("SendStreamingMessage", "text/event-stream", &format!("data: {done}\n\n"));
        assert_eq!((read["events"].as_array().map(Vec::len), read.get("error")), (Some(1), None));
    }
}
