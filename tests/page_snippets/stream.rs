{
use a2a_edge::client::{Client, Options, native};
use a2a_edge::protocol::operation::Operation;
use a2a_edge::remote::{Binding, request::Endpoint};
use futures_util::StreamExt;
use serde_json::json;

let endpoint = Endpoint::new("https://agent.example", Binding::Rest);
let client = Client::new(endpoint, Options::default(), native::ports()?);
let params = json!({
    "message": {
        "messageId": "m-1",
        "role": "ROLE_USER",
        "parts": [
            {
                "text": "stream 3"
            }
        ]
    }
});
match client.stream(Operation::SendStreamingMessage, params).await {
    Ok(mut events) => {
        while let Some(event) = events.next().await {
            println!("{}", event?);
        }
    }
    Err(error) => eprintln!("{error}: {:?} {} retryable: {}", error.kind(), error.code(), error.is_retryable()),
}
Ok(())
}
