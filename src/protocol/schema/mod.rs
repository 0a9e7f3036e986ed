//! The schema of A2A: one table of messages and fields, against which params and results are checked.
//!
//! A check takes whatever ProtoJSON takes: names in camelCase or as in the proto, enums by name or number, `null` for
//! absent, integers as numbers or strings, both alphabets of base64. It gives the canonical form, which has one way to
//! say each thing and is what [`types`](super::types) read: camelCase, enums by name, no nulls, no fields left at a
//! default that means "absent". It reports every violation at once, each with its path.

mod card;
mod checker;
mod data;
mod model;
mod query;
mod scalar;

#[cfg(test)]
mod proto_tests;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::{Map, Value};

use self::checker::{Checker, Mode};
use self::model::Presence;
use super::details::FieldViolation;
use super::operation::Operation;

/// How many violations are reported at most.
pub const MAX_VIOLATIONS: usize = checker::MAX_VIOLATIONS;

/// The field of a violation that concerns a result as a whole.
pub const RESULT: &str = "result";

/// Checks the params of `operation`, and gives their canonical form. `null` is read as no params at all.
///
/// Fields that the schema does not know are dropped (specification 5.7).
///
/// # Errors
/// Every violation, up to [`MAX_VIOLATIONS`], in the order of the schema. Params that are no object are one violation
/// of the field `params`.
pub fn check(operation: Operation, params: Value) -> Result<Value, Vec<FieldViolation>> {
    Checker::run(Mode::Strict, data::request_of(operation), "params", null_as_empty(params))
}

/// Checks a result of `operation`, or one element of the stream that it answers with, and gives its canonical form.
///
/// Fields that the schema does not know are kept, and a required list may be empty. But an object that has fields and
/// none that the message has is no such message.
///
/// # Errors
/// Every violation, up to [`MAX_VIOLATIONS`], in the order of the schema; that of the whole has the field [`RESULT`].
pub fn check_result(operation: Operation, result: Value) -> Result<Value, Vec<FieldViolation>> {
    // Only one operation answers nothing, and there are several ways to say nothing.
    let result = if operation == Operation::DeleteTaskPushNotificationConfig { null_as_empty(result) } else { result };
    Checker::run(Mode::Relaxed, data::result_of(operation), RESULT, result)
}

/// Whether a value is the content of one of the members that a result of `operation` has one of, without its name around
/// it: a task, say, where `{"task": …}` is due. Told by the required fields.
pub(crate) fn is_unwrapped(operation: Operation, value: &Value) -> bool {
    let def = data::result_of(operation);
    let members = def.oneof.iter().flat_map(|oneof| oneof.members).filter_map(|name| def.field(name));
    members.filter_map(|member| member.kind.message()).any(|def| {
        let mut required = def.fields.iter().filter(|field| field.presence == Presence::Required);
        required.all(|field| value.get(field.json).is_some() || value.get(field.proto).is_some())
    })
}

/// Checks an agent card to the letter.
pub(super) fn check_card(card: Value) -> Result<Value, Vec<FieldViolation>> {
    Checker::run(Mode::Strict, &card::AGENT_CARD, "card", card)
}

/// Reads decoded query parameters as params of `operation`, still to be [checked](check) (specification 11.5).
/// Parameters of other names are ignored.
///
/// # Errors
/// A violation for each scalar that is given twice, and for each parameter that can only be sent in a body.
pub fn query<'a>(
    operation: Operation,
    pairs: impl IntoIterator<Item = (Cow<'a, str>, Cow<'a, str>)>,
) -> Result<Map<String, Value>, Vec<FieldViolation>> {
    query::read(data::request_of(operation), pairs)
}

fn null_as_empty(value: Value) -> Value {
    if value.is_null() { Value::Object(Map::new()) } else { value }
}
