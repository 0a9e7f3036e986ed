//! Results of the operations.

use serde_json::{Value, json};

use super::{check_result, fields, only, pair};
use crate::protocol::operation::Operation;

fn task() -> Value {
    json!({"id": "t1", "status": {"state": "TASK_STATE_COMPLETED"}})
}

#[test]
fn results_are_checked_by_operation() {
    let message = json!({"messageId": "m1", "role": "ROLE_AGENT", "parts": [{"text": "x"}]});
    let update = json!({"taskId": "t1", "contextId": "c1", "status": {"state": "TASK_STATE_WORKING"}});
    let config = json!({"id": "p1", "taskId": "t1", "url": "https://x"});
    for (operation, result) in [
        (Operation::SendMessage, json!({"task": task()})),
        (Operation::SendMessage, json!({"message": message})),
        (Operation::SendStreamingMessage, json!({"statusUpdate": update})),
        (Operation::SubscribeToTask, json!({"task": task()})),
        (Operation::GetTask, task()),
        (Operation::CancelTask, task()),
        (Operation::CreateTaskPushNotificationConfig, config.clone()),
        (Operation::GetTaskPushNotificationConfig, config.clone()),
        (Operation::ListTaskPushNotificationConfigs, json!({"configs": [config]})),
        (Operation::DeleteTaskPushNotificationConfig, json!({})),
    ] {
        assert_eq!(check_result(operation, result.clone()).unwrap(), result, "{operation}");
    }
    assert_eq!(check_result(Operation::DeleteTaskPushNotificationConfig, Value::Null).unwrap(), json!({}));
    assert_eq!(only(check_result(Operation::GetTask, Value::Null)).0, "result");
    assert_eq!(
        only(check_result(Operation::SendMessage, task())),
        pair("result", "Must have exactly one of: task, message; got none")
    );
    assert_eq!(fields(check_result(Operation::GetTask, json!({"id": "t1", "status": {}}))), ["status.state"]);
}

#[test]
fn a_list_of_tasks_always_has_its_four_fields() {
    let empty = json!({"tasks": [], "nextPageToken": "", "pageSize": 0, "totalSize": 0});
    assert_eq!(check_result(Operation::ListTasks, json!({})).unwrap(), empty);
    assert_eq!(check_result(Operation::ListTasks, empty.clone()).unwrap(), empty);
    let page = json!({"tasks": [task(), {"id": ""}], "next_page_token": "n", "pageSize": 50, "totalSize": "2"});
    assert_eq!(fields(check_result(Operation::ListTasks, page)), ["tasks[1].id", "tasks[1].status"]);
}

#[test]
fn results_of_later_versions_are_kept_whole() {
    let later = json!({"id": "t1", "status": {"state": "TASK_STATE_WORKING", "eta": null}, "priority": 1});
    assert_eq!(check_result(Operation::GetTask, later.clone()).unwrap(), later);
}

#[test]
fn empty_lists_of_results_may_be_left_out() {
    let mut with_artifact = task();
    with_artifact["artifacts"] = json!([{"artifactId": "a1"}]);
    let checked = check_result(Operation::GetTask, with_artifact).unwrap();
    assert_eq!(checked["artifacts"], json!([{"artifactId": "a1", "parts": []}]));
}
