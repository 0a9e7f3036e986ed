{
use a2a_edge::client::{Client, Options, native};
use a2a_edge::protocol::operation::Operation;
use a2a_edge::remote::{Binding, request::{Endpoint, Service}};
use serde_json::json;

let endpoint = Endpoint::new("https://agent.example/rpc", Binding::JsonRpc);
let client = Client::new(endpoint, Options { service: Service { headers: vec![("Authorization".into(), "Bearer mistyped".to_owned())], ..Default::default() }, ..Default::default() }, native::ports()?);
let params = json!({});
match client.call(Operation::ListTasks, params).await {
    Ok(result) => println!("{result}"),
    Err(error) => eprintln!("{error}: {:?} {} retryable: {}", error.kind(), error.code(), error.is_retryable()),
}
Ok(())
}
