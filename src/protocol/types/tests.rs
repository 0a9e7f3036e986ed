//! The wire form of each type, by hand from the proto and the examples of the specification.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::*;
use crate::ports::Timestamp;
use crate::protocol::operation::Operation;

/// Asserts that the value is written as `wire`, and read back from it.
fn assert_wire<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T, wire: &Value) {
    assert_eq!(&serde_json::to_value(value).unwrap(), wire);
    assert_eq!(&serde_json::from_value::<T>(wire.clone()).unwrap(), value);
}

#[test]
fn states_have_the_names_of_the_proto() {
    for state in TaskState::ALL {
        assert_wire(&state, &json!(state.name()));
        assert_eq!(state.to_string(), state.name());
    }
    for role in Role::ALL {
        assert_wire(&role, &json!(role.name()));
        assert_eq!(role.to_string(), role.name());
    }
    assert!(serde_json::from_value::<TaskState>(json!("TASK_STATE_UNSPECIFIED")).is_err());
}

#[test]
fn terminal_and_interrupted_states_are_those_of_the_specification() {
    // 3.2.2: "a terminal state (COMPLETED, FAILED, CANCELED, REJECTED) or an interrupted state (INPUT_REQUIRED,
    // AUTH_REQUIRED)".
    let named = |is: fn(TaskState) -> bool| -> Vec<&str> {
        TaskState::ALL.into_iter().filter(|state| is(*state)).map(TaskState::name).collect()
    };
    assert_eq!(
        named(TaskState::is_terminal),
        ["TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED"]
    );
    assert_eq!(named(TaskState::is_interrupted), ["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED"]);
}

#[test]
fn parts_carry_one_content() {
    assert_wire(&Part::text("hi"), &json!({"text": "hi"}));
    assert_wire(&Part::raw([0xfb, 0xff]), &json!({"raw": "+/8="}));
    assert_wire(&Part::url("https://x"), &json!({"url": "https://x"}));
    assert_wire(&Part::data(json!({"a": [1]})), &json!({"data": {"a": [1]}}));
    assert_wire(&Part::data(Value::Null), &json!({"data": null}));
    assert_wire(
        &Part::url("https://x/y.png").with_filename("y.png").with_media_type("image/png"),
        &json!({"url": "https://x/y.png", "filename": "y.png", "mediaType": "image/png"}),
    );
    assert!(serde_json::from_value::<Part>(json!({"filename": "x"})).is_err());
    assert!(serde_json::from_value::<Part>(json!({"text": "x", "data": null})).is_err());
}

#[test]
fn bytes_come_back_from_base64() {
    assert_eq!(Part::raw(b"\x00\xff").bytes().unwrap(), b"\x00\xff");
    assert_eq!(Part::text("AP8=").bytes(), None);
    assert_eq!(Part::from(Content::Raw("!".into())).bytes(), None);
}

#[test]
fn a_message_leaves_out_what_is_not_set() {
    let message = Message::agent_text("hello").with_id("m1");
    assert_wire(&message, &json!({"messageId": "m1", "role": "ROLE_AGENT", "parts": [{"text": "hello"}]}));
    let whole = json!({
        "messageId": "m1", "contextId": "c1", "taskId": "t1", "role": "ROLE_USER",
        "parts": [{"text": "x", "metadata": {"k": null}}], "metadata": {}, "extensions": ["https://e"],
        "referenceTaskIds": ["t0"],
    });
    assert_wire(&serde_json::from_value::<Message>(whole.clone()).unwrap(), &whole);
}

#[test]
fn text_is_that_of_the_text_parts() {
    let mut message = Message::user_text("a");
    assert_eq!(message.text(), "a");
    message.parts.extend([Part::url("https://x"), Part::text("b"), Part::text("c")]);
    assert_eq!(message.text(), "abc");
    message.parts.clear();
    assert_eq!(message.text(), "");
    assert_eq!(Artifact::text("a1", "out").joined_text(), "out");
}

#[test]
fn a_task_tells_left_out_from_none() {
    let task = Task::new("t1", "c1").with_status(TaskStatus::new(TaskState::Working).at(Timestamp(1_761_647_400_000)));
    let mut wire = json!({
        "id": "t1", "contextId": "c1",
        "status": {"state": "TASK_STATE_WORKING", "timestamp": "2025-10-28T10:30:00.000Z"},
    });
    assert_wire(&task, &wire);
    // 3.1.4: "its actual content (which may be an empty array if the task has no artifacts)".
    wire["artifacts"] = json!([]);
    assert_wire(&Task { artifacts: Some(Vec::new()), ..task.clone() }, &wire);
    wire["artifacts"] = json!([{"artifactId": "a1", "name": "answer", "parts": [{"text": "x"}]}]);
    assert_wire(&task.with_artifact(Artifact::text("a1", "x").with_name("answer")), &wire);
}

#[test]
fn history_is_limited_to_the_most_recent_messages() {
    let mut task = Task::new("t1", "c1");
    for id in ["m1", "m2", "m3"] {
        task.push_message(Message::user_text(id).with_id(id));
    }
    let ids = |task: &Task| task.history().iter().map(|message| message.message_id.clone()).collect::<Vec<_>>();
    let mut limited = task.clone();
    limited.limit_history(4);
    assert_eq!(ids(&limited), ["m1", "m2", "m3"]);
    limited.limit_history(2);
    assert_eq!(ids(&limited), ["m2", "m3"]);
    // 3.2.4: "No history should be returned; the history field SHOULD be omitted".
    limited.limit_history(0);
    assert_eq!(limited.history, None);
}

#[test]
fn answers_and_events_are_wrapped_by_their_name() {
    let task = Task::new("t1", "c1");
    let task_wire = json!({"id": "t1", "contextId": "c1", "status": {"state": "TASK_STATE_SUBMITTED"}});
    let message = Message::agent_text("x").with_id("m1");
    let message_wire = json!({"messageId": "m1", "role": "ROLE_AGENT", "parts": [{"text": "x"}]});
    assert_wire(&SendMessageResponse::from(task.clone()), &json!({"task": task_wire}));
    assert_wire(&SendMessageResponse::from(message.clone()), &json!({"message": message_wire}));
    assert_wire(&StreamResponse::from(SendMessageResponse::from(task)), &json!({"task": task_wire}));
    assert_wire(&StreamResponse::from(message), &json!({"message": message_wire}));

    let update = TaskStatusUpdateEvent::new("t1", "c1", TaskState::Failed);
    let wire = json!({"taskId": "t1", "contextId": "c1", "status": {"state": "TASK_STATE_FAILED"}});
    assert_wire(&StreamResponse::from(update), &json!({"statusUpdate": wire}));

    let mut update = TaskArtifactUpdateEvent::new("t1", "c1", Artifact::text("a1", "x"));
    let mut wire =
        json!({"taskId": "t1", "contextId": "c1", "artifact": {"artifactId": "a1", "parts": [{"text": "x"}]}});
    assert_wire(&StreamResponse::from(update.clone()), &json!({"artifactUpdate": wire}));
    (update.append, update.last_chunk) = (true, true);
    (wire["append"], wire["lastChunk"]) = (json!(true), json!(true));
    assert_wire(&StreamResponse::from(update), &json!({"artifactUpdate": wire}));
}

#[test]
fn a_list_of_tasks_always_has_its_four_fields() {
    let empty = json!({"tasks": [], "nextPageToken": "", "pageSize": 0, "totalSize": 0});
    assert_wire(&ListTasksResponse::default(), &empty);
    assert_wire(&ListTaskPushNotificationConfigsResponse::default(), &json!({"configs": []}));
}

#[test]
fn secrets_are_not_in_the_debug_output() {
    let config = TaskPushNotificationConfig {
        id: "p1".into(),
        url: "https://hook.example/s3cret".into(),
        token: Some("s3cret".into()),
        authentication: Some(AuthenticationInfo { scheme: "Bearer".into(), credentials: Some("s3cret".into()) }),
        ..TaskPushNotificationConfig::default()
    };
    let text = format!("{config:?} {:?}", config.authentication);
    assert!(text.contains("p1") && text.contains("Bearer") && !text.contains("s3cret"), "{text}");
    let wire = json!({
        "id": "p1", "url": "https://hook.example/s3cret", "token": "s3cret",
        "authentication": {"scheme": "Bearer", "credentials": "s3cret"},
    });
    assert_wire(&config, &wire);
}

#[test]
fn requests_leave_out_what_is_not_set() {
    assert_wire(&GetTaskRequest { id: "t1".into(), ..GetTaskRequest::default() }, &json!({"id": "t1"}));
    assert_wire(&ListTasksRequest::default(), &json!({}));
    assert_wire(&SendMessageConfiguration::default(), &json!({}));
    let list = ListTasksRequest {
        status: Some(TaskState::Completed),
        page_size: Some(10),
        status_timestamp_after: Some(Timestamp(1_761_647_400_000)),
        include_artifacts: Some(false),
        ..ListTasksRequest::default()
    };
    let wire = json!({
        "status": "TASK_STATE_COMPLETED", "pageSize": 10, "statusTimestampAfter": "2025-10-28T10:30:00.000Z",
        "includeArtifacts": false,
    });
    assert_wire(&list, &wire);
}

#[test]
fn every_operation_has_its_params() {
    let message = json!({"messageId": "m1", "taskId": "t1", "role": "ROLE_USER", "parts": [{"text": "x"}]});
    for operation in Operation::ALL {
        let (params, task_id) = match operation {
            Operation::SendMessage | Operation::SendStreamingMessage => (json!({"message": message}), Some("t1")),
            Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => {
                (json!({"id": "t1"}), Some("t1"))
            }
            Operation::ListTasks | Operation::GetExtendedAgentCard => (json!({}), None),
            Operation::CreateTaskPushNotificationConfig => (json!({"taskId": "t1", "url": "https://x"}), Some("t1")),
            Operation::ListTaskPushNotificationConfigs => (json!({"taskId": "t1"}), Some("t1")),
            Operation::GetTaskPushNotificationConfig | Operation::DeleteTaskPushNotificationConfig => {
                (json!({"taskId": "t1", "id": "p1"}), Some("t1"))
            }
        };
        let params = Params::from_canonical(operation, params).unwrap();
        assert_eq!((params.operation(), params.task_id()), (operation, task_id));
    }
    assert!(Params::from_canonical(Operation::GetTask, json!({})).is_err());
}
