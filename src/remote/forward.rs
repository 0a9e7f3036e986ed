//! Another agent's error, made fit for one's own caller.

use std::fmt;

use serde_json::Value;

use super::error::{RemoteError, default_message};
use super::fault::{Cause, TransportFault};
use super::internals::{is_internal, is_internal_key, is_secret};
use super::kind;
use crate::protocol::details::{BadRequest, Detail, FieldViolation};
use crate::protocol::error::{A2aError, ErrorKind};
use crate::protocol::path::clipped;

/// Longest text that is passed on, in bytes; longer ones are cut. (Our own: an error is read by people.)
const MAX_TEXT: usize = 1024;
/// Most entries of metadata, violations and further details that are passed on. (Our own.)
const MAX_ENTRIES: usize = 32;
/// Longest further detail that is passed on, as JSON. (Our own.)
const MAX_DETAIL_BYTES: usize = 4096;
/// Shortest credential that is looked for in what an agent says; a shorter one would be found everywhere.
const MIN_CREDENTIAL: usize = 8;

impl RemoteError {
    /// The error for a caller of one's own: the same kind, code, reason, metadata, violations and retry advice, and the
    /// agent's own message, but nothing that looks like internals or secrets. That, like what is wrong with an answer that
    /// breaks the protocol, is in the error's source, for the log.
    ///
    /// `credential` is the caller's own, as it was sent; an agent that repeats it is not repeated.
    pub fn to_protocol_error(&self, credential: Option<&str>) -> A2aError {
        self.to_protocol_error_without(&credential.into_iter().collect::<Vec<_>>())
    }

    /// The same for a caller with several credentials.
    pub fn to_protocol_error_without(&self, credentials: &[&str]) -> A2aError {
        let filter = Filter::new(credentials);
        let error = match self.cause() {
            Cause::Reported => self.reported_to(&filter),
            Cause::Invalid(_) => A2aError::invalid_agent_response(),
            Cause::Transport(fault) => transport(fault),
        };
        let error = match self.retry_after() {
            Some(delay) => error.with_retry_after(delay),
            None => error,
        };
        error.with_source(ForLog::of(self, &filter))
    }

    fn reported_to(&self, filter: &Filter<'_>) -> A2aError {
        let kind = for_the_caller(self.kind());
        let mut error = A2aError::new(kind);
        match self.own_message().and_then(|message| filter.text(message)) {
            Some(message) => error = error.with_message(message.to_owned()),
            None => error = error.with_message(default_message(kind)),
        }
        let field_violations = filter.violations(self.field_violations());
        if !field_violations.is_empty() {
            error = if kind == ErrorKind::InvalidParams {
                let message = error.message().to_owned();
                A2aError::invalid_fields(field_violations).with_message(message)
            } else {
                error.with_detail(BadRequest { field_violations })
            };
        }
        // Of the protocol's own reasons there is one spelling; any other means something in its domain.
        let is_own = |reason: &&str| kind::by_reason(reason).is_none() && is_name(reason) && !filter.has_secret(reason);
        if let Some(reason) = self.reason().filter(is_own) {
            error = error.with_reason(reason.to_owned());
            if let Some(domain) = self.domain().filter(|domain| filter.is_harmless(domain)) {
                error = error.with_domain(clipped(domain, MAX_TEXT).to_owned());
            }
        }
        for (key, value) in self.metadata().take(MAX_ENTRIES) {
            let is_hidden = is_internal_key(key) || filter.has_secret(key);
            if let (false, Some(value)) = (is_hidden, filter.text(value)) {
                error = error.with_metadata(clipped(key, MAX_TEXT).to_owned(), value);
            }
        }
        // A bare text has no place of its own among typed details.
        if let Some(text) = self.data().as_str().and_then(|text| filter.text(text)) {
            error = error.with_metadata("data", text);
        }
        for detail in self.details().iter().filter_map(|detail| filter.detail(detail)).take(MAX_ENTRIES) {
            error = error.with_detail(detail);
        }
        if error.http_status() != 401 {
            return error;
        }
        // There is always one with a 401 (RFC 9110, section 11.6.1), and A2A's agents ask for bearer tokens as a rule.
        let challenge = self.challenge().filter(|challenge| filter.is_harmless(challenge)).unwrap_or("Bearer");
        error.with_header("WWW-Authenticate", challenge)
    }
}

/// The kind with an HTTP status that can be said to somebody else.
///
/// Some statuses are about the connection that they come on, and HTTP clients act on them without a word to their user:
/// they send the request again, or fail as if there were no answer (Fetch, "HTTP-network-or-cache fetch"). On another
/// connection they would be untrue, and do harm.
fn for_the_caller(kind: ErrorKind) -> ErrorKind {
    let ErrorKind::Custom { code, http_status } = kind else { return kind };
    let http_status = match http_status {
        // Too slow for the agent; too early; and then proxy authentication, misdirected, upgrade, network authentication.
        408 => 504,
        425 => 503,
        407 | 421 | 426 | 511 => 502,
        // Of Cloudflare in front of the agent: no connection in time, no answer in time; and then all other trouble.
        522 | 524 => 504,
        520..=530 => 502,
        other => other,
    };
    ErrorKind::Custom { code, http_status }
}

fn transport(fault: &TransportFault) -> A2aError {
    let code = ErrorKind::Internal.facts().code;
    // The texts are ours, and tell nothing of the platform's.
    A2aError::custom(fault.to_string(), code, fault.http_status()).with_reason(fault.reason())
}

/// A reason is a name, not a text.
fn is_name(reason: &str) -> bool {
    const MAX_REASON: usize = 63; // google.rpc.ErrorInfo
    reason.len() <= MAX_REASON && reason.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// The secret in the value of an `Authorization` header.
fn secret_part(credential: &str) -> &str {
    credential.split_once(' ').map_or(credential, |(_, secret)| secret).trim()
}

/// Decides what is passed on.
pub(super) struct Filter<'a> {
    secrets: Vec<&'a str>,
}

impl<'a> Filter<'a> {
    /// For a caller with these credentials.
    pub(super) fn new(credentials: &[&'a str]) -> Self {
        let secrets = credentials.iter().map(|credential| secret_part(credential));
        Self { secrets: secrets.filter(|text| text.len() >= MIN_CREDENTIAL).collect() }
    }

    fn has_secret(&self, text: &str) -> bool {
        self.secrets.iter().any(|secret| text.contains(secret))
    }

    /// Whether a text may be passed on.
    pub(super) fn is_harmless(&self, text: &str) -> bool {
        !is_internal(text) && !self.has_secret(text)
    }

    /// A text as the log gets to read it: whatever it is but a secret, cut to its limit.
    pub(super) fn for_log<'t>(&self, text: &'t str) -> &'t str {
        if is_secret(text) || self.has_secret(text) { "[withheld]" } else { clipped(text, MAX_TEXT) }
    }

    /// A text, cut to its limit, unless it must not be passed on. It is judged whole: the cut may hide what gives it away.
    fn text<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.is_harmless(text).then(|| clipped(text, MAX_TEXT)).filter(|text| !text.trim().is_empty())
    }

    fn violations(&self, violations: &[FieldViolation]) -> Vec<FieldViolation> {
        let kept = violations.iter().take(MAX_ENTRIES).filter(|violation| self.is_harmless(&violation.field));
        kept.map(|violation| {
            let description = self.text(&violation.description).unwrap_or("Invalid value");
            FieldViolation::new(clipped(&violation.field, MAX_TEXT), description)
        })
        .collect()
    }

    /// A detail that is nothing the error has already.
    fn detail(&self, detail: &Value) -> Option<Detail> {
        let Value::Object(fields) = detail else { return None };
        let type_url = fields.get("@type").and_then(Value::as_str)?;
        match type_url.rsplit('/').next().unwrap_or_default() {
            "google.rpc.ErrorInfo" | "google.rpc.RetryInfo" | "google.rpc.BadRequest" => None,
            // What servers tell their own people.
            "google.rpc.DebugInfo" | "google.rpc.RequestInfo" | "google.rpc.ResourceInfo" => None,
            _ => {
                let is_small = detail.to_string().len() <= MAX_DETAIL_BYTES;
                let detail = Detail::Other { type_url: type_url.to_owned(), fields: fields.clone() };
                (is_small && self.is_harmless_value(&Value::Object(fields.clone()))).then_some(detail)
            }
        }
    }

    fn is_harmless_value(&self, value: &Value) -> bool {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => true,
            Value::String(text) => self.is_harmless(text),
            Value::Array(items) => items.iter().all(|item| self.is_harmless_value(item)),
            Value::Object(fields) => {
                fields.iter().all(|(key, value)| !is_internal_key(key) && self.is_harmless_value(value))
            }
        }
    }
}

/// What the log gets to read of it: whatever there is but secrets.
#[derive(Debug)]
struct ForLog(String);

impl ForLog {
    fn of(error: &RemoteError, filter: &Filter<'_>) -> Self {
        let says =
            error.own_message().or_else(|| error.data().as_str()).or(error.platform_message()).unwrap_or_default();
        let says = filter.for_log(says);
        let status = error.http_status().map_or_else(|| "no status".to_owned(), |status| format!("HTTP {status}"));
        let says = if says.is_empty() { String::new() } else { format!(": {says}") };
        Self(match error.cause() {
            Cause::Reported => format!("agent over {}: {status}, code {}{says}", error.binding(), error.code()),
            Cause::Invalid(violation) => format!("agent over {}: {status}: {violation}", error.binding()),
            Cause::Transport(fault) => format!("agent over {}: {status}: {fault}{says}", error.binding()),
        })
    }
}

impl fmt::Display for ForLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ForLog {}
