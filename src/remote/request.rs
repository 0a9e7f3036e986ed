//! An operation and its params as an HTTP request, in either binding.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use serde_json::{Map, Value};

use crate::ports::FetchRequest;
use crate::protocol::binding::Binding;
use crate::protocol::http::{A2A_JSON, JSON, PROBLEM_JSON, is_header_value, is_token};
use crate::protocol::jsonrpc::Id;
use crate::protocol::operation::Operation;
use crate::protocol::rest;
use crate::protocol::sse::EVENT_STREAM;

/// The version of A2A that requests are in (specification 3.6.1).
pub const VERSION: &str = "1.0";

/// Where an agent is, and how it is spoken to there: an interface of its card.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Absolute URL: of JSON-RPC the endpoint itself, of REST what paths are added to.
    pub url: String,
    /// The binding.
    pub binding: Binding,
    /// The tenant that requests name unless their params do.
    pub tenant: Option<String>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the URL, which may hold a key.
        f.debug_struct("Endpoint").field("binding", &self.binding).field("tenant", &self.tenant).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// An endpoint for every tenant.
    pub fn new(url: impl Into<String>, binding: Binding) -> Self {
        Self { url: url.into(), binding, tenant: None }
    }
}

/// What goes along with a request but for its params: the service parameters of specification 3.2.6, and credentials.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Service {
    /// `A2A-Extensions`: URIs, separated by commas.
    pub extensions: Option<String>,
    /// `Authorization`, whole.
    pub authorization: Option<String>,
    /// Further headers, such as `traceparent`, or an API key. They must not repeat those above.
    pub headers: Vec<(Cow<'static, str>, String)>,
}

impl Service {
    /// All of it as headers.
    pub(crate) fn as_headers(&self) -> impl Iterator<Item = (Cow<'static, str>, String)> {
        let own = [("A2A-Extensions", &self.extensions), ("Authorization", &self.authorization)];
        let own = own.into_iter().filter_map(|(name, value)| Some((Cow::Borrowed(name), value.clone()?)));
        own.chain(self.headers.iter().cloned())
    }

    /// What is wrong with which of its fields: a platform would report it as if nobody answered. Each rule says what the
    /// field must be.
    pub(crate) fn faults(&self) -> impl Iterator<Item = (&'static str, String)> {
        let unfit = self.unfit().map(|name| (name, "what an HTTP header can hold".to_owned()));
        let repeated =
            self.repeated().map(|name| ("headers", format!("without {name}, which the client writes itself")));
        unfit.chain(repeated)
    }

    /// The names of its fields that no header can hold.
    fn unfit(&self) -> impl Iterator<Item = &'static str> {
        let is_fit = |value: &Option<String>| value.as_deref().is_none_or(is_header_value);
        let are_fit = self.headers.iter().all(|(name, value)| is_token(name) && is_header_value(value));
        let fields = [
            ("extensions", is_fit(&self.extensions)),
            ("authorization", is_fit(&self.authorization)),
            ("headers", are_fit),
        ];
        fields.into_iter().filter(|(_, is_fit)| !is_fit).map(|(name, _)| name)
    }

    /// The first of its headers that a request has already: what the client says of itself, and what HTTP says of the
    /// connection and of the form of the answer (Fetch standard, "forbidden request-header").
    pub(crate) fn repeated(&self) -> Option<&str> {
        let is_repeated = |name: &str| match name {
            "authorization" => self.authorization.is_some(),
            "a2a-extensions" => self.extensions.is_some(),
            "accept" | "a2a-version" | "content-type" | "accept-encoding" | "connection" | "content-length"
            | "expect" | "host" | "keep-alive" | "te" | "trailer" | "transfer-encoding" | "upgrade" => true,
            _ => false,
        };
        let mut names = self.headers.iter().map(|(name, _)| name.as_ref());
        names.find(|name| is_repeated(&name.to_ascii_lowercase()))
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not what the headers say: they hold credentials.
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_ref()).collect();
        f.debug_struct("Service")
            .field("extensions", &self.extensions)
            .field("authorization", &self.authorization.is_some())
            .field("headers", &names)
            .finish()
    }
}

/// A param that is a segment of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment {
    /// The tenant.
    Tenant,
    /// The task.
    Task,
    /// The task that a push notification config is of.
    TaskOfConfig,
    /// The push notification config.
    Config,
}

impl Segment {
    /// The name of the param.
    pub const fn param(self) -> &'static str {
        match self {
            Self::Tenant => "tenant",
            Self::Task | Self::Config => "id",
            Self::TaskOfConfig => "taskId",
        }
    }
}

/// The param that cannot be said to `endpoint`, if there is one: as a segment of a path, `.` and `..` are steps along it,
/// escaped or not (WHATWG URL, "single-dot" and "double-dot path segment"), and would ask for something else.
pub fn unsayable(endpoint: &Endpoint, operation: Operation, params: &Value) -> Option<Segment> {
    if endpoint.binding == Binding::JsonRpc {
        return None;
    }
    let is_step = |text: &str| matches!(text, "." | "..");
    let param = |name: &str| params.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    if param("tenant").or(endpoint.tenant.as_deref()).is_some_and(is_step) {
        return Some(Segment::Tenant);
    }
    segments(operation).iter().copied().find(|segment| param(segment.param()).is_some_and(is_step))
}

/// The params that are segments of the path (specification 11.3), but for the tenant.
fn segments(operation: Operation) -> &'static [Segment] {
    match operation {
        Operation::SendMessage
        | Operation::SendStreamingMessage
        | Operation::ListTasks
        | Operation::GetExtendedAgentCard => &[],
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => &[Segment::Task],
        Operation::CreateTaskPushNotificationConfig | Operation::ListTaskPushNotificationConfigs => {
            &[Segment::TaskOfConfig]
        }
        Operation::GetTaskPushNotificationConfig | Operation::DeleteTaskPushNotificationConfig => {
            &[Segment::TaskOfConfig, Segment::Config]
        }
    }
}

/// The request that asks `endpoint` for `operation`, all of which [can be said](unsayable). `params` are in canonical form,
/// `id` is used by JSON-RPC alone.
pub fn build(endpoint: &Endpoint, operation: Operation, params: &Value, id: &Id, service: &Service) -> FetchRequest {
    let empty = Map::new();
    // As they are, but for a tenant: a message may be large.
    let mut params = Cow::Borrowed(params.as_object().unwrap_or(&empty));
    if let (Some(tenant), false) = (&endpoint.tenant, params.contains_key("tenant")) {
        params.to_mut().insert("tenant".to_owned(), Value::String(tenant.clone()));
    }
    let (method, url, body, content_type) = match endpoint.binding {
        Binding::JsonRpc => {
            ("POST", without_fragment(&endpoint.url).to_owned(), Some(envelope(operation, &params, id)), JSON)
        }
        Binding::Rest => {
            let (method, url, body) = rest_request(&endpoint.url, operation, &params);
            (method, url, body, A2A_JSON)
        }
    };
    let headers = headers(endpoint.binding, operation, body.is_some().then_some(content_type), service);
    FetchRequest { method, url, headers, body }
}

fn headers(
    binding: Binding,
    operation: Operation,
    content_type: Option<&str>,
    service: &Service,
) -> Vec<(Cow<'static, str>, String)> {
    let accept = match (binding, operation.is_streaming()) {
        (Binding::JsonRpc, false) => JSON.to_owned(),
        (Binding::JsonRpc, true) => format!("{EVENT_STREAM}, {JSON}"),
        (Binding::Rest, false) => format!("{A2A_JSON}, {JSON}, {PROBLEM_JSON};q=0.5"),
        (Binding::Rest, true) => format!("{EVENT_STREAM}, {A2A_JSON}, {JSON}, {PROBLEM_JSON};q=0.5"),
    };
    let mut headers = vec![(Cow::Borrowed("Accept"), accept), (Cow::Borrowed("A2A-Version"), VERSION.to_owned())];
    headers.extend(content_type.map(|value| (Cow::Borrowed("Content-Type"), value.to_owned())));
    headers.extend(service.as_headers());
    headers
}

/// The envelope of JSON-RPC 2.0, section 4.
fn envelope(operation: Operation, params: &Map<String, Value>, id: &Id) -> String {
    let mut json = Tight::default();
    // Writing to memory cannot fail.
    let _ = write!(json, r#"{{"jsonrpc":"2.0","id":{id},"method":"{operation}","params":"#);
    json.write_object(params.iter());
    let _ = json.write_str("}");
    json.0
}

/// Method, URL and body (specification 11.3 and 11.5).
fn rest_request(
    base: &str,
    operation: Operation,
    params: &Map<String, Value>,
) -> (&'static str, String, Option<String>) {
    let base = without_fragment(base);
    let (base, base_query) = base.split_once('?').unwrap_or((base, ""));
    let mut url = base.trim_end_matches('/').to_owned();
    if let Some(tenant) = text(params, "tenant").filter(|tenant| !tenant.is_empty()) {
        push_segment(&mut url, tenant);
    }
    let method = push_path(&mut url, operation, params);
    let others = || params.iter().filter(|(name, _)| !is_in_path(operation, name));
    let mut query = base_query.to_owned();
    let body = match (method, operation) {
        // The specification's text has it without a body.
        (_, Operation::SubscribeToTask) => None,
        ("POST", _) => {
            let mut json = Tight::default();
            json.write_object(others());
            Some(json.0)
        }
        (_, _) => {
            push_query(&mut query, others());
            None
        }
    };
    if !query.is_empty() {
        url.push('?');
        url.push_str(&query);
    }
    (method, url, body)
}

fn is_in_path(operation: Operation, name: &str) -> bool {
    name == "tenant" || segments(operation).iter().any(|segment| segment.param() == name)
}

/// A text that takes little more room than it needs, where a `String` doubles it: what a module has taken of memory for
/// one large message, it never gives back.
#[derive(Default)]
struct Tight(String);

impl Tight {
    /// Adds an object of JSON with these members.
    fn write_object<'a>(&mut self, members: impl Iterator<Item = (&'a String, &'a Value)>) {
        let mut mark = "{";
        for (name, value) in members {
            // As above: it cannot fail.
            let _ = write!(self, "{mark}{}:{value}", Value::String(name.clone()));
            mark = ",";
        }
        let _ = self.write_str(if mark == "{" { "{}" } else { "}" });
    }
}

impl fmt::Write for Tight {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        const LARGE: usize = 64 * 1024;
        let Self(all) = self;
        if all.capacity() - all.len() < text.len() {
            let more = if all.len() < LARGE { all.len() } else { all.len() / 8 };
            all.reserve_exact(text.len().max(more));
        }
        all.push_str(text);
        Ok(())
    }
}

/// Adds the path of the operation, and gives the method.
fn push_path(url: &mut String, operation: Operation, params: &Map<String, Value>) -> &'static str {
    let param = |name: &str| text(params, name).unwrap_or_default();
    match operation {
        Operation::SendMessage => url.push_str("/message:send"),
        Operation::SendStreamingMessage => url.push_str("/message:stream"),
        Operation::ListTasks => url.push_str("/tasks"),
        Operation::GetExtendedAgentCard => url.push_str("/extendedAgentCard"),
        Operation::GetTask | Operation::CancelTask | Operation::SubscribeToTask => {
            url.push_str("/tasks");
            push_segment(url, param("id"));
        }
        Operation::CreateTaskPushNotificationConfig
        | Operation::ListTaskPushNotificationConfigs
        | Operation::GetTaskPushNotificationConfig
        | Operation::DeleteTaskPushNotificationConfig => {
            url.push_str("/tasks");
            push_segment(url, param("taskId"));
            url.push_str("/pushNotificationConfigs");
        }
    }
    match operation {
        Operation::CancelTask => url.push_str(":cancel"),
        Operation::SubscribeToTask => url.push_str(":subscribe"),
        Operation::GetTaskPushNotificationConfig | Operation::DeleteTaskPushNotificationConfig => {
            push_segment(url, param("id"));
        }
        Operation::SendMessage
        | Operation::SendStreamingMessage
        | Operation::GetTask
        | Operation::ListTasks
        | Operation::CreateTaskPushNotificationConfig
        | Operation::ListTaskPushNotificationConfigs
        | Operation::GetExtendedAgentCard => {}
    }
    match operation {
        Operation::SendMessage
        | Operation::SendStreamingMessage
        | Operation::CancelTask
        | Operation::SubscribeToTask
        | Operation::CreateTaskPushNotificationConfig => "POST",
        Operation::GetTask
        | Operation::ListTasks
        | Operation::GetTaskPushNotificationConfig
        | Operation::ListTaskPushNotificationConfigs
        | Operation::GetExtendedAgentCard => "GET",
        Operation::DeleteTaskPushNotificationConfig => "DELETE",
    }
}

/// A URL as it is asked: a fragment is for whoever shows the answer (RFC 3986, section 3.5).
pub(crate) fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or_default()
}

fn text<'a>(params: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    params.get(name).and_then(Value::as_str)
}

fn push_segment(url: &mut String, text: &str) {
    url.push('/');
    rest::encode(url, text);
}

/// Scalars, and lists of them by repeating the name. No operation that is asked for by GET has anything else.
fn push_query<'a>(query: &mut String, params: impl Iterator<Item = (&'a String, &'a Value)>) {
    for (name, value) in params {
        let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        for value in values.iter().filter(|value| !value.is_object() && !value.is_array() && !value.is_null()) {
            if !query.is_empty() {
                query.push('&');
            }
            rest::encode(query, name);
            query.push('=');
            rest::encode(query, value.as_str().unwrap_or(&value.to_string()));
        }
    }
}

#[cfg(test)]
mod tests;
