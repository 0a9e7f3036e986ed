//! The forms in which ProtoJSON takes numbers, enums, bytes and timestamps, and the texts about those it does not.

use serde_json::{Map, Value};

use super::model::{EnumDef, Kind};
use crate::protocol::path::excerpt;
use crate::protocol::time;

/// The longest text that can be a number worth reading: `-2147483648` with room for a fraction or an exponent.
const MAX_NUMBER_LENGTH: usize = 32;

/// An integer: a number without a fraction, or such a number in a string.
pub(super) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) if text.len() <= MAX_NUMBER_LENGTH => {
            // JSON's own grammar, without the white space that it allows around a value.
            let is_bare = text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
                && text.ends_with(|last: char| last.is_ascii_digit());
            let number: serde_json::Number = is_bare.then(|| serde_json::from_str(text).ok())??;
            number.as_i64().or_else(|| whole(number.as_f64()?))
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A double that is an integer, within the range where every integer is one.
fn whole(number: f64) -> Option<i64> {
    const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;
    // The range makes the cast exact.
    (number.fract() == 0.0 && number.abs() <= MAX_SAFE_INTEGER).then_some(number as i64)
}

/// What is wrong with a number, in the words of specification 6.5.
pub(super) fn not_in_range(min: i64, max: i64, value: &Value) -> String {
    let number = integer(value).map(|number| number as f64).or_else(|| value.as_f64());
    let got = if number.is_some() { plain(value) } else { got(value) };
    let is_count = number.is_some_and(|number| number >= 0.0 && number.fract() == 0.0);
    if min == 0 && !is_count {
        format!("Must be non-negative integer, got {got}")
    } else {
        format!("Must be between {min} and {max} inclusive, got {got}")
    }
}

/// Puts a name for a number, and tells whether the value is the "unspecified" one. `None` if the enum has no such value.
pub(super) fn to_enum_name(def: &EnumDef, value: &mut Value) -> Option<bool> {
    if let Value::String(text) = value {
        let is_unspecified = text == def.unspecified;
        return (is_unspecified || def.values.iter().any(|(_, name)| name == text)).then_some(is_unspecified);
    }
    let number = value.is_number().then(|| integer(value))??;
    if number == 0 {
        return Some(true);
    }
    let (_, name) = def.values.iter().find(|(known, _)| *known == number)?;
    *value = Value::String((*name).to_owned());
    Some(false)
}

/// What is wrong with an enum value, in the words of specification 6.5.
pub(super) fn not_in_enum(def: &EnumDef, field: &str, value: &Value) -> String {
    let names = names(def);
    match value {
        Value::String(_) | Value::Number(_) => {
            format!("Invalid {field} value '{}'. Must be one of: {names}", plain(value))
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            format!("Must be one of: {names}; got {}", type_name(value))
        }
    }
}

fn names(def: &EnumDef) -> String {
    let names: Vec<&str> = def.values.iter().map(|(_, name)| *name).collect();
    names.join(", ")
}

/// Checks that a text is base64, of the standard or the URL-safe alphabet, padded or not, and rewrites it to the
/// standard form.
pub(super) fn to_standard_base64(text: &mut String) -> bool {
    let unpadded = text.trim_end_matches('=');
    let (length, padding) = (unpadded.len(), text.len() - unpadded.len());
    let is_alphabet = unpadded.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte));
    // A group of four characters is three bytes; one character alone is less than one.
    let missing = (4 - length % 4) % 4;
    if !is_alphabet || missing == 3 || (padding != 0 && padding != missing) {
        return false;
    }
    if unpadded.bytes().any(|byte| byte == b'-' || byte == b'_') {
        *text = text.replace('-', "+").replace('_', "/");
    }
    if padding == 0 {
        text.extend(std::iter::repeat_n('=', missing));
    }
    true
}

/// Checks that a value is a timestamp, and rewrites one with an offset: on the wire "all times are UTC"
/// (specification 5.6.1).
pub(super) fn to_utc(value: &mut Value) -> bool {
    let Value::String(text) = value else { return false };
    match time::parse(text) {
        Some(timestamp) => {
            if !text.ends_with('Z') {
                *text = time::format(timestamp);
            }
            true
        }
        None => false,
    }
}

/// What is wrong with a timestamp.
pub(super) fn not_a_timestamp(value: &Value) -> String {
    format!("Must be an RFC 3339 timestamp such as 2025-10-28T10:30:00.000Z, got {}", got(value))
}

/// What is wrong with a required field that has the default of its kind.
pub(super) fn empty(kind: &Kind) -> String {
    match kind {
        Kind::Repeated(_) => "Must have at least one element".to_owned(),
        Kind::Enum(def) => format!("Must be one of: {}", names(def)),
        Kind::String | Kind::Bytes | Kind::Struct | Kind::Map(_) => "Must not be empty".to_owned(),
        Kind::Bool | Kind::Int(..) | Kind::Message(_) | Kind::Value | Kind::Timestamp => {
            format!("Must be {}", expectation(kind))
        }
    }
}

/// What a required field must be.
pub(super) fn expectation(kind: &Kind) -> String {
    match kind {
        Kind::String => "a non-empty string".to_owned(),
        Kind::Bool => "true or false".to_owned(),
        Kind::Int(min, max) => format!("a number from {min} to {max}"),
        Kind::Bytes => "a string in base64".to_owned(),
        Kind::Enum(def) => format!("one of: {}", names(def)),
        Kind::Message(_) | Kind::Struct | Kind::Map(_) => "an object".to_owned(),
        Kind::Value => "any value".to_owned(),
        Kind::Timestamp => "an RFC 3339 timestamp".to_owned(),
        Kind::Repeated(_) => "an array with at least one element".to_owned(),
    }
}

/// The default of a kind.
pub(super) fn default(kind: &Kind) -> Value {
    match kind {
        Kind::String | Kind::Bytes => Value::String(String::new()),
        Kind::Bool => Value::Bool(false),
        Kind::Int(..) => Value::from(0),
        Kind::Repeated(_) => Value::Array(Vec::new()),
        Kind::Message(_) | Kind::Struct | Kind::Map(_) => Value::Object(Map::new()),
        Kind::Enum(_) | Kind::Value | Kind::Timestamp => Value::Null,
    }
}

/// The type of a value, with its article.
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The value as an error repeats it: scalars by their start, the rest by their type.
pub(super) fn got(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\"{}\"", excerpt(text)),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => type_name(value).to_owned(),
    }
}

/// Like [`got`], but a string without quotes.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => excerpt(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => got(value),
    }
}
