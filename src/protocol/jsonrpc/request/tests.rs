use super::*;
use crate::ErrorKind;
use crate::protocol::details::Detail;

fn call(body: &str) -> Call<'_> {
    match parse(body.as_bytes()) {
        Ok(Payload::Single(Ok(call))) => call,
        other => panic!("a call expected in {body}, got {other:?}"),
    }
}

fn rejected(body: &str) -> Rejected {
    match parse(body.as_bytes()) {
        Ok(Payload::Single(Err(rejected))) => rejected,
        other => panic!("a rejected call expected in {body}, got {other:?}"),
    }
}

fn refused(body: &[u8]) -> A2aError {
    match parse(body) {
        Err(error) => error,
        Ok(payload) => panic!("an error expected, got {payload:?}"),
    }
}

fn violations(error: &A2aError) -> Vec<(&str, &str)> {
    match error.details() {
        [Detail::BadRequest(BadRequest { field_violations })] => {
            field_violations.iter().map(|found| (found.field.as_str(), found.description.as_str())).collect()
        }
        other => panic!("one BadRequest expected, got {other:?}"),
    }
}

#[test]
fn a_request_has_id_method_and_params() {
    let call = call(r#" {"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"task-123"}} "#);
    assert_eq!(call.id.unwrap().as_str(), "1");
    assert_eq!(call.method, "GetTask");
    assert_eq!(call.params.unwrap().get(), r#"{"id":"task-123"}"#);
}

#[test]
fn the_order_of_members_and_unknown_ones_do_not_matter() {
    let call =
        call("{\"params\":[1],\"trace\":{\"jsonrpc\":1},\"method\":\"a\",\n\"id\" : \"x\" ,\"jsonrpc\":\"2.0\"}");
    assert_eq!(call.id.unwrap().as_str(), "\"x\"");
    assert_eq!(call.params.unwrap().get(), "[1]");
}

#[test]
fn escapes_in_keys_and_methods_are_read() {
    let call = call(r#"{"jsonrpc":"2\u002e0","\u0069d":7,"method":"Get\u0054ask"}"#);
    assert_eq!(call.id.unwrap().as_str(), "7");
    assert_eq!(call.method, "GetTask");
}

#[test]
fn a_key_that_unicode_cannot_hold_is_an_unknown_member() {
    let call = call(r#"{"jsonrpc":"2.0","\ud800":1,"id":1,"method":"GetTask"}"#);
    assert_eq!(call.method, "GetTask");
}

#[test]
fn a_call_without_an_id_is_a_notification_and_one_with_null_is_not() {
    assert_eq!(call(r#"{"jsonrpc":"2.0","method":"GetTask"}"#).id, None);
    assert_eq!(call(r#"{"jsonrpc":"2.0","method":"GetTask","id":null}"#).id, Some(Id::NULL));
}

#[test]
fn null_params_are_absent_params() {
    assert!(call(r#"{"jsonrpc":"2.0","id":1,"method":"GetExtendedAgentCard","params":null}"#).params.is_none());
    assert!(call(r#"{"jsonrpc":"2.0","id":1,"method":"GetExtendedAgentCard"}"#).params.is_none());
}

#[test]
fn faults_in_the_envelope_are_named_under_the_id() {
    let cases = [
        (r#"{"id":1,"method":"GetTask"}"#, "1", ("jsonrpc", "must be \"2.0\"")),
        (r#"{"jsonrpc":"1.0","id":1,"method":"GetTask"}"#, "1", ("jsonrpc", "must be \"2.0\"")),
        (r#"{"jsonrpc":2.0,"id":"","method":"GetTask"}"#, "\"\"", ("jsonrpc", "must be \"2.0\"")),
        (r#"{"jsonrpc":"2.0","id":0}"#, "0", ("method", "must be a string")),
        (r#"{"jsonrpc":"2.0","id":0,"method":null}"#, "0", ("method", "must be a string")),
        (r#"{"jsonrpc":"2.0","id":1.50,"method":7}"#, "1.50", ("method", "must be a string")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#, "1", ("method", "must be a string")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":"x"}"#, "1", ("params", "must be an object")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":0}"#, "1", ("params", "must be an object")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":true}"#, "1", ("params", "must be an object")),
        (r#"{"jsonrpc":"2.0","id":{},"method":"GetTask"}"#, "null", ("id", "must be a string, a number or null")),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"GetTask"}"#, "null", ("id", "must be a string, a number or null")),
        (r#"{"jsonrpc":"2.0","id":true,"method":"GetTask"}"#, "null", ("id", "must be a string, a number or null")),
        (r#"{"jsonrpc":"2.0","method":1}"#, "null", ("method", "must be a string")),
    ];
    for (body, id, violation) in cases {
        let Rejected { id: found, error } = rejected(body);
        assert_eq!(found.as_str(), id, "{body}");
        assert_eq!((error.kind(), error.code()), (ErrorKind::InvalidRequest, -32600), "{body}");
        assert_eq!(violations(&error), [violation], "{body}");
    }
}

#[test]
fn all_faults_are_named_at_once() {
    let Rejected { id, error } = rejected("{}");
    assert_eq!(id, Id::NULL);
    assert_eq!(violations(&error), [("jsonrpc", "must be \"2.0\""), ("method", "must be a string")]);
}

#[test]
fn repeated_members_are_refused_under_the_id_unless_it_is_the_id() {
    let Rejected { id, error } = rejected(r#"{"jsonrpc":"2.0","id":7,"method":"GetTask","method":"CancelTask"}"#);
    assert_eq!(id.as_str(), "7");
    assert_eq!(violations(&error), [("method", "must not be repeated")]);

    let Rejected { id, error } =
        rejected(r#"{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{},"p\u0061rams":{}}"#);
    assert_eq!(id.as_str(), "7");
    assert_eq!(violations(&error), [("params", "must not be repeated")]);

    let Rejected { id, error } = rejected(r#"{"jsonrpc":"2.0","id":7,"method":"GetTask","id":7}"#);
    assert_eq!(id, Id::NULL);
    assert_eq!(violations(&error), [("id", "must not be repeated")]);
}

#[test]
fn what_is_not_json_is_a_parse_error_with_its_place() {
    let cases: [(&[u8], &str); 9] = [
        (b"", "the body is empty"),
        (b" \r\n\t", "the body is empty"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1", "EOF while parsing an object at line 1 column 23"),
        (b"[{}", "EOF while parsing a list at line 1 column 3"),
        (b"{}\n{}", "trailing characters at line 2 column 1"),
        (b"not json", "expected ident at line 1 column 2"),
        (b"{'id':1}", "key must be a string at line 1 column 2"),
        (b"{\"id\":1,}", "trailing comma at line 1 column 9"),
        (b"{\"id\":\"\xff\"}", "the body is not UTF-8 at line 1 column 8"),
    ];
    for (body, description) in cases {
        let error = refused(body);
        assert_eq!((error.kind(), error.message()), (ErrorKind::Parse, "Invalid JSON payload"));
        assert_eq!(violations(&error), [("", description)]);
    }
}

#[test]
fn a_parse_error_quotes_nothing_of_the_body() {
    for body in
        ["{\"token\": sk-secret-1}", "sk-secret-1", "[\"sk-secret-1", "{\"id\":1} sk-secret-1", "\"\\sk-secret-1\""]
    {
        let error = refused(body.as_bytes());
        assert_eq!(error.kind(), ErrorKind::Parse);
        assert!(!format!("{:?}", error.details()).contains("secret"), "{body}");
    }
}

#[test]
fn other_json_is_no_request() {
    for body in ["null", "true", "7", "1e999", "\"GetTask\""] {
        let error = refused(body.as_bytes());
        assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{body}");
        assert_eq!(violations(&error), [("", "must be an object, or an array of objects")]);
    }
}

#[test]
fn a_batch_keeps_its_order_and_each_member_its_fate() {
    let body = br#"[{"jsonrpc":"2.0","id":"1","method":"GetTask"}, 1, {"jsonrpc":"2.0","method":"GetTask"},
        [], {"id":"5"}, {"jsonrpc":"2.0","id":9,"method":"CancelTask","params":{}}]"#;
    let Ok(Payload::Batch(calls)) = parse(body) else { panic!("a batch expected") };
    let ids: Vec<Result<Option<&str>, &str>> = calls
        .iter()
        .map(|call| match call {
            Ok(call) => Ok(call.id.as_ref().map(Id::as_str)),
            Err(rejected) => Err(rejected.id.as_str()),
        })
        .collect();
    assert_eq!(ids, [Ok(Some("\"1\"")), Err("null"), Ok(None), Err("null"), Err("\"5\""), Ok(Some("9"))]);
    let Err(second) = &calls[1] else { panic!("the second is no call") };
    assert_eq!((second.error.code(), violations(&second.error)), (-32600, vec![("", "must be an object")]));
}

#[test]
fn a_batch_holds_1_to_50_calls() {
    let batch = |count: usize| format!("[{}]", vec![r#"{"jsonrpc":"2.0","id":1,"method":"GetTask"}"#; count].join(","));
    for count in [0, 51, 5000] {
        let error = refused(batch(count).as_bytes());
        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
        assert_eq!(violations(&error), [("", "a batch must hold 1 to 50 calls")]);
    }
    for count in [1, 50] {
        let body = batch(count);
        let Ok(Payload::Batch(calls)) = parse(body.as_bytes()) else { panic!("a batch expected") };
        assert_eq!(calls.len(), count);
    }
}

#[test]
fn a_batch_of_too_many_that_is_not_json_is_a_parse_error() {
    assert_eq!(refused(format!("[{}", "1,".repeat(60)).as_bytes()).kind(), ErrorKind::Parse);
}

#[test]
fn depth_costs_no_stack() {
    const DEPTH: usize = 1_000_000;
    let (open, close) = ("[".repeat(DEPTH), "]".repeat(DEPTH));

    assert_eq!(refused(open.as_bytes()).kind(), ErrorKind::Parse);
    assert_eq!(refused("{\"a\":".repeat(DEPTH).as_bytes()).kind(), ErrorKind::Parse);

    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{open}{close}}}"#);
    assert_eq!(call(&body).params.unwrap().get().len(), 2 * DEPTH);

    let body = format!("{open}{close}");
    let Ok(Payload::Batch(calls)) = parse(body.as_bytes()) else { panic!("a batch expected") };
    assert!(matches!(&calls[..], [Err(rejected)] if rejected.error.kind() == ErrorKind::InvalidRequest));
}

#[test]
fn a_large_body_is_read_in_one_pass() {
    let filler = "x".repeat(8 << 20);
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{{"text":"{filler}"}}}}"#);
    assert_eq!(call(&body).params.unwrap().get().len(), filler.len() + 11);
}
