//! Push notifications (specification 3.1.7 to 3.1.10, 4.3): what is kept, and what is sent where.

#![allow(clippy::panic, clippy::unwrap_used)] // in helpers as well

mod support;

use std::time::Duration;

use a2a_edge::protocol::http::Headers;
use serde_json::{Value, json};
use support::{Json, Served, server_with};

const HOOK: &str = "https://hooks.example.com/a2a";

fn demo() -> Served {
    server_with(|demo, _| demo.push = true)
}

fn message(text: &str) -> Value {
    json!({"message": {"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": text}]}})
}

fn with_hook(text: &str, hook: Value) -> Value {
    let mut request = message(text);
    request["configuration"] = json!({"taskPushNotificationConfig": hook});
    request
}

fn get(served: &Served, path: &str) -> Value {
    served.get(path, "", Headers { version: Some("1.0"), ..Headers::default() }).json()
}

fn delete(served: &Served, path: &str) -> u16 {
    let headers = Headers { version: Some("1.0"), ..Headers::default() };
    let request = a2a_edge::protocol::http::Request { method: "DELETE", path, headers, ..Default::default() };
    served.send(&request).status
}

/// Lets the background go on until it is done.
fn settle(served: &Served) {
    while served.background.advance() > 0 {
        served.clock.advance(Duration::from_millis(100));
    }
}

fn bodies(served: &Served) -> Vec<Value> {
    served
        .web
        .requests
        .borrow()
        .iter()
        .map(|request| serde_json::from_str(request.body.as_ref().unwrap()).unwrap())
        .collect()
}

#[test]
fn configs_are_created_read_listed_and_deleted() {
    let served = demo();
    let id = served.rest("/message:send", &message("work")).json()["task"]["id"].as_str().unwrap().to_owned();
    let configs = format!("/tasks/{id}/pushNotificationConfigs");
    let secret = json!({"scheme": "Bearer", "credentials": "c-1"});
    let own = served.rest(&configs, &json!({"id": "mine", "url": HOOK, "token": "t", "authentication": secret})).json();
    assert_eq!(own, json!({"id": "mine", "taskId": id, "url": HOOK, "token": "t", "authentication": secret}));
    let made = served.rest(&configs, &json!({"url": HOOK})).json();
    assert_eq!(made["id"].as_str().map(str::len), Some(36), "{made}");
    assert_eq!(get(&served, &format!("{configs}/mine")), own);
    assert_eq!(get(&served, &configs)["configs"].as_array().map(Vec::len), Some(2));
    for _ in 0..2 {
        assert_eq!(delete(&served, &format!("{configs}/mine")), 200, "idempotent");
    }
    let missing = get(&served, &format!("{configs}/mine"));
    assert_eq!(missing["error"]["code"], 404);
    assert_eq!(missing["error"]["message"], "Push notification config not found");
    assert_eq!(missing["error"]["details"][0]["reason"], "TASK_NOT_FOUND");
    let elsewhere = served.rest("/tasks/none/pushNotificationConfigs", &json!({"url": HOOK}));
    assert_eq!((elsewhere.status, &elsewhere.json()["error"]["message"]), (404, &json!("Task not found")));
}

#[test]
fn webhooks_that_may_not_be_called_are_refused_wherever_they_are_named() {
    let served = demo();
    let id = served.rest("/message:send", &message("work")).json()["task"]["id"].as_str().unwrap().to_owned();
    for (config, field) in [
        (json!({"url": "http://hooks.example.com/"}), "url"),
        (json!({"url": "https://169.254.169.254/latest"}), "url"),
        (json!({"url": HOOK, "id": "x".repeat(900)}), "id"),
        (json!({"url": HOOK, "token": "a\r\nX: y"}), "token"),
        (json!({"url": HOOK, "token": "x".repeat(5_000)}), "token"),
        (json!({"url": HOOK, "authentication": {"scheme": "Bearer\n"}}), "authentication.scheme"),
        (
            json!({"url": HOOK, "authentication": {"scheme": "Bearer", "credentials": "\u{0}"}}),
            "authentication.credentials",
        ),
    ] {
        let created = served.rest(&format!("/tasks/{id}/pushNotificationConfigs"), &config);
        assert_eq!(created.status, 400, "{config}");
        assert_eq!(created.json()["error"]["details"][0]["metadata"]["fields"], field);
        let sent = served.rest("/message:send", &with_hook("hello", config));
        let field = format!("configuration.taskPushNotificationConfig.{field}");
        assert_eq!((sent.status, &sent.json()["error"]["details"][0]["metadata"]["fields"]), (400, &json!(field)));
    }
    settle(&served);
    assert!(served.web.requests.borrow().is_empty());
}

#[test]
fn a_webhook_that_comes_with_the_message_is_told_everything_with_its_secrets() {
    let served = demo();
    let hook = json!({"url": HOOK, "token": "t-1", "authentication": {"scheme": "Bearer", "credentials": "c-1"}});
    let task = served.rest("/message:send", &with_hook("hello", hook)).json()["task"].clone();
    assert!(served.web.requests.borrow().is_empty(), "the caller does not wait for it");
    settle(&served);
    assert_eq!(bodies(&served), [json!({"task": task})]);
    let requests = served.web.requests.borrow();
    assert_eq!((requests[0].method, requests[0].url.as_str()), ("POST", HOOK));
    assert_eq!(requests[0].header("Content-Type"), Some("application/a2a+json"));
    assert_eq!(requests[0].header("Authorization"), Some("Bearer c-1"));
    assert_eq!(requests[0].header("X-A2A-Notification-Token"), Some("t-1"));
    drop(requests);
    let id = task["id"].as_str().unwrap();
    assert_eq!(get(&served, &format!("/tasks/{id}/pushNotificationConfigs"))["configs"][0]["taskId"], id);
}

#[test]
fn changes_are_told_in_their_order_and_cancellations_too() {
    let served = demo();
    let stream = served.rest("/message:stream", &with_hook("stream 2", json!({"url": HOOK})));
    let events: Vec<_> = served.streamed(stream).rest().into_iter().map(|(_, event)| event).collect();
    settle(&served);
    assert_eq!(bodies(&served), events);

    let id = served.rest("/message:send", &with_hook("work", json!({"url": HOOK}))).json()["task"]["id"].clone();
    served.rest(&format!("/tasks/{}:cancel", id.as_str().unwrap()), &json!({}));
    settle(&served);
    assert_eq!(bodies(&served).last().unwrap()["statusUpdate"]["status"]["state"], "TASK_STATE_CANCELED");
}

#[test]
fn a_webhook_that_fails_is_tried_again_and_given_up_in_the_end() {
    let served = demo();
    served.web.statuses.borrow_mut().extend([503, 0, 429]);
    let started = served.clock.clone();
    let before = a2a_edge::ports::Clock::now(&*started).0;
    served.rest("/message:send", &with_hook("hello", json!({"url": HOOK})));
    settle(&served);
    assert_eq!(served.web.requests.borrow().len(), 4);
    assert_eq!(served.log.lines().len(), 0);
    assert!(a2a_edge::ports::Clock::now(&*started).0 - before >= 3_500, "half a second, one, two");

    for (statuses, tries) in [(vec![500; 4], 4), (vec![404], 1), (vec![302], 1)] {
        served.web.requests.borrow_mut().clear();
        served.web.statuses.borrow_mut().extend(&statuses);
        let lines = served.log.lines().len();
        served.rest("/message:send", &with_hook("hello", json!({"id": "c1", "url": HOOK, "token": "secret-7"})));
        settle(&served);
        assert_eq!(served.web.requests.borrow().len(), tries, "{statuses:?}");
        let line = served.log.lines()[lines].1.clone();
        assert!(line.contains("push_failed") && line.contains("c1"), "{line}");
        assert!(!line.contains("secret-7") && !line.contains("hooks.example.com"), "{line}");
    }
}

#[test]
fn a_message_whose_webhook_finds_no_room_is_refused_before_anything_is_done() {
    let served = demo();
    let id = served.rest("/message:send", &message("ask")).json()["task"]["id"].as_str().unwrap().to_owned();
    for number in 0..a2a_edge::ports::MAX_PUSH_CONFIGS {
        let config = json!({"id": format!("c{number}"), "url": HOOK});
        assert_eq!(served.rest(&format!("/tasks/{id}/pushNotificationConfigs"), &config).status, 200);
    }
    let mut request = with_hook("forty-two", json!({"id": "one more", "url": HOOK}));
    request["message"]["taskId"] = json!(id);
    let refused = served.rest("/message:send", &request);
    let fields = &refused.json()["error"]["details"][0]["metadata"]["fields"];
    assert_eq!((refused.status, fields), (400, &json!("configuration.taskPushNotificationConfig")));
    assert_eq!(get(&served, &format!("/tasks/{id}"))["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    request["configuration"]["taskPushNotificationConfig"]["id"] = json!("c1");
    assert_eq!(served.rest("/message:send", &request).status, 200, "it takes the place of its namesake");
}
