//! The parameters of an operation, from the path, the query and the body.

use serde_json::{Map, Value};

use super::query;
use super::route::PathParam;
use crate::protocol::details::{BadRequest, FieldViolation};
use crate::protocol::error::A2aError;
use crate::protocol::json::{self, FaultKind};
use crate::protocol::operation::Operation;
use crate::protocol::{schema, text};

/// The parameters of a request to `operation`, as the same operation would have them in JSON-RPC; not yet checked
/// against its schema.
///
/// They come from the path and the body where the operation has one, else from the path and the query (specification
/// 11.5). An empty body is an empty object.
///
/// # Errors
/// `-32700` if the body is not JSON, `-32600` if it is no object, `-32602` if it repeats a name, if the query does not fit
/// the operation, or if either contradicts the path.
pub fn params(
    operation: Operation,
    path_params: &[PathParam<'_>],
    query: &str,
    body: &[u8],
) -> Result<Value, A2aError> {
    let mut params = match source(operation, body) {
        Source::Body => from_body(body)?,
        Source::Query => from_query(operation, query)?,
    };
    let contradictions: Vec<FieldViolation> =
        path_params.iter().filter_map(|(name, value)| insert(&mut params, name, value).err()).collect();
    if contradictions.is_empty() { Ok(Value::Object(params)) } else { Err(A2aError::invalid_fields(contradictions)) }
}

enum Source {
    Body,
    Query,
}

const fn source(operation: Operation, body: &[u8]) -> Source {
    match operation {
        Operation::SendMessage
        | Operation::SendStreamingMessage
        | Operation::CancelTask
        | Operation::CreateTaskPushNotificationConfig => Source::Body,
        // Served by GET and by POST: a body shows which it is, and without one there is nothing to tell apart.
        Operation::SubscribeToTask if !body.is_empty() => Source::Body,
        Operation::SubscribeToTask
        | Operation::GetTask
        | Operation::ListTasks
        | Operation::GetTaskPushNotificationConfig
        | Operation::ListTaskPushNotificationConfigs
        | Operation::DeleteTaskPushNotificationConfig
        | Operation::GetExtendedAgentCard => Source::Query,
    }
}

fn from_body(body: &[u8]) -> Result<Map<String, Value>, A2aError> {
    let text = text::decode(body)?;
    if text.trim_ascii().is_empty() {
        return Ok(Map::new());
    }
    let value = json::parse(text).map_err(|fault| match fault.kind {
        FaultKind::Syntax => text::malformed(fault.description),
        FaultKind::DuplicateKey | FaultKind::TooDeep | FaultKind::NumberOutOfRange => {
            A2aError::invalid_fields(vec![FieldViolation::new(fault.path, fault.description)])
        }
    })?;
    match value {
        Value::Object(params) => Ok(params),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            let violation = FieldViolation::new("", "must be an object");
            Err(A2aError::invalid_request().with_detail(BadRequest { field_violations: vec![violation] }))
        }
    }
}

fn from_query(operation: Operation, query: &str) -> Result<Map<String, Value>, A2aError> {
    query::pairs(query).and_then(|pairs| schema::query(operation, pairs)).map_err(A2aError::invalid_fields)
}

/// Puts a parameter of the path where the body or the query may have it too, under either of its names (ProtoJSON).
fn insert(params: &mut Map<String, Value>, name: &str, value: &str) -> Result<(), FieldViolation> {
    for known in [name, &snake_case(name)] {
        // In ProtoJSON an unset string is absent, null or empty.
        let agrees = match params.remove(known) {
            None | Some(Value::Null) => true,
            Some(Value::String(given)) => given.is_empty() || given == value,
            Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => false,
        };
        if !agrees {
            return Err(FieldViolation::new(name, "must be absent, or the same as in the path"));
        }
    }
    params.insert(name.to_owned(), Value::String(value.to_owned()));
    Ok(())
}

/// The proto's name of a field: `task_id` for `taskId`.
fn snake_case(name: &str) -> String {
    let words = name.chars().flat_map(|letter| {
        let underscore = letter.is_ascii_uppercase().then_some('_');
        underscore.into_iter().chain([letter.to_ascii_lowercase()])
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use serde_json::json;

    use super::*;
    use crate::ErrorKind;
    use crate::protocol::details::Detail;

    fn path<'a>(params: &[(&'static str, &'a str)]) -> Vec<PathParam<'a>> {
        params.iter().map(|(name, value)| (*name, Cow::Borrowed(*value))).collect()
    }

    fn fields(error: &A2aError) -> Vec<&str> {
        match error.details() {
            [Detail::BadRequest(found)] => found.field_violations.iter().map(|found| found.field.as_str()).collect(),
            other => panic!("one BadRequest expected, got {other:?}"),
        }
    }

    #[test]
    fn a_body_and_a_path_make_one_object() {
        let body = br#"{"url":"https://example.com/hook","id":"c1"}"#;
        let path = path(&[("tenant", "acme"), ("taskId", "t1")]);
        assert_eq!(
            params(Operation::CreateTaskPushNotificationConfig, &path, "", body).unwrap(),
            json!({"tenant": "acme", "taskId": "t1", "url": "https://example.com/hook", "id": "c1"})
        );
    }

    #[test]
    fn an_empty_body_is_an_empty_object() {
        for body in [&b""[..], b" \r\n", b"{}"] {
            assert_eq!(params(Operation::CancelTask, &path(&[("id", "t1")]), "", body).unwrap(), json!({"id": "t1"}));
        }
    }

    #[test]
    fn a_query_and_a_path_make_one_object() {
        let found = params(Operation::GetTask, &path(&[("id", "t1")]), "historyLength=2&A2A-Version=1.0", b"").unwrap();
        assert_eq!(schema::check(Operation::GetTask, found).unwrap(), json!({"id": "t1", "historyLength": 2}));
    }

    #[test]
    fn subscribing_takes_what_comes() {
        let subscribe =
            |query: &str, body: &[u8]| params(Operation::SubscribeToTask, &path(&[("id", "t1")]), query, body);
        assert_eq!(subscribe("", b"").unwrap(), json!({"id": "t1"}));
        assert_eq!(subscribe("tenant=acme", b"").unwrap(), json!({"id": "t1", "tenant": "acme"}));
        assert_eq!(subscribe("", br#"{"tenant":"acme"}"#).unwrap(), json!({"id": "t1", "tenant": "acme"}));
        assert_eq!(fields(&subscribe("", br#"{"id":"t2"}"#).unwrap_err()), ["id"]);
    }

    #[test]
    fn a_body_where_none_belongs_is_not_read() {
        let found = params(Operation::GetTask, &path(&[("id", "t1")]), "", b"not json").unwrap();
        assert_eq!(found, json!({"id": "t1"}));
    }

    #[test]
    fn the_query_of_an_operation_with_a_body_is_not_read() {
        let found = params(Operation::CancelTask, &path(&[("id", "t1")]), "id=t2&metadata=%FF", b"{}").unwrap();
        assert_eq!(found, json!({"id": "t1"}));
    }

    #[test]
    fn what_repeats_the_path_is_taken_and_what_contradicts_it_is_not() {
        let create = |body: &str| {
            let path = path(&[("tenant", "acme"), ("taskId", "t1")]);
            params(Operation::CreateTaskPushNotificationConfig, &path, "", body.as_bytes())
        };
        for body in [
            r#"{"taskId":"t1","tenant":"acme"}"#,
            r#"{"task_id":"t1"}"#,
            r#"{"taskId":"t1","task_id":null}"#,
            r#"{"tenant":"","task_id":""}"#,
        ] {
            assert_eq!(create(body).unwrap(), json!({"tenant": "acme", "taskId": "t1"}), "{body}");
        }
        for (body, expected) in [
            (r#"{"taskId":"t2"}"#, vec!["taskId"]),
            (r#"{"task_id":"t2"}"#, vec!["taskId"]),
            (r#"{"taskId":"t1","task_id":"t2"}"#, vec!["taskId"]),
            (r#"{"taskId":1,"tenant":{}}"#, vec!["tenant", "taskId"]),
        ] {
            let error = create(body).unwrap_err();
            assert_eq!((error.kind(), fields(&error)), (ErrorKind::InvalidParams, expected), "{body}");
        }
        let error = params(Operation::GetTask, &path(&[("id", "t1")]), "id=t2", b"").unwrap_err();
        assert_eq!(fields(&error), ["id"]);
    }

    #[test]
    fn a_body_that_is_not_json_is_a_parse_error() {
        for body in [&b"{"[..], b"\xff", b"\xef\xbb\xbf{}", b"{} {}"] {
            assert_eq!(params(Operation::SendMessage, &[], "", body).unwrap_err().kind(), ErrorKind::Parse);
        }
    }

    #[test]
    fn a_body_that_is_no_object_is_no_request() {
        for body in ["[]", "null", "7", "\"x\"", "true"] {
            let error = params(Operation::SendMessage, &[], "", body.as_bytes()).unwrap_err();
            assert_eq!((error.kind(), fields(&error)), (ErrorKind::InvalidRequest, vec![""]), "{body}");
        }
    }

    #[test]
    fn an_ambiguous_body_is_invalid() {
        let error = params(Operation::SendMessage, &[], "", br#"{"message":{"a":1,"a":2}}"#).unwrap_err();
        assert_eq!((error.kind(), fields(&error)), (ErrorKind::InvalidParams, vec!["message.a"]));
    }

    #[test]
    fn broken_encodings_in_the_query_are_invalid() {
        let error = params(Operation::ListTasks, &[], "contextId=%FF", b"").unwrap_err();
        assert_eq!((error.kind(), fields(&error)), (ErrorKind::InvalidParams, vec!["contextId"]));
    }
}
