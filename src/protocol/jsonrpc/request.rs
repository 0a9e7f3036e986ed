//! What comes in: a request, a notification, or a batch of them.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::Id;
use crate::protocol::details::{BadRequest, FieldViolation};
use crate::protocol::error::A2aError;
use crate::protocol::text;

/// How many calls a batch may hold. JSON-RPC sets no limit; this one keeps a single request from starting hundreds.
pub const MAX_BATCH: usize = 50;

const VERSION: &str = "2.0";

/// What a body holds.
#[derive(Debug)]
pub enum Payload<'a> {
    /// One call.
    Single(Incoming<'a>),
    /// At least one call and at most [`MAX_BATCH`], each to be answered in its place.
    Batch(Vec<Incoming<'a>>),
}

/// A call, or what to answer where there should be one.
pub type Incoming<'a> = Result<Call<'a>, Rejected>;

/// A call whose envelope is sound.
#[derive(Debug)]
pub struct Call<'a> {
    /// The id to answer under. A notification has none, and gets no answer.
    pub id: Option<Id>,
    /// The method, of any name.
    pub method: Cow<'a, str>,
    /// The params: the JSON text of an object or an array. Absent and null are the same.
    pub params: Option<&'a RawValue>,
}

/// A call whose envelope is not sound.
#[derive(Debug)]
pub struct Rejected {
    /// The id to answer under: the call's own where it is readable.
    pub id: Id,
    /// What is wrong.
    pub error: A2aError,
}

/// Reads the envelope of a request body (JSON-RPC 2.0, sections 4 and 6).
///
/// # Errors
/// `-32700` if the body is not JSON, `-32600` if it is neither an object nor an array, or a batch of no calls or too many.
/// Such an answer has the id null. What is wrong with a single call is inside the [`Payload`].
pub fn parse(body: &[u8]) -> Result<Payload<'_>, A2aError> {
    let text = text::decode(body)?;
    match first_byte(text) {
        Some(b'{') => Members::parse(text).map(|members| Payload::Single(members.into_call())),
        Some(b'[') => parse_batch(text),
        Some(_) => {
            serde_json::from_str::<IgnoredAny>(text).map_err(|error| malformed(&error))?;
            Err(invalid(vec![FieldViolation::new("", "must be an object, or an array of objects")]))
        }
        None => Err(text::malformed("the body is empty")),
    }
}

fn parse_batch(text: &str) -> Result<Payload<'_>, A2aError> {
    let batch: BatchMembers<'_> = serde_json::from_str(text).map_err(|error| malformed(&error))?;
    if batch.surplus || batch.members.is_empty() {
        let rule = format!("a batch must hold 1 to {MAX_BATCH} calls");
        return Err(invalid(vec![FieldViolation::new("", rule)]));
    }
    let calls = batch.members.into_iter().map(|raw| match first_byte(raw.get()) {
        Some(b'{') => match Members::parse(raw.get()) {
            Ok(members) => members.into_call(),
            Err(error) => Err(Rejected { id: Id::NULL, error }),
        },
        _ => Err(Rejected { id: Id::NULL, error: invalid(vec![FieldViolation::new("", "must be an object")]) }),
    });
    Ok(Payload::Batch(calls.collect()))
}

fn first_byte(text: &str) -> Option<u8> {
    text.bytes().find(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

/// `-32700`. The text of a `serde_json` syntax error tells what and where, and quotes nothing of the body.
fn malformed(error: &serde_json::Error) -> A2aError {
    text::malformed(error.to_string())
}

/// `-32600`, with every fault.
fn invalid(field_violations: Vec<FieldViolation>) -> A2aError {
    A2aError::invalid_request().with_detail(BadRequest { field_violations })
}

/// The members of an envelope that mean something, in the order in which faults are reported.
#[derive(Clone, Copy)]
enum Member {
    Version,
    Id,
    Method,
    Params,
}

impl Member {
    const ALL: [Self; 4] = [Self::Version, Self::Id, Self::Method, Self::Params];

    const fn name(self) -> &'static str {
        match self {
            Self::Version => "jsonrpc",
            Self::Id => "id",
            Self::Method => "method",
            Self::Params => "params",
        }
    }

    fn of(key: &RawValue) -> Option<Self> {
        let key = string(key)?;
        Self::ALL.into_iter().find(|member| member.name() == key)
    }
}

/// The text of a JSON string; `None` if the value is no string, or one that Unicode cannot hold (a lone surrogate).
fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') { serde_json::from_str(raw.get()).ok().map(Cow::Owned) } else { Some(Cow::Borrowed(inner)) }
}

/// What came under a member's name.
#[derive(Clone, Copy, Default)]
enum Slot<'a> {
    #[default]
    Absent,
    Once(&'a RawValue),
    Repeated,
}

/// The values of an envelope, unread.
#[derive(Default)]
struct Members<'a>([Slot<'a>; Member::ALL.len()]);

impl<'a> Members<'a> {
    fn parse(text: &'a str) -> Result<Self, A2aError> {
        serde_json::from_str(text).map_err(|error| malformed(&error))
    }

    fn set(&mut self, member: Member, value: &'a RawValue) {
        let slot = &mut self.0[member as usize];
        *slot = match slot {
            Slot::Absent => Slot::Once(value),
            Slot::Once(_) | Slot::Repeated => Slot::Repeated,
        };
    }

    fn get(&self, member: Member) -> Result<Option<&'a RawValue>, &'static str> {
        match self.0[member as usize] {
            Slot::Absent => Ok(None),
            Slot::Once(value) => Ok(Some(value)),
            Slot::Repeated => Err("must not be repeated"),
        }
    }

    fn into_call(self) -> Incoming<'a> {
        match (self.version(), self.id(), self.method(), self.params()) {
            (Ok(()), Ok(id), Ok(method), Ok(params)) => Ok(Call { id, method, params }),
            (version, id, method, params) => {
                let faults = [version.err(), id.as_ref().err().copied(), method.err(), params.err()];
                let violations = Member::ALL.into_iter().zip(faults).filter_map(|(member, fault)| {
                    fault.map(|description| FieldViolation::new(member.name(), description))
                });
                let id = id.ok().flatten().unwrap_or(Id::NULL);
                Err(Rejected { id, error: invalid(violations.collect()) })
            }
        }
    }

    fn version(&self) -> Result<(), &'static str> {
        let version = self.get(Member::Version)?.and_then(string);
        if version.as_deref() == Some(VERSION) { Ok(()) } else { Err("must be \"2.0\"") }
    }

    fn id(&self) -> Result<Option<Id>, &'static str> {
        match self.get(Member::Id)? {
            None => Ok(None),
            Some(raw) => Id::from_raw(raw).map(Some).ok_or("must be a string, a number or null"),
        }
    }

    fn method(&self) -> Result<Cow<'a, str>, &'static str> {
        self.get(Member::Method)?.and_then(string).ok_or("must be a string")
    }

    fn params(&self) -> Result<Option<&'a RawValue>, &'static str> {
        let params = self.get(Member::Params)?;
        match params.and_then(|raw| first_byte(raw.get())) {
            Some(b'{' | b'[') => Ok(params),
            None | Some(b'n') => Ok(None),
            Some(_) => Err("must be an object"),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Members::default();
        // Keys are taken raw too: one that Unicode cannot hold is an unknown member, not a fault.
        while let Some(key) = map.next_key::<&RawValue>()? {
            match Member::of(key) {
                Some(member) => members.set(member, map.next_value()?),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(members)
    }
}

/// The first members of a batch, unread. All are checked to be JSON, but no more are kept than may be answered.
struct BatchMembers<'a> {
    members: Vec<&'a RawValue>,
    surplus: bool,
}

impl<'de: 'a, 'a> Deserialize<'de> for BatchMembers<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(BatchVisitor)
    }
}

struct BatchVisitor;

impl<'de> Visitor<'de> for BatchVisitor {
    type Value = BatchMembers<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while members.len() < MAX_BATCH {
            match seq.next_element()? {
                Some(member) => members.push(member),
                None => return Ok(BatchMembers { members, surplus: false }),
            }
        }
        let mut surplus = false;
        while seq.next_element::<IgnoredAny>()?.is_some() {
            surplus = true;
        }
        Ok(BatchMembers { members, surplus })
    }
}

#[cfg(test)]
mod tests;
