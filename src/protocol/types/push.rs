//! Push notification configs (specification 4.3). They hold secrets, which `Debug` does not print.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where, and with what credentials, to send the updates of a task.
#[derive(Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskPushNotificationConfig {
    /// The tenant of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Identifies the config within its task.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The task. Empty in a config that comes with a message.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task_id: String,
    /// Where to send.
    pub url: String,
    /// Sent along, so that the receiver knows what it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// How to authenticate to the receiver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authentication: Option<AuthenticationInfo>,
}

impl fmt::Debug for TaskPushNotificationConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL is left out too: webhooks often carry their secret in it.
        f.debug_struct("TaskPushNotificationConfig")
            .field("tenant", &self.tenant)
            .field("id", &self.id)
            .field("task_id", &self.task_id)
            .finish_non_exhaustive()
    }
}

/// How to authenticate to the receiver of a push notification.
#[derive(Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuthenticationInfo {
    /// HTTP authentication scheme, in any case.
    pub scheme: String,
    /// The credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<String>,
}

impl fmt::Debug for AuthenticationInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthenticationInfo").field("scheme", &self.scheme).finish_non_exhaustive()
    }
}

/// The push notification configs of a task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListTaskPushNotificationConfigsResponse {
    /// The configs.
    pub configs: Vec<TaskPushNotificationConfig>,
    /// Where the next page starts; empty on the last.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub next_page_token: String,
}
