//! The structured half of an error: `google.rpc` messages, plain objects, and what frameworks put there.

use std::time::Duration;

use serde_json::{Map, Value};

use super::Told;
use crate::protocol::details::FieldViolation;
use crate::protocol::path::{push_index, push_key};

impl Told {
    /// Reads `data`, `details` or `detail`, in whatever form, and keeps it.
    pub(super) fn read_details(&mut self, details: &Value) {
        match details {
            Value::Array(items) => {
                for item in items {
                    self.read_detail(item);
                }
            }
            Value::Object(fields) if is_typed(fields) => self.read_detail(details),
            // 0.3: the members stand for themselves.
            Value::Object(fields) => self.metadata.extend(entries(fields)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        self.data = details.clone();
    }

    fn read_detail(&mut self, detail: &Value) {
        let Value::Object(fields) = detail else { return };
        let type_url = fields.get("@type").and_then(Value::as_str).unwrap_or_default();
        match type_url.rsplit('/').next().unwrap_or_default() {
            "google.rpc.ErrorInfo" => self.read_error_info(fields),
            "google.rpc.BadRequest" => self.violations.extend(violations_of(member(fields, VIOLATIONS))),
            "google.rpc.RetryInfo" => {
                self.retry_delay = duration(member(fields, ["retryDelay", "retry_delay"])).or(self.retry_delay);
            }
            "" if fields.contains_key("reason") => self.read_error_info(fields),
            "" => self.violations.extend(violation_of(fields)),
            _ => {}
        }
    }

    /// Of several, the first counts.
    fn read_error_info(&mut self, fields: &Map<String, Value>) {
        if std::mem::replace(&mut self.has_info, true) {
            return;
        }
        let text = |name: &str| fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        if let Some(reason) = text("reason") {
            self.reason = Some(reason.to_owned());
        }
        self.domain = text("domain").map(str::to_owned);
        if let Some(Value::Object(metadata)) = fields.get("metadata") {
            self.metadata.extend(entries(metadata));
        }
    }
}

const VIOLATIONS: [&str; 2] = ["fieldViolations", "field_violations"];

fn is_typed(fields: &Map<String, Value>) -> bool {
    fields.contains_key("@type") || fields.contains_key("reason")
}

/// A member under its JSON or its proto name.
fn member<'a>(fields: &'a Map<String, Value>, names: [&str; 2]) -> &'a Value {
    names.iter().find_map(|name| fields.get(*name)).unwrap_or(&Value::Null)
}

fn entries(fields: &Map<String, Value>) -> impl Iterator<Item = (String, String)> {
    fields.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.clone(), text_of(value)))
}

/// A text as it is, anything else as JSON.
pub(super) fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The violations in a list of them.
pub(super) fn violations_of(list: &Value) -> Vec<FieldViolation> {
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(Value::as_object).filter_map(violation_of).collect()
}

/// One violation: `{field, description}` of `google.rpc`, `{field, message}` of problem bodies, `{loc, msg}` of FastAPI.
fn violation_of(fields: &Map<String, Value>) -> Option<FieldViolation> {
    let text = |names: &[&str]| names.iter().find_map(|name| fields.get(*name).and_then(Value::as_str));
    let field = match fields.get("loc") {
        Some(Value::Array(segments)) => path(segments),
        _ => text(&["field", "path", "pointer"])?.to_owned(),
    };
    Some(FieldViolation::new(field, text(&["description", "message", "msg", "detail"]).unwrap_or_default()))
}

/// `["body","message","parts",0]` is `message.parts[0]`: where the value came from is no part of its path.
fn path(segments: &[Value]) -> String {
    let segments = match segments {
        [Value::String(source), rest @ ..] if matches!(source.as_str(), "body" | "query" | "path") => rest,
        all => all,
    };
    let mut path = String::new();
    for segment in segments {
        match segment.as_u64().and_then(|index| usize::try_from(index).ok()) {
            Some(index) => push_index(&mut path, index),
            None => push_key(&mut path, segment.as_str().unwrap_or_default()),
        }
    }
    path
}

/// A `google.protobuf.Duration`: `"1.5s"` as ProtoJSON writes it, or `{"seconds":1,"nanos":500000000}`. `None` for less
/// than nothing.
fn duration(value: &Value) -> Option<Duration> {
    match value {
        Value::String(text) => seconds(text.strip_suffix('s')?),
        Value::Object(fields) => {
            let number = |name: &str| match fields.get(name) {
                None => Some(0),
                Some(Value::String(text)) => text.parse().ok(),
                Some(number) => number.as_u64(),
            };
            Some(Duration::new(
                number("seconds")?,
                u32::try_from(number("nanos")?).ok().filter(|n| *n < 1_000_000_000)?,
            ))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}

/// A decimal number of seconds with at most nine decimals.
fn seconds(text: &str) -> Option<Duration> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || decimals.len() > 9 || !is_number(whole) || !is_number(decimals) {
        return None;
    }
    Some(Duration::new(whole.parse().ok()?, format!("{decimals:0<9}").parse().ok()?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn durations_are_read_in_both_forms() {
        for (value, expected) in [
            (json!("2s"), Some(Duration::from_secs(2))),
            (json!("1.5s"), Some(Duration::from_millis(1500))),
            (json!("0.000000001s"), Some(Duration::from_nanos(1))),
            (json!({"seconds": "3", "nanos": 5_000_000}), Some(Duration::from_millis(3005))),
            (json!({}), Some(Duration::ZERO)),
            (json!("-1s"), None),
            (json!("1.0000000001s"), None),
            (json!("1"), None),
            (json!(".5s"), None),
            (json!("99999999999999999999s"), None),
            (json!({"seconds": -1}), None),
            (json!({"nanos": 1_000_000_000}), None),
            (json!(5), None),
        ] {
            assert_eq!(duration(&value), expected, "{value}");
        }
    }
}
