//! What happens during a call, told to a function.

use std::rc::Rc;

use js_sys::Function;
use serde_json::{Value, json};
use wasm_bindgen::JsValue;

use super::error;
use crate::client::ClientError;
use crate::ports::Clock;
use crate::remote::RemoteError;
use crate::remote::call::{Note, Watch};
use crate::remote::retry::GiveUp;

/// Passes notes on as JSON, each with its time.
pub(super) struct Notes {
    pub(super) tell: Function,
    pub(super) clock: Rc<dyn Clock>,
}

impl Watch for Notes {
    fn note(&self, note: &Note<'_>) {
        let mut note = to_json(note);
        note["time"] = self.clock.now().0.into();
        // A function that throws spoils nothing but its own notes.
        let _ = self.tell.call1(&JsValue::NULL, &JsValue::from_str(&note.to_string()));
    }
}

fn to_json(note: &Note<'_>) -> Value {
    let told = |error: &RemoteError| error::to_json(&ClientError::from(error.clone()));
    match note {
        Note::Attempt { agent, attempt } => json!({ "type": "attempt", "agent": agent, "attempt": attempt }),
        Note::Retry { agent, error, wait } => {
            json!({ "type": "retry", "agent": agent, "error": told(error), "waitMs": wait.as_millis() as u64 })
        }
        Note::GaveUp { agent, error, why } => {
            json!({ "type": "gave-up", "agent": agent, "error": told(error), "why": why_name(*why) })
        }
        Note::CircuitOpen { agent, retry_after } => {
            json!({ "type": "circuit-open", "agent": agent, "retryAfterMs": retry_after.as_millis() as u64 })
        }
    }
}

const fn why_name(why: GiveUp) -> &'static str {
    match why {
        GiveUp::Permanent => "permanent",
        GiveUp::NotIdempotent => "not-idempotent",
        GiveUp::Exhausted => "exhausted",
        GiveUp::Deadline => "deadline",
        GiveUp::Budget => "budget",
        GiveUp::AskedToWait => "asked-to-wait",
    }
}
