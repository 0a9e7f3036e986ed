//! Objects that a developer gives as JSON, read member by member, so that what is wrong is named as it is written there.

use serde_json::{Map, Value};

use super::from_json;

/// Largest number of a count: `u32`'s, which more would not fit on a machine of 32 bits.
const MAX_COUNT: u32 = u32::MAX;
/// Largest whole number that JavaScript holds for sure (`Number.MAX_SAFE_INTEGER`).
const MAX_NUMBER: u64 = (1 << 53) - 1;

/// The members that nobody has taken yet of the object at `path`.
pub(super) struct Members {
    path: String,
    left: Map<String, Value>,
}

impl Members {
    /// Reads the object that a developer knows by this name.
    pub(super) fn read(name: &str, json: &str) -> Result<Self, String> {
        Self::of(name.to_owned(), from_json(json)?)
    }

    fn of(path: String, value: Value) -> Result<Self, String> {
        let Value::Object(left) = value else { return Err(format!("{path} must be an object")) };
        Ok(Self { path, left })
    }

    /// A member, if it is there; what is null is not.
    fn take<T>(&mut self, name: &str, rule: &str, read: impl FnOnce(Value) -> Option<T>) -> Result<Option<T>, String> {
        let Some(value) = self.left.remove(name).filter(|value| !value.is_null()) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| self.fault(name, rule))
    }

    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, String> {
        self.take(name, "a string", text)
    }

    pub(super) fn needed_text(&mut self, name: &str) -> Result<String, String> {
        self.text(name)?.ok_or_else(|| self.fault(name, "a string"))
    }

    pub(super) fn switch(&mut self, name: &str) -> Result<Option<bool>, String> {
        self.take(name, "true or false", |value| value.as_bool())
    }

    pub(super) fn number(&mut self, name: &str) -> Result<Option<u64>, String> {
        let rule = format!("a whole number from 0 to {MAX_NUMBER}");
        self.take(name, &rule, |value| value.as_u64().filter(|number| *number <= MAX_NUMBER))
    }

    pub(super) fn count(&mut self, name: &str) -> Result<Option<u32>, String> {
        let rule = format!("a whole number from 0 to {MAX_COUNT}");
        self.take(name, &rule, |value| value.as_u64()?.try_into().ok())
    }

    pub(super) fn texts(&mut self, name: &str) -> Result<Vec<String>, String> {
        let read = |value| list(value)?.into_iter().map(text).collect();
        Ok(self.take(name, "an array of strings", read)?.unwrap_or_default())
    }

    /// Names and values.
    pub(super) fn pairs(&mut self, name: &str) -> Result<Vec<(String, String)>, String> {
        let read = |value| {
            let Value::Object(members) = value else { return None };
            members.into_iter().map(|(name, value)| Some((name, text(value)?))).collect()
        };
        Ok(self.take(name, "an object of strings", read)?.unwrap_or_default())
    }

    /// Pairs of a name and a value.
    pub(super) fn pair_list(&mut self, name: &str) -> Result<Vec<(String, String)>, String> {
        const RULE: &str = "an array of names and values";
        let pair =
            |pair| <[Value; 2]>::try_from(list(pair)?).ok().and_then(|[name, value]| Some((text(name)?, text(value)?)));
        let pairs = self.take(name, RULE, |value| list(value)?.into_iter().map(pair).collect())?;
        pairs.ok_or_else(|| self.fault(name, RULE))
    }

    /// The status of a response.
    pub(super) fn status(&mut self, name: &str) -> Result<u16, String> {
        const RULE: &str = "an HTTP status";
        let read = |value: Value| value.as_u64()?.try_into().ok().filter(|status| (100..=599).contains(status));
        self.take(name, RULE, read)?.ok_or_else(|| self.fault(name, RULE))
    }

    /// An object within; one that is not there has no members.
    pub(super) fn object(&mut self, name: &str) -> Result<Self, String> {
        let value = self.take(name, "an object", Some)?.unwrap_or_else(|| Value::Object(Map::new()));
        Self::of(format!("{}.{name}", self.path), value)
    }

    pub(super) fn objects(&mut self, name: &str) -> Result<Vec<Self>, String> {
        let values = self.take(name, "an array", list)?.unwrap_or_default().into_iter().enumerate();
        values.map(|(index, value)| Self::of(format!("{}.{name}[{index}]", self.path), value)).collect()
    }

    /// What is wrong with a member.
    pub(super) fn fault(&self, name: &str, rule: &str) -> String {
        format!("{}.{name} must be {rule}", self.path)
    }

    /// That nothing is left, as of a name that is mistyped.
    pub(super) fn end(self) -> Result<(), String> {
        self.left.keys().next().map_or(Ok(()), |name| Err(format!("{} has no member \"{name}\"", self.path)))
    }
}

fn text(value: Value) -> Option<String> {
    if let Value::String(text) = value { Some(text) } else { None }
}

fn list(value: Value) -> Option<Vec<Value>> {
    if let Value::Array(values) = value { Some(values) } else { None }
}
