//! The one error type of the crate.
//!
//! An [`A2aError`] carries two texts. The *public* one (message, metadata, details) is what a caller reads;
//! the *source* is what only a log sees. Nothing converts the second into the first.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

use super::details::{BadRequest, Detail, Details, ERROR_INFO, ErrorInfo, FieldViolation, RetryInfo};
use super::grpc::GrpcStatus;
pub(crate) use super::kind::is_outage;
pub use super::kind::{ErrorKind, Facts};
use super::operation::Operation;

/// `ErrorInfo.domain` of every error that A2A or JSON-RPC defines (specification 10.6 and 11.6).
pub const A2A_DOMAIN: &str = "a2a-protocol.org";

/// `ErrorInfo.domain` of errors that neither defines, such as a missing token or a body over the limit.
pub const EDGE_DOMAIN: &str = "a2a-edge";

/// JSON-RPC code for a condition that neither A2A nor JSON-RPC names: the first of the range that
/// JSON-RPC 2.0 leaves to implementations.
pub const SERVER_ERROR: i32 = -32000;

/// The log's half of an error.
pub type Source = Box<dyn StdError + 'static>;

/// A protocol error: one pointer wide, opaque, and safe to show to the caller.
///
/// `Display` prints the public message. The source, if any, is reached by [`std::error::Error::source`] and
/// never appears on the wire.
///
/// ```
/// use a2a_edge::{A2aError, ErrorKind};
///
/// let error = A2aError::task_not_found("task-123").with_source(std::io::Error::other("row 7 of tasks_prod is gone"));
/// assert_eq!(error.kind(), ErrorKind::TaskNotFound);
/// assert_eq!((error.code(), error.http_status(), error.reason()), (-32001, 404, "TASK_NOT_FOUND"));
/// assert_eq!(error.to_string(), "Task not found");
/// ```
pub struct A2aError(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: Cow<'static, str>,
    http_status: Option<u16>,
    reason: Option<Cow<'static, str>>,
    domain: Option<Cow<'static, str>>,
    metadata: Vec<(Cow<'static, str>, String)>,
    details: Vec<Detail>,
    headers: Vec<(&'static str, String)>,
    source: Option<Source>,
}

impl A2aError {
    /// An error of `kind` with the kind's own message.
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self(Box::new(Inner {
            kind,
            message: Cow::Borrowed(kind.facts().message),
            http_status: None,
            reason: None,
            domain: None,
            metadata: Vec::new(),
            details: Vec::new(),
            headers: Vec::new(),
            source: None,
        }))
    }

    /// `-32001` / 404: no task of this id for this caller.
    pub fn task_not_found(task_id: impl Into<String>) -> Self {
        Self::new(ErrorKind::TaskNotFound).with_metadata("taskId", task_id)
    }

    /// `-32002` / 400: the task is in `state`, from which it cannot be cancelled.
    pub fn task_not_cancelable(task_id: impl Into<String>, state: impl fmt::Display) -> Self {
        Self::new(ErrorKind::TaskNotCancelable)
            .with_metadata("taskId", task_id)
            .with_metadata("state", state.to_string())
    }

    /// `-32003` / 400: the agent sends no push notifications.
    pub fn push_notification_not_supported() -> Self {
        Self::new(ErrorKind::PushNotificationNotSupported)
    }

    /// `-32004` / 400: the agent does not implement `operation`.
    pub fn unsupported_operation(operation: Operation) -> Self {
        Self::new(ErrorKind::UnsupportedOperation)
            .with_message(format!("Operation not supported: {operation}"))
            .with_metadata("operation", operation.name())
    }

    /// `-32004` / 400: the agent refuses this variant of an operation that it otherwise implements.
    pub fn refused(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::UnsupportedOperation).with_message(message)
    }

    /// `-32005` / 400: `content_type` is not a media type that the agent takes.
    pub fn content_type_not_supported(content_type: impl Into<String>) -> Self {
        Self::new(ErrorKind::ContentTypeNotSupported).with_metadata("contentType", content_type)
    }

    /// `-32006` / 500: a downstream agent answered what the specification does not allow.
    pub fn invalid_agent_response() -> Self {
        Self::new(ErrorKind::InvalidAgentResponse)
    }

    /// `-32007` / 400: there is no extended agent card, although the card declares one.
    pub fn extended_agent_card_not_configured() -> Self {
        Self::new(ErrorKind::ExtendedAgentCardNotConfigured)
    }

    /// `-32008` / 400: the caller did not declare `extension`, which the card requires.
    pub fn extension_support_required(extension: impl Into<String>) -> Self {
        Self::new(ErrorKind::ExtensionSupportRequired).with_metadata("extension", extension)
    }

    /// `-32009` / 400: `version` is not served; `supported` are.
    pub fn version_not_supported(version: impl Into<String>, supported: &[&str]) -> Self {
        Self::new(ErrorKind::VersionNotSupported)
            .with_metadata("version", version)
            .with_metadata("supportedVersions", supported.join(", "))
    }

    /// `-32001` / 404: the task exists, but has no push notification config of this id.
    pub fn push_notification_config_not_found(task_id: impl Into<String>, config_id: impl Into<String>) -> Self {
        Self::new(ErrorKind::PushNotificationConfigNotFound)
            .with_metadata("taskId", task_id)
            .with_metadata("configId", config_id)
    }

    /// `-32700` / 400: the body is not JSON.
    pub fn parse() -> Self {
        Self::new(ErrorKind::Parse)
    }

    /// `-32600` / 400: the body is JSON, but not a request.
    pub fn invalid_request() -> Self {
        Self::new(ErrorKind::InvalidRequest)
    }

    /// `-32601` / 404: A2A defines no such method.
    pub fn method_not_found(method: impl Into<String>) -> Self {
        Self::new(ErrorKind::MethodNotFound).with_metadata("method", method)
    }

    /// `-32602` / 400: one rule is broken, told by `message`, by the `fields` named (paths like `message.parts`).
    pub fn invalid_params<F: Into<String>>(
        message: impl Into<Cow<'static, str>>,
        fields: impl IntoIterator<Item = F>,
    ) -> Self {
        let message = message.into();
        let violations = fields
            .into_iter()
            .map(|field| FieldViolation { field: field.into(), description: message.to_string() })
            .collect();
        Self::invalid_fields(violations).with_message(message)
    }

    /// `-32602` / 400 with one violation for each fault; `metadata.fields` joins their paths with ", ".
    pub fn invalid_fields(violations: Vec<FieldViolation>) -> Self {
        let error = Self::new(ErrorKind::InvalidParams);
        if violations.is_empty() {
            return error;
        }
        let fields: Vec<&str> = violations.iter().map(|violation| violation.field.as_str()).collect();
        let fields = fields.join(", ");
        error.with_metadata("fields", fields).with_detail(BadRequest { field_violations: violations })
    }

    /// `-32603` / 500: the agent failed. Give the cause with [`with_source`](Self::with_source), for the log.
    pub fn internal() -> Self {
        Self::new(ErrorKind::Internal)
    }

    /// A condition that the specification does not name: any JSON-RPC code, any HTTP status.
    ///
    /// A status outside 400..=599 would not be an error to an HTTP client, so it is sent as 500.
    pub fn custom(message: impl Into<Cow<'static, str>>, code: i32, http_status: u16) -> Self {
        let http_status = if (400..=599).contains(&http_status) { http_status } else { 500 };
        Self::new(ErrorKind::Custom { code, http_status }).with_message(message)
    }

    /// Replaces the public message. It goes to the caller as it is.
    pub fn with_message(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        self.0.message = message.into();
        self
    }

    /// Replaces `ErrorInfo.reason`, in UPPER_SNAKE_CASE.
    pub fn with_reason(mut self, reason: impl Into<Cow<'static, str>>) -> Self {
        self.0.reason = Some(reason.into());
        self
    }

    /// Sets one key of `ErrorInfo.metadata`; the last value of a key wins.
    pub fn with_metadata(mut self, key: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Self {
        let (key, value) = (key.into(), value.into());
        match self.0.metadata.iter_mut().find(|(known, _)| *known == key) {
            Some(entry) => entry.1 = value,
            None => self.0.metadata.push((key, value)),
        }
        self
    }

    /// Replaces `ErrorInfo.domain`: for a reason that is another agent's, and means something in its domain alone.
    pub(crate) fn with_domain(mut self, domain: impl Into<Cow<'static, str>>) -> Self {
        self.0.domain = Some(domain.into());
        self
    }

    /// Adds a structured detail behind the ErrorInfo.
    ///
    /// An error has exactly one ErrorInfo, so one that is given here lends its reason and metadata to the error's own.
    pub fn with_detail(mut self, detail: impl Into<Detail>) -> Self {
        match detail.into() {
            Detail::Other { type_url, fields } if type_url == ERROR_INFO => self.with_error_info(&fields),
            detail @ (Detail::BadRequest(_) | Detail::RetryInfo(_) | Detail::Other { .. }) => {
                self.0.details.push(detail);
                self
            }
        }
    }

    fn with_error_info(mut self, fields: &Map<String, Value>) -> Self {
        if let Some(reason) = fields.get("reason").and_then(Value::as_str) {
            self = self.with_reason(reason.to_owned());
        }
        let metadata = fields.get("metadata").and_then(Value::as_object);
        for (key, value) in metadata.into_iter().flatten() {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            self = self.with_metadata(key.clone(), text);
        }
        self
    }

    /// Adds what only the log may see.
    pub fn with_source(mut self, source: impl Into<Source>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Tells the caller that a retry makes sense after `delay`: a RetryInfo detail, and `Retry-After` in whole
    /// seconds, rounded up.
    pub fn with_retry_after(self, delay: Duration) -> Self {
        let seconds = delay.as_secs() + u64::from(delay.subsec_nanos() > 0);
        self.with_header("Retry-After", seconds.to_string()).with_detail(RetryInfo { retry_delay: delay })
    }

    /// Answers REST callers with another status than the kind's own, where HTTP has a closer one (405, 415).
    pub(crate) fn with_http_status(mut self, http_status: u16) -> Self {
        self.0.http_status = Some(http_status);
        self
    }

    /// Adds an HTTP header that belongs to the error, such as `Allow`.
    pub(crate) fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.0.headers.push((name, value.into()));
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The JSON-RPC error code.
    pub fn code(&self) -> i32 {
        self.0.kind.facts().code
    }

    /// The HTTP status of the REST binding.
    pub fn http_status(&self) -> u16 {
        self.0.http_status.unwrap_or(self.0.kind.facts().http_status)
    }

    /// The gRPC status.
    pub fn grpc_status(&self) -> GrpcStatus {
        self.0.kind.facts().grpc_status
    }

    /// `ErrorInfo.reason`.
    pub fn reason(&self) -> &str {
        match &self.0.reason {
            Some(reason) => reason,
            None => self.0.kind.facts().reason,
        }
    }

    /// `ErrorInfo.domain`.
    pub fn domain(&self) -> &str {
        if let Some(domain) = &self.0.domain {
            return domain;
        }
        // A reason of one's own is not one of the protocol's, even under a code of the protocol's.
        if self.0.kind.is_defined_by_protocol() && self.0.reason.is_none() { A2A_DOMAIN } else { EDGE_DOMAIN }
    }

    /// The public message.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// One value of `ErrorInfo.metadata`.
    pub fn metadata(&self, key: &str) -> Option<&str> {
        self.0.metadata.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// The details behind the ErrorInfo.
    pub fn details(&self) -> &[Detail] {
        &self.0.details
    }

    /// Whether the same request may succeed when it is sent again.
    pub fn is_retryable(&self) -> bool {
        self.0.kind.is_retryable()
    }

    /// HTTP headers that go with the error on both bindings.
    pub(crate) fn headers(&self) -> &[(&'static str, String)] {
        &self.0.headers
    }

    /// The error's details for the wire, its ErrorInfo first.
    pub(crate) fn wire_details(&self) -> Details<'_> {
        let info = ErrorInfo { reason: self.reason(), domain: self.domain(), metadata: &self.0.metadata };
        Details { info, others: &self.0.details }
    }

    /// The error without its source.
    pub(crate) fn public_half(&self) -> Self {
        let Inner { kind, message, http_status, reason, domain, metadata, details, headers, source: _ } = &*self.0;
        Self(Box::new(Inner {
            kind: *kind,
            message: message.clone(),
            http_status: *http_status,
            reason: reason.clone(),
            domain: domain.clone(),
            metadata: metadata.clone(),
            details: details.clone(),
            headers: headers.clone(),
            source: None,
        }))
    }

    /// The log's half, if there is one.
    pub fn log_source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref()
    }
}

impl fmt::Display for A2aError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for A2aError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("A2aError");
        out.field("kind", &self.0.kind).field("message", &self.0.message);
        if !self.0.metadata.is_empty() {
            out.field("metadata", &self.0.metadata);
        }
        if let Some(source) = &self.0.source {
            out.field("source", source);
        }
        out.finish_non_exhaustive()
    }
}

impl StdError for A2aError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.log_source()
    }
}
