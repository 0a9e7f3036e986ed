//! Every required field of every result, nested ones and events included: what becomes of a result that lacks it.

use serde_json::{Map, Value, json};

use super::super::data::result_of;
use super::super::model::{Field, Kind, MessageDef, Presence};
use super::{check_result, fields};
use crate::protocol::operation::Operation;

/// A value of every kind, with all the fields there are. Of a oneof it has `choice`, or the last one if there are fewer.
fn sample(kind: &Kind, choice: usize) -> Value {
    match kind {
        Kind::String => json!("x"),
        Kind::Bool => json!(true),
        Kind::Int(min, _) => json!(min + 1),
        Kind::Bytes => json!("eA=="),
        Kind::Enum(def) => json!(def.values[0].1),
        Kind::Message(def) => message(def, choice),
        Kind::Struct | Kind::Value => json!({"k": 1}),
        Kind::Timestamp => json!("2026-01-01T00:00:00Z"),
        Kind::Repeated(element) => json!([sample(element, choice)]),
        Kind::Map(element) => json!({"k": sample(element, choice)}),
    }
}

fn message(def: &MessageDef, choice: usize) -> Value {
    let is_chosen = |field: &Field| match &def.oneof {
        Some(oneof) if oneof.members.contains(&field.json) => {
            field.json == oneof.members[choice.min(oneof.members.len() - 1)]
        }
        Some(_) | None => true,
    };
    let members = def.fields.iter().filter(|field| is_chosen(field));
    Value::Object(members.map(|field| (field.json.to_owned(), sample(&field.kind, choice))).collect::<Map<_, _>>())
}

/// A required field somewhere in a value.
struct Found {
    /// The message that has it, as a JSON pointer.
    holder: String,
    name: &'static str,
    /// As a violation names it.
    path: String,
    presence: Presence,
    is_list: bool,
}

fn collect(kind: &Kind, value: &Value, pointer: &str, path: &str, found: &mut Vec<Found>) {
    match kind {
        Kind::Message(def) => {
            for field in def.fields {
                let Some(inner) = value.get(field.json) else { continue };
                let path = if path.is_empty() { field.json.to_owned() } else { format!("{path}.{}", field.json) };
                if matches!(field.presence, Presence::Required | Presence::Defaulted) {
                    found.push(Found {
                        holder: pointer.to_owned(),
                        name: field.json,
                        path: path.clone(),
                        presence: field.presence,
                        is_list: matches!(field.kind, Kind::Repeated(_)),
                    });
                }
                collect(&field.kind, inner, &format!("{pointer}/{}", field.json), &path, found);
            }
        }
        Kind::Repeated(element) => collect(element, &value[0], &format!("{pointer}/0"), &format!("{path}[0]"), found),
        Kind::Map(element) => collect(element, &value["k"], &format!("{pointer}/k"), &format!("{path}.k"), found),
        Kind::String
        | Kind::Bool
        | Kind::Int(..)
        | Kind::Bytes
        | Kind::Enum(_)
        | Kind::Struct
        | Kind::Value
        | Kind::Timestamp => {}
    }
}

/// Without the field, and with it at null.
fn lacking(value: &Value, found: &Found) -> [Value; 2] {
    let mut without = value.clone();
    without.pointer_mut(&found.holder).unwrap().as_object_mut().unwrap().remove(found.name);
    let mut null = value.clone();
    null.pointer_mut(&found.holder).unwrap()[found.name] = Value::Null;
    [without, null]
}

#[test]
fn a_result_that_lacks_a_required_field_is_none() {
    let mut walked = 0;
    for operation in Operation::ALL {
        for choice in 0..5 {
            let def = result_of(operation);
            let whole = message(def, choice);
            assert_eq!(check_result(operation, whole.clone()).unwrap(), whole, "{operation}");
            let mut found = Vec::new();
            collect_message(def, &whole, &mut found);
            for field in found {
                for lacking in lacking(&whole, &field) {
                    walked += 1;
                    let checked = check_result(operation, lacking);
                    // ProtoJSON leaves out an empty list, and of ListTasks also 0 and "".
                    if field.is_list || field.presence == Presence::Defaulted {
                        let completed = checked.unwrap();
                        let filled = &completed.pointer(&field.holder).unwrap()[field.name];
                        assert!([json!([]), json!(""), json!(0)].contains(filled), "{operation}: {}", field.path);
                    } else {
                        assert_eq!(fields(checked), [field.path.as_str()], "{operation}");
                    }
                }
            }
        }
    }
    assert!(walked > 500, "the walk has found only {walked}");
}

fn collect_message(def: &'static MessageDef, value: &Value, found: &mut Vec<Found>) {
    collect(&Kind::Message(def), value, "", "", found);
}

#[test]
fn a_result_of_another_operation_is_none() {
    // Whether the one would do for the other: it has what the other needs.
    let is_alike = |asked: Operation, told: Operation| match asked {
        Operation::SendMessage | Operation::SendStreamingMessage | Operation::SubscribeToTask => {
            matches!(told, Operation::SendMessage | Operation::SendStreamingMessage | Operation::SubscribeToTask)
        }
        Operation::GetTask | Operation::CancelTask => matches!(told, Operation::GetTask | Operation::CancelTask),
        Operation::CreateTaskPushNotificationConfig | Operation::GetTaskPushNotificationConfig => {
            matches!(told, Operation::CreateTaskPushNotificationConfig | Operation::GetTaskPushNotificationConfig)
        }
        // Both have a `nextPageToken`, and every other field may be absent.
        Operation::ListTasks | Operation::ListTaskPushNotificationConfigs => {
            matches!(told, Operation::ListTasks | Operation::ListTaskPushNotificationConfigs)
        }
        Operation::DeleteTaskPushNotificationConfig | Operation::GetExtendedAgentCard => asked == told,
    };
    for asked in Operation::ALL {
        for told in Operation::ALL {
            let told_result = message(result_of(told), 0);
            if told_result == json!({}) {
                continue;
            }
            assert_eq!(check_result(asked, told_result).is_ok(), is_alike(asked, told), "{told} for {asked}");
        }
        for foreign in
            [json!({"ok": true}), json!({"jsonrpc": "2.0", "result": {}}), json!({"error_code": 7, "hint": null})]
        {
            assert!(check_result(asked, foreign.clone()).is_err(), "{foreign} for {asked}");
        }
        for no_object in [json!([]), json!("x"), json!(7), json!(true)] {
            assert_eq!(fields(check_result(asked, no_object)), ["result"], "{asked}");
        }
    }
}

#[test]
fn an_empty_list_of_a_later_version_stays_one() {
    for (given, canonical) in [
        (json!({"nextPageToken": "", "later": 1}), json!({"configs": [], "later": 1})),
        (json!({"nextPageToken": null, "later": null}), json!({"configs": [], "later": null})),
        (json!({"next_page_token": "p", "later": 1}), json!({"nextPageToken": "p", "later": 1})),
    ] {
        let checked = check_result(Operation::ListTaskPushNotificationConfigs, given).unwrap();
        assert_eq!(checked, canonical);
        assert_eq!(check_result(Operation::ListTaskPushNotificationConfigs, checked).unwrap(), canonical);
    }
}

#[test]
fn nothing_at_all_is_an_empty_list_where_a_list_is_due() {
    let empty = |operation| check_result(operation, json!({}));
    let no_tasks = json!({"tasks": [], "nextPageToken": "", "pageSize": 0, "totalSize": 0});
    assert_eq!(empty(Operation::ListTasks).unwrap(), no_tasks);
    assert_eq!(empty(Operation::ListTaskPushNotificationConfigs).unwrap(), json!({}));
    assert_eq!(empty(Operation::DeleteTaskPushNotificationConfig).unwrap(), json!({}));
    for operation in Operation::ALL {
        let is_list = matches!(
            operation,
            Operation::ListTasks
                | Operation::ListTaskPushNotificationConfigs
                | Operation::DeleteTaskPushNotificationConfig
        );
        assert_eq!(empty(operation).is_ok(), is_list, "{operation}");
    }
}
