//! What a table of the schema is made of.

/// A message type.
#[derive(Debug)]
pub(super) struct MessageDef {
    /// Name in the proto.
    pub(super) name: &'static str,
    /// Its fields, in the order of the proto.
    pub(super) fields: &'static [Field],
    /// Its oneof, if it has one.
    pub(super) oneof: Option<Oneof>,
}

impl MessageDef {
    /// The field of this JSON name or proto name. A parser of ProtoJSON takes both.
    pub(super) fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.json == name || field.proto == name)
    }
}

/// Fields of which a message has only one.
#[derive(Debug)]
pub(super) struct Oneof {
    /// The JSON names of the fields.
    pub(super) members: &'static [&'static str],
    /// Whether one of them must be there.
    pub(super) required: bool,
}

/// A field of a message.
#[derive(Debug)]
pub(super) struct Field {
    /// Name in JSON.
    pub(super) json: &'static str,
    /// Name in the proto.
    pub(super) proto: &'static str,
    /// What it holds.
    pub(super) kind: Kind,
    /// Whether it must be there.
    pub(super) presence: Presence,
}

/// Whether a field must be there, and what its default value means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// A plain field of proto3: its default value is the same as its absence.
    Implicit,
    /// A field that tells its default value from its absence: `optional`, messages, members of a oneof, lists.
    Explicit,
    /// `REQUIRED`: there, and not empty (specification 5.7).
    Required,
    /// `REQUIRED`, where the default value is as good as any. If it is absent, it is filled in.
    Defaulted,
}

/// What a field holds.
#[derive(Debug)]
pub(super) enum Kind {
    /// `string`
    String,
    /// `bool`
    Bool,
    /// `int32`, from the first to the second number.
    Int(i64, i64),
    /// `bytes`
    Bytes,
    /// An enum.
    Enum(&'static EnumDef),
    /// A message.
    Message(&'static MessageDef),
    /// `google.protobuf.Struct`
    Struct,
    /// `google.protobuf.Value`
    Value,
    /// `google.protobuf.Timestamp`
    Timestamp,
    /// `repeated`
    Repeated(&'static Kind),
    /// `map` from strings
    Map(&'static Kind),
}

impl Kind {
    /// The message, of which there may be a list or a map; no kind that is a scalar, or free of form, has one.
    pub(super) fn message(&self) -> Option<&'static MessageDef> {
        match self {
            Self::Message(def) => Some(def),
            Self::Repeated(element) | Self::Map(element) => element.message(),
            Self::String
            | Self::Bool
            | Self::Int(..)
            | Self::Bytes
            | Self::Enum(_)
            | Self::Struct
            | Self::Value
            | Self::Timestamp => None,
        }
    }
}

/// An enum. Its number 0 is "unspecified", the default.
#[derive(Debug)]
pub(super) struct EnumDef {
    /// Name of the value 0.
    pub(super) unspecified: &'static str,
    /// The other values, in the order in which an error lists them.
    pub(super) values: &'static [(i64, &'static str)],
}

/// A plain field of proto3.
pub(super) const fn field(json: &'static str, proto: &'static str, kind: Kind) -> Field {
    Field { json, proto, kind, presence: Presence::Implicit }
}

/// A field that tells its default value from its absence.
pub(super) const fn explicit(json: &'static str, proto: &'static str, kind: Kind) -> Field {
    Field { json, proto, kind, presence: Presence::Explicit }
}

/// A field that must be there and not empty.
pub(super) const fn required(json: &'static str, proto: &'static str, kind: Kind) -> Field {
    Field { json, proto, kind, presence: Presence::Required }
}

/// A field that must be there, and may be empty.
pub(super) const fn defaulted(json: &'static str, proto: &'static str, kind: Kind) -> Field {
    Field { json, proto, kind, presence: Presence::Defaulted }
}

/// A message without a oneof.
pub(super) const fn message(name: &'static str, fields: &'static [Field]) -> MessageDef {
    MessageDef { name, fields, oneof: None }
}

/// A message with exactly one of `members`.
pub(super) const fn one_of(
    name: &'static str,
    fields: &'static [Field],
    members: &'static [&'static str],
) -> MessageDef {
    MessageDef { name, fields, oneof: Some(Oneof { members, required: true }) }
}
