//! The rules of the specification, one by one.

mod protojson;
mod required;
mod results;

use serde_json::{Value, json};

use super::{MAX_VIOLATIONS, check, check_result, query};
use crate::protocol::details::FieldViolation;
use crate::protocol::operation::Operation;
use crate::protocol::types::{Params, TaskState};

const STATES: &str = "TASK_STATE_SUBMITTED, TASK_STATE_WORKING, TASK_STATE_COMPLETED, TASK_STATE_FAILED, \
                      TASK_STATE_CANCELED, TASK_STATE_REJECTED, TASK_STATE_INPUT_REQUIRED, TASK_STATE_AUTH_REQUIRED";

fn send(message: Value) -> Result<Value, Vec<FieldViolation>> {
    check(Operation::SendMessage, json!({"message": message}))
}

/// A message with this one part.
fn send_part(part: Value) -> Result<Value, Vec<FieldViolation>> {
    let checked = send(json!({"messageId": "m1", "role": "ROLE_USER", "parts": [part]}))?;
    Ok(checked["message"]["parts"][0].clone())
}

fn fields(result: Result<Value, Vec<FieldViolation>>) -> Vec<String> {
    result.unwrap_err().into_iter().map(|violation| violation.field).collect()
}

/// The one violation, as (field, description).
fn only(result: Result<Value, Vec<FieldViolation>>) -> (String, String) {
    let mut violations = result.unwrap_err();
    assert_eq!(violations.len(), 1, "{violations:?}");
    let violation = violations.remove(0);
    (violation.field, violation.description)
}

fn pair(field: &str, description: &str) -> (String, String) {
    (field.to_owned(), description.to_owned())
}

fn query_of(operation: Operation, pairs: &[(&str, &str)]) -> Result<Value, Vec<FieldViolation>> {
    let pairs = pairs.iter().map(|(name, text)| ((*name).to_owned().into(), (*text).to_owned().into()));
    query(operation, pairs).map(Value::Object)
}

// 5.7: "Fields marked with REQUIRED ... MUST be present and set in valid messages."

#[test]
fn a_missing_required_field_is_a_violation() {
    let cases: [(Operation, &[&str]); 11] = [
        (Operation::SendMessage, &["message"]),
        (Operation::SendStreamingMessage, &["message"]),
        (Operation::GetTask, &["id"]),
        (Operation::ListTasks, &[]),
        (Operation::CancelTask, &["id"]),
        (Operation::SubscribeToTask, &["id"]),
        (Operation::CreateTaskPushNotificationConfig, &["taskId", "url"]),
        (Operation::GetTaskPushNotificationConfig, &["taskId", "id"]),
        (Operation::ListTaskPushNotificationConfigs, &["taskId"]),
        (Operation::DeleteTaskPushNotificationConfig, &["taskId", "id"]),
        (Operation::GetExtendedAgentCard, &[]),
    ];
    for (operation, expected) in cases {
        for params in [json!({}), Value::Null] {
            let result = check(operation, params);
            let actual = if expected.is_empty() { result.map(|_| Vec::new()).unwrap() } else { fields(result) };
            assert_eq!(actual, expected, "{operation}");
        }
    }
}

#[test]
fn violations_come_all_at_once_in_the_order_of_the_schema() {
    let params = json!({
        "configuration": {"historyLength": -1, "taskPushNotificationConfig": {"authentication": {}}},
        "message": {"parts": [{"text": 1, "mediaType": ["x"]}, {}], "role": "USER"},
    });
    let expected = [
        "message.messageId",
        "message.role",
        "message.parts[0].text",
        "message.parts[0].mediaType",
        "message.parts[1]",
        "configuration.taskPushNotificationConfig.url",
        "configuration.taskPushNotificationConfig.authentication.scheme",
        "configuration.historyLength",
    ];
    assert_eq!(fields(check(Operation::SendMessage, params)), expected);
}

#[test]
fn a_required_field_must_not_be_empty() {
    let get = |id: Value| check(Operation::GetTask, json!({"id": id}));
    assert_eq!(only(get(json!(""))), pair("id", "Must not be empty"));
    assert_eq!(only(get(Value::Null)), pair("id", "Is required and must be a non-empty string"));
    assert_eq!(only(get(json!(7))), pair("id", "Must be a string, got a number"));

    // "Arrays marked as required MUST contain at least one element."
    let parts = |parts: Value| send(json!({"messageId": "m1", "role": "ROLE_USER", "parts": parts}));
    assert_eq!(only(parts(json!([]))), pair("message.parts", "Must have at least one element"));
    assert_eq!(
        only(parts(Value::Null)),
        pair("message.parts", "Is required and must be an array with at least one element")
    );
    assert_eq!(only(parts(json!({"text": "x"}))), pair("message.parts", "Must be an array, got an object"));
    assert_eq!(only(parts(json!([null]))), pair("message.parts[0]", "Must be an object (Part), got null"));
}

#[test]
fn params_that_are_no_object_are_one_violation() {
    for (params, got) in [(json!([]), "an array"), (json!("x"), "a string"), (json!(1), "a number")] {
        let (field, description) = only(check(Operation::GetTask, params));
        assert_eq!(field, "params");
        assert_eq!(description, format!("Must be an object (GetTaskRequest), got {got}"));
    }
}

#[test]
fn the_role_must_be_told() {
    let role = |role: Value| send(json!({"messageId": "m1", "role": role, "parts": [{"text": "x"}]}));
    for unspecified in [json!("ROLE_UNSPECIFIED"), json!(0)] {
        assert_eq!(only(role(unspecified)), pair("message.role", "Must be one of: ROLE_USER, ROLE_AGENT"));
    }
    assert_eq!(
        only(role(json!("user"))),
        pair("message.role", "Invalid role value 'user'. Must be one of: ROLE_USER, ROLE_AGENT")
    );
    assert_eq!(role(json!(2)).unwrap()["message"]["role"], "ROLE_AGENT");
    assert_eq!(role(json!("ROLE_AGENT")).unwrap()["message"]["role"], "ROLE_AGENT");
}

// 4.1.6 and the proto: `oneof content`.

#[test]
fn a_part_has_exactly_one_content() {
    for part in [json!({"text": ""}), json!({"raw": ""}), json!({"url": "https://x"}), json!({"data": [1]})] {
        assert_eq!(send_part(part.clone()).unwrap(), part);
    }
    let rule = "Must have exactly one of: text, raw, url, data; got ";
    assert_eq!(only(send_part(json!({"filename": "x"}))), pair("message.parts[0]", &format!("{rule}none")));
    assert_eq!(only(send_part(json!({"text": null}))), pair("message.parts[0]", &format!("{rule}none")));
    assert_eq!(
        only(send_part(json!({"url": "x", "text": "x"}))),
        pair("message.parts[0]", &format!("{rule}text, url"))
    );
}

#[test]
fn null_is_data_and_otherwise_absence() {
    assert_eq!(send_part(json!({"data": null, "metadata": null})).unwrap(), json!({"data": null}));
    assert_eq!(
        only(send_part(json!({"data": null, "text": "x"}))).1,
        "Must have exactly one of: text, raw, url, data; got text, data"
    );
    let params = json!({"id": "t1", "tenant": null, "historyLength": null});
    assert_eq!(check(Operation::GetTask, params).unwrap(), json!({"id": "t1"}));
}

#[test]
fn data_and_metadata_are_left_as_they_are() {
    let free = json!({"media_type": null, "n": 1.0, "role": 1, "deep": [{"text": "a", "url": null}], "": {}});
    let part = json!({"data": free, "metadata": free});
    assert_eq!(send_part(part.clone()).unwrap(), part);
    assert_eq!(
        only(send_part(json!({"text": "x", "metadata": []}))),
        pair("message.parts[0].metadata", "Must be an object, got an array")
    );
}

// 6.5: "Validation Error Example"

#[test]
fn the_example_of_the_specification_has_its_three_violations() {
    let pairs = [("pageSize", "150"), ("historyLength", "-5"), ("status", "TASK_STATE_RUNNING")];
    let params = query_of(Operation::ListTasks, &pairs).unwrap();
    let mut violations = check(Operation::ListTasks, params).unwrap_err();
    let status = format!("Invalid status value 'TASK_STATE_RUNNING'. Must be one of: {STATES}");
    let mut expected = vec![
        FieldViolation::new("pageSize", "Must be between 1 and 100 inclusive, got 150"),
        FieldViolation::new("historyLength", "Must be non-negative integer, got -5"),
        FieldViolation::new("status", status),
    ];
    // The example follows the order of its query.
    violations.sort_by(|one, other| one.field.cmp(&other.field));
    expected.sort_by(|one, other| one.field.cmp(&other.field));
    assert_eq!(violations, expected);
}

#[test]
fn a_page_has_1_to_100_tasks() {
    let page = |size: Value| check(Operation::ListTasks, json!({"pageSize": size}));
    for size in [1, 50, 100] {
        assert_eq!(page(json!(size)).unwrap(), json!({"pageSize": size}));
    }
    for size in [-1_i64, 0, 101, i64::MAX] {
        let (field, description) = only(page(json!(size)));
        assert_eq!(field, "pageSize");
        assert_eq!(description, format!("Must be between 1 and 100 inclusive, got {size}"));
    }
    // The proto gives no bounds for pages of configs, and 0 is the default of a plain field.
    let configs =
        |size: Value| check(Operation::ListTaskPushNotificationConfigs, json!({"taskId": "t", "pageSize": size}));
    assert_eq!(configs(json!(0)).unwrap(), json!({"taskId": "t"}));
    assert_eq!(configs(json!(1000)).unwrap(), json!({"taskId": "t", "pageSize": 1000}));
    assert_eq!(only(configs(json!(-1))).1, "Must be non-negative integer, got -1");
}

// Limits

#[test]
fn the_number_of_violations_is_limited() {
    let parts: Vec<Value> = (0..10_000).map(|_| json!({})).collect();
    let violations = send(json!({"messageId": "m1", "role": "ROLE_USER", "parts": parts})).unwrap_err();
    assert_eq!(violations.len(), MAX_VIOLATIONS);
    assert_eq!(violations[63].field, "message.parts[63]");
    // Also where the limit is reached in the middle of a part.
    let parts: Vec<Value> = std::iter::once(json!({})).chain((0..100).map(|_| json!({"mediaType": 1}))).collect();
    let violations = send(json!({"messageId": "m1", "role": "ROLE_USER", "parts": parts})).unwrap_err();
    assert_eq!(violations.len(), MAX_VIOLATIONS);
    assert_eq!(violations[63].field, "message.parts[32].mediaType");
}

#[test]
fn little_of_the_input_is_repeated() {
    let (_, description) = only(check(Operation::ListTasks, json!({"status": "\n".repeat(10_000)})));
    assert!(description.starts_with(&format!("Invalid status value '{}…'.", "\\n".repeat(64))), "{description}");
    let (_, description) = only(check(Operation::ListTasks, json!({"pageSize": "9".repeat(10_000)})));
    assert!(description.len() < 200, "{description}");
    // A secret in the wrong place is not repeated at all.
    let authentication = json!({"scheme": "Bearer", "credentials": ["s3cret"]});
    let params = json!({"taskId": "t", "url": "https://x", "token": 1234, "authentication": authentication});
    for violation in check(Operation::CreateTaskPushNotificationConfig, params).unwrap_err() {
        assert!(!violation.description.contains("s3cret") && !violation.description.contains("1234"));
    }
}

// 11.5

#[test]
fn query_parameters_become_params() {
    let pairs = [
        ("contextId", "7"),
        ("page_size", "20"),
        ("status", "TASK_STATE_WORKING"),
        ("includeArtifacts", "true"),
        ("statusTimestampAfter", "2025-11-09T10:30:00Z"),
        ("A2A-Version", "1.0"),
    ];
    let params = check(Operation::ListTasks, query_of(Operation::ListTasks, &pairs).unwrap()).unwrap();
    let expected = json!({
        "contextId": "7", "pageSize": 20, "status": "TASK_STATE_WORKING", "includeArtifacts": true,
        "statusTimestampAfter": "2025-11-09T10:30:00Z",
    });
    assert_eq!(params, expected);
}

#[test]
fn unsound_query_parameters_are_told_by_the_check() {
    let pairs = [("pageSize", "ten"), ("includeArtifacts", "yes"), ("status", "2"), ("historyLength", "")];
    let result = check(Operation::ListTasks, query_of(Operation::ListTasks, &pairs).unwrap());
    let expected = [
        FieldViolation::new("pageSize", "Must be between 1 and 100 inclusive, got \"ten\""),
        FieldViolation::new("historyLength", "Must be non-negative integer, got \"\""),
        FieldViolation::new("includeArtifacts", "Must be true or false, got \"yes\""),
    ];
    assert_eq!(result.unwrap_err(), expected);
}

// From params to types

#[test]
fn what_the_check_gives_has_a_type() {
    let params =
        json!({"status": 2, "page_size": "10", "historyLength": 0, "statusTimestampAfter": "1970-01-01T00:00:01Z"});
    let params = Params::from_canonical(Operation::ListTasks, check(Operation::ListTasks, params).unwrap()).unwrap();
    let Params::ListTasks(request) = &params else { panic!("{params:?}") };
    assert_eq!(request.status, Some(TaskState::Working));
    assert_eq!((request.page_size, request.history_length), (Some(10), Some(0)));
    assert_eq!(request.status_timestamp_after.map(|timestamp| timestamp.0), Some(1000));
    assert_eq!(params.operation(), Operation::ListTasks);
}
