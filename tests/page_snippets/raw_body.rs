{
let response = reqwest::Client::new()
    .request(reqwest::Method::POST, "https://agent.example/rpc")
    .header("A2A-Version", "1.0")
    .header("Content-Type", "application/json")
    .body(r###"{"a":"#", "b": "##"###)
    .send()
    .await?;
println!("{} {}", response.status(), response.text().await?);
Ok(())
}
