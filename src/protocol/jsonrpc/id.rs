//! The id of a request.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// The id of a request, kept to the letter: it goes back as it came, whatever its escapes, digits or exponent.
///
/// Ids are equal if their JSON text is, so `1` and `1.0` are two ids.
#[derive(Clone)]
pub struct Id(Option<Box<RawValue>>);

impl Id {
    /// The id of an answer to a request whose own could not be read.
    pub const NULL: Self = Self(None);

    /// The id that `text` writes in JSON, unless it is none: an id is a string, a number or null.
    pub fn from_json(text: &str) -> Option<Self> {
        serde_json::from_str::<&RawValue>(text).ok().and_then(Self::from_raw)
    }

    pub(super) fn from_raw(raw: &RawValue) -> Option<Self> {
        match raw.get().as_bytes().first() {
            Some(b'"' | b'-' | b'0'..=b'9') => Some(Self(Some(raw.to_owned()))),
            Some(b'n') => Some(Self::NULL),
            _ => None,
        }
    }

    /// The id's JSON text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Some(raw) => raw.get(),
            None => RawValue::NULL.get(),
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({self})")
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Id {}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_numbers_and_null_are_ids() {
        for text in
            ["\"\"", "\"a\"", "\"\\u0061\\/\"", "0", "-0", "9007199254740993", "1.5", "1e3", "-1.0E+400", "null"]
        {
            let id = Id::from_json(text).unwrap();
            assert_eq!(id.as_str(), text);
            assert_eq!(id.to_string(), text);
            assert_eq!(serde_json::to_string(&id).unwrap(), text);
        }
    }

    #[test]
    fn nothing_else_is() {
        for text in ["true", "false", "[]", "{}", "", "01", "\"", "1 2", "nul"] {
            assert_eq!(Id::from_json(text), None, "{text}");
        }
    }

    #[test]
    fn ids_are_compared_to_the_letter() {
        assert_ne!(Id::from_json("1"), Id::from_json("1.0"));
        assert_ne!(Id::from_json("1"), Id::from_json("\"1\""));
        assert_ne!(Id::from_json("9007199254740992"), Id::from_json("9007199254740993"));
        assert_eq!(Id::from_json("null"), Some(Id::NULL));
    }
}
