//! The request that the client would send, to be shown or sent by somebody else.

use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use super::{from_json, options};
use crate::protocol::jsonrpc::Id;
use crate::protocol::operation::Operation;
use crate::remote::request::{Service, build};

/// The HTTP request that asks `endpoint` (JSON) for an operation: `method`, `url`, `headers` (pairs) and `body`, as JSON.
/// The params (JSON) are not checked.
///
/// # Errors
/// What is wrong with the arguments.
#[wasm_bindgen(js_name = buildRequest)]
pub fn build_request(endpoint: &str, operation: &str, params: &str, id: &str) -> Result<String, JsValue> {
    described(endpoint, operation, params, id)
        .map(|request| request.to_string())
        .map_err(|problem| JsValue::from_str(&problem))
}

fn described(endpoint: &str, operation: &str, params: &str, id: &str) -> Result<Value, String> {
    let endpoint = options::endpoint(endpoint)?;
    let operation = Operation::from_method(operation).ok_or_else(|| format!("A2A has no operation \"{operation}\""))?;
    let params: Value = from_json(params)?;
    let id = Id::from_json(id).ok_or("the id must be a JSON string or number")?;
    let request = build(&endpoint, operation, &params, &id, &Service::default());
    let headers: Vec<Value> = request.headers.iter().map(|(name, value)| json!([name, value])).collect();
    Ok(json!({ "method": request.method, "url": request.url, "headers": headers, "body": request.body }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_request_that_the_client_sends() {
        let endpoint = r#"{"url":"https://a.example","binding":"HTTP+JSON"}"#;
        let request = described(endpoint, "GetTask", r#"{"id":"t 1","historyLength":2}"#, "1").unwrap();
        assert_eq!((&request["method"], &request["body"]), (&"GET".into(), &Value::Null));
        assert_eq!(request["url"], "https://a.example/tasks/t%201?historyLength=2");
        assert!(described(endpoint, "getTask", "{}", "1").is_err());
        assert!(described(endpoint, "GetTask", "{}", "{}").is_err());
    }
}
