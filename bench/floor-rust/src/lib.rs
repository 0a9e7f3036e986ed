//! The usual shape of a Rust worker: async `fetch`, the body read and parsed, a constant JSON-RPC error answered.

use worker::{Context, Env, Request, Response, Result, event};

const ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Task not found","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"no-such-task"}}]}}"#;

#[event(fetch)]
async fn fetch(mut request: Request, _env: Env, _context: Context) -> Result<Response> {
    let body = request.text().await?;
    // Parsed and dropped: the answer is the same for a body that is not JSON, and the parser must not be optimised away.
    std::hint::black_box(serde_json::from_str::<serde_json::Value>(&body).ok());
    let mut response = Response::ok(ANSWER)?;
    response.headers_mut().set("content-type", "application/json")?;
    Ok(response)
}
