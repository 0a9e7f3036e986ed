//! The eleven operations of A2A (specification 3.1), and what the rest of the crate must know of each.

use std::fmt;

/// An operation of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Specification 3.1.1.
    SendMessage,
    /// Specification 3.1.2.
    SendStreamingMessage,
    /// Specification 3.1.3.
    GetTask,
    /// Specification 3.1.4.
    ListTasks,
    /// Specification 3.1.5.
    CancelTask,
    /// Specification 3.1.6.
    SubscribeToTask,
    /// Specification 3.1.7.
    CreateTaskPushNotificationConfig,
    /// Specification 3.1.8.
    GetTaskPushNotificationConfig,
    /// Specification 3.1.9.
    ListTaskPushNotificationConfigs,
    /// Specification 3.1.10.
    DeleteTaskPushNotificationConfig,
    /// Specification 3.1.11.
    GetExtendedAgentCard,
}

/// What the agent card must declare before an operation may be used (specification 3.3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Capability {
    /// `capabilities.streaming`
    Streaming,
    /// `capabilities.pushNotifications`
    PushNotifications,
    /// `capabilities.extendedAgentCard`
    ExtendedAgentCard,
}

impl Operation {
    /// Every operation, in the order of the specification.
    pub const ALL: [Self; 11] = [
        Self::SendMessage,
        Self::SendStreamingMessage,
        Self::GetTask,
        Self::ListTasks,
        Self::CancelTask,
        Self::SubscribeToTask,
        Self::CreateTaskPushNotificationConfig,
        Self::GetTaskPushNotificationConfig,
        Self::ListTaskPushNotificationConfigs,
        Self::DeleteTaskPushNotificationConfig,
        Self::GetExtendedAgentCard,
    ];

    /// The name of the operation, which is its JSON-RPC method (specification 5.3).
    pub const fn name(self) -> &'static str {
        match self {
            Self::SendMessage => "SendMessage",
            Self::SendStreamingMessage => "SendStreamingMessage",
            Self::GetTask => "GetTask",
            Self::ListTasks => "ListTasks",
            Self::CancelTask => "CancelTask",
            Self::SubscribeToTask => "SubscribeToTask",
            Self::CreateTaskPushNotificationConfig => "CreateTaskPushNotificationConfig",
            Self::GetTaskPushNotificationConfig => "GetTaskPushNotificationConfig",
            Self::ListTaskPushNotificationConfigs => "ListTaskPushNotificationConfigs",
            Self::DeleteTaskPushNotificationConfig => "DeleteTaskPushNotificationConfig",
            Self::GetExtendedAgentCard => "GetExtendedAgentCard",
        }
    }

    /// The operation of a JSON-RPC method. Methods are case-sensitive.
    pub fn from_method(method: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == method)
    }

    /// The capability that the card must declare, if any.
    pub const fn capability(self) -> Option<Capability> {
        match self {
            Self::SendStreamingMessage | Self::SubscribeToTask => Some(Capability::Streaming),
            Self::CreateTaskPushNotificationConfig
            | Self::GetTaskPushNotificationConfig
            | Self::ListTaskPushNotificationConfigs
            | Self::DeleteTaskPushNotificationConfig => Some(Capability::PushNotifications),
            Self::GetExtendedAgentCard => Some(Capability::ExtendedAgentCard),
            Self::SendMessage | Self::GetTask | Self::ListTasks | Self::CancelTask => None,
        }
    }

    /// Whether doing it twice is the same as doing it once (specification 3.3.1), so that it may be sent again.
    pub const fn is_idempotent(self) -> bool {
        match self {
            Self::GetTask
            | Self::ListTasks
            | Self::CancelTask
            | Self::SubscribeToTask
            | Self::GetTaskPushNotificationConfig
            | Self::ListTaskPushNotificationConfigs
            | Self::DeleteTaskPushNotificationConfig
            | Self::GetExtendedAgentCard => true,
            Self::SendMessage | Self::SendStreamingMessage | Self::CreateTaskPushNotificationConfig => false,
        }
    }

    /// Whether the answer is a stream of events.
    pub const fn is_streaming(self) -> bool {
        matches!(self, Self::SendStreamingMessage | Self::SubscribeToTask)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_found_by_their_exact_name() {
        for operation in Operation::ALL {
            assert_eq!(Operation::from_method(operation.name()), Some(operation));
        }
        assert_eq!(Operation::from_method("getTask"), None);
        assert_eq!(Operation::from_method("message/send"), None);
        assert_eq!(Operation::from_method(""), None);
    }
}
