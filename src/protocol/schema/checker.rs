//! Walks a value along a table, puts it into canonical form where it stands, and notes whatever is wrong.

use serde_json::Value;
use serde_json::map::{Entry, Map};

use super::model::{Field, Kind, MessageDef, Presence};
use super::scalar::{self, got, type_name};
use crate::protocol::details::FieldViolation;
use crate::protocol::path::{push_index, push_key};

/// How many violations are reported at most, so that a hostile request cannot make a giant error of itself.
pub(super) const MAX_VIOLATIONS: usize = 64;

/// How strict a check is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// To the letter; fields that the schema does not know are dropped.
    Strict,
    /// For what others send: a required list may be empty, which ProtoJSON writes as an absent one, and fields that
    /// the schema does not know are kept, since they may be of a later version.
    Relaxed,
}

/// Where in the value the walk is. The text is only made for a violation.
#[derive(Debug, Clone, Copy)]
pub(super) enum Path<'a> {
    /// The whole, by the name it has in a violation.
    Root(&'static str),
    /// A member.
    Key(&'a Path<'a>, &'a str),
    /// An element.
    Index(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        match self {
            Self::Root(name) => (*name).to_owned(),
            Self::Key(..) | Self::Index(..) => text,
        }
    }

    fn write(&self, text: &mut String) {
        match self {
            Self::Root(_) => {}
            Self::Key(parent, key) => {
                parent.write(text);
                push_key(text, key);
            }
            Self::Index(parent, index) => {
                parent.write(text);
                push_index(text, *index);
            }
        }
    }

    /// The name of the field, for an error's text.
    fn name(&self) -> &str {
        match self {
            Self::Root(name) => name,
            Self::Key(_, key) => key,
            Self::Index(parent, _) => parent.name(),
        }
    }
}

/// What became of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// It is sound, and not the default of its kind.
    Set,
    /// It is sound, and the default of its kind: an empty string or list, 0, "unspecified".
    Default,
    /// It is not, and a violation was noted.
    Refused,
}

/// One walk.
pub(super) struct Checker {
    mode: Mode,
    violations: Vec<FieldViolation>,
}

impl Checker {
    /// Checks `value` against `def`, and gives its canonical form. `root` names the whole in a violation.
    ///
    /// # Errors
    /// Every violation, up to [`MAX_VIOLATIONS`], in the order of the schema.
    pub(super) fn run(
        mode: Mode,
        def: &'static MessageDef,
        root: &'static str,
        mut value: Value,
    ) -> Result<Value, Vec<FieldViolation>> {
        let mut checker = Self { mode, violations: Vec::new() };
        let is_foreign = mode == Mode::Relaxed && is_foreign(def, &value);
        checker.message(def, &mut value, &Path::Root(root));
        if is_foreign && checker.violations.is_empty() {
            checker.refuse(&Path::Root(root), || {
                format!("Must be an object ({}), got one that has none of its fields", def.name)
            });
        }
        if mode == Mode::Relaxed && !is_foreign {
            keep_familiar(def, &mut value);
        }
        if checker.violations.is_empty() { Ok(value) } else { Err(checker.violations) }
    }

    fn is_full(&self) -> bool {
        self.violations.len() >= MAX_VIOLATIONS
    }

    fn refuse(&mut self, path: &Path<'_>, describe: impl FnOnce() -> String) -> Outcome {
        if !self.is_full() {
            self.violations.push(FieldViolation::new(path.text(), describe()));
        }
        Outcome::Refused
    }

    fn wrong_type(&mut self, path: &Path<'_>, expected: &str, value: &Value) -> Outcome {
        // Only the type is told: the value may be a secret in the wrong place.
        self.refuse(path, || format!("Must be {expected}, got {}", type_name(value)))
    }

    fn message(&mut self, def: &'static MessageDef, value: &mut Value, path: &Path<'_>) -> Outcome {
        let Value::Object(map) = value else {
            return self.wrong_type(path, &format!("an object ({})", def.name), value);
        };
        // Only the names of the proto have underscores, so most messages need no second look.
        let has_proto_names = map.keys().any(|key| key.contains('_'));
        let mut known = 0;
        for field in def.fields {
            if self.is_full() {
                return Outcome::Refused;
            }
            let path = Path::Key(path, field.json);
            if has_proto_names {
                self.rename(field, map, &path);
            }
            // Once everything in the map is known, the other fields need not be looked up.
            let is_there =
                if known < map.len() { self.field(field, map, &path) } else { self.missing(field, map, &path) };
            known += usize::from(is_there);
        }
        self.oneof(def, map, path);
        if map.len() > known && self.mode == Mode::Strict {
            map.retain(|key, _| def.fields.iter().any(|field| field.json == key));
        }
        Outcome::Set
    }

    /// Moves a field that came under its proto name to its JSON name.
    fn rename(&mut self, field: &'static Field, map: &mut Map<String, Value>, path: &Path<'_>) {
        if field.proto == field.json {
            return;
        }
        let Some(value) = map.remove(field.proto) else { return };
        match map.entry(field.json) {
            Entry::Vacant(entry) => {
                entry.insert(value);
            }
            Entry::Occupied(mut entry) if is_absent(field, entry.get()) => {
                entry.insert(value);
            }
            Entry::Occupied(_) if is_absent(field, &value) => {}
            Entry::Occupied(_) => {
                self.refuse(path, || format!("Must be given once, got both {} and {}", field.json, field.proto));
            }
        }
    }

    /// Checks one field of a message. Returns whether the map has it now.
    fn field(&mut self, field: &'static Field, map: &mut Map<String, Value>, path: &Path<'_>) -> bool {
        let outcome = match map.get_mut(field.json) {
            Some(value) if !is_absent(field, value) => self.value(&field.kind, value, path),
            Some(_) => {
                map.remove(field.json);
                return self.missing(field, map, path);
            }
            None => return self.missing(field, map, path),
        };
        match (outcome, field.presence) {
            (Outcome::Default, Presence::Implicit) => {
                map.remove(field.json);
                return false;
            }
            (Outcome::Default, Presence::Required) if !self.may_be_empty(field) => {
                self.refuse(path, || scalar::empty(&field.kind));
            }
            (Outcome::Default, Presence::Explicit | Presence::Required | Presence::Defaulted)
            | (Outcome::Set | Outcome::Refused, _) => {}
        }
        true
    }

    /// Deals with a field that is not there. Returns whether it was filled in.
    fn missing(&mut self, field: &'static Field, map: &mut Map<String, Value>, path: &Path<'_>) -> bool {
        match field.presence {
            Presence::Implicit | Presence::Explicit => false,
            Presence::Required if !self.may_be_empty(field) => {
                self.refuse(path, || format!("Is required and must be {}", scalar::expectation(&field.kind)));
                false
            }
            Presence::Required | Presence::Defaulted => {
                map.insert(field.json.to_owned(), scalar::default(&field.kind));
                true
            }
        }
    }

    /// Whether a required field is a list that need not have anything in it.
    fn may_be_empty(&self, field: &Field) -> bool {
        self.mode == Mode::Relaxed && matches!(field.kind, Kind::Repeated(_))
    }

    fn oneof(&mut self, def: &'static MessageDef, map: &Map<String, Value>, path: &Path<'_>) {
        let Some(oneof) = &def.oneof else { return };
        let given = oneof.members.iter().filter(|member| map.contains_key(**member)).count();
        if given == 1 || (given == 0 && !oneof.required) {
            return;
        }
        self.refuse(path, || {
            let given: Vec<&str> = oneof.members.iter().copied().filter(|member| map.contains_key(*member)).collect();
            let given = if given.is_empty() { "none".to_owned() } else { given.join(", ") };
            format!("Must have exactly one of: {}; got {given}", oneof.members.join(", "))
        });
    }

    fn value(&mut self, kind: &'static Kind, value: &mut Value, path: &Path<'_>) -> Outcome {
        match kind {
            Kind::String => self.string(value, path),
            Kind::Bool => self.boolean(value, path),
            Kind::Int(min, max) => self.integer(*min, *max, value, path),
            Kind::Bytes => self.bytes(value, path),
            Kind::Enum(def) => match scalar::to_enum_name(def, value) {
                Some(is_unspecified) => set_unless(is_unspecified),
                None => self.refuse(path, || scalar::not_in_enum(def, path.name(), value)),
            },
            Kind::Timestamp if scalar::to_utc(value) => Outcome::Set,
            Kind::Timestamp => self.refuse(path, || scalar::not_a_timestamp(value)),
            Kind::Struct if value.is_object() => Outcome::Set,
            Kind::Struct => self.wrong_type(path, "an object", value),
            Kind::Value => Outcome::Set,
            Kind::Message(def) => self.message(def, value, path),
            Kind::Repeated(element) => self.repeated(element, value, path),
            Kind::Map(element) => self.map(element, value, path),
        }
    }

    fn string(&mut self, value: &Value, path: &Path<'_>) -> Outcome {
        let Value::String(text) = value else { return self.wrong_type(path, "a string", value) };
        set_unless(text.is_empty())
    }

    fn boolean(&mut self, value: &Value, path: &Path<'_>) -> Outcome {
        match value.as_bool() {
            Some(value) => set_unless(!value),
            None => self.refuse(path, || format!("Must be true or false, got {}", got(value))),
        }
    }

    fn integer(&mut self, min: i64, max: i64, value: &mut Value, path: &Path<'_>) -> Outcome {
        match scalar::integer(value) {
            Some(number) if (min..=max).contains(&number) => {
                *value = number.into();
                set_unless(number == 0)
            }
            Some(_) | None => self.refuse(path, || scalar::not_in_range(min, max, value)),
        }
    }

    fn bytes(&mut self, value: &mut Value, path: &Path<'_>) -> Outcome {
        let Value::String(text) = value else { return self.wrong_type(path, "a string in base64", value) };
        if scalar::to_standard_base64(text) {
            set_unless(text.is_empty())
        } else {
            self.refuse(path, || "Must be base64".to_owned())
        }
    }

    fn repeated(&mut self, element: &'static Kind, value: &mut Value, path: &Path<'_>) -> Outcome {
        let Value::Array(items) = value else { return self.wrong_type(path, "an array", value) };
        for (index, item) in items.iter_mut().enumerate() {
            if self.is_full() {
                return Outcome::Refused;
            }
            self.value(element, item, &Path::Index(path, index));
        }
        set_unless(items.is_empty())
    }

    fn map(&mut self, element: &'static Kind, value: &mut Value, path: &Path<'_>) -> Outcome {
        let Value::Object(members) = value else { return self.wrong_type(path, "an object", value) };
        for (key, member) in members.iter_mut() {
            if self.is_full() {
                return Outcome::Refused;
            }
            self.value(element, member, &Path::Key(path, key));
        }
        set_unless(members.is_empty())
    }
}

/// Whether a value has fields, and none of them is one of the message: it is something else. Messages without required
/// fields would take it for an empty one. (One that is empty may well be that: ProtoJSON leaves out what is 0, "" or [].)
fn is_foreign(def: &MessageDef, value: &Value) -> bool {
    value.as_object().is_some_and(|map| !map.is_empty() && !map.keys().any(|key| def.field(key).is_some()))
}

/// Keeps one field, at its default, of a message that the canonical form would leave with nothing but fields of a later
/// version: whoever reads it next would take it for something else.
fn keep_familiar(def: &MessageDef, value: &mut Value) {
    if !is_foreign(def, value) {
        return;
    }
    if let (Some(map), Some(field)) = (value.as_object_mut(), def.fields.first()) {
        map.insert(field.json.to_owned(), scalar::default(&field.kind));
    }
}

/// ProtoJSON reads `null` as absent, but for `google.protobuf.Value`, of which it is a value.
fn is_absent(field: &Field, value: &Value) -> bool {
    value.is_null() && !matches!(field.kind, Kind::Value)
}

fn set_unless(is_default: bool) -> Outcome {
    if is_default { Outcome::Default } else { Outcome::Set }
}
