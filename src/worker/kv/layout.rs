//! How a task is laid out in KV: key, value and metadata.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::ports::{Cursor, MAX_TASK_ID_BYTES, Owner, StoreError, Stored, TaskQuery, Timestamp, is_task_id};
use crate::protocol::types::{self, Task, TaskState};

/// The shortest life of a key in KV (<https://developers.cloudflare.com/kv/api/write-key-value-pairs/>).
pub const MIN_TTL: Duration = Duration::from_secs(60);

/// Longest key, in bytes (<https://developers.cloudflare.com/kv/platform/limits/>).
const MAX_KEY_BYTES: usize = 512;

/// Longest value, in bytes (same source).
pub(super) const MAX_VALUE_BYTES: usize = 25 * 1024 * 1024;

/// SHA-256 in base64url without padding.
const HASH_CHARS: usize = 43;

const KIND: &str = "task:";

/// Greatest integer that survives being a JavaScript number, as metadata is on its way.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Length of what [`prefix`] gives.
const PREFIX_BYTES: usize = KIND.len() + HASH_CHARS + ":".len();

const _: () = assert!(PREFIX_BYTES + MAX_TASK_ID_BYTES <= MAX_KEY_BYTES);

/// What the keys of all tasks of `owner` begin with, and no others'.
pub(super) fn prefix(owner: &Owner) -> String {
    format!("{KIND}{}:", hash(owner.as_str()))
}

/// The key of a task. `None` if no task can have this id.
pub(super) fn key(owner: &Owner, id: &str) -> Option<String> {
    is_task_id(id).then(|| prefix(owner) + id)
}

/// What the keys of all push notification configs of a task begin with, and no others'.
pub(super) fn push_prefix(owner: &Owner, task_id: &str) -> String {
    format!("push:{}:{}:", hash(owner.as_str()), hash(task_id))
}

const _: () = assert!("push:".len() + 2 * (HASH_CHARS + ":".len()) + MAX_TASK_ID_BYTES <= MAX_KEY_BYTES);

/// SHA-256 in base64url: of one length, whatever it is of.
pub(in crate::worker) fn hash(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(text))
}

/// A value as it is written.
#[derive(Serialize)]
struct Written<'a> {
    revision: u64,
    task: &'a Task,
}

/// A value as it is read.
#[derive(Deserialize)]
struct Read {
    revision: u64,
    task: Task,
}

/// The value of a task.
///
/// # Errors
/// [`StoreError::Unstorable`] if it is too large.
pub(super) fn encode(stored: &Stored) -> Result<String, StoreError> {
    let written = Written { revision: stored.revision, task: &stored.task };
    let value = serde_json::to_string(&written).map_err(|error| StoreError::Unstorable(error.to_string()))?;
    if value.len() > MAX_VALUE_BYTES {
        return Err(StoreError::Unstorable(format!("{} bytes, KV takes {MAX_VALUE_BYTES}", value.len())));
    }
    Ok(value)
}

/// The task of the value that was found under `key`.
///
/// # Errors
/// [`StoreError::Corrupt`], naming the key and the place, but nothing of the value.
pub(super) fn decode(key: &str, value: &str) -> Result<Stored, StoreError> {
    let read: Read = types::from_json(value).map_err(|error| StoreError::unreadable(&format!("key {key}"), &error))?;
    // A value that was copied to another key would let its reader write a third.
    if key.get(PREFIX_BYTES..) != Some(&read.task.id) {
        return Err(corrupt(key, "the task has another id"));
    }
    Ok(Stored { task: read.task, revision: read.revision })
}

fn corrupt(key: &str, what: &str) -> StoreError {
    StoreError::Corrupt(format!("key {key}, {what}"))
}

/// What lists need to know of a task: at most 1,024 bytes, which is all that KV keeps with a key.
#[derive(Debug, Deserialize)]
pub(super) struct Metadata {
    /// Status time in milliseconds since the epoch.
    #[serde(rename = "u")]
    updated: u64,
    #[serde(rename = "s")]
    state: TaskState,
    /// Hash of the context id, which may be longer than there is room.
    #[serde(rename = "c")]
    context: String,
}

impl Metadata {
    pub(super) fn of(task: &Task) -> Self {
        Self {
            updated: task.status.timestamp.unwrap_or_default().0.min(MAX_SAFE_INTEGER),
            state: task.status.state,
            context: hash(&task.context_id),
        }
    }

    /// # Errors
    /// [`StoreError::Corrupt`] if the metadata is not what [`of`](Self::of) gives.
    pub(super) fn read(key: &str, metadata: Option<Value>) -> Result<Self, StoreError> {
        let metadata = metadata.and_then(|metadata| types::from_value(metadata).ok());
        metadata.ok_or_else(|| corrupt(key, "no metadata of a task"))
    }

    pub(super) fn to_value(&self) -> Value {
        serde_json::json!({"u": self.updated, "s": self.state.name(), "c": self.context})
    }

    /// The place in lists of the task that has this metadata.
    pub(super) fn place(&self, id: &str) -> Cursor {
        Cursor { updated: Timestamp(self.updated), id: id.to_owned() }
    }
}

/// The filters of a query.
pub(super) struct Filter<'a> {
    query: &'a TaskQuery,
    context: Option<String>,
}

impl<'a> Filter<'a> {
    pub(super) fn new(query: &'a TaskQuery) -> Self {
        Self { query, context: query.context_id.as_deref().map(hash) }
    }

    pub(super) fn passes(&self, metadata: &Metadata) -> bool {
        self.query.state.is_none_or(|state| metadata.state == state)
            && self.query.since.is_none_or(|since| Timestamp(metadata.updated) >= since)
            && self.context.as_ref().is_none_or(|context| metadata.context == *context)
    }
}
