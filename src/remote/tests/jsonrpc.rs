//! `error` objects of JSON-RPC: forms of `data`, codes, reasons.

use std::time::Duration;

use serde_json::{Value, json};

use super::{jsonrpc_error, metadata, violations};
use crate::protocol::error::ErrorKind;
use crate::remote::Cause;

/// An error with code -32001 and `data`.
fn with_data(data: &str) -> crate::remote::RemoteError {
    let error = jsonrpc_error(&format!(r#"{{"code":-32001,"message":"gone","data":{data}}}"#));
    // Whatever the form of `data` is, code and message are not lost with it (symptom 5).
    assert_eq!((error.code(), error.message()), (-32001, "gone"), "{data}");
    assert_eq!((error.http_status(), error.cause()), (Some(200), &Cause::Reported));
    error
}

const INFO: &str = r#"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t9"}}"#;

#[test]
fn an_array_with_an_error_info_first_or_last() {
    let other = r#"{"@type":"type.googleapis.com/google.protobuf.Struct","value":{"n":1}}"#;
    for data in
        [format!("[{INFO}]"), format!("[{other},{INFO}]"), format!("[{INFO},{other}]"), format!("[7,null,{INFO}]")]
    {
        let error = with_data(&data);
        assert_eq!(error.kind(), ErrorKind::TaskNotFound);
        assert_eq!((error.reason(), error.domain()), (Some("TASK_NOT_FOUND"), Some("a2a-protocol.org")));
        assert_eq!(metadata(&error), [("taskId", "t9")]);
        assert_eq!(error.data(), &serde_json::from_str::<Value>(&data).unwrap());
        assert_eq!(error.details().len(), error.data().as_array().unwrap().len());
    }
}

#[test]
fn a_plain_object_is_metadata() {
    let error = with_data(r#"{"taskId":"t9"}"#);
    assert_eq!((error.kind(), error.reason()), (ErrorKind::TaskNotFound, None));
    assert_eq!(metadata(&error), [("taskId", "t9")]);
    assert_eq!(error.details(), [json!({"taskId": "t9"})]);
}

#[test]
fn an_error_info_need_not_be_in_an_array() {
    let error = with_data(INFO);
    assert_eq!((error.reason(), metadata(&error)), (Some("TASK_NOT_FOUND"), vec![("taskId", "t9")]));
}

#[test]
fn a_text_is_kept() {
    let error = with_data(r#""no field named foo""#);
    assert_eq!((error.kind(), error.data()), (ErrorKind::TaskNotFound, &json!("no field named foo")));
    assert_eq!(error.details(), &[] as &[Value]);
}

#[test]
fn null_and_nothing_are_the_same() {
    let absent = jsonrpc_error(r#"{"code":-32001,"message":"gone"}"#);
    for error in [with_data("null"), absent] {
        assert_eq!((error.kind(), error.data(), error.reason()), (ErrorKind::TaskNotFound, &Value::Null, None));
        assert_eq!(metadata(&error), []);
    }
}

#[test]
fn metadata_that_is_no_text_is_kept_as_json() {
    let error = with_data(
        r#"[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INVALID_PARAMS","metadata":{"errors":[{"field":"message"}],"n":3,"ok":true,"none":null}}]"#,
    );
    // By the reason first, whatever the code says.
    assert_eq!((error.kind(), error.code()), (ErrorKind::InvalidParams, -32001));
    assert_eq!(metadata(&error), [("errors", r#"[{"field":"message"}]"#), ("n", "3"), ("ok", "true")]);
}

#[test]
fn a_bad_request_beside_or_instead_of_an_error_info() {
    let bad_request = r#"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"message.parts","description":"must not be empty"}]}"#;
    for (data, reason) in
        [(format!("[{bad_request}]"), None), (format!("[{bad_request},{INFO}]"), Some("TASK_NOT_FOUND"))]
    {
        let error = with_data(&data);
        assert_eq!((violations(&error), error.reason()), (vec![("message.parts", "must not be empty")], reason));
    }
    let snake = r#"[{"@type":"google.rpc.BadRequest","field_violations":[{"field":"id","description":"x"}]}]"#;
    assert_eq!(violations(&with_data(snake)), [("id", "x")]);
}

#[test]
fn what_validators_list() {
    let error = jsonrpc_error(
        r#"{"code":-32602,"message":"Invalid parameters","data":[{"loc":["params","message","parts",0,"text"],"msg":"Field required","type":"missing"}]}"#,
    );
    assert_eq!(violations(&error), [("params.message.parts[0].text", "Field required")]);
}

#[test]
fn invalid_params_of_ruby() {
    let error = jsonrpc_error(
        r#"{"code":-32602,"message":"Invalid parameters","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INVALID_PARAMS","domain":"a2a-protocol.org","metadata":{"fields":"a, b"}}]}"#,
    );
    assert_eq!((error.kind(), error.metadata_value("fields")), (ErrorKind::InvalidParams, Some("a, b")));
}

#[test]
fn codes_of_the_list_tell_the_kind() {
    for (code, kind) in [
        (-32001, ErrorKind::TaskNotFound),
        (-32002, ErrorKind::TaskNotCancelable),
        (-32003, ErrorKind::PushNotificationNotSupported),
        (-32004, ErrorKind::UnsupportedOperation),
        (-32005, ErrorKind::ContentTypeNotSupported),
        (-32006, ErrorKind::InvalidAgentResponse),
        (-32007, ErrorKind::ExtendedAgentCardNotConfigured),
        (-32008, ErrorKind::ExtensionSupportRequired),
        (-32009, ErrorKind::VersionNotSupported),
        (-32700, ErrorKind::Parse),
        (-32600, ErrorKind::InvalidRequest),
        (-32601, ErrorKind::MethodNotFound),
        (-32602, ErrorKind::InvalidParams),
        (-32603, ErrorKind::Internal),
    ] {
        let error = jsonrpc_error(&format!(r#"{{"code":{code},"message":"m"}}"#));
        assert_eq!((error.kind(), error.code(), error.reason()), (kind, code, None));
    }
}

#[test]
fn a_drifted_code_is_kept_beside_the_kind_of_its_reason() {
    for code in [-32700, -32600, -32603] {
        let error = jsonrpc_error(&format!(
            r#"{{"code":{code},"message":"m","data":[{{"@type":"x/google.rpc.ErrorInfo","reason":"INVALID_PARAMS"}}]}}"#
        ));
        assert_eq!((error.kind(), error.code()), (ErrorKind::InvalidParams, code));
    }
}

#[test]
fn codes_outside_the_list_are_kept() {
    for code in [-32000, -31401, -31403, -32060, 1, 5, 16, 99, 100, 101, 200, 399, 600, 40_004, i32::MIN, i32::MAX] {
        let error = jsonrpc_error(&format!(r#"{{"code":{code},"message":"m"}}"#));
        assert_eq!((error.kind(), error.code()), (ErrorKind::Custom { code, http_status: 500 }, code));
        assert!(!error.is_retryable());
    }
}

#[test]
fn a_code_that_is_a_status_of_http_means_that_and_is_kept() {
    for (code, kind) in [
        (404, ErrorKind::TaskNotFound),
        (400, ErrorKind::InvalidParams),
        (500, ErrorKind::Internal),
        (429, ErrorKind::Custom { code: 429, http_status: 429 }),
        (503, ErrorKind::Custom { code: 503, http_status: 503 }),
    ] {
        let error = jsonrpc_error(&format!(r#"{{"code":{code},"message":"m"}}"#));
        assert_eq!((error.kind(), error.code()), (kind, code));
    }
}

#[test]
fn a_code_that_is_no_number_of_the_protocols_is_a_reason() {
    for (code, reason) in [("99999999999", "99999999999"), ("1.5", "1.5"), (r#""NO_CREDIT""#, "NO_CREDIT")] {
        let error = jsonrpc_error(&format!(r#"{{"code":{code},"message":"m"}}"#));
        assert_eq!(error.reason(), Some(reason));
        assert_eq!(error.kind(), ErrorKind::Custom { code: -32000, http_status: 500 });
        assert!(!error.is_retryable());
    }
}

#[test]
fn unknown_reasons_are_kept_and_do_not_hide_the_code() {
    let data = r#"[{"@type":"x/google.rpc.ErrorInfo","reason":"QUOTA_EXCEEDED","domain":"example.com"}]"#;
    let error = jsonrpc_error(&format!(r#"{{"code":-32603,"message":"m","data":{data}}}"#));
    assert_eq!((error.kind(), error.reason()), (ErrorKind::Internal, Some("QUOTA_EXCEEDED")));
    let error = jsonrpc_error(&format!(r#"{{"code":-32060,"message":"m","data":{data}}}"#));
    assert_eq!(error.kind(), ErrorKind::Custom { code: -32060, http_status: 500 });
}

#[test]
fn aliases_of_reasons() {
    for (reason, kind) in [
        ("UNSUPPORTED_CONTENT_TYPE", ErrorKind::ContentTypeNotSupported),
        ("EXTENDED_CARD_NOT_CONFIGURED", ErrorKind::ExtendedAgentCardNotConfigured),
        ("AUTHENTICATED_EXTENDED_CARD_NOT_CONFIGURED", ErrorKind::ExtendedAgentCardNotConfigured),
        ("INTERNAL", ErrorKind::Internal),
        ("INTERNAL_ERROR", ErrorKind::Internal),
        ("JSON_PARSE", ErrorKind::Parse),
        ("PARSE_ERROR", ErrorKind::Parse),
    ] {
        let error = jsonrpc_error(&format!(
            r#"{{"code":-32000,"message":"m","data":[{{"@type":"x/google.rpc.ErrorInfo","reason":"{reason}"}}]}}"#
        ));
        assert_eq!((error.kind(), error.code(), error.reason()), (kind, -32000, Some(reason)));
    }
}

#[test]
fn a_config_that_is_missing_is_told_from_a_task() {
    let error = jsonrpc_error(
        r#"{"code":-32001,"message":"m","data":[{"@type":"x/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","metadata":{"taskId":"t","configId":"c"}}]}"#,
    );
    assert_eq!(error.kind(), ErrorKind::PushNotificationConfigNotFound);
}

#[test]
fn codes_in_odd_types_are_read() {
    for error in [r#"{"code":"-32001","message":"m"}"#, r#"{"code":-32001.0,"message":"m"}"#] {
        assert_eq!(jsonrpc_error(error).kind(), ErrorKind::TaskNotFound, "{error}");
    }
    let error = jsonrpc_error(r#"{"code":"TASK_NOT_FOUND","message":{"text":"m"}}"#);
    assert_eq!((error.kind(), error.message()), (ErrorKind::TaskNotFound, r#"{"text":"m"}"#));
    // An error that says nothing is an internal one.
    for error in ["{}", r#""boom""#, "7", "true", "[]", r#"{"code":null}"#] {
        assert_eq!(jsonrpc_error(error).kind(), ErrorKind::Internal, "{error}");
    }
    assert_eq!(jsonrpc_error(r#""boom""#).message(), "boom");
    assert_eq!(jsonrpc_error("{}").message(), "Internal error");
}

#[test]
fn retry_info_is_read() {
    let data = r#"[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.5s"}]"#;
    let error = jsonrpc_error(&format!(r#"{{"code":-32000,"message":"busy","data":{data}}}"#));
    assert_eq!(error.retry_after(), Some(Duration::from_millis(1500)));
    assert!(error.is_retryable(), "an agent that names a time says that a retry makes sense");
}
