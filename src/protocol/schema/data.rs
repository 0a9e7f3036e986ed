//! Tables of the messages that agents and clients exchange: requests, results, and what is in them (`a2a.proto`).

use super::card::AGENT_CARD;
use super::model::Kind::{Bool, Bytes, Enum, Int, Message, Repeated, String, Struct, Timestamp, Value};
use super::model::{EnumDef, Field, Kind, MessageDef, defaulted, explicit, field, message, one_of, required};
use crate::protocol::operation::Operation;

/// The greatest `int32`.
const MAX_INT32: i64 = i32::MAX as i64;

/// A count: "MUST be non-negative" in the example of specification 6.5.
const COUNT: Kind = Int(0, MAX_INT32);

/// `ListTasksRequest.page_size`: "The minimum value is 1. The maximum value is 100."
const PAGE_SIZE: Kind = Int(1, 100);

const TENANT: Field = field("tenant", "tenant", String);
const METADATA: Field = explicit("metadata", "metadata", Struct);
const HISTORY_LENGTH: Field = explicit("historyLength", "history_length", COUNT);

/// In the order of the example of specification 6.5.
static TASK_STATE: EnumDef = EnumDef {
    unspecified: "TASK_STATE_UNSPECIFIED",
    values: &[
        (1, "TASK_STATE_SUBMITTED"),
        (2, "TASK_STATE_WORKING"),
        (3, "TASK_STATE_COMPLETED"),
        (4, "TASK_STATE_FAILED"),
        (5, "TASK_STATE_CANCELED"),
        (7, "TASK_STATE_REJECTED"),
        (6, "TASK_STATE_INPUT_REQUIRED"),
        (8, "TASK_STATE_AUTH_REQUIRED"),
    ],
};

static ROLE: EnumDef = EnumDef { unspecified: "ROLE_UNSPECIFIED", values: &[(1, "ROLE_USER"), (2, "ROLE_AGENT")] };

static PART: MessageDef = one_of(
    "Part",
    &[
        explicit("text", "text", String),
        explicit("raw", "raw", Bytes),
        explicit("url", "url", String),
        explicit("data", "data", Value),
        METADATA,
        field("filename", "filename", String),
        field("mediaType", "media_type", String),
    ],
    &["text", "raw", "url", "data"],
);

static MESSAGE: MessageDef = message(
    "Message",
    &[
        required("messageId", "message_id", String),
        field("contextId", "context_id", String),
        field("taskId", "task_id", String),
        required("role", "role", Enum(&ROLE)),
        required("parts", "parts", Repeated(&Message(&PART))),
        METADATA,
        explicit("extensions", "extensions", Repeated(&String)),
        explicit("referenceTaskIds", "reference_task_ids", Repeated(&String)),
    ],
);

static ARTIFACT: MessageDef = message(
    "Artifact",
    &[
        required("artifactId", "artifact_id", String),
        field("name", "name", String),
        field("description", "description", String),
        required("parts", "parts", Repeated(&Message(&PART))),
        METADATA,
        explicit("extensions", "extensions", Repeated(&String)),
    ],
);

static TASK_STATUS: MessageDef = message(
    "TaskStatus",
    &[
        required("state", "state", Enum(&TASK_STATE)),
        explicit("message", "message", Message(&MESSAGE)),
        explicit("timestamp", "timestamp", Timestamp),
    ],
);

static TASK: MessageDef = message(
    "Task",
    &[
        required("id", "id", String),
        field("contextId", "context_id", String),
        required("status", "status", Message(&TASK_STATUS)),
        explicit("artifacts", "artifacts", Repeated(&Message(&ARTIFACT))),
        explicit("history", "history", Repeated(&Message(&MESSAGE))),
        METADATA,
    ],
);

static TASK_STATUS_UPDATE_EVENT: MessageDef = message(
    "TaskStatusUpdateEvent",
    &[
        required("taskId", "task_id", String),
        required("contextId", "context_id", String),
        required("status", "status", Message(&TASK_STATUS)),
        METADATA,
    ],
);

static TASK_ARTIFACT_UPDATE_EVENT: MessageDef = message(
    "TaskArtifactUpdateEvent",
    &[
        required("taskId", "task_id", String),
        required("contextId", "context_id", String),
        required("artifact", "artifact", Message(&ARTIFACT)),
        field("append", "append", Bool),
        field("lastChunk", "last_chunk", Bool),
        METADATA,
    ],
);

static SEND_MESSAGE_RESPONSE: MessageDef = one_of(
    "SendMessageResponse",
    &[explicit("task", "task", Message(&TASK)), explicit("message", "message", Message(&MESSAGE))],
    &["task", "message"],
);

static STREAM_RESPONSE: MessageDef = one_of(
    "StreamResponse",
    &[
        explicit("task", "task", Message(&TASK)),
        explicit("message", "message", Message(&MESSAGE)),
        explicit("statusUpdate", "status_update", Message(&TASK_STATUS_UPDATE_EVENT)),
        explicit("artifactUpdate", "artifact_update", Message(&TASK_ARTIFACT_UPDATE_EVENT)),
    ],
    &["task", "message", "statusUpdate", "artifactUpdate"],
);

static AUTHENTICATION_INFO: MessageDef =
    message("AuthenticationInfo", &[required("scheme", "scheme", String), field("credentials", "credentials", String)]);

const PUSH_URL: Field = required("url", "url", String);
const PUSH_TOKEN: Field = field("token", "token", String);
const PUSH_AUTHENTICATION: Field = explicit("authentication", "authentication", Message(&AUTHENTICATION_INFO));

static TASK_PUSH_NOTIFICATION_CONFIG: MessageDef = message(
    "TaskPushNotificationConfig",
    &[TENANT, field("id", "id", String), field("taskId", "task_id", String), PUSH_URL, PUSH_TOKEN, PUSH_AUTHENTICATION],
);

/// The same message as the parameters of CreateTaskPushNotificationConfig, whose method signature and REST route need
/// a task. (With SendMessage "task id should be empty".)
static CREATE_TASK_PUSH_NOTIFICATION_CONFIG: MessageDef = message(
    "TaskPushNotificationConfig",
    &[
        TENANT,
        field("id", "id", String),
        required("taskId", "task_id", String),
        PUSH_URL,
        PUSH_TOKEN,
        PUSH_AUTHENTICATION,
    ],
);

pub(super) static SEND_MESSAGE_CONFIGURATION: MessageDef = message(
    "SendMessageConfiguration",
    &[
        explicit("acceptedOutputModes", "accepted_output_modes", Repeated(&String)),
        explicit(
            "taskPushNotificationConfig",
            "task_push_notification_config",
            Message(&TASK_PUSH_NOTIFICATION_CONFIG),
        ),
        HISTORY_LENGTH,
        field("returnImmediately", "return_immediately", Bool),
    ],
);

static SEND_MESSAGE_REQUEST: MessageDef = message(
    "SendMessageRequest",
    &[
        TENANT,
        required("message", "message", Message(&MESSAGE)),
        explicit("configuration", "configuration", Message(&SEND_MESSAGE_CONFIGURATION)),
        METADATA,
    ],
);

static GET_TASK_REQUEST: MessageDef =
    message("GetTaskRequest", &[TENANT, required("id", "id", String), HISTORY_LENGTH]);

static LIST_TASKS_REQUEST: MessageDef = message(
    "ListTasksRequest",
    &[
        TENANT,
        field("contextId", "context_id", String),
        field("status", "status", Enum(&TASK_STATE)),
        explicit("pageSize", "page_size", PAGE_SIZE),
        field("pageToken", "page_token", String),
        HISTORY_LENGTH,
        explicit("statusTimestampAfter", "status_timestamp_after", Timestamp),
        explicit("includeArtifacts", "include_artifacts", Bool),
    ],
);

static LIST_TASKS_RESPONSE: MessageDef = message(
    "ListTasksResponse",
    &[
        defaulted("tasks", "tasks", Repeated(&Message(&TASK))),
        defaulted("nextPageToken", "next_page_token", String),
        defaulted("pageSize", "page_size", COUNT),
        defaulted("totalSize", "total_size", COUNT),
    ],
);

static CANCEL_TASK_REQUEST: MessageDef =
    message("CancelTaskRequest", &[TENANT, required("id", "id", String), METADATA]);

static SUBSCRIBE_TO_TASK_REQUEST: MessageDef =
    message("SubscribeToTaskRequest", &[TENANT, required("id", "id", String)]);

static GET_TASK_PUSH_NOTIFICATION_CONFIG_REQUEST: MessageDef = message(
    "GetTaskPushNotificationConfigRequest",
    &[TENANT, required("taskId", "task_id", String), required("id", "id", String)],
);

static DELETE_TASK_PUSH_NOTIFICATION_CONFIG_REQUEST: MessageDef = message(
    "DeleteTaskPushNotificationConfigRequest",
    &[TENANT, required("taskId", "task_id", String), required("id", "id", String)],
);

static LIST_TASK_PUSH_NOTIFICATION_CONFIGS_REQUEST: MessageDef = message(
    "ListTaskPushNotificationConfigsRequest",
    &[
        TENANT,
        required("taskId", "task_id", String),
        field("pageSize", "page_size", COUNT),
        field("pageToken", "page_token", String),
    ],
);

static LIST_TASK_PUSH_NOTIFICATION_CONFIGS_RESPONSE: MessageDef = message(
    "ListTaskPushNotificationConfigsResponse",
    &[
        explicit("configs", "configs", Repeated(&Message(&TASK_PUSH_NOTIFICATION_CONFIG))),
        field("nextPageToken", "next_page_token", String),
    ],
);

static GET_EXTENDED_AGENT_CARD_REQUEST: MessageDef = message("GetExtendedAgentCardRequest", &[TENANT]);

/// `google.protobuf.Empty`
static EMPTY: MessageDef = message("Empty", &[]);

/// The message that an operation is asked with.
pub(super) fn request_of(operation: Operation) -> &'static MessageDef {
    match operation {
        Operation::SendMessage | Operation::SendStreamingMessage => &SEND_MESSAGE_REQUEST,
        Operation::GetTask => &GET_TASK_REQUEST,
        Operation::ListTasks => &LIST_TASKS_REQUEST,
        Operation::CancelTask => &CANCEL_TASK_REQUEST,
        Operation::SubscribeToTask => &SUBSCRIBE_TO_TASK_REQUEST,
        Operation::CreateTaskPushNotificationConfig => &CREATE_TASK_PUSH_NOTIFICATION_CONFIG,
        Operation::GetTaskPushNotificationConfig => &GET_TASK_PUSH_NOTIFICATION_CONFIG_REQUEST,
        Operation::ListTaskPushNotificationConfigs => &LIST_TASK_PUSH_NOTIFICATION_CONFIGS_REQUEST,
        Operation::DeleteTaskPushNotificationConfig => &DELETE_TASK_PUSH_NOTIFICATION_CONFIG_REQUEST,
        Operation::GetExtendedAgentCard => &GET_EXTENDED_AGENT_CARD_REQUEST,
    }
}

/// The message that an operation answers with, or each element of the stream that it answers with.
pub(super) fn result_of(operation: Operation) -> &'static MessageDef {
    match operation {
        Operation::SendMessage => &SEND_MESSAGE_RESPONSE,
        Operation::SendStreamingMessage | Operation::SubscribeToTask => &STREAM_RESPONSE,
        Operation::GetTask | Operation::CancelTask => &TASK,
        Operation::ListTasks => &LIST_TASKS_RESPONSE,
        Operation::CreateTaskPushNotificationConfig | Operation::GetTaskPushNotificationConfig => {
            &TASK_PUSH_NOTIFICATION_CONFIG
        }
        Operation::ListTaskPushNotificationConfigs => &LIST_TASK_PUSH_NOTIFICATION_CONFIGS_RESPONSE,
        Operation::DeleteTaskPushNotificationConfig => &EMPTY,
        Operation::GetExtendedAgentCard => &AGENT_CARD,
    }
}
