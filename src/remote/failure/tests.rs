//! Where a failed task may tell too much, and where it may not be touched.

use serde_json::json;

use super::*;

const STACK: &str = "Traceback (most recent call last): File \"agent.py\", line 3";
const HARMLESS: &str = "The flight is fully booked.";

fn message(id: &str, texts: &[&str]) -> Value {
    let parts: Vec<Value> = texts.iter().map(|text| json!({"text": text, "mediaType": "text/plain"})).collect();
    json!({"messageId": id, "role": "ROLE_AGENT", "parts": parts})
}

fn status(state: &str, texts: &[&str]) -> Value {
    json!({"state": state, "message": message("m1", texts)})
}

fn task(state: &str, texts: &[&str]) -> Value {
    json!({"id": "t1", "status": status(state, texts)})
}

fn said(text: &str) -> Vec<Hidden> {
    vec![Hidden { task: "t1".to_owned(), said: text.to_owned() }]
}

/// What becomes of a result, and what the log is told.
fn hidden(operation: Operation, mut result: Value) -> (Value, Vec<Hidden>) {
    let hidden = hide(operation, &mut result, &["Bearer caller-credential"]);
    (result, hidden)
}

#[test]
fn a_text_that_looks_like_internals_is_replaced_wherever_a_status_passes() {
    const STATE: &str = "TASK_STATE_FAILED";
    let (before, after) = (task(STATE, &[STACK]), task(STATE, &[FAILED]));
    let other = task("TASK_STATE_WORKING", &[STACK]);
    let update =
        |text: &str| json!({"statusUpdate": {"taskId": "t1", "contextId": "c", "status": status(STATE, &[text])}});
    for (operation, result, expected) in [
        (Operation::GetTask, before.clone(), after.clone()),
        (Operation::CancelTask, before.clone(), after.clone()),
        (Operation::SendMessage, json!({"task": before}), json!({"task": after})),
        (Operation::SendStreamingMessage, json!({"task": before}), json!({"task": after})),
        (Operation::SendStreamingMessage, update(STACK), update(FAILED)),
        (Operation::SubscribeToTask, update(STACK), update(FAILED)),
        (Operation::ListTasks, json!({"tasks": [other, before]}), json!({"tasks": [other, after]})),
    ] {
        assert_eq!(hidden(operation, result), (expected, said(STACK)), "{operation}");
    }
}

#[test]
fn the_same_message_in_the_history_says_no_more() {
    let mut failed = task("TASK_STATE_FAILED", &[STACK]);
    failed["history"] = json!([message("m0", &[STACK]), message("m1", &[STACK, HARMLESS])]);
    let (after, hidden) = hidden(Operation::GetTask, failed);
    assert_eq!(after["history"], json!([message("m0", &[STACK]), message("m1", &[FAILED, HARMLESS])]));
    assert_eq!(hidden, said(STACK), "once is enough");
}

#[test]
fn harmless_texts_other_parts_and_other_states_are_left_alone() {
    let mut with_data = task("TASK_STATE_FAILED", &[HARMLESS]);
    with_data["status"]["message"]["parts"] =
        json!([{"text": HARMLESS}, {"data": {"text": STACK}}, {"url": "https://example.com/text"}]);
    with_data["artifacts"] = json!([{"artifactId": "a", "parts": [{"text": STACK}]}]);
    let states = TaskState::ALL.into_iter().filter(|state| *state != TaskState::Failed);
    let others = states.map(|state| task(state.name(), &[STACK]));
    let silent = [json!({"id": "t1", "status": {"state": "TASK_STATE_FAILED"}}), with_data];
    for result in others.chain(silent) {
        assert_eq!(hidden(Operation::GetTask, result.clone()), (result, Vec::new()));
    }
    // A message is no status.
    let result = json!({"message": message("m1", &[STACK])});
    assert_eq!(hidden(Operation::SendMessage, result.clone()), (result, Vec::new()));
    let artifact = json!({"artifactUpdate": {"taskId": "t1", "contextId": "c", "artifact": {"artifactId": "a", "parts": [{"text": STACK}]}}});
    assert_eq!(hidden(Operation::SendStreamingMessage, artifact.clone()), (artifact, Vec::new()));
}

#[test]
fn each_part_is_judged_by_itself() {
    let (after, hidden) = hidden(Operation::GetTask, task("TASK_STATE_FAILED", &[HARMLESS, STACK, "10.0.0.7 is down"]));
    assert_eq!(after, task("TASK_STATE_FAILED", &[HARMLESS, FAILED, FAILED]));
    assert_eq!(hidden.len(), 2);
}

#[test]
fn secrets_are_not_even_for_the_log() {
    for text in ["password=hunter2", "no such token: caller-credential"] {
        let (after, hidden) = hidden(Operation::GetTask, task("TASK_STATE_FAILED", &[text]));
        assert_eq!(after, task("TASK_STATE_FAILED", &[FAILED]));
        assert_eq!(hidden, said("[withheld]"));
    }
}
