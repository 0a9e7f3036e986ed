{
let response = reqwest::Client::new()
    .request(reqwest::Method::DELETE, "https://agent.example/tasks")
    .header("A2A-Version", "1.0")
    .send()
    .await?;
println!("{} {}", response.status(), response.text().await?);
Ok(())
}
