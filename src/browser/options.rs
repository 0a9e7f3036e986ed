//! A client's options, as JavaScript gives them.

use std::borrow::Cow;
use std::time::Duration;

use super::members::Members;
use crate::client::Options;
use crate::remote::Binding;
use crate::remote::call::CallPolicy;
use crate::remote::request::{Endpoint, Service};

/// Reads an endpoint from JSON.
///
/// # Errors
/// What is wrong with it, for a developer.
pub(super) fn endpoint(json: &str) -> Result<Endpoint, String> {
    read_endpoint(Members::read("endpoint", json)?)
}

fn read_endpoint(mut given: Members) -> Result<Endpoint, String> {
    let (url, named) = (given.needed_text("url")?, given.needed_text("binding")?);
    let endpoint = Endpoint { url, binding: binding(&given, &named)?, tenant: given.text("tenant")? };
    given.end()?;
    Ok(endpoint)
}

fn binding(given: &Members, name: &str) -> Result<Binding, String> {
    Binding::from_name(name).ok_or_else(|| given.fault("binding", &format!("JSONRPC or HTTP+JSON, not \"{name}\"")))
}

/// Reads options from JSON: the members of `ClientOptions` in `packages/client/index.d.ts` that are data.
///
/// # Errors
/// What is wrong with them, for a developer.
pub(super) fn options(json: &str) -> Result<Options, String> {
    let mut given = Members::read("options", json)?;
    let named = given.text("binding")?;
    let binding = named.map(|name| binding(&given, &name)).transpose()?;
    let fallbacks = given.objects("fallbacks")?.into_iter().map(read_endpoint).collect::<Result<_, _>>()?;
    let options = Options { policy: policy(&mut given)?, service: service(&mut given)?, binding, fallbacks };
    given.end()?;
    Ok(options)
}

fn service(given: &mut Members) -> Result<Service, String> {
    let extensions = given.texts("extensions")?;
    let authorization = given.text("authorization")?;
    let headers = given.pairs("headers")?;
    let service = Service {
        extensions: (!extensions.is_empty()).then(|| extensions.join(", ")),
        authorization,
        headers: headers.into_iter().map(|(name, value)| (Cow::Owned(name), value)).collect(),
    };
    if let Some((name, rule)) = service.faults().next() {
        return Err(given.fault(name, &rule));
    }
    Ok(service)
}

fn policy(given: &mut Members) -> Result<CallPolicy, String> {
    let mut policy = CallPolicy::DEFAULT;
    set(&mut policy.total, given.number("timeoutMs")?);
    set(&mut policy.head_timeout, given.number("headTimeoutMs")?);
    set(&mut policy.idle, given.number("idleTimeoutMs")?);
    set(&mut policy.stream_total, given.number("streamTimeoutMs")?);
    let bytes = given.count("maxResponseBytes")?.and_then(|bytes| usize::try_from(bytes).ok());
    policy.max_response_bytes = bytes.unwrap_or(policy.max_response_bytes);
    let mut retry = given.object("retry")?;
    set(&mut policy.retry.base, retry.number("baseMs")?);
    set(&mut policy.retry.cap, retry.number("capMs")?);
    policy.retry.max_retries = retry.count("maxRetries")?.unwrap_or(policy.retry.max_retries);
    policy.retry.sends = retry.switch("sends")?.unwrap_or(policy.retry.sends);
    retry.end()?;
    let mut breaker = given.object("breaker")?;
    set(&mut policy.breaker.open_for, breaker.number("openMs")?);
    policy.breaker.failures = breaker.count("failures")?.unwrap_or(policy.breaker.failures);
    breaker.end()?;
    Ok(policy)
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
    fn a_slip_is_named_as_it_was_written() {
        for (json, problem) in [
            ("5", "options must be an object"),
            (r#"{"timeout":1}"#, "options has no member \"timeout\""),
            (r#"{"timeoutMs":-1}"#, "options.timeoutMs must be a whole number from 0 to 9007199254740991"),
            (r#"{"timeoutMs":1.5}"#, "options.timeoutMs must be a whole number from 0 to 9007199254740991"),
            (r#"{"retry":5}"#, "options.retry must be an object"),
            (r#"{"retry":{"max":1}}"#, "options.retry has no member \"max\""),
            (r#"{"retry":{"maxRetries":"x"}}"#, "options.retry.maxRetries must be a whole number from 0 to 4294967295"),
            (r#"{"retry":{"sends":"yes"}}"#, "options.retry.sends must be true or false"),
            (
                r#"{"breaker":{"failures":4294967296}}"#,
                "options.breaker.failures must be a whole number from 0 to 4294967295",
            ),
            (r#"{"authorization":{}}"#, "options.authorization must be a string"),
            (r#"{"extensions":[1]}"#, "options.extensions must be an array of strings"),
            (r#"{"headers":{"a":1}}"#, "options.headers must be an object of strings"),
            (r#"{"authorization":"Bearer a\nb"}"#, "options.authorization must be what an HTTP header can hold"),
            (r#"{"authorization":"Bearer €"}"#, "options.authorization must be what an HTTP header can hold"),
            (r#"{"authorization":"Bearer é"}"#, "options.authorization must be what an HTTP header can hold"),
            (r#"{"authorization":"Bearer \u0001"}"#, "options.authorization must be what an HTTP header can hold"),
            (r#"{"authorization":"Bearer \u007f"}"#, "options.authorization must be what an HTTP header can hold"),
            (r#"{"extensions":["urn:a","urn:\r"]}"#, "options.extensions must be what an HTTP header can hold"),
            (r#"{"headers":{"X Key":"k"}}"#, "options.headers must be what an HTTP header can hold"),
            (r#"{"headers":{"":"k"}}"#, "options.headers must be what an HTTP header can hold"),
            (r#"{"headers":{"X-Key":"k\nl"}}"#, "options.headers must be what an HTTP header can hold"),
            (
                r#"{"headers":{"Content-Length":"1"}}"#,
                "options.headers must be without Content-Length, which the client writes itself",
            ),
            (
                r#"{"headers":{"Upgrade":"h2c"}}"#,
                "options.headers must be without Upgrade, which the client writes itself",
            ),
            (
                r#"{"authorization":"Bearer a","headers":{"authorization":"Bearer b"}}"#,
                "options.headers must be without authorization, which the client writes itself",
            ),
            (r#"{"binding":"gRPC"}"#, "options.binding must be JSONRPC or HTTP+JSON, not \"gRPC\""),
            (r#"{"fallbacks":{}}"#, "options.fallbacks must be an array"),
            (r#"{"fallbacks":[{"binding":"JSONRPC"}]}"#, "options.fallbacks[0].url must be a string"),
            (
                r#"{"fallbacks":[{"url":"x","binding":"soap"}]}"#,
                "options.fallbacks[0].binding must be JSONRPC or HTTP+JSON, not \"soap\"",
            ),
        ] {
            assert_eq!(options(json).unwrap_err(), problem);
        }
        assert_eq!(endpoint("null").unwrap_err(), "endpoint must be an object");
        assert_eq!(options(r#"{"retry":null,"timeoutMs":null}"#).unwrap().policy, CallPolicy::DEFAULT);
    }
}
