//! A client's options, as JavaScript gives them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use super::from_json;
use crate::client::Options;
use crate::remote::Binding;
use crate::remote::call::CallPolicy;
use crate::remote::request::{Endpoint, Service};

/// The members of `ClientOptions` in `packages/client/index.d.ts` that are data.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct JsOptions {
    binding: Option<String>,
    authorization: Option<String>,
    extensions: Vec<String>,
    headers: BTreeMap<String, String>,
    timeout_ms: Option<u64>,
    head_timeout_ms: Option<u64>,
    idle_timeout_ms: Option<u64>,
    stream_timeout_ms: Option<u64>,
    max_response_bytes: Option<usize>,
    retry: JsRetry,
    breaker: JsBreaker,
    fallbacks: Vec<JsEndpoint>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct JsRetry {
    max_retries: Option<u32>,
    base_ms: Option<u64>,
    cap_ms: Option<u64>,
    sends: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct JsBreaker {
    failures: Option<u32>,
    open_ms: Option<u64>,
}

/// Where an agent is.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct JsEndpoint {
    url: String,
    binding: String,
    tenant: Option<String>,
}

impl JsEndpoint {
    pub(super) fn read(self) -> Result<Endpoint, String> {
        Ok(Endpoint { url: self.url, binding: binding(&self.binding)?, tenant: self.tenant })
    }
}

fn binding(name: &str) -> Result<Binding, String> {
    Binding::from_name(name).ok_or_else(|| format!("binding must be JSONRPC or HTTP+JSON, not \"{name}\""))
}

/// Reads options from JSON.
///
/// # Errors
/// What is wrong with them, for a developer.
pub(super) fn options(json: &str) -> Result<Options, String> {
    let given: JsOptions = from_json(json)?;
    let mut policy = CallPolicy::DEFAULT;
    set(&mut policy.total, given.timeout_ms);
    set(&mut policy.head_timeout, given.head_timeout_ms);
    set(&mut policy.idle, given.idle_timeout_ms);
    set(&mut policy.stream_total, given.stream_timeout_ms);
    set(&mut policy.retry.base, given.retry.base_ms);
    set(&mut policy.retry.cap, given.retry.cap_ms);
    set(&mut policy.breaker.open_for, given.breaker.open_ms);
    policy.max_response_bytes = given.max_response_bytes.unwrap_or(policy.max_response_bytes);
    policy.retry.max_retries = given.retry.max_retries.unwrap_or(policy.retry.max_retries);
    policy.retry.sends = given.retry.sends.unwrap_or(policy.retry.sends);
    policy.breaker.failures = given.breaker.failures.unwrap_or(policy.breaker.failures);
    let service = Service {
        extensions: (!given.extensions.is_empty()).then(|| given.extensions.join(", ")),
        authorization: given.authorization,
        headers: given.headers.into_iter().map(|(name, value)| (Cow::Owned(name), value)).collect(),
    };
    let fallbacks = given.fallbacks.into_iter().map(JsEndpoint::read).collect::<Result<_, _>>()?;
    Ok(Options { policy, service, binding: given.binding.as_deref().map(binding).transpose()?, fallbacks })
}

fn set(duration: &mut Duration, milliseconds: Option<u64>) {
    if let Some(milliseconds) = milliseconds {
        *duration = Duration::from_millis(milliseconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_given_is_the_defaults_of_rust() {
        let options = options("{}").unwrap();
        assert_eq!(options.policy, CallPolicy::DEFAULT);
        assert_eq!(options.service, Service::default());
        assert_eq!((options.binding, options.fallbacks), (None, vec![]));
    }

    #[test]
    fn each_member_is_read() {
        let options = options(
            r#"{"binding":"http+json","authorization":"Bearer t","extensions":["urn:a","urn:b"],"headers":{"X-Key":"k"},
                "timeoutMs":1,"headTimeoutMs":2,"idleTimeoutMs":3,"streamTimeoutMs":4,"maxResponseBytes":5,
                "retry":{"maxRetries":6,"baseMs":7,"capMs":8,"sends":true},"breaker":{"failures":9,"openMs":10},
                "fallbacks":[{"url":"https://b.example","binding":"JSONRPC","tenant":"t"}]}"#,
        )
        .unwrap();
        let policy = &options.policy;
        let millis = [policy.total, policy.head_timeout, policy.idle, policy.stream_total].map(|time| time.as_millis());
        assert_eq!((millis, policy.max_response_bytes), ([1, 2, 3, 4], 5));
        assert_eq!((policy.retry.max_retries, policy.retry.sends), (6, true));
        assert_eq!((policy.retry.base.as_millis(), policy.retry.cap.as_millis()), (7, 8));
        assert_eq!((policy.breaker.failures, policy.breaker.open_for.as_millis()), (9, 10));
        assert_eq!(options.service.extensions.as_deref(), Some("urn:a, urn:b"));
        assert_eq!(options.service.authorization.as_deref(), Some("Bearer t"));
        assert_eq!(options.service.headers, [(Cow::Borrowed("X-Key"), "k".to_owned())]);
        assert_eq!(options.binding, Some(Binding::Rest));
        let fallback =
            Endpoint { tenant: Some("t".to_owned()), ..Endpoint::new("https://b.example", Binding::JsonRpc) };
        assert_eq!(options.fallbacks, [fallback]);
    }

    #[test]
    fn a_slip_is_named() {
        for (json, named) in [
            (r#"{"timeout":1}"#, "timeout"),
            (r#"{"retry":{"max":1}}"#, "max"),
            (r#"{"binding":"gRPC"}"#, "gRPC"),
            (r#"{"fallbacks":[{"url":"x","binding":"soap"}]}"#, "soap"),
        ] {
            let problem = options(json).unwrap_err();
            assert!(problem.contains(named), "{problem}");
        }
    }
}
