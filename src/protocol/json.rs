//! JSON as the crate reads it: RFC 8259, and stricter where leniency would let two readers of one request see two
//! different requests.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use super::path::{excerpt, push_index, push_key};

/// How deep arrays and objects may be nested. Enough for any message of the protocol with data in it; a small part of
/// the stack of a wasm module, where an overflow would be a trap.
pub const MAX_DEPTH: usize = 64;

/// What is wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// It is not JSON.
    Syntax,
    /// An object has two members of one name.
    DuplicateKey,
    /// It is nested deeper than [`MAX_DEPTH`].
    TooDeep,
    /// A number is beyond the range of a double.
    NumberOutOfRange,
}

/// Why a text was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{description}")]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// Where, like `message.parts[0].data`; empty for the whole text.
    pub path: String,
    /// What is wrong, for the caller. It repeats no value of the text, and at most one name.
    pub description: String,
}

/// Reads a JSON text.
///
/// # Errors
/// A [`Fault`] if it is not JSON, repeats a member name, is nested too deep, or has a number that no double can hold.
pub fn parse(text: &str) -> Result<Value, Fault> {
    let mut trace = Trace::default();
    read(text, MAX_DEPTH, &mut trace).map_err(|error| trace.into_fault(&error))
}

/// Reads a JSON text that this crate has written: what somebody sent may be nested in it.
///
/// # Errors
/// If it is not JSON, or nested deeper than 127 levels.
pub(crate) fn parse_own(text: &str) -> Result<Value, serde_json::Error> {
    read(text, usize::MAX, &mut Trace::default())
}

/// The text of a member, if it is one.
pub(crate) fn text<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object.get(name).and_then(Value::as_str)
}

fn read(text: &str, max_depth: usize, trace: &mut Trace) -> Result<Value, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Node { trace, levels: max_depth }.deserialize(&mut deserializer)?;
    deserializer.end().map(|()| value)
}

/// What is learnt about a failure on the way out of the recursion. Nothing is written while all is well.
#[derive(Default)]
struct Trace {
    fault: Option<(FaultKind, String)>,
    /// From the innermost value outwards.
    segments: Vec<Segment>,
}

enum Segment {
    Key(String),
    Index(usize),
}

impl Trace {
    fn into_fault(self, error: &serde_json::Error) -> Fault {
        let (kind, description) = self.fault.unwrap_or_else(|| classify(error));
        // Where a text breaks off is told by line and column: the value that was open then need not be the culprit.
        let segments = if kind == FaultKind::Syntax { Vec::new() } else { self.segments };
        let mut path = String::new();
        for segment in segments.iter().rev() {
            match segment {
                Segment::Key(key) => push_key(&mut path, key),
                Segment::Index(index) => push_index(&mut path, *index),
            }
        }
        Fault { kind, path, description }
    }
}

/// The parser's own errors. None of its texts quotes the input.
fn classify(error: &serde_json::Error) -> (FaultKind, String) {
    let description = error.to_string();
    // The crate has no code for it: the text is all there is to tell it by.
    let kind =
        if description.starts_with("number out of range") { FaultKind::NumberOutOfRange } else { FaultKind::Syntax };
    (kind, description)
}

/// Reads one value that may be nested so many levels deep.
struct Node<'a> {
    trace: &'a mut Trace,
    levels: usize,
}

impl Node<'_> {
    /// The reader of what is within this value.
    fn inner(&mut self) -> Node<'_> {
        Node { trace: self.trace, levels: self.levels - 1 }
    }

    fn fail<E: serde::de::Error>(&mut self, kind: FaultKind, description: String) -> E {
        self.trace.fault = Some((kind, description));
        E::custom("fault")
    }

    fn enter<E: serde::de::Error>(&mut self) -> Result<(), E> {
        if self.levels > 0 {
            return Ok(());
        }
        Err(self.fail(FaultKind::TooDeep, format!("nested deeper than {MAX_DEPTH} levels")))
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        self.enter()?;
        let mut array = Vec::new();
        loop {
            match items.next_element_seed(self.inner()) {
                Ok(Some(item)) => array.push(item),
                Ok(None) => return Ok(Value::Array(array)),
                Err(error) => {
                    self.trace.segments.push(Segment::Index(array.len()));
                    return Err(error);
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Value, A::Error> {
        self.enter()?;
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            match object.entry(key) {
                Entry::Vacant(entry) => match members.next_value_seed(self.inner()) {
                    Ok(value) => {
                        entry.insert(value);
                    }
                    Err(error) => {
                        self.trace.segments.push(Segment::Key(entry.key().clone()));
                        return Err(error);
                    }
                },
                Entry::Occupied(entry) => {
                    let description = format!("duplicate key \"{}\"", excerpt(entry.key()));
                    self.trace.segments.push(Segment::Key(entry.key().clone()));
                    return Err(self.fail(FaultKind::DuplicateKey, description));
                }
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fault(text: &str) -> (FaultKind, String, String) {
        let fault = parse(text).unwrap_err();
        (fault.kind, fault.path, fault.description)
    }

    #[test]
    fn every_kind_of_value_is_read() {
        let text = r#" {"a":[null,true,false,0,-7,18446744073709551615,1.5,"é\u00e9\ud83d\ude00"],"b":{},"":[]} "#;
        let expected = json!({"a": [null, true, false, 0, -7, u64::MAX, 1.5, "éé😀"], "b": {}, "": []});
        assert_eq!(parse(text).unwrap(), expected);
    }

    #[test]
    fn what_is_not_json_is_told_by_line_and_column() {
        for text in
            ["", " ", "{", "[1,]", "{\"a\":1,}", "{a:1}", "'a'", "nul", "01", "1.", "+1", "NaN", "// x\n1", "1 2"]
        {
            let (kind, path, description) = fault(text);
            assert_eq!((kind, path.as_str()), (FaultKind::Syntax, ""), "{text}");
            assert!(description.contains("at line 1 column "), "{text}: {description}");
        }
        assert!(fault("{\n \"a\": secret}").2.ends_with("at line 2 column 7"));
        assert!(!fault("{\"a\": secret}").2.contains("secret"));
    }

    #[test]
    fn strings_must_be_unicode() {
        for text in [r#""\ud800""#, r#""\ud800x""#, r#""\udc00""#, r#""\x41""#, "\"\u{1}\"", "\"a\nb\""] {
            assert_eq!(fault(text).0, FaultKind::Syntax, "{text}");
        }
    }

    #[test]
    fn a_repeated_member_is_told_with_its_path() {
        assert_eq!(
            fault(r#"{"message":{"parts":[{"text":"a"},{"text":"b","text":"c"}]}}"#),
            (FaultKind::DuplicateKey, "message.parts[1].text".into(), "duplicate key \"text\"".into())
        );
        // Names are compared as they are meant, not as they are written.
        assert_eq!(fault(r#"{"id":1,"\u0069d":2}"#).0, FaultKind::DuplicateKey);
        let long = "k".repeat(1000);
        let (_, path, description) = fault(&format!(r#"{{"{long}":1,"{long}":2}}"#));
        assert!(path.len() < 100 && description.len() < 100);
    }

    #[test]
    fn the_depth_is_limited_before_the_stack_is() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse(&nested(MAX_DEPTH)).is_ok());
        let (kind, path, description) = fault(&nested(MAX_DEPTH + 1));
        assert_eq!((kind, description.as_str()), (FaultKind::TooDeep, "nested deeper than 64 levels"));
        assert_eq!(path, "[0]".repeat(MAX_DEPTH));
        assert_eq!(fault(&"[".repeat(1_000_000)).0, FaultKind::TooDeep);
        assert_eq!(fault(&"{\"a\":".repeat(1_000_000)).0, FaultKind::TooDeep);
    }

    #[test]
    fn numbers_beyond_a_double_are_told_with_their_path() {
        let (kind, path, _) = fault(r#"{"message":{"parts":[{"data":{"n":1e999}}]}}"#);
        assert_eq!((kind, path.as_str()), (FaultKind::NumberOutOfRange, "message.parts[0].data.n"));
        assert_eq!(fault("-1e400").0, FaultKind::NumberOutOfRange);
        assert_eq!(parse("1e308").unwrap(), json!(1e308));
        assert_eq!(parse("1e-999").unwrap(), json!(0.0));
    }
}
