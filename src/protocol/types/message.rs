//! Messages and their parts (specification 4.1.4 to 4.1.6).

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Deserializer, Error as _};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Struct;

/// Who sent a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Role {
    /// The client.
    #[serde(rename = "ROLE_USER")]
    User,
    /// The agent.
    #[serde(rename = "ROLE_AGENT")]
    Agent,
}

impl Role {
    /// Every role. `ROLE_UNSPECIFIED` is none: no valid message has it.
    pub const ALL: [Self; 2] = [Self::User, Self::Agent];

    /// The name in the proto and on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "ROLE_USER",
            Self::Agent => "ROLE_AGENT",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One unit of communication between client and agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Identifies the message. Empty only in a message that has not got its id yet.
    pub message_id: String,
    /// The context it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_id: Option<String>,
    /// The task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Who sent it.
    pub role: Role,
    /// What it says.
    pub parts: Vec<Part>,
    /// Anything else about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Struct>,
    /// URIs of the extensions that contributed to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// Other tasks that it refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reference_task_ids: Vec<String>,
}

impl Message {
    /// A message of `role` with these parts, still without ids.
    pub fn new(role: Role, parts: Vec<Part>) -> Self {
        Self {
            message_id: String::new(),
            context_id: None,
            task_id: None,
            role,
            parts,
            metadata: None,
            extensions: Vec::new(),
            reference_task_ids: Vec::new(),
        }
    }

    /// The agent saying `text`. What an [`Agent`](crate::agent::Agent) answers or saves without an id is given one.
    pub fn agent_text(text: impl Into<String>) -> Self {
        Self::new(Role::Agent, vec![Part::text(text)])
    }

    /// The client saying `text`. Whoever sends it gives it an id.
    pub fn user_text(text: impl Into<String>) -> Self {
        Self::new(Role::User, vec![Part::text(text)])
    }

    /// Sets the message id.
    pub fn with_id(mut self, message_id: impl Into<String>) -> Self {
        self.message_id = message_id.into();
        self
    }

    /// The text of all text parts, joined without a separator; borrowed if there is only one.
    pub fn text(&self) -> Cow<'_, str> {
        text_of(&self.parts)
    }
}

/// The text of all text parts.
pub(super) fn text_of(parts: &[Part]) -> Cow<'_, str> {
    let mut texts = parts.iter().filter_map(Part::as_text);
    let first = texts.next().unwrap_or_default();
    match texts.next() {
        None => Cow::Borrowed(first),
        Some(second) => Cow::Owned([first, second].into_iter().chain(texts).collect()),
    }
}

/// What a part holds: the oneof `content` of the proto.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Text.
    Text(String),
    /// A file's bytes, in base64 as on the wire. [`Part::bytes`] decodes them.
    Raw(String),
    /// Where a file is.
    Url(String),
    /// Structured data: any JSON value, `null` included.
    Data(Value),
}

/// A section of a message or artifact.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What it holds.
    pub content: Content,
    /// Anything else about it.
    pub metadata: Option<Struct>,
    /// Name of the file.
    pub filename: Option<String>,
    /// Media type of the content.
    pub media_type: Option<String>,
}

impl From<Content> for Part {
    fn from(content: Content) -> Self {
        Self { content, metadata: None, filename: None, media_type: None }
    }
}

impl Part {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Content::Text(text.into()).into()
    }

    /// A part with a file's bytes.
    pub fn raw(bytes: impl AsRef<[u8]>) -> Self {
        Content::Raw(STANDARD.encode(bytes)).into()
    }

    /// A part that points to a file.
    pub fn url(url: impl Into<String>) -> Self {
        Content::Url(url.into()).into()
    }

    /// A part with structured data.
    pub fn data(data: impl Into<Value>) -> Self {
        Content::Data(data.into()).into()
    }

    /// Sets the media type.
    pub fn with_media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// Sets the file name.
    pub fn with_filename(mut self, filename: impl Into<String>) -> Self {
        self.filename = Some(filename.into());
        self
    }

    /// The text, if it is a text part.
    pub fn as_text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            Content::Raw(_) | Content::Url(_) | Content::Data(_) => None,
        }
    }

    /// The bytes, if it is a raw part whose base64 is sound.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match &self.content {
            Content::Raw(base64) => STANDARD.decode(base64).ok(),
            Content::Text(_) | Content::Url(_) | Content::Data(_) => None,
        }
    }
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.content {
            Content::Text(text) => map.serialize_entry("text", text)?,
            Content::Raw(base64) => map.serialize_entry("raw", base64)?,
            Content::Url(url) => map.serialize_entry("url", url)?,
            Content::Data(data) => map.serialize_entry("data", data)?,
        }
        if let Some(metadata) = &self.metadata {
            map.serialize_entry("metadata", metadata)?;
        }
        if let Some(filename) = &self.filename {
            map.serialize_entry("filename", filename)?;
        }
        if let Some(media_type) = &self.media_type {
            map.serialize_entry("mediaType", media_type)?;
        }
        map.end()
    }
}

/// A part as it is read, before it is known to have one content. (serde's `flatten` would buffer every part.)
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fields {
    text: Option<String>,
    raw: Option<String>,
    url: Option<String>,
    #[serde(default, deserialize_with = "present")]
    data: Option<Value>,
    metadata: Option<Struct>,
    filename: Option<String>,
    media_type: Option<String>,
}

/// `null` is data too, so only absence is `None`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = Fields::deserialize(deserializer)?;
        let content = match (fields.text, fields.raw, fields.url, fields.data) {
            (Some(text), None, None, None) => Content::Text(text),
            (None, Some(raw), None, None) => Content::Raw(raw),
            (None, None, Some(url), None) => Content::Url(url),
            (None, None, None, Some(data)) => Content::Data(data),
            _ => return Err(D::Error::custom("a part has exactly one of text, raw, url and data")),
        };
        Ok(Self { content, metadata: fields.metadata, filename: fields.filename, media_type: fields.media_type })
    }
}
