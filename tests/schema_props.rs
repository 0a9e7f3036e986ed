//! Properties of the schema: whatever is valid survives, whatever is not is told by its path, nothing panics.
#![allow(clippy::unwrap_used)] // as in every test; clippy knows only functions marked as such

use a2a_edge::ports::Timestamp;
use a2a_edge::protocol::details::FieldViolation;
use a2a_edge::protocol::json;
use a2a_edge::protocol::operation::Operation;
use a2a_edge::protocol::schema::{MAX_VIOLATIONS, check, check_result, query};
use a2a_edge::protocol::types::{
    AuthenticationInfo, Content, ListTasksRequest, Message, Params, Part, Role, SendMessageConfiguration,
    SendMessageRequest, Struct, TaskPushNotificationConfig, TaskState,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value};

/// The JSON names of all fields of `a2a.proto` that params and results have.
const NAMES: &str = "tenant message configuration metadata messageId contextId taskId role parts extensions \
    referenceTaskIds text raw url data filename mediaType acceptedOutputModes taskPushNotificationConfig historyLength \
    returnImmediately id token authentication scheme credentials status pageSize pageToken statusTimestampAfter \
    includeArtifacts task statusUpdate artifactUpdate state timestamp artifacts history artifactId name description \
    artifact append lastChunk tasks nextPageToken totalSize configs supportedInterfaces provider version \
    documentationUrl capabilities securitySchemes securityRequirements defaultInputModes defaultOutputModes skills \
    signatures iconUrl protocolBinding protocolVersion organization streaming pushNotifications extendedAgentCard uri \
    required params tags examples inputModes outputModes protected signature header schemes list";

fn any_operation() -> impl Strategy<Value = Operation> {
    proptest::sample::select(Operation::ALL.to_vec())
}

/// Any JSON value; its names are often those of the protocol, so that the check gets past the first level.
fn any_json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "\\PC{0,8}",
        Just("ROLE_USER".to_owned()),
        Just("TASK_STATE_WORKING".to_owned()),
        Just("2025-10-28T10:30:00Z".to_owned()),
        "[0-9]{1,3}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-3_i64..200).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    let name = prop_oneof![
        4 => proptest::sample::select(NAMES.split_whitespace().map(str::to_owned).collect::<Vec<_>>()),
        1 => proptest::sample::select(NAMES.split_whitespace().map(snake_case).collect::<Vec<_>>()),
        1 => "\\PC{0,8}",
    ];
    leaf.prop_recursive(6, 64, 8, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((name.clone(), inner), 0..8).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn snake_case(name: &str) -> String {
    name.chars().fold(String::new(), |mut snake, character| {
        if character.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(character.to_ascii_lowercase());
        snake
    })
}

fn any_struct() -> impl Strategy<Value = Option<Struct>> {
    option::of(vec(("\\PC{0,6}", any_json()), 0..3).prop_map(|members| members.into_iter().collect()))
}

fn any_part() -> impl Strategy<Value = Part> {
    let content = prop_oneof![
        "\\PC{0,20}".prop_map(Content::Text),
        vec(any::<u8>(), 0..20).prop_map(|bytes| Part::raw(bytes).content),
        "\\PC{0,20}".prop_map(Content::Url),
        any_json().prop_map(Content::Data),
    ];
    (content, any_struct(), option::of("\\PC{1,9}"), option::of("\\PC{1,9}"))
        .prop_map(|(content, metadata, filename, media_type)| Part { content, metadata, filename, media_type })
}

fn any_message() -> impl Strategy<Value = Message> {
    let ids = ("\\PC{1,9}", option::of("\\PC{1,9}"), option::of("\\PC{1,9}"));
    let role = proptest::sample::select(Role::ALL.to_vec());
    let lists = (vec("\\PC{0,9}", 0..3), vec("\\PC{0,9}", 0..3));
    (ids, role, vec(any_part(), 1..4), any_struct(), lists).prop_map(|(ids, role, parts, metadata, lists)| Message {
        message_id: ids.0,
        context_id: ids.1,
        task_id: ids.2,
        role,
        parts,
        metadata,
        extensions: lists.0,
        reference_task_ids: lists.1,
    })
}

fn any_config() -> impl Strategy<Value = TaskPushNotificationConfig> {
    let authentication = ("\\PC{1,9}", option::of("\\PC{1,9}"))
        .prop_map(|(scheme, credentials)| AuthenticationInfo { scheme, credentials });
    let texts = (option::of("\\PC{1,9}"), "\\PC{0,9}", "\\PC{1,9}", "\\PC{1,9}", option::of("\\PC{1,9}"));
    (texts, option::of(authentication)).prop_map(|((tenant, id, task_id, url, token), authentication)| {
        TaskPushNotificationConfig { tenant, id, task_id, url, token, authentication }
    })
}

fn any_count() -> impl Strategy<Value = Option<u32>> {
    option::of(0_u32..=2_147_483_647)
}

fn any_send() -> impl Strategy<Value = SendMessageRequest> {
    let configuration = (vec("\\PC{0,9}", 0..3), option::of(any_config()), any_count(), any::<bool>()).prop_map(
        |(accepted_output_modes, task_push_notification_config, history_length, return_immediately)| {
            SendMessageConfiguration {
                accepted_output_modes,
                task_push_notification_config,
                history_length,
                return_immediately,
            }
        },
    );
    (option::of("\\PC{1,9}"), any_message(), option::of(configuration), any_struct()).prop_map(
        |(tenant, message, configuration, metadata)| SendMessageRequest { tenant, message, configuration, metadata },
    )
}

fn any_list() -> impl Strategy<Value = ListTasksRequest> {
    let texts = (option::of("\\PC{1,9}"), option::of("\\PC{1,9}"), option::of("\\PC{1,9}"));
    let status = option::of(proptest::sample::select(TaskState::ALL.to_vec()));
    let since = option::of((0_u64..=253_402_300_799_999).prop_map(Timestamp));
    (texts, status, option::of(1_u32..=100), any_count(), since, option::of(any::<bool>())).prop_map(
        |(texts, status, page_size, history_length, status_timestamp_after, include_artifacts)| ListTasksRequest {
            tenant: texts.0,
            context_id: texts.1,
            status,
            page_size,
            page_token: texts.2,
            history_length,
            status_timestamp_after,
            include_artifacts,
        },
    )
}

fn any_params() -> impl Strategy<Value = (Params, Value)> {
    fn wire(value: &impl serde::Serialize) -> Value {
        serde_json::to_value(value).unwrap()
    }
    prop_oneof![
        any_send().prop_map(|request| (Params::SendMessage(request.clone()), wire(&request))),
        any_list().prop_map(|request| (Params::ListTasks(request.clone()), wire(&request))),
        any_config().prop_map(|request| (Params::CreateTaskPushNotificationConfig(request.clone()), wire(&request))),
    ]
}

/// Says the same in other forms that ProtoJSON takes; `choices` decides which.
fn reword(value: Value, name: &str, choices: &mut impl Iterator<Item = bool>) -> Value {
    let mut choose = || choices.next().unwrap_or(false);
    match value {
        _ if matches!(name, "metadata" | "data") => value,
        Value::Number(number) if choose() => Value::String(number.to_string()),
        Value::String(text) if name == "role" && choose() => {
            Value::from(1 + Role::ALL.iter().position(|role| role.name() == text).unwrap())
        }
        Value::String(text) if name == "status" && choose() => {
            Value::from(1 + TaskState::ALL.iter().position(|state| state.name() == text).unwrap())
        }
        Value::String(text) if name == "raw" && choose() => {
            Value::from(text.trim_end_matches('=').replace('+', "-").replace('/', "_"))
        }
        Value::Array(items) => items.into_iter().map(|item| reword(item, name, choices)).collect(),
        Value::Object(members) => {
            let mut reworded = Map::new();
            if choose() {
                reworded.insert("unknown_field".to_owned(), Value::from("x"));
                reworded.insert("tenant".to_owned(), Value::Null);
            }
            for (name, value) in members {
                let is_snake = choices.next().unwrap_or(false);
                let value = reword(value, &name, choices);
                reworded.insert(if is_snake { snake_case(&name) } else { name }, value);
            }
            Value::Object(reworded)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

/// The names in a path like `a.b[0]["c d"].e`; `None` if it is not one.
fn names_of(path: &str) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix("[\"") {
            rest = &quoted[quoted.find("\"]")? + 2..];
        } else if let Some(index) = rest.strip_prefix('[') {
            let (index, after) = index.split_once(']')?;
            index.parse::<usize>().ok()?;
            rest = after;
        } else {
            let name = rest.strip_prefix('.').unwrap_or(rest);
            let (name, after) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
            names.push(name);
            rest = after;
        }
    }
    Some(names)
}

fn assert_sound(violations: &[FieldViolation], root: &str) -> Result<(), TestCaseError> {
    prop_assert!((1..=MAX_VIOLATIONS).contains(&violations.len()));
    for violation in violations {
        prop_assert!(!violation.description.is_empty() && violation.description.len() < 1000);
        let names = names_of(&violation.field);
        prop_assert!(names.is_some(), "{}", violation.field);
        let is_known = |name: &&str| *name == root || NAMES.split_whitespace().any(|known| known == *name);
        prop_assert!(names.unwrap().iter().all(is_known), "{}", violation.field);
    }
    Ok(())
}

proptest! {
    #[test]
    fn valid_params_survive_in_every_form((params, wire) in any_params(), choices in vec(any::<bool>(), 0..64)) {
        let reworded = reword(wire, "", &mut choices.into_iter());
        let canonical = check(params.operation(), reworded).map_err(|violations| TestCaseError::fail(format!("{violations:?}")))?;
        prop_assert_eq!(&check(params.operation(), canonical.clone()).unwrap(), &canonical);
        prop_assert_eq!(Params::from_canonical(params.operation(), canonical).unwrap(), params);
    }

    #[test]
    fn anything_passes_or_is_told_by_its_path(operation in any_operation(), value in any_json()) {
        match check(operation, value) {
            Ok(canonical) => {
                prop_assert_eq!(&check(operation, canonical.clone()).unwrap(), &canonical);
                prop_assert_eq!(Params::from_canonical(operation, canonical).unwrap().operation(), operation);
            }
            Err(violations) => assert_sound(&violations, "params")?,
        }
    }

    #[test]
    fn no_result_makes_the_check_panic(operation in any_operation(), value in any_json()) {
        match check_result(operation, value) {
            Ok(canonical) => prop_assert_eq!(&check_result(operation, canonical.clone()).unwrap(), &canonical),
            Err(violations) if operation == Operation::GetExtendedAgentCard => prop_assert!(!violations.is_empty()),
            Err(violations) => assert_sound(&violations, "result")?,
        }
    }

    #[test]
    fn any_query_is_read_or_refused(operation in any_operation(), pairs in vec(("[a-zA-Z_.]{0,12}|pageSize|status|id", "\\PC{0,9}"), 0..8)) {
        let pairs = pairs.into_iter().map(|(name, text)| (name.into(), text.into()));
        match query(operation, pairs) {
            Ok(params) => drop(check(operation, Value::Object(params))),
            Err(violations) => assert_sound(&violations, "params")?,
        }
    }

    #[test]
    fn what_serde_json_writes_is_read_back(value in any_json()) {
        prop_assert_eq!(json::parse(&value.to_string()), Ok(value));
    }

    #[test]
    fn any_text_is_json_or_a_fault(text in "\\PC*|[\\[\\]{}:,\"0-9eE.+\\-tfn\\\\u ]{0,64}") {
        let expected = serde_json::from_str::<Value>(&text);
        match json::parse(&text) {
            Ok(value) => prop_assert_eq!(value, expected.unwrap()),
            Err(fault) => {
                prop_assert!(names_of(&fault.path).is_some());
                prop_assert!(fault.kind != json::FaultKind::Syntax || expected.is_err());
            }
        }
    }
}
