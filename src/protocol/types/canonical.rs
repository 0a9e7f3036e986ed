//! From the canonical form of a message to its Rust type.
//!
//! Not `serde_json::from_value`: that reads a struct from an array as well, and words a message for everything that may
//! be wrong, which for so many types is a tenth of the upload. What comes here was checked before.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Number, Value};

/// The value is not the canonical form of the type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not in canonical form: {0}")]
pub struct NotCanonical(&'static str);

/// Types a value in canonical form.
///
/// # Errors
/// The value is not of such a type.
#[inline(never)]
pub(crate) fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, NotCanonical> {
    T::deserialize(Canonical(value))
}

impl Error for NotCanonical {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self("a value breaks the rules of its type")
    }

    fn invalid_type(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self("a value is of another type")
    }

    fn invalid_value(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self("a value is out of range")
    }

    fn invalid_length(_: usize, _: &dyn Expected) -> Self {
        Self("a list has another length")
    }

    fn unknown_variant(_: &str, _: &'static [&'static str]) -> Self {
        Self("a name is unknown")
    }

    fn unknown_field(_: &str, _: &'static [&'static str]) -> Self {
        Self("a field is unknown")
    }

    fn missing_field(_: &'static str) -> Self {
        Self("a field is missing")
    }

    fn duplicate_field(_: &'static str) -> Self {
        Self("a field is repeated")
    }
}

struct Canonical(Value);

impl Canonical {
    fn of_another_type<T>() -> Result<T, NotCanonical> {
        Err(NotCanonical("a value is of another type"))
    }
}

impl<'de> IntoDeserializer<'de, NotCanonical> for Canonical {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

fn members<'de>(
    object: Map<String, Value>,
) -> MapDeserializer<'de, impl Iterator<Item = (String, Canonical)>, NotCanonical> {
    MapDeserializer::new(object.into_iter().map(|(key, value)| (key, Canonical(value))))
}

fn visit_number<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, NotCanonical> {
    match (number.as_u64(), number.as_i64(), number.as_f64()) {
        (Some(number), _, _) => visitor.visit_u64(number),
        (None, Some(number), _) => visitor.visit_i64(number),
        (None, None, Some(number)) => visitor.visit_f64(number),
        (None, None, None) => Canonical::of_another_type(),
    }
}

/// Methods that take the one kind of value which the type can be made of.
macro_rules! only {
    ($($method:ident: $kind:ident($value:ident) => |$visitor:ident| $visit:expr;)*) => {$(
        fn $method<V: Visitor<'de>>(self, $visitor: V) -> Result<V::Value, NotCanonical> {
            if let Value::$kind($value) = self.0 { $visit } else { Canonical::of_another_type() }
        }
    )*};
}

impl<'de> Deserializer<'de> for Canonical {
    type Error = NotCanonical;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotCanonical> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) => visit_number(&number, visitor),
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Canonical))),
            Value::Object(object) => visitor.visit_map(members(object)),
        }
    }

    only! {
        deserialize_bool: Bool(value) => |visitor| visitor.visit_bool(value);
        deserialize_u8: Number(number) => |visitor| visit_number(&number, visitor);
        deserialize_u16: Number(number) => |visitor| visit_number(&number, visitor);
        deserialize_u32: Number(number) => |visitor| visit_number(&number, visitor);
        deserialize_u64: Number(number) => |visitor| visit_number(&number, visitor);
        deserialize_i8: Number(number) => |visitor| visit_number(&number, visitor);
        deserialize_i16: Number(number) => |visitor| visit_number(&number, visitor);
        deserialize_i32: Number(number) => |visitor| visit_number(&number, visitor);
        deserialize_i64: Number(number) => |visitor| visit_number(&number, visitor);
        deserialize_f32: Number(number) => |visitor| visit_number(&number, visitor);
        deserialize_f64: Number(number) => |visitor| visit_number(&number, visitor);
        deserialize_str: String(text) => |visitor| visitor.visit_string(text);
        deserialize_string: String(text) => |visitor| visitor.visit_string(text);
        deserialize_seq: Array(items) => |visitor| visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Canonical)));
        deserialize_map: Object(object) => |visitor| visitor.visit_map(members(object));
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, NotCanonical> {
        self.deserialize_map(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotCanonical> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, NotCanonical> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, NotCanonical> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(name.into_deserializer()),
            Value::Object(object) => visitor.visit_enum(MapAccessDeserializer::new(members(object))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => Self::of_another_type(),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NotCanonical> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i128 u128 char bytes byte_buf unit unit_struct tuple tuple_struct identifier
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Sample {
        id: String,
        count: Option<u8>,
        #[serde(default)]
        ratio: f64,
        #[serde(default)]
        tags: Vec<String>,
        #[serde(default)]
        data: Value,
        shape: Option<Shape>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    enum Shape {
        Point,
        Circle(i32),
    }

    #[test]
    fn values_are_typed_as_serde_json_does() {
        for value in [
            json!({"id": "a"}),
            json!({"id": "", "count": null, "other": {"a": [1]}}),
            json!({"id": "a", "count": 255, "ratio": 1.5, "tags": ["x", ""], "shape": "Point"}),
            json!({"id": "a", "data": {"a": [null, true, -1, 2, 0.5, "x", {}]}, "shape": {"Circle": -3}}),
            json!({"id": "a", "ratio": 2, "data": null}),
        ] {
            let expected: Sample = serde_json::from_value(value.clone()).unwrap();
            assert_eq!(from_value::<Sample>(value), Ok(expected));
        }
    }

    #[test]
    fn what_is_not_of_the_type_is_refused() {
        for value in [
            json!(null),
            json!([]),
            json!(["a", 1]),
            json!({}),
            json!({"id": 1}),
            json!({"id": "a", "count": 256}),
            json!({"id": "a", "count": -1}),
            json!({"id": "a", "count": "1"}),
            json!({"id": "a", "tags": {}}),
            json!({"id": "a", "tags": [1]}),
            json!({"id": "a", "shape": "Square"}),
            json!({"id": "a", "shape": {"Circle": "x"}}),
            json!({"id": "a", "shape": {}}),
        ] {
            assert!(from_value::<Sample>(value.clone()).is_err(), "{value}");
        }
        assert_eq!(from_value::<Sample>(json!({})), Err(NotCanonical("a field is missing")));
    }
}
