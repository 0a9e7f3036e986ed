//! The events of a stream, each checked.

use serde_json::Value;

use super::answer::{self, Sent};
use super::error::RemoteError;
use super::fault::Violation;
use super::lenient;
use super::told;
use crate::ports::{ResponseHead, Timestamp};
use crate::protocol::binding::Binding;
use crate::protocol::schema;
use crate::protocol::sse::{Decoder, EVENT_STREAM, Frame};
use crate::protocol::types::TaskState;

/// The members of a StreamResponse (specification 3.2.3).
const PAYLOADS: [&str; 4] = ["task", "message", "statusUpdate", "artifactUpdate"];
/// The two of them whose name in the proto differs.
const PROTO_NAMES: [&str; 2] = ["status_update", "artifact_update"];

/// How far a stream has got with an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Progress {
    /// More is to come: an end here is an error.
    #[default]
    Open,
    /// The task waits for the client. The stream may end here, or go on.
    Interrupted,
    /// A terminal state, or a message: nothing can follow but a repetition.
    Finished,
}

/// Whether an answer is a stream of events.
pub fn is_event_stream(head: &ResponseHead) -> bool {
    answer::essence(head).is_some_and(|essence| essence.eq_ignore_ascii_case(EVENT_STREAM))
}

/// Reads one frame of a stream, and gives the event in canonical form; `None` for what is to be skipped: an empty frame,
/// a payload that a later version may have brought, or one of another kind, such as a heartbeat.
///
/// # Errors
/// What the agent reports in the frame, in whichever form, or what is wrong with it. Nothing after it counts.
pub fn read(sent: &Sent<'_>, head: &ResponseHead, frame: &Frame, now: Timestamp) -> Result<Option<Value>, RemoteError> {
    let kind = Kind::of(frame);
    let Ok(body) = lenient::parse(&frame.data) else {
        return match kind {
            Kind::Error => {
                let told = answer::unstructured(frame.data.trim());
                Err(RemoteError::reported(sent.binding, sent.operation, head, told, true, now))
            }
            Kind::Ordinary if !frame.data.trim().is_empty() => Err(sent.invalid(head, Violation::NotJson)),
            Kind::Ordinary | Kind::Other => Ok(None),
        };
    };
    match kind {
        Kind::Error => return Err(sent.reported(head, &body, now)),
        Kind::Other if !is_meant(sent, head, &body) => return Ok(None),
        Kind::Ordinary if sent.binding == Binding::JsonRpc && is_no_answer(sent, &body) => return Ok(None),
        Kind::Other | Kind::Ordinary => {}
    }
    if body.get("jsonrpc").is_none() && told::is_problem(&body) {
        return Err(sent.reported(head, &body, now));
    }
    let payload = match sent.binding {
        Binding::JsonRpc => answer::unwrap(sent, head, body, now)?,
        Binding::Rest if told::is_error(&body) => return Err(sent.reported(head, &body, now)),
        Binding::Rest => body,
    };
    // A thing of the future; but an envelope, where none belongs, is not.
    if !is_empty(&payload) && !is_payload(sent, &payload) && payload.get("jsonrpc").is_none() {
        return Ok(None);
    }
    sent.checked(head, payload).map(Some)
}

/// What the `event:` line says of a frame.
enum Kind {
    /// Nothing: it is an event of the operation.
    Ordinary,
    /// That it is an error.
    Error,
    /// Anything else. By the rules of event streams nobody who listens for ordinary events hears of it (HTML, 9.2.6), but
    /// agents were seen to name theirs.
    Other,
}

impl Kind {
    fn of(frame: &Frame) -> Self {
        match frame.event.as_deref() {
            None | Some("" | "message") => Self::Ordinary,
            Some("error") => Self::Error,
            Some(_) => Self::Other,
        }
    }
}

/// Whether a body is one of the operation's events, with the name that it belongs under or without.
fn is_payload(sent: &Sent<'_>, body: &Value) -> bool {
    PAYLOADS.iter().chain(&PROTO_NAMES).any(|name| body.get(name).is_some())
        || schema::is_unwrapped(sent.operation, body)
}

/// Whether a frame of another kind is for whoever asked: it has all that an event must have, or it is an error.
fn is_meant(sent: &Sent<'_>, head: &ResponseHead, body: &Value) -> bool {
    let is_event = match sent.binding {
        Binding::JsonRpc => answer::is_to(sent, body),
        Binding::Rest => sent.checked(head, body.clone()).is_ok(),
    };
    is_event || body.get("error").is_some_and(Value::is_object)
}

/// Whether a body is neither an answer of JSON-RPC nor what agents send in the place of one: a notification, or something
/// of which nobody could tell what it is.
fn is_no_answer(sent: &Sent<'_>, body: &Value) -> bool {
    let has = |name| body.get(name).is_some();
    let is_answer = has("result") || told::is_error(body);
    let is_known = has("jsonrpc") || has("id") || is_payload(sent, body) || told::is_problem(body);
    !is_answer && (has("method") || !is_empty(body) && !is_known)
}

/// Whether a body has no members at all, as it is when it is no object.
fn is_empty(body: &Value) -> bool {
    body.as_object().is_none_or(serde_json::Map::is_empty)
}

/// How far an event brings the stream (specification 3.1.2); `None` if it says nothing about that.
pub fn progress(event: &Value) -> Option<Progress> {
    if event.get("message").is_some() {
        return Some(Progress::Finished);
    }
    let holder = event.get("task").or_else(|| event.get("statusUpdate"))?;
    let name = holder.pointer("/status/state").and_then(Value::as_str)?;
    let state = TaskState::ALL.into_iter().find(|state| state.name() == name)?;
    Some(if state.is_terminal() {
        Progress::Finished
    } else if state.is_interrupted() {
        Progress::Interrupted
    } else {
        Progress::Open
    })
}

/// The data of the first frame in a text; empty if there is none.
pub(super) fn first_data(text: &str) -> String {
    let mut frames = Vec::new();
    let mut decoder = Decoder::new(text.len());
    // A text is never longer than itself, so no frame is too large.
    let _ = decoder.push(text.as_bytes(), &mut frames);
    let rest = decoder.finish().unwrap_or_default();
    frames.into_iter().chain(rest).map(|frame| frame.data).next().unwrap_or_default()
}
