use super::*;

fn found(method: &str, path: &str) -> Option<(Operation, Vec<(&'static str, String)>)> {
    match route(method, path) {
        Route::Operation { operation, path_params } => {
            Some((operation, path_params.into_iter().map(|(name, value)| (name, value.into_owned())).collect()))
        }
        Route::Card | Route::NotAllowed { .. } | Route::Unknown => None,
    }
}

/// Specification 11.3, and the proto's GET on `:subscribe`.
/// Verb, path, operation, parameters in the path.
type Row = (&'static str, &'static str, Operation, &'static [(&'static str, &'static str)]);

const OPERATIONS: &[Row] = &[
    ("POST", "/message:send", Operation::SendMessage, &[]),
    ("POST", "/message:stream", Operation::SendStreamingMessage, &[]),
    ("GET", "/tasks/t1", Operation::GetTask, &[("id", "t1")]),
    ("HEAD", "/tasks/t1", Operation::GetTask, &[("id", "t1")]),
    ("GET", "/tasks", Operation::ListTasks, &[]),
    ("POST", "/tasks/t1:cancel", Operation::CancelTask, &[("id", "t1")]),
    ("POST", "/tasks/t1:subscribe", Operation::SubscribeToTask, &[("id", "t1")]),
    ("GET", "/tasks/t1:subscribe", Operation::SubscribeToTask, &[("id", "t1")]),
    ("POST", "/tasks/t1/pushNotificationConfigs", Operation::CreateTaskPushNotificationConfig, &[("taskId", "t1")]),
    ("GET", "/tasks/t1/pushNotificationConfigs", Operation::ListTaskPushNotificationConfigs, &[("taskId", "t1")]),
    (
        "GET",
        "/tasks/t1/pushNotificationConfigs/c1",
        Operation::GetTaskPushNotificationConfig,
        &[("taskId", "t1"), ("id", "c1")],
    ),
    (
        "DELETE",
        "/tasks/t1/pushNotificationConfigs/c1",
        Operation::DeleteTaskPushNotificationConfig,
        &[("taskId", "t1"), ("id", "c1")],
    ),
    ("GET", "/extendedAgentCard", Operation::GetExtendedAgentCard, &[]),
];

fn owned<'a>(params: impl IntoIterator<Item = &'a (&'static str, &'static str)>) -> Vec<(&'static str, String)> {
    params.into_iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
}

#[test]
fn every_operation_has_its_route() {
    for (method, path, operation, params) in OPERATIONS {
        assert_eq!(found(method, path), Some((*operation, owned(*params))), "{method} {path}");
    }
    for operation in Operation::ALL {
        assert!(OPERATIONS.iter().any(|(_, _, known, _)| *known == operation), "{operation}");
    }
}

#[test]
fn every_route_may_stand_behind_a_tenant() {
    for (method, path, operation, params) in OPERATIONS {
        let params = owned(std::iter::once(&("tenant", "a/b")).chain(*params));
        assert_eq!(found(method, &format!("/a%2Fb{path}")), Some((*operation, params)), "{method} {path}");
    }
}

#[test]
fn what_can_be_read_without_a_tenant_is() {
    assert_eq!(found("GET", "/tasks/tasks"), Some((Operation::GetTask, owned(&[("id", "tasks")]))));
    assert_eq!(
        found("GET", "/tasks/extendedAgentCard"),
        Some((Operation::GetTask, owned(&[("id", "extendedAgentCard")])))
    );
    assert_eq!(
        found("GET", "/tasks/tasks/pushNotificationConfigs"),
        Some((Operation::ListTaskPushNotificationConfigs, owned(&[("taskId", "tasks")])))
    );
    assert_eq!(route("POST", "/tasks/message:send"), Route::NotAllowed { allow: "GET, HEAD, OPTIONS" });
}

#[test]
fn only_the_last_colon_that_is_not_encoded_makes_a_verb() {
    let cancel = |id| Some((Operation::CancelTask, owned(&[("id", id)])));
    let get = |id| Some((Operation::GetTask, owned(&[("id", id)])));
    assert_eq!(found("POST", "/tasks/a:b:cancel"), cancel("a:b"));
    assert_eq!(found("POST", "/tasks/a%3Acancel:cancel"), cancel("a:cancel"));
    assert_eq!(found("GET", "/tasks/a%3Acancel"), get("a:cancel"));
    assert_eq!(found("GET", "/tasks/a%3asubscribe"), get("a:subscribe"));
    assert_eq!(found("GET", "/tasks/urn:uuid:1"), get("urn:uuid:1"));
    assert_eq!(found("GET", "/tasks/a:Cancel"), get("a:Cancel"));
    assert_eq!(found("GET", "/tasks/a:"), get("a:"));
}

#[test]
fn ids_are_decoded_once() {
    assert_eq!(found("GET", "/tasks/a%2Fb%20%C3%A4%2525+"), Some((Operation::GetTask, owned(&[("id", "a/b ä%25+")]))));
}

#[test]
fn no_other_path_is_known() {
    let paths = [
        "/tasks/",
        "/tasks//pushNotificationConfigs",
        "/tasks/t1/pushNotificationConfigs/",
        "/tasks/t1/pushNotificationConfigs/c1/",
        "/tasks/t1/pushNotificationConfig",
        "/tasks/:cancel",
        "/tasks/%",
        "/tasks/%FF",
        "/tasks/%zz:cancel",
        "//tasks",
        "/%FF/tasks",
        "/a/b/tasks",
        "/a/b/c/d/e",
        "/Tasks",
        "/message:Send",
        "/message%3Asend",
        "/message",
        "/message:send/",
        "/messages",
        "/tenant/rpc",
        "/tenant/.well-known/agent-card.json",
        "/.well-known/agent.json",
        "tasks",
        "?",
    ];
    for path in paths {
        for method in ["GET", "POST", "DELETE", "OPTIONS"] {
            assert_eq!(route(method, path), Route::Unknown, "{method} {path}");
        }
        assert_eq!(allow(path), None, "{path}");
    }
}

#[test]
fn other_verbs_are_told_what_is_allowed() {
    let cases = [
        ("/message:send", "POST, OPTIONS"),
        ("/message:stream", "POST, OPTIONS"),
        ("/tasks", "GET, HEAD, OPTIONS"),
        ("/tasks/t1", "GET, HEAD, OPTIONS"),
        ("/tasks/t1:cancel", "POST, OPTIONS"),
        ("/tasks/t1:subscribe", "GET, HEAD, POST, OPTIONS"),
        ("/tasks/t1/pushNotificationConfigs", "GET, HEAD, POST, OPTIONS"),
        ("/tasks/t1/pushNotificationConfigs/c1", "GET, HEAD, DELETE, OPTIONS"),
        ("/extendedAgentCard", "GET, HEAD, OPTIONS"),
        ("/.well-known/agent-card.json", "GET, HEAD, OPTIONS"),
        ("/", "POST, OPTIONS"),
        ("/rpc/", "POST, OPTIONS"),
        ("/acme/tasks/t1:cancel", "POST, OPTIONS"),
    ];
    for (path, allowed) in cases {
        assert_eq!(allow(path), Some(allowed), "{path}");
        for method in ["GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "get", ""] {
            let refused = route(method, path) == Route::NotAllowed { allow: allowed };
            let listed = allowed.split(", ").any(|known| known == method);
            // The verbs of the JSON-RPC paths are no routes of this binding.
            assert_eq!(refused, !listed || is_jsonrpc_path(path), "{method} {path}");
        }
    }
}

#[test]
fn the_card_has_its_well_known_place() {
    assert_eq!(route("GET", "/.well-known/agent-card.json"), Route::Card);
    assert_eq!(route("HEAD", "/.well-known/agent-card.json"), Route::Card);
}

#[test]
fn json_rpc_has_two_paths() {
    for path in ["", "/", "/rpc", "/rpc/"] {
        assert!(is_jsonrpc_path(path), "{path}");
    }
    for path in ["//", "/rpc//", "/RPC", "/rpc/x", "/tasks", "rpc"] {
        assert!(!is_jsonrpc_path(path), "{path}");
    }
}
