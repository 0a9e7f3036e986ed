//! The log line of a failed request: one JSON object, with all that is needed to find the fault and nothing that must
//! not be kept (no credentials, no message text).

use std::error::Error as StdError;

use serde::Serialize;

use crate::ports::{Level, Timestamp};
use crate::protocol::binding::Binding;
use crate::protocol::error::{A2aError, ErrorKind};
use crate::protocol::operation::Operation;
use crate::protocol::path::clipped;

/// Longest caller-given text in a line: ids are the caller's to choose.
const MAX_TEXT: usize = 128;
/// Longest chain of sources that is followed; a chain may even be a circle.
const MAX_SOURCES: usize = 8;
/// Longest text of one source.
const MAX_SOURCE_TEXT: usize = 512;

/// What is known of a request while it is served.
#[derive(Debug, Clone)]
pub(crate) struct Trace {
    pub(crate) binding: Binding,
    /// Raw JSON of the id; empty on REST, which has none.
    pub(crate) request_id: String,
    pub(crate) operation: Option<Operation>,
    pub(crate) task_id: Option<String>,
    pub(crate) ray: Option<String>,
    /// When it reached the agent. What comes before that takes no time: it waits for nothing.
    pub(crate) started: Option<Timestamp>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    level: &'static str,
    event: &'static str,
    code: i32,
    reason: &'a str,
    http_status: u16,
    binding: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ray: Option<&'a str>,
    duration_ms: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<String>,
}

/// How grave an error is to whoever runs the agent.
pub(super) fn level(error: &A2aError) -> Level {
    match error.kind() {
        ErrorKind::Internal | ErrorKind::InvalidAgentResponse => Level::Error,
        ErrorKind::Custom { http_status: 500.., .. } => Level::Error,
        ErrorKind::Custom { http_status: 401 | 403 | 429, .. } => Level::Warn,
        ErrorKind::TaskNotFound
        | ErrorKind::TaskNotCancelable
        | ErrorKind::PushNotificationNotSupported
        | ErrorKind::UnsupportedOperation
        | ErrorKind::ContentTypeNotSupported
        | ErrorKind::ExtendedAgentCardNotConfigured
        | ErrorKind::ExtensionSupportRequired
        | ErrorKind::VersionNotSupported
        | ErrorKind::PushNotificationConfigNotFound
        | ErrorKind::Parse
        | ErrorKind::InvalidRequest
        | ErrorKind::MethodNotFound
        | ErrorKind::InvalidParams
        | ErrorKind::Custom { .. } => Level::Info,
    }
}

/// The line for a request that failed with `error` after `duration_ms`.
pub(super) fn line(error: &A2aError, trace: &Trace, duration_ms: u64) -> String {
    let line = Line {
        level: match level(error) {
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        },
        event: "request_failed",
        code: error.code(),
        reason: error.reason(),
        http_status: error.http_status(),
        binding: trace.binding.name(),
        operation: trace.operation.map(Operation::name),
        request_id: Some(clipped(&trace.request_id, MAX_TEXT)).filter(|id| !id.is_empty()),
        task_id: trace.task_id.as_deref().map(|id| clipped(id, MAX_TEXT)),
        ray: trace.ray.as_deref().map(|ray| clipped(ray, MAX_TEXT)),
        duration_ms,
        sources: sources(error),
    };
    // A struct of strings and numbers always serialises; an empty line would still be one line.
    serde_json::to_string(&line).unwrap_or_default()
}

fn sources(error: &A2aError) -> Vec<String> {
    let chain = std::iter::successors(error.log_source(), |source: &&(dyn StdError + 'static)| (*source).source());
    chain.take(MAX_SOURCES).map(|source| clipped(&source.to_string(), MAX_SOURCE_TEXT).to_owned()).collect()
}
