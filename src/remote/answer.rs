//! An answer, checked: the result of an operation, or an error.
//!
//! Strict with results, lenient with errors: a result under a wrong id may be somebody else's, but an error that can be
//! understood is worth more than a complaint about its form.

use serde_json::Value;

use super::error::RemoteError;
use super::fault::Violation;
use super::lenient;
use super::told::{self, Told};
use crate::ports::{ResponseHead, Timestamp};
use crate::protocol::binding::Binding;
use crate::protocol::http::PROBLEM_JSON;
use crate::protocol::jsonrpc::Id;
use crate::protocol::negotiate::is_json_content_type;
use crate::protocol::operation::Operation;
use crate::protocol::path::clipped;
use crate::protocol::schema;

/// How much of a body that is no JSON is kept, in bytes. (Our own; it is for people to read.)
const MAX_EXCERPT: usize = 1024;

/// What was asked, as the answer must match it.
#[derive(Debug, Clone, Copy)]
pub struct Sent<'a> {
    /// In which binding.
    pub binding: Binding,
    /// What for.
    pub operation: Operation,
    /// Under which id. REST has none.
    pub id: &'a Id,
}

impl Sent<'_> {
    pub(super) fn invalid(&self, head: &ResponseHead, violation: Violation) -> RemoteError {
        RemoteError::invalid(self.binding, head.status, violation)
    }

    /// What an error in `body` reports.
    pub(super) fn reported(&self, head: &ResponseHead, body: &Value, now: Timestamp) -> RemoteError {
        let told = told::read(body, self.binding, head.status);
        let is_told = self.binding == Binding::Rest || told.is_protocols();
        RemoteError::reported(self.binding, self.operation, head, told, is_told, now)
    }

    /// The result, if it is one of the operation.
    pub(super) fn checked(&self, head: &ResponseHead, result: Value) -> Result<Value, RemoteError> {
        schema::check_result(self.operation, result)
            .map_err(|violations| self.invalid(head, Violation::Schema(violations)))
    }
}

/// Reads a whole answer to an operation that is answered once, and gives the result in canonical form.
///
/// # Errors
/// What the agent reports, or what is wrong with its answer.
pub fn read(sent: &Sent<'_>, head: &ResponseHead, body: &[u8], now: Timestamp) -> Result<Value, RemoteError> {
    match head.status {
        200..=299 => {}
        300..=399 => return Err(sent.invalid(head, Violation::Redirect)),
        400..=599 => return Err(failed(sent, head, body, now)),
        status => return Err(sent.invalid(head, Violation::Status(status))),
    }
    if body.trim_ascii().is_empty() && sent.binding == Binding::Rest && answers_nothing(sent.operation) {
        return sent.checked(head, Value::Null);
    }
    let Some(value) = text(body).and_then(|text| lenient::parse(text).ok()) else {
        // An error that repeats a member is still an error; of a result nobody knows which was meant.
        let error = text(body).and_then(|text| serde_json::from_str(text).ok()).filter(told::is_error);
        return Err(
            error.map_or_else(|| sent.invalid(head, Violation::NotJson), |body| sent.reported(head, &body, now))
        );
    };
    match sent.binding {
        Binding::JsonRpc => {
            let result = unwrap(sent, head, value, now)?;
            check_content_type(sent, head)?;
            sent.checked(head, result)
        }
        Binding::Rest if told::is_error(&value) || is_problem(head) => Err(sent.reported(head, &value, now)),
        Binding::Rest => {
            check_content_type(sent, head)?;
            sent.checked(head, value)
        }
    }
}

/// Reads the answer to a request for a stream that is no stream: an error in any case.
pub fn instead_of_stream(sent: &Sent<'_>, head: &ResponseHead, body: &[u8], now: Timestamp) -> RemoteError {
    match read(sent, head, body, now) {
        Err(error) => error,
        Ok(_) => sent.invalid(head, Violation::NotAStream),
    }
}

/// Takes the result out of a JSON-RPC envelope (JSON-RPC 2.0, section 5).
pub(super) fn unwrap(
    sent: &Sent<'_>,
    head: &ResponseHead,
    envelope: Value,
    now: Timestamp,
) -> Result<Value, RemoteError> {
    let Value::Object(mut members) = envelope else {
        return Err(sent.invalid(head, Violation::NoResult));
    };
    let result = members.remove("result");
    let envelope = Value::Object(members);
    if told::is_error(&envelope) {
        if result.is_some_and(|result| !result.is_null()) {
            return Err(sent.invalid(head, Violation::ResultAndError));
        }
        return Err(if id_of(&envelope).is_none_or(|id| resembles(sent.id, id)) {
            sent.reported(head, &envelope, now)
        } else {
            sent.invalid(head, Violation::WrongId)
        });
    }
    let violation = match (&result, envelope.get("jsonrpc").and_then(Value::as_str), id_of(&envelope)) {
        (None, _, _) => Violation::NoResult,
        (_, None, _) => Violation::NoVersion,
        (_, Some(version), _) if version != "2.0" => Violation::NoVersion,
        (_, _, Some(id)) if is_same(sent.id, id) => return Ok(result.unwrap_or_default()),
        (_, _, _) => Violation::WrongId,
    };
    Err(sent.invalid(head, violation))
}

/// The id of an envelope, if it has one that says anything.
fn id_of(envelope: &Value) -> Option<&Value> {
    envelope.get("id").filter(|id| !id.is_null())
}

/// Whether an envelope is an answer to what was sent.
pub(super) fn is_to(sent: &Sent<'_>, envelope: &Value) -> bool {
    id_of(envelope).is_some_and(|id| is_same(sent.id, id))
}

fn is_same(sent: &Id, received: &Value) -> bool {
    serde_json::from_str::<Value>(sent.as_str()).is_ok_and(|sent| sent == *received)
}

/// Whether the ids are the same but for their types, as `1` and `"1"` are.
fn resembles(sent: &Id, received: &Value) -> bool {
    let text = |id: &Value| id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    serde_json::from_str::<Value>(sent.as_str()).is_ok_and(|sent| text(&sent) == text(received))
}

/// What an answer under an error status reports.
fn failed(sent: &Sent<'_>, head: &ResponseHead, body: &[u8], now: Timestamp) -> RemoteError {
    let lossy = String::from_utf8_lossy(body);
    let text = lossy.trim_start_matches('\u{feff}').trim();
    let text = if super::events::is_event_stream(head) { super::events::first_data(text) } else { text.to_owned() };
    // An error that repeats a member is still an error.
    match lenient::parse(&text).ok().or_else(|| serde_json::from_str(&text).ok()) {
        Some(body) => sent.reported(head, &body, now),
        None => {
            let told = unstructured(&text);
            // A page is of some server on the way, or of one that has no agent there.
            let is_told = sent.binding == Binding::Rest && !text.starts_with('<');
            RemoteError::reported(sent.binding, sent.operation, head, told, is_told, now)
        }
    }
}

/// A text is a message; a page is only kept.
pub(super) fn unstructured(text: &str) -> Told {
    let excerpt = clipped(text, MAX_EXCERPT);
    if excerpt.is_empty() {
        Told::default()
    } else if excerpt.starts_with('<') {
        Told { data: Value::String(excerpt.to_owned()), ..Told::default() }
    } else {
        Told { message: Some(excerpt.to_owned()), ..Told::default() }
    }
}

fn text(body: &[u8]) -> Option<&str> {
    std::str::from_utf8(body).ok().map(|text| text.strip_prefix('\u{feff}').unwrap_or(text))
}

fn check_content_type(sent: &Sent<'_>, head: &ResponseHead) -> Result<(), RemoteError> {
    if is_json_content_type(head.header("Content-Type")) {
        Ok(())
    } else {
        Err(sent.invalid(head, Violation::ContentType))
    }
}

fn is_problem(head: &ResponseHead) -> bool {
    essence(head).is_some_and(|essence| essence.eq_ignore_ascii_case(PROBLEM_JSON))
}

/// The media type of an answer without its parameters.
pub(super) fn essence(head: &ResponseHead) -> Option<&str> {
    head.header("Content-Type").and_then(|value| value.split(';').next()).map(str::trim)
}

fn answers_nothing(operation: Operation) -> bool {
    operation == Operation::DeleteTaskPushNotificationConfig
}

impl Told {
    /// Whether it looks like an answer of the protocol, as opposed to one of some server on the way.
    fn is_protocols(&self) -> bool {
        self.code.is_some() || self.reason.is_some() || self.named_status.is_some()
    }
}
