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
/// or a payload that a later version may have brought.
///
/// # Errors
/// What the agent reports in the frame, in whichever form, or what is wrong with it. Nothing after it counts.
pub fn read(sent: &Sent<'_>, head: &ResponseHead, frame: &Frame, now: Timestamp) -> Result<Option<Value>, RemoteError> {
    let is_error = frame.event.as_deref() == Some("error");
    let Ok(body) = lenient::parse(&frame.data) else {
        return match (is_error, frame.data.trim().is_empty()) {
            (true, _) => {
                let told = answer::unstructured(frame.data.trim());
                Err(RemoteError::reported(sent.binding, sent.operation, head, told, true, now))
            }
            (false, true) => Ok(None),
            (false, false) => Err(sent.invalid(head, Violation::NotJson)),
        };
    };
    if is_error {
        return Err(sent.reported(head, &body, now));
    }
    let payload = match sent.binding {
        Binding::JsonRpc => answer::unwrap(sent, head, body, now)?,
        Binding::Rest if told::is_error(&body) || told::is_problem(&body) => {
            return Err(sent.reported(head, &body, now));
        }
        Binding::Rest => body,
    };
    if is_unknown(&payload) && !schema::is_unwrapped(sent.operation, &payload) {
        return Ok(None);
    }
    sent.checked(head, payload).map(Some)
}

/// Whether a payload has members, and none that is known. An envelope where none belongs is not a thing of the future.
fn is_unknown(payload: &Value) -> bool {
    let is_known =
        |name: &String| PAYLOADS.contains(&name.as_str()) || PROTO_NAMES.contains(&name.as_str()) || name == "jsonrpc";
    payload.as_object().is_some_and(|payload| !payload.is_empty() && !payload.keys().any(is_known))
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
