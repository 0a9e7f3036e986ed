//! What another agent says about an error, read from every dialect in use.
//!
//! One reader for both bindings: agents send JSON-RPC errors on REST and status objects on JSON-RPC.

mod details;

use std::time::Duration;

use serde_json::{Map, Value};

use self::details::{text_of, violations_of};
use super::kind;
use crate::protocol::binding::Binding;
use crate::protocol::details::FieldViolation;
use crate::protocol::grpc;

/// An error as an agent tells it. Nothing here is trusted.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Told {
    /// JSON-RPC code.
    pub(super) code: Option<i32>,
    /// HTTP status in the body.
    pub(super) status: Option<u16>,
    /// Name of a gRPC status.
    pub(super) named_status: Option<String>,
    pub(super) message: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) domain: Option<String>,
    pub(super) metadata: Vec<(String, String)>,
    pub(super) violations: Vec<FieldViolation>,
    pub(super) retry_delay: Option<Duration>,
    /// `error.data`, `details` or `detail`, as it came.
    pub(super) data: Value,
    /// Whether an ErrorInfo was read.
    pub(super) has_info: bool,
}

/// Whether a body that came as a success, or as an ordinary event, is an error all the same.
pub(super) fn is_error(body: &Value) -> bool {
    // A Message in the place of `message` is an object, so a text there gives a bare error away.
    let is_bare = |body: &Map<String, Value>| {
        body.get("message").is_some_and(Value::is_string) && body.get("code").is_some_and(is_code)
    };
    body.as_object().is_some_and(|body| body.get("error").is_some_and(|error| !error.is_null()) || is_bare(body))
}

/// Whether an event is an error of a framework: a problem (RFC 9457), or its `detail` alone. No event has such members.
pub(super) fn is_problem(event: &Value) -> bool {
    let is_text = |name: &str| event.get(name).is_some_and(Value::is_string);
    is_text("detail") || is_text("title") && event.get("status").is_some_and(Value::is_number)
}

fn is_code(value: &Value) -> bool {
    value.is_number() || value.is_string()
}

/// Reads a body that is an error, of an answer in `binding` under `http_status`.
pub(super) fn read(body: &Value, binding: Binding, http_status: u16) -> Told {
    let mut told = Told::default();
    match body {
        Value::Object(body) => told.read_body(body),
        Value::String(text) => told.message = Some(text.clone()),
        Value::Array(_) => told.read_details(body),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    if let Some(code) = told.code.and_then(|code| u16::try_from(code).ok()) {
        let is_enveloped = binding == Binding::JsonRpc && body.get("jsonrpc").is_some();
        told.settle(code, binding, (!is_enveloped).then_some(http_status));
    }
    told
}

impl Told {
    fn read_body(&mut self, body: &Map<String, Value>) {
        match body.get("error") {
            Some(Value::Object(error)) => return self.read_error(error),
            // Frameworks put a phrase or the name of a class there.
            Some(Value::String(name)) => {
                if kind::by_reason(name).is_some() {
                    self.reason = Some(name.clone());
                } else {
                    self.message = Some(name.clone());
                }
            }
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_)) | None => {}
        }
        if let Some(kind) = body.get("type").and_then(Value::as_str).filter(|name| kind::by_reason(name).is_some()) {
            self.reason.get_or_insert_with(|| kind.to_owned());
        }
        if let Some(title) = body.get("title").and_then(Value::as_str) {
            self.message.get_or_insert_with(|| title.to_owned());
        }
        self.read_error(body);
        if let Some(errors) = body.get("errors") {
            self.violations.extend(violations_of(errors));
        }
    }

    /// The members that every form of an error object shares.
    fn read_error(&mut self, error: &Map<String, Value>) {
        if let Some(code) = error.get("code") {
            self.read_code(code);
        }
        for name in ["status", "statusCode"] {
            match error.get(name) {
                Some(Value::String(name)) if grpc::NAMES.contains(&name.as_str()) => {
                    self.named_status = Some(name.clone())
                }
                Some(Value::Number(number)) => {
                    let status = number.as_u64().and_then(|number| error_status(u16::try_from(number).ok()?));
                    self.status = status.or(self.status);
                }
                // Some frameworks have "error" or "fail" there.
                Some(Value::String(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => {}
            }
        }
        match error.get("message") {
            None | Some(Value::Null) => {}
            Some(message) => self.message = Some(text_of(message)),
        }
        for name in ["data", "details", "detail"] {
            match error.get(name) {
                None | Some(Value::Null) => {}
                // The text of a problem (RFC 9457) is its message.
                Some(Value::String(text)) if name == "detail" => self.message = Some(text.clone()),
                // A framework may wrap a whole error: {"detail":{"code":…,"message":…}}.
                Some(Value::Object(inner)) if name == "detail" => self.read_body(inner),
                Some(details) => self.read_details(details),
            }
        }
    }

    fn read_code(&mut self, code: &Value) {
        let number = match code {
            Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
            Value::String(text) => text.parse().ok(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return,
        };
        match number.and_then(|number| i32::try_from(number).ok()) {
            Some(number) => self.code = Some(number),
            // A name, or a number that JSON-RPC's codes have no room for.
            None => {
                self.reason.get_or_insert_with(|| text_of(code));
            }
        }
    }

    /// Decides whether a code is one of JSON-RPC, or a status of HTTP or gRPC in its place. Statuses stand there on REST
    /// (AIP-193), and on JSON-RPC where something in between answered in that form: by the name of one, or without an
    /// envelope under the same `http_status`.
    fn settle(&mut self, code: u16, binding: Binding, http_status: Option<u16>) {
        let names_status = self.named_status.is_some();
        let is_rest = binding == Binding::Rest;
        if let Some(status) = error_status(code) {
            self.status.get_or_insert(status);
            // Otherwise it means what it says, and is the code that the agent gave all the same.
            if is_rest || names_status || Some(status) == http_status {
                self.code = None;
            }
        } else if let Some(name) = grpc::NAMES.get(usize::from(code)).filter(|_| is_rest || names_status) {
            self.code = None;
            self.named_status.get_or_insert_with(|| (*name).to_owned());
        }
    }
}

/// JavaScript and Lua may write a whole number with a point.
#[expect(clippy::cast_possible_truncation, reason = "checked to be whole and within range")]
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() < f64::from(i32::MAX)).then_some(number as i64)
}

/// A number in the range of the HTTP statuses of errors.
fn error_status(number: u16) -> Option<u16> {
    Some(number).filter(|status| (400..=599).contains(status))
}
