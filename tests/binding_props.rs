//! What holds on the wire for every input, not only for the ones somebody thought of.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers fail the test")]

use std::fmt::Write as _;

use a2a_edge::protocol::http::{A2A_JSON, Headers, JSON, PROBLEM_JSON};
use a2a_edge::protocol::jsonrpc::{self, Id, MAX_BATCH, Payload};
use a2a_edge::protocol::negotiate::{ErrorFormat, is_json_content_type};
use a2a_edge::protocol::operation::Operation;
use a2a_edge::protocol::rest::{self, Route};
use a2a_edge::protocol::version;
use a2a_edge::{A2aError, ErrorKind};
use proptest::prelude::*;
use serde_json::Value;

/// The JSON text of any id: strings with escapes of every sort, and numbers of any length and form.
fn id_text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        any::<char>()
            .prop_filter("must be escaped", |c| !c.is_control() && *c != '"' && *c != '\\')
            .prop_map(String::from),
        any::<u16>().prop_map(|unit| format!("\\u{unit:04x}")),
        any::<u16>().prop_map(|unit| format!("\\u{unit:04X}")),
        prop::sample::select(&["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"][..]).prop_map(str::to_owned),
    ];
    let string = prop::collection::vec(character, 0..20).prop_map(|characters| format!("\"{}\"", characters.concat()));
    prop_oneof![string, "-?(0|[1-9][0-9]{0,40})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,5})?", Just("null".to_owned())]
}

/// Text that looks like JSON more often than chance would have it.
fn jsonish() -> impl Strategy<Value = String> {
    let token = prop::sample::select(
        &[
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"id\"",
            "\"jsonrpc\"",
            "\"2.0\"",
            "\"method\"",
            "\"params\"",
            "\"GetTask\"",
            "1",
            "-0.5e3",
            "null",
            "true",
            "\"",
            "\\",
            "\\u0069",
            " ",
            "\n",
            "{}",
            "[]",
            "ä",
            "\u{feff}",
            "{\"jsonrpc\":\"2.0\"",
        ][..],
    );
    prop::collection::vec(token, 0..30).prop_map(|tokens| tokens.concat())
}

/// Everything that a parse may say, checked for form.
fn check(body: &[u8]) {
    let check_id = |id: &Id| assert_eq!(Id::from_json(id.as_str()).as_ref(), Some(id));
    let check_incoming = |incoming: &jsonrpc::Incoming<'_>| match incoming {
        Ok(call) => call.id.iter().for_each(check_id),
        Err(rejected) => {
            assert_eq!(rejected.error.kind(), ErrorKind::InvalidRequest);
            check_id(&rejected.id);
        }
    };
    match jsonrpc::parse(body) {
        Ok(Payload::Single(incoming)) => check_incoming(&incoming),
        Ok(Payload::Batch(members)) => {
            assert!((1..=MAX_BATCH).contains(&members.len()));
            members.iter().for_each(check_incoming);
        }
        Err(error) => assert!(matches!(error.kind(), ErrorKind::Parse | ErrorKind::InvalidRequest)),
    }
    // A parse error is for what is not JSON, or not UTF-8 inside its strings, and for nothing else.
    let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok();
    let is_parse_error = jsonrpc::parse(body).is_err_and(|error| error.kind() == ErrorKind::Parse);
    assert!(!is_parse_error || !is_json || std::str::from_utf8(body).is_err());
    assert!(is_json || is_parse_error);
}

/// Percent-encodes all that is not unreserved (RFC 3986, section 2.3).
fn encode(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").unwrap();
        }
        out
    })
}

/// A verb and a path for an operation, and the path parameters that it must give back.
fn path_of(
    operation: Operation,
    tenant: Option<&str>,
    task: &str,
    config: &str,
) -> (&'static str, String, Vec<(&'static str, String)>) {
    let (encoded_task, encoded_config) = (encode(task), encode(config));
    let id = ("id", task.to_owned());
    let task_id = ("taskId", task.to_owned());
    let config_id = ("id", config.to_owned());
    let (method, path, params) = match operation {
        Operation::SendMessage => ("POST", "/message:send".to_owned(), vec![]),
        Operation::SendStreamingMessage => ("POST", "/message:stream".to_owned(), vec![]),
        Operation::GetTask => ("GET", format!("/tasks/{encoded_task}"), vec![id]),
        Operation::ListTasks => ("GET", "/tasks".to_owned(), vec![]),
        Operation::CancelTask => ("POST", format!("/tasks/{encoded_task}:cancel"), vec![id]),
        Operation::SubscribeToTask => ("GET", format!("/tasks/{encoded_task}:subscribe"), vec![id]),
        Operation::CreateTaskPushNotificationConfig => {
            ("POST", format!("/tasks/{encoded_task}/pushNotificationConfigs"), vec![task_id])
        }
        Operation::ListTaskPushNotificationConfigs => {
            ("GET", format!("/tasks/{encoded_task}/pushNotificationConfigs"), vec![task_id])
        }
        Operation::GetTaskPushNotificationConfig => {
            ("GET", format!("/tasks/{encoded_task}/pushNotificationConfigs/{encoded_config}"), vec![task_id, config_id])
        }
        Operation::DeleteTaskPushNotificationConfig => (
            "DELETE",
            format!("/tasks/{encoded_task}/pushNotificationConfigs/{encoded_config}"),
            vec![task_id, config_id],
        ),
        Operation::GetExtendedAgentCard => ("GET", "/extendedAgentCard".to_owned(), vec![]),
    };
    match tenant {
        None => (method, path, params),
        Some(tenant) => {
            let params = std::iter::once(("tenant", tenant.to_owned())).chain(params).collect();
            (method, format!("/{}{path}", encode(tenant)), params)
        }
    }
}

const WEIGHTS: [&str; 11] =
    ["", ";q=1", "; q=0.5", ";Q=0.001", ";q=1.000", ";q=2", ";q=", ";q=x", ";x=1;q=0.7", ";q=0", ";q=0.00"];

/// The weights that are no refusal.
const WISHES: &[&str] = WEIGHTS.split_at(9).0;

/// An `Accept` header: ranges, weights and junk.
fn accept(weights: &'static [&'static str]) -> impl Strategy<Value = String> {
    let range = prop::sample::select(
        &[
            "*/*",
            "application/*",
            JSON,
            A2A_JSON,
            PROBLEM_JSON,
            "Application/JSON",
            "text/html",
            "text/*",
            "",
            "/",
            "a/b c",
            "application/json;charset=utf-8",
            "application/json;x=\"a,b\"",
            "application/a2a+json;x=\"",
            "*/json",
            "ä",
        ][..],
    );
    let member = (range, prop::sample::select(weights)).prop_map(|(range, weight)| format!("{range}{weight}"));
    prop_oneof![9 => prop::collection::vec(member, 0..6).prop_map(|members| members.join(", ")), 1 => any::<String>()]
}

fn error_type(accept: &str, default: ErrorFormat) -> &'static str {
    rest::failure(&A2aError::internal(), Some(accept), default).content_type.unwrap()
}

fn success_type(accept: &str) -> &'static str {
    rest::success(&(), Some(accept)).unwrap().content_type.unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_id_comes_back_to_the_letter(text in id_text()) {
        let body = format!(r#"{{"jsonrpc":"2.0","id": {text} ,"method":"GetTask"}}"#);
        let Ok(Payload::Single(Ok(call))) = jsonrpc::parse(body.as_bytes()) else { panic!("{body}: no call") };
        let id = call.id.unwrap();
        prop_assert_eq!(id.as_str(), &text);
        prop_assert_eq!(jsonrpc::success(&id, &true).unwrap(), format!(r#"{{"jsonrpc":"2.0","id":{text},"result":true}}"#));
        let failure = jsonrpc::failure(&id, &A2aError::internal());
        let start = format!(r#"{{"jsonrpc":"2.0","id":{text},"error":{{"code":-32603,"#);
        prop_assert!(failure.starts_with(&start), "{}", failure);
    }

    #[test]
    fn any_id_is_kept_where_the_rest_is_wrong(text in id_text(), batched: bool) {
        let member = format!(r#"{{"id":{text},"method":[]}}"#);
        let body = if batched { format!("[{member}]") } else { member };
        let rejected = match jsonrpc::parse(body.as_bytes()) {
            Ok(Payload::Single(Err(rejected))) => rejected,
            Ok(Payload::Batch(members)) => members.into_iter().next().unwrap().unwrap_err(),
            other => panic!("{body}: {other:?}"),
        };
        prop_assert_eq!(rejected.id.as_str(), &text);
        prop_assert_eq!(rejected.error.code(), -32600);
    }

    #[test]
    fn any_bytes_are_a_payload_or_an_error(body: Vec<u8>) {
        check(&body);
    }

    #[test]
    fn anything_like_json_is_a_payload_or_an_error(body in jsonish()) {
        check(body.as_bytes());
    }

    #[test]
    fn a_request_that_is_cut_or_spoilt_is_a_payload_or_an_error(cut in 0_usize..80, byte: u8) {
        let whole = br#"{"jsonrpc":"2.0","id":"a\u00e4","method":"GetTask","params":{"id":"t"}}"#;
        let cut = cut.min(whole.len());
        check(&whole[..cut]);
        let mut spoilt = whole.to_vec();
        if let Some(place) = spoilt.get_mut(cut) {
            *place = byte;
        }
        check(&spoilt);
    }

    #[test]
    fn an_error_is_json_whatever_its_texts(message: String, key: String, value: String, field: String) {
        let error = A2aError::invalid_params(message.clone(), [field.clone()]).with_metadata(key.clone(), value.clone());
        let body: Value = serde_json::from_str(&jsonrpc::failure(&Id::NULL, &error)).unwrap();
        prop_assert_eq!(&body["error"]["message"], &Value::from(message.clone()));
        prop_assert_eq!(&body["error"]["data"][0]["metadata"][&key], &Value::from(value));
        prop_assert_eq!(&body["error"]["data"][1]["fieldViolations"][0]["field"], &Value::from(field));
        for accept in [JSON, PROBLEM_JSON, "*/*"] {
            let response = rest::failure(&error, Some(accept), ErrorFormat::Both);
            let body: Value = serde_json::from_str(&response.body).unwrap();
            let texts = [&body["title"], &body["error"]["message"]];
            prop_assert!(texts.contains(&&Value::from(message.clone())), "{}", response.body);
        }
    }

    #[test]
    fn what_is_encoded_into_a_path_comes_out_of_it(
        operation in prop::sample::select(&Operation::ALL[..]),
        tenant in prop::option::of(any::<String>().prop_filter("the name of a route", |name| {
            !["", "tasks"].contains(&name.as_str())
        })),
        task in any::<String>().prop_filter("empty", |id| !id.is_empty()),
        config in any::<String>().prop_filter("empty", |id| !id.is_empty()),
    ) {
        let (method, path, expected) = path_of(operation, tenant.as_deref(), &task, &config);
        let Route::Operation { operation: found, path_params } = rest::route(method, &path) else {
            panic!("{method} {path}: no operation")
        };
        let found_params: Vec<(&str, String)> =
            path_params.into_iter().map(|(name, value)| (name, value.into_owned())).collect();
        prop_assert_eq!((found, found_params), (operation, expected));
        prop_assert!(rest::allow(&path).unwrap().split(", ").any(|allowed| allowed == method));
    }

    #[test]
    fn any_path_has_a_route_or_none(
        method in prop_oneof![prop::sample::select(&["GET", "HEAD", "POST", "DELETE", "OPTIONS"][..]), Just("x")],
        path in prop_oneof![any::<String>(), "(/(tasks|message:send|pushNotificationConfigs|%[0-9A-F]{2}|[a-z:%]{0,3})){0,6}"],
    ) {
        match rest::route(method, &path) {
            Route::Operation { path_params, .. } => {
                for (_, value) in &path_params {
                    prop_assert!(!value.is_empty());
                }
                prop_assert!(rest::allow(&path).is_some());
            }
            Route::NotAllowed { allow } => {
                prop_assert_eq!(rest::allow(&path), Some(allow));
                prop_assert!(rest::is_jsonrpc_path(&path) || !allow.split(", ").any(|allowed| allowed == method && method != "OPTIONS"));
            }
            Route::Card => prop_assert_eq!(&path, rest::CARD_PATH),
            Route::Unknown => prop_assert_eq!(rest::allow(&path), None),
        }
    }

    #[test]
    fn any_query_and_body_are_parameters_or_an_error(
        operation in prop::sample::select(&Operation::ALL[..]),
        query in prop_oneof![any::<String>(), "(&?(historyLength|pageSize|status|contextId|A2A-Version)=[a-z0-9%+]{0,4}){0,4}"],
        body in prop_oneof![any::<Vec<u8>>(), jsonish().prop_map(String::into_bytes)],
    ) {
        match rest::params(operation, &[], &query, &body) {
            Ok(params) => prop_assert!(params.is_object()),
            Err(error) => prop_assert!(matches!(error.kind(), ErrorKind::Parse | ErrorKind::InvalidRequest | ErrorKind::InvalidParams)),
        }
    }

    #[test]
    fn a_refused_type_is_not_sent_while_another_is_left(
        accept in accept(WISHES),
        refused in prop::sample::select(&[JSON, A2A_JSON, PROBLEM_JSON][..]),
        default in prop::sample::select(&[ErrorFormat::Both, ErrorFormat::Problem, ErrorFormat::Status][..]),
    ) {
        let refusing = format!("{refused};q=0, {accept}");
        prop_assert_ne!(error_type(&refusing, default), refused);
        prop_assert_ne!(success_type(&refusing), refused);
    }

    #[test]
    fn a_refusal_never_makes_a_type_the_answer(
        accept in accept(&WEIGHTS),
        refused in prop::sample::select(&[JSON, A2A_JSON, PROBLEM_JSON][..]),
        default in prop::sample::select(&[ErrorFormat::Both, ErrorFormat::Problem, ErrorFormat::Status][..]),
    ) {
        let refusing = format!("{refused};q=0, {accept}");
        let (before, after) = (error_type(&accept, default), error_type(&refusing, default));
        prop_assert!(after != refused || before == refused, "{} -> {}", before, after);
        let (before, after) = (success_type(&accept), success_type(&refusing));
        prop_assert!(after != refused || before == refused, "{} -> {}", before, after);
    }

    #[test]
    fn any_header_has_an_answer(text: String, query: String) {
        prop_assert!([JSON, A2A_JSON].contains(&success_type(&text)));
        prop_assert!([JSON, A2A_JSON, PROBLEM_JSON].contains(&error_type(&text, ErrorFormat::Both)));
        let _ = is_json_content_type(Some(&text));
        let headers = Headers { version: Some(&text), ..Headers::default() };
        let requested = rest::version(&headers, &query);
        let served = version::check(requested.as_deref(), None).is_ok();
        prop_assert_eq!(served, text.trim() == "1.0");
    }
}
