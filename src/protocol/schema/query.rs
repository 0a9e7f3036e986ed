//! Query parameters as params (specification 11.5).

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::model::{Kind, MessageDef};
use crate::protocol::details::FieldViolation;

/// Reads the parameters that `def` knows.
pub(super) fn read<'a>(
    def: &'static MessageDef,
    pairs: impl IntoIterator<Item = (Cow<'a, str>, Cow<'a, str>)>,
) -> Result<Map<String, Value>, Vec<FieldViolation>> {
    let mut params = Map::new();
    let mut violations: Vec<FieldViolation> = Vec::new();
    // One violation for each field, however often the query offends.
    let mut refuse = |field: &str, description: &str| {
        if violations.iter().all(|violation| violation.field != field) {
            violations.push(FieldViolation::new(field, description));
        }
    };
    for (name, text) in pairs {
        let (head, is_nested) = name.split_once('.').map_or((name.as_ref(), false), |(head, _)| (head, true));
        let Some(field) = def.field(head) else { continue };
        match &field.kind {
            Kind::Message(_) | Kind::Struct | Kind::Value | Kind::Map(_) => {
                refuse(field.json, "Must be sent in a request body, not in the query");
            }
            // `id.x` is no more known than `x` is.
            _ if is_nested => {}
            Kind::Repeated(Kind::Message(_) | Kind::Struct | Kind::Value | Kind::Map(_) | Kind::Repeated(_)) => {
                refuse(field.json, "Must be sent in a request body, not in the query");
            }
            Kind::Repeated(element) => {
                let list = params.entry(field.json).or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(items) = list {
                    items.extend(text.split(',').map(|text| scalar(element, Cow::Borrowed(text))));
                }
            }
            kind @ (Kind::String | Kind::Bool | Kind::Int(..) | Kind::Bytes | Kind::Enum(_) | Kind::Timestamp) => {
                if params.insert(field.json.to_owned(), scalar(kind, text)).is_some() {
                    refuse(field.json, "Must be given once");
                }
            }
        }
    }
    if violations.is_empty() { Ok(params) } else { Err(violations) }
}

/// The text as JSON would have it. What is none of the kind's forms stays a string, for the check to refuse together
/// with whatever else is wrong.
fn scalar(kind: &Kind, text: Cow<'_, str>) -> Value {
    let converted = match kind {
        Kind::Bool => match text.as_ref() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        Kind::Enum(_) => text.parse::<i32>().ok().map(Value::from),
        // The check reads numbers from strings.
        Kind::Int(..) => None,
        Kind::String | Kind::Bytes | Kind::Timestamp => None,
        Kind::Message(_) | Kind::Struct | Kind::Value | Kind::Repeated(_) | Kind::Map(_) => None,
    };
    converted.unwrap_or_else(|| Value::String(text.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::super::data::SEND_MESSAGE_CONFIGURATION;
    use super::*;
    use serde_json::json;

    fn read_pairs(pairs: &[(&str, &str)]) -> Result<Value, Vec<FieldViolation>> {
        let pairs = pairs.iter().map(|(name, text)| (Cow::Owned((*name).to_owned()), Cow::Owned((*text).to_owned())));
        read(&SEND_MESSAGE_CONFIGURATION, pairs).map(Value::Object)
    }

    #[test]
    fn lists_are_repeated_or_separated_by_commas() {
        let expected = json!({"acceptedOutputModes": ["text/plain", "image/png", "text/html"]});
        let pairs = [("acceptedOutputModes", "text/plain,image/png"), ("accepted_output_modes", "text/html")];
        assert_eq!(read_pairs(&pairs).unwrap(), expected);
    }

    #[test]
    fn nested_messages_are_refused() {
        for name in ["taskPushNotificationConfig", "task_push_notification_config.url"] {
            let violations = read_pairs(&[(name, "x"), (name, "y")]).unwrap_err();
            assert_eq!(violations.len(), 1, "{name}");
            assert_eq!(violations[0].field, "taskPushNotificationConfig");
        }
    }

    #[test]
    fn a_scalar_is_given_once() {
        let pairs = [("historyLength", "1"), ("history_length", "1"), ("historyLength", "3"), ("x", "1"), ("x", "1")];
        let violations = read_pairs(&pairs).unwrap_err();
        assert_eq!(violations, [FieldViolation::new("historyLength", "Must be given once")]);
    }
}
