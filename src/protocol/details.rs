//! Structured error details: the `google.rpc` messages that A2A names (specification 3.3.2, 9.5), as ProtoJSON `Any`.

use std::borrow::Cow;
use std::time::Duration;

use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(super) const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";
const RETRY_INFO: &str = "type.googleapis.com/google.rpc.RetryInfo";

/// `google.rpc.ErrorInfo`: the machine-readable reason. Every error has exactly one, built from the error itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ErrorInfo<'a> {
    pub(crate) reason: &'a str,
    pub(crate) domain: &'a str,
    pub(crate) metadata: &'a [(Cow<'static, str>, String)],
}

impl Serialize for ErrorInfo<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("@type", ERROR_INFO)?;
        map.serialize_entry("reason", self.reason)?;
        map.serialize_entry("domain", self.domain)?;
        if !self.metadata.is_empty() {
            map.serialize_entry("metadata", &Metadata(self.metadata))?;
        }
        map.end()
    }
}

struct Metadata<'a>(&'a [(Cow<'static, str>, String)]);

impl Serialize for Metadata<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// One fault in the parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldViolation {
    /// Path of the field in JSON names, like `message.parts[0].mediaType`.
    pub field: String,
    /// What is wrong with it, and what would be right.
    pub description: String,
}

impl FieldViolation {
    /// A violation of `field`, told by `description`.
    pub fn new(field: impl Into<String>, description: impl Into<String>) -> Self {
        Self { field: field.into(), description: description.into() }
    }

    /// All of them in one line, for whoever configured what is wrong.
    pub fn list(violations: &[Self]) -> String {
        let each = violations.iter().map(|violation| format!("{}: {}", violation.field, violation.description));
        each.collect::<Vec<_>>().join("; ")
    }
}

/// `google.rpc.BadRequest`: every fault in the parameters, each with its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRequest {
    /// The faults, in the order of the schema.
    pub field_violations: Vec<FieldViolation>,
}

/// `google.rpc.RetryInfo`: when a retry makes sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryInfo {
    /// How long to wait at least.
    pub retry_delay: Duration,
}

/// A duration as ProtoJSON writes it: seconds with 0, 3, 6 or 9 fractional digits, and an `s`.
fn proto_duration(duration: Duration) -> String {
    let (seconds, nanos) = (duration.as_secs(), duration.subsec_nanos());
    if nanos == 0 {
        format!("{seconds}s")
    } else if nanos % 1_000_000 == 0 {
        format!("{seconds}.{:03}s", nanos / 1_000_000)
    } else if nanos % 1_000 == 0 {
        format!("{seconds}.{:06}s", nanos / 1_000)
    } else {
        format!("{seconds}.{nanos:09}s")
    }
}

/// A detail that follows the ErrorInfo.
#[derive(Debug, Clone, PartialEq)]
pub enum Detail {
    /// Which parameters are wrong.
    BadRequest(BadRequest),
    /// When to try again.
    RetryInfo(RetryInfo),
    /// Any other message.
    Other {
        /// Its type URL, sent as `@type`.
        type_url: String,
        /// Its fields. A `@type` among them is ignored.
        fields: Map<String, Value>,
    },
}

impl From<BadRequest> for Detail {
    fn from(detail: BadRequest) -> Self {
        Self::BadRequest(detail)
    }
}

impl From<RetryInfo> for Detail {
    fn from(detail: RetryInfo) -> Self {
        Self::RetryInfo(detail)
    }
}

impl Serialize for Detail {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::BadRequest(detail) => {
                map.serialize_entry("@type", BAD_REQUEST)?;
                map.serialize_entry("fieldViolations", &detail.field_violations)?;
            }
            Self::RetryInfo(detail) => {
                map.serialize_entry("@type", RETRY_INFO)?;
                map.serialize_entry("retryDelay", &proto_duration(detail.retry_delay))?;
            }
            Self::Other { type_url, fields } => {
                map.serialize_entry("@type", type_url)?;
                for (key, value) in fields.iter().filter(|(key, _)| *key != "@type") {
                    map.serialize_entry(key, value)?;
                }
            }
        }
        map.end()
    }
}

/// All details of an error as both bindings list them: the ErrorInfo, then the others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Details<'a> {
    pub(crate) info: ErrorInfo<'a>,
    pub(crate) others: &'a [Detail],
}

impl Serialize for Details<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(1 + self.others.len()))?;
        list.serialize_element(&self.info)?;
        for detail in self.others {
            list.serialize_element(detail)?;
        }
        list.end()
    }
}
