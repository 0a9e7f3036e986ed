//! Paths and verbs to operations (specification 11.3, and the HTTP annotations of its `a2a.proto`).

use std::borrow::Cow;

use super::percent;
use crate::protocol::operation::Operation;

/// Where the public agent card is (specification 8.2).
pub const CARD_PATH: &str = "/.well-known/agent-card.json";

/// A parameter that the path holds, under its JSON name in the operation's schema, decoded.
pub type PathParam<'a> = (&'static str, Cow<'a, str>);

/// What a verb and a path ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route<'a> {
    /// An operation.
    Operation {
        /// Which one.
        operation: Operation,
        /// The parameters in the path: none of them empty, `tenant` first.
        path_params: Vec<PathParam<'a>>,
    },
    /// The public agent card.
    Card,
    /// The path is known, but not with this verb.
    NotAllowed {
        /// The value of the `Allow` header.
        allow: &'static str,
    },
    /// No such path.
    Unknown,
}

/// Finds the route of a request. `HEAD` goes the way of `GET`; the caller leaves the body out.
///
/// A path that could be read with and without a tenant is read without one.
pub fn route<'a>(method: &str, path: &'a str) -> Route<'a> {
    let Some(Target { resource, path_params }) = target(path) else { return Route::Unknown };
    if resource == Resource::Card && matches!(method, "GET" | "HEAD") {
        return Route::Card;
    }
    match resource.operation(method) {
        Some(operation) => Route::Operation { operation, path_params },
        None => Route::NotAllowed { allow: resource.allow() },
    }
}

/// The value of the `Allow` header for a path, if it is known.
pub fn allow(path: &str) -> Option<&'static str> {
    target(path).map(|target| target.resource.allow())
}

/// Whether the path is where JSON-RPC is spoken.
pub fn is_jsonrpc_path(path: &str) -> bool {
    matches!(path, "" | "/" | "/rpc" | "/rpc/")
}

/// What a path points at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Resource {
    JsonRpc,
    Card,
    SendMessage,
    StreamMessage,
    Tasks,
    Task,
    CancelTask,
    SubscribeTask,
    PushConfigs,
    PushConfig,
    ExtendedCard,
}

impl Resource {
    /// The operations of the resource, each under its verb.
    const fn operations(self) -> &'static [(&'static str, Operation)] {
        match self {
            Self::JsonRpc | Self::Card => &[],
            Self::SendMessage => &[("POST", Operation::SendMessage)],
            Self::StreamMessage => &[("POST", Operation::SendStreamingMessage)],
            Self::Tasks => &[("GET", Operation::ListTasks)],
            Self::Task => &[("GET", Operation::GetTask)],
            Self::CancelTask => &[("POST", Operation::CancelTask)],
            // The specification's text says POST, its proto GET.
            Self::SubscribeTask => &[("POST", Operation::SubscribeToTask), ("GET", Operation::SubscribeToTask)],
            Self::PushConfigs => &[
                ("POST", Operation::CreateTaskPushNotificationConfig),
                ("GET", Operation::ListTaskPushNotificationConfigs),
            ],
            Self::PushConfig => &[
                ("GET", Operation::GetTaskPushNotificationConfig),
                ("DELETE", Operation::DeleteTaskPushNotificationConfig),
            ],
            Self::ExtendedCard => &[("GET", Operation::GetExtendedAgentCard)],
        }
    }

    fn operation(self, method: &str) -> Option<Operation> {
        let method = if method == "HEAD" { "GET" } else { method };
        self.operations().iter().find(|(verb, _)| *verb == method).map(|(_, operation)| *operation)
    }

    const fn allow(self) -> &'static str {
        match self {
            Self::JsonRpc | Self::SendMessage | Self::StreamMessage | Self::CancelTask => "POST, OPTIONS",
            Self::Card | Self::Tasks | Self::Task | Self::ExtendedCard => "GET, HEAD, OPTIONS",
            Self::SubscribeTask | Self::PushConfigs => "GET, HEAD, POST, OPTIONS",
            Self::PushConfig => "GET, HEAD, DELETE, OPTIONS",
        }
    }
}

struct Target<'a> {
    resource: Resource,
    path_params: Vec<PathParam<'a>>,
}

/// The longest path has five segments: `{tenant}/tasks/{id}/pushNotificationConfigs/{configId}`.
const MAX_SEGMENTS: usize = 5;

fn target(path: &str) -> Option<Target<'_>> {
    if is_jsonrpc_path(path) {
        return Some(Target { resource: Resource::JsonRpc, path_params: Vec::new() });
    }
    if path == CARD_PATH {
        return Some(Target { resource: Resource::Card, path_params: Vec::new() });
    }
    let mut buffer = [""; MAX_SEGMENTS];
    let mut count = 0;
    for segment in path.strip_prefix('/')?.split('/') {
        *buffer.get_mut(count)? = segment;
        count += 1;
    }
    let segments = buffer.get(..count)?;
    let (found, tenant) = match (find(segments), segments) {
        (Some(found), _) => (found, None),
        (None, [tenant, rest @ ..]) => (find(rest)?, Some(("tenant", *tenant))),
        (None, []) => return None,
    };
    let encoded = tenant.into_iter().chain(found.params.into_iter().flatten());
    let path_params = encoded.map(|(name, value)| Some((name, text(value)?))).collect::<Option<_>>()?;
    Some(Target { resource: found.resource, path_params })
}

/// The text of a segment, which must not be empty.
fn text(encoded: &str) -> Option<Cow<'_, str>> {
    percent::segment(encoded).filter(|text| !text.is_empty())
}

/// A resource and its still encoded parameters.
struct Found<'a> {
    resource: Resource,
    params: [Option<(&'static str, &'a str)>; 2],
}

/// The resource of a path without a tenant.
fn find<'a>(segments: &[&'a str]) -> Option<Found<'a>> {
    let (resource, params) = match *segments {
        ["message:send"] => (Resource::SendMessage, [None, None]),
        ["message:stream"] => (Resource::StreamMessage, [None, None]),
        ["extendedAgentCard"] => (Resource::ExtendedCard, [None, None]),
        ["tasks"] => (Resource::Tasks, [None, None]),
        ["tasks", task] => {
            let (id, resource) = split_verb(task);
            (resource, [Some(("id", id)), None])
        }
        ["tasks", task, "pushNotificationConfigs"] => (Resource::PushConfigs, [Some(("taskId", task)), None]),
        ["tasks", task, "pushNotificationConfigs", config] => {
            (Resource::PushConfig, [Some(("taskId", task)), Some(("id", config))])
        }
        _ => return None,
    };
    Some(Found { resource, params })
}

/// Splits `{id}:cancel`. Any other colon belongs to the id, as an encoded one always does.
fn split_verb(segment: &str) -> (&str, Resource) {
    match segment.rsplit_once(':') {
        Some((id, "cancel")) => (id, Resource::CancelTask),
        Some((id, "subscribe")) => (id, Resource::SubscribeTask),
        _ => (segment, Resource::Task),
    }
}

#[cfg(test)]
mod tests;
