{
use a2a_edge::client::{Client, Options, native};
use a2a_edge::protocol::operation::Operation;
use a2a_edge::remote::{Binding, request::Endpoint};
use serde_json::json;

let endpoint = Endpoint::new("https://agent.example/rpc", Binding::JsonRpc);
let client = Client::new(endpoint, Options::default(), native::ports()?);
let params = json!({
    "id": "a\u{8}\u{0001}\n\"\\é",
    "historyLength": 5000000000_i64,
    "metadata": [
        1.5,
        -7000000000_i64,
        1e+30
    ]
});
match client.call(Operation::GetTask, params).await {
    Ok(result) => println!("{result}"),
    Err(error) => eprintln!("{error}: {:?} {} retryable: {}", error.kind(), error.code(), error.is_retryable()),
}
Ok(())
}
