//! The messages of A2A as Rust types (specification 4, `a2a.proto`).
//!
//! They serialise to what goes on the wire, and deserialise from the canonical form that
//! [`schema`](super::schema) makes of whatever a caller sent: camelCase names, enums by name, no nulls.

mod canonical;
mod change;
mod event;
mod message;
mod push;
mod request;
mod task;
#[cfg(test)]
mod tests;

pub use canonical::NotCanonical;
pub(crate) use canonical::from_value;
pub use event::{SendMessageResponse, StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent};
pub use message::{Content, Message, Part, Role};
pub use push::{AuthenticationInfo, ListTaskPushNotificationConfigsResponse, TaskPushNotificationConfig};
pub use request::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest, ListTasksRequest,
    Params, SendMessageConfiguration, SendMessageRequest, SubscribeToTaskRequest,
};
pub use task::{Artifact, ListTasksResponse, Task, TaskState, TaskStatus};

use super::json;

/// `google.protobuf.Struct`: any JSON object.
pub type Struct = serde_json::Map<String, serde_json::Value>;

/// A stored message, from its JSON text.
///
/// By way of a [`Value`](serde_json::Value), as parameters are read: a second deserializer for every type would make the
/// upload a tenth larger.
///
/// # Errors
/// The text is no JSON, or not of such a message.
pub(crate) fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    from_value(json::parse_own(text)?).map_err(serde::de::Error::custom)
}

/// Whether a field holds the default of its type, which an implicit field leaves out.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
