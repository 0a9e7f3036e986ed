//! The tables against a list of the protocol's messages that was made apart from them.

use std::collections::{BTreeMap, BTreeSet};

use super::data::{request_of, result_of};
use super::model::{EnumDef, Kind, MessageDef, Presence};
use crate::protocol::operation::Operation;

const MESSAGES: &str = include_str!("../../../tests/fixtures/messages.txt");

#[derive(Debug, PartialEq, Clone)]
struct ProtoField {
    name: String,
    kind: String,
    is_required: bool,
    has_presence: bool,
}

#[derive(Debug, Default)]
struct ProtoMessage {
    fields: Vec<ProtoField>,
    oneof: Vec<String>,
}

#[derive(Debug, Default)]
struct Proto {
    messages: BTreeMap<String, ProtoMessage>,
    /// Values in their order, by the enum's name.
    enums: BTreeMap<String, Vec<(i64, String)>>,
}

fn read_messages() -> Proto {
    let mut proto = Proto::default();
    let mut current = "";
    for line in MESSAGES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix("  ") {
            None => {
                let (sort, name) = line.split_once(' ').unwrap();
                current = name;
                match sort {
                    "message" => drop(proto.messages.insert(name.to_owned(), ProtoMessage::default())),
                    "enum" => drop(proto.enums.insert(name.to_owned(), Vec::new())),
                    other => panic!("neither message nor enum: {other}"),
                }
            }
            Some(line) => match line.split_once(": ") {
                Some((name, kind)) => proto.messages.get_mut(current).unwrap().add(name, kind),
                None => {
                    let (number, name) = line.split_once(' ').unwrap();
                    proto.enums.get_mut(current).unwrap().push((number.parse().unwrap(), name.to_owned()));
                }
            },
        }
    }
    proto
}

impl ProtoMessage {
    fn add(&mut self, name: &str, kind: &str) {
        let (kind, marks) = kind.split_once(" (").unwrap_or((kind, ""));
        let marks: Vec<&str> = marks.trim_end_matches(')').split(", ").collect();
        let is_in_oneof = marks.contains(&"oneof");
        let is_scalar = ["string", "bool", "int32", "bytes", "Role", "TaskState"].contains(&kind);
        if is_in_oneof {
            self.oneof.push(name.to_owned());
        }
        self.fields.push(ProtoField {
            name: name.to_owned(),
            kind: kind.to_owned(),
            is_required: marks.contains(&"required"),
            has_presence: marks.contains(&"optional") || is_in_oneof || !is_scalar,
        });
    }
}

/// The kind as the list writes it.
fn proto_kind(kind: &Kind) -> String {
    match kind {
        Kind::String => "string".into(),
        Kind::Bool => "bool".into(),
        Kind::Int(..) => "int32".into(),
        Kind::Bytes => "bytes".into(),
        Kind::Enum(EnumDef { unspecified: "ROLE_UNSPECIFIED", .. }) => "Role".into(),
        Kind::Enum(EnumDef { unspecified: "TASK_STATE_UNSPECIFIED", .. }) => "TaskState".into(),
        Kind::Enum(other) => panic!("no such enum in the proto: {other:?}"),
        Kind::Message(def) => def.name.into(),
        Kind::Struct => "Struct".into(),
        Kind::Value => "Value".into(),
        Kind::Timestamp => "Timestamp".into(),
        Kind::Repeated(element) => format!("repeated {}", proto_kind(element)),
        Kind::Map(element) => format!("map {}", proto_kind(element)),
    }
}

fn inner_messages(kind: &Kind, found: &mut Vec<&'static MessageDef>) {
    if let Some(def) = kind.message() {
        found.push(def);
        def.fields.iter().for_each(|field| inner_messages(&field.kind, found));
    }
}

/// Every message that any operation takes or gives, with what is in it.
fn all_messages() -> Vec<&'static MessageDef> {
    let mut found = Vec::new();
    for operation in Operation::ALL {
        for def in [request_of(operation), result_of(operation)] {
            found.push(def);
            def.fields.iter().for_each(|field| inner_messages(&field.kind, &mut found));
        }
    }
    found
}

/// `lowerCamelCase` as protoc makes it: the letter after each underscore in upper case.
fn lower_camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
}

#[test]
fn every_message_of_the_proto_is_in_a_table() {
    let tables: BTreeSet<&str> = all_messages().iter().map(|def| def.name).filter(|name| *name != "Empty").collect();
    let proto = read_messages();
    assert_eq!(proto.messages.len(), 44, "the proto of 1.0.1 has 44 messages");
    assert_eq!(tables, proto.messages.keys().map(String::as_str).collect());
}

#[test]
fn every_field_is_as_the_proto_has_it() {
    let proto = read_messages();
    for def in all_messages().into_iter().filter(|def| def.name != "Empty") {
        let actual: Vec<ProtoField> = def
            .fields
            .iter()
            .map(|field| ProtoField {
                name: field.proto.to_owned(),
                kind: proto_kind(&field.kind),
                is_required: matches!(field.presence, Presence::Required | Presence::Defaulted),
                has_presence: field.presence == Presence::Explicit,
            })
            .collect();
        let is_create = std::ptr::eq(def, request_of(Operation::CreateTaskPushNotificationConfig));
        let mut expected = proto.messages[def.name].fields.clone();
        for field in &mut expected {
            // The one place where an operation needs more than its message.
            field.is_required |= is_create && field.name == "task_id";
            field.has_presence &= !field.is_required;
        }
        assert_eq!(actual, expected, "{}", def.name);
    }
}

#[test]
fn json_names_are_those_that_protoc_makes() {
    for def in all_messages() {
        for field in def.fields {
            assert_eq!(field.json, lower_camel(field.proto), "{}", def.name);
            assert!(!field.json.contains('_'), "the checker tells proto names by their underscores");
        }
    }
}

#[test]
fn oneofs_are_those_of_the_proto() {
    let proto = read_messages();
    for def in all_messages().into_iter().filter(|def| def.name != "Empty") {
        let expected: Vec<String> = proto.messages[def.name].oneof.iter().map(|name| lower_camel(name)).collect();
        let actual = def.oneof.as_ref().map_or(&[][..], |oneof| oneof.members);
        assert_eq!(actual, expected, "{}", def.name);
    }
}

#[test]
fn enums_have_the_values_of_the_proto() {
    let proto = read_messages();
    assert_eq!(proto.enums.len(), 2);
    let mut seen = BTreeSet::new();
    for field in all_messages().into_iter().flat_map(|def| def.fields) {
        let Kind::Enum(def) = &field.kind else { continue };
        let name = proto_kind(&field.kind);
        seen.insert(name.clone());
        let mut actual: Vec<(i64, String)> =
            def.values.iter().map(|(number, name)| (*number, (*name).into())).collect();
        actual.push((0, def.unspecified.into()));
        actual.sort();
        assert_eq!(actual, proto.enums[&name]);
    }
    assert_eq!(seen.len(), 2);
}
