//! Where the origin is and how it is treated, from variables.

use std::time::Duration;

use crate::remote::Binding;
use crate::remote::breaker::BreakerPolicy;
use crate::remote::call::CallPolicy;
use crate::remote::retry::RetryPolicy;
use crate::vars::{ConfigError, Vars};

/// How long an attempt may take until its answer begins when `ORIGIN_TIMEOUT_MS` is unset: as long as a client waits as a
/// rule.
const DEFAULT_TIMEOUT_MS: u64 = 30_000;
const MAX_TIMEOUT_MS: u64 = 10 * 60 * 1000;
/// Both seeds have at most three retries.
const MAX_RETRIES: u64 = 3;
const MAX_RETRY_BASE_MS: u64 = 10_000;
const MAX_BREAKER_FAILURES: u64 = 1000;
const MAX_BREAKER_OPEN_MS: u64 = 60 * 60 * 1000;
/// The whole of a call, retries and fallbacks included, in attempts. (Our own: so that one that hangs leaves time for
/// another.)
const ATTEMPTS_IN_ALL: u32 = 2;

/// Settings of the gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// `ORIGIN_URL`: where the origin's card is, without the well-known path.
    pub url: String,
    /// `ORIGIN_FALLBACK_URLS`: the same of agents that stand in for it, in their order.
    pub fallbacks: Vec<String>,
    /// `ORIGIN_BINDING`: how they are spoken to; `None` is as the card says.
    pub binding: Option<Binding>,
    /// Deadlines, limits, retries and the breaker.
    pub policy: CallPolicy,
}

impl Config {
    /// Reads and checks the variables. `None` without `ORIGIN_URL`: there is nothing to stand before.
    ///
    /// # Errors
    /// The first variable that cannot be used.
    pub fn build(vars: &Vars<'_>, max_response_bytes: usize) -> Result<Option<Self>, ConfigError> {
        let policy = policy(vars, max_response_bytes)?;
        let choices = [("auto", None), ("jsonrpc", Some(Binding::JsonRpc)), ("rest", Some(Binding::Rest))];
        let binding = vars.choice("ORIGIN_BINDING", None, &choices)?;
        let fallbacks = vars.list("ORIGIN_FALLBACK_URLS");
        if !fallbacks.iter().all(|url| is_url(url)) {
            return Err(ConfigError::new("ORIGIN_FALLBACK_URLS", URL_RULE));
        }
        let Some(url) = vars.text("ORIGIN_URL") else { return Ok(None) };
        if !is_url(&url) {
            return Err(ConfigError::new("ORIGIN_URL", URL_RULE));
        }
        Ok(Some(Self { url, fallbacks, binding, policy }))
    }
}

fn policy(vars: &Vars<'_>, max_response_bytes: usize) -> Result<CallPolicy, ConfigError> {
    let millis = |name, default: Duration, range| {
        let default = u64::try_from(default.as_millis()).unwrap_or(u64::MAX);
        vars.number(name, default, range).map(Duration::from_millis)
    };
    // Within `u32`: the ranges are.
    let count = |name, default: u32, max| {
        let number = vars.number(name, default.into(), 0..=max)?;
        Ok(u32::try_from(number).unwrap_or(u32::MAX))
    };
    let (retry, breaker) = (RetryPolicy::DEFAULT, BreakerPolicy::DEFAULT);
    let head_timeout = millis("ORIGIN_TIMEOUT_MS", Duration::from_millis(DEFAULT_TIMEOUT_MS), 1..=MAX_TIMEOUT_MS)?;
    Ok(CallPolicy {
        retry: RetryPolicy {
            max_retries: count("ORIGIN_MAX_RETRIES", retry.max_retries, MAX_RETRIES)?,
            base: millis("ORIGIN_RETRY_BASE_MS", retry.base, 0..=MAX_RETRY_BASE_MS)?,
            sends: vars.switch("RETRY_SENDS", retry.sends)?,
            ..retry
        },
        breaker: BreakerPolicy {
            failures: count("BREAKER_FAILURES", breaker.failures, MAX_BREAKER_FAILURES)?,
            open_for: millis("BREAKER_OPEN_MS", breaker.open_for, 1..=MAX_BREAKER_OPEN_MS)?,
        },
        head_timeout,
        total: head_timeout * ATTEMPTS_IN_ALL,
        idle: head_timeout * ATTEMPTS_IN_ALL,
        max_response_bytes,
        ..CallPolicy::DEFAULT
    })
}

const URL_RULE: &str = "must be absolute http or https URLs without credentials, query or fragment";

/// A URL that paths can be added to. One with credentials would be refused by `fetch`.
fn is_url(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else { return false };
    let host = rest.split('/').next().unwrap_or_default();
    matches!(scheme, "http" | "https")
        && !host.is_empty()
        && !host.starts_with(':')
        && url.bytes().all(|byte| byte.is_ascii_graphic() && !b"@?#\\".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(vars: &[(&str, &str)]) -> Result<Option<Config>, ConfigError> {
        let lookup = |name: &str| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Config::build(&Vars::new(&lookup), 1000)
    }

    #[test]
    fn without_an_origin_there_is_no_gateway() {
        assert_eq!(build(&[]), Ok(None));
        assert_eq!(build(&[("ORIGIN_URL", " "), ("ORIGIN_BINDING", "rest")]), Ok(None));
    }

    #[test]
    fn defaults_are_the_documented_ones() {
        let config = build(&[("ORIGIN_URL", "http://127.0.0.1:9000")]).unwrap().unwrap();
        assert_eq!((config.url.as_str(), config.fallbacks.len(), config.binding), ("http://127.0.0.1:9000", 0, None));
        let CallPolicy { retry, breaker, head_timeout, total, max_response_bytes, .. } = config.policy;
        assert_eq!((retry.max_retries, retry.base.as_millis(), retry.sends), (3, 200, false));
        assert_eq!((breaker.failures, breaker.open_for.as_secs()), (5, 10));
        assert_eq!((head_timeout.as_secs(), total.as_secs(), max_response_bytes), (30, 60, 1000));
    }

    #[test]
    fn each_variable_is_read() {
        let config = build(&[
            ("ORIGIN_URL", "https://a.example/agent"),
            ("ORIGIN_FALLBACK_URLS", "https://b.example, http://c.example:81/"),
            ("ORIGIN_BINDING", "rest"),
            ("ORIGIN_TIMEOUT_MS", "500"),
            ("ORIGIN_MAX_RETRIES", "0"),
            ("ORIGIN_RETRY_BASE_MS", "7"),
            ("RETRY_SENDS", "on"),
            ("BREAKER_FAILURES", "2"),
            ("BREAKER_OPEN_MS", "900"),
        ]);
        let config = config.unwrap().unwrap();
        assert_eq!(config.fallbacks, ["https://b.example", "http://c.example:81/"]);
        assert_eq!(config.binding, Some(Binding::Rest));
        let CallPolicy { retry, breaker, head_timeout, total, .. } = config.policy;
        assert_eq!((retry.max_retries, retry.base.as_millis(), retry.sends), (0, 7, true));
        assert_eq!((breaker.failures, breaker.open_for.as_millis()), (2, 900));
        assert_eq!((head_timeout.as_millis(), total.as_millis()), (500, 1000));
    }

    #[test]
    fn a_bad_variable_is_named_and_not_quoted() {
        for (name, value) in [
            ("ORIGIN_URL", "s3cret"),
            ("ORIGIN_URL", "ftp://s3cret.example"),
            ("ORIGIN_URL", "https://user:s3cret@a.example"),
            ("ORIGIN_URL", "https://a.example/?key=s3cret"),
            ("ORIGIN_URL", "https:///s3cret"),
            ("ORIGIN_URL", "https://:80/s3cret"),
            ("ORIGIN_FALLBACK_URLS", "https://a.example,s3cret"),
            ("ORIGIN_BINDING", "s3cret"),
            ("ORIGIN_TIMEOUT_MS", "0"),
            ("ORIGIN_MAX_RETRIES", "4"),
            ("ORIGIN_RETRY_BASE_MS", "-1"),
            ("RETRY_SENDS", "s3cret"),
            ("BREAKER_FAILURES", "1.5"),
            ("BREAKER_OPEN_MS", "0"),
        ] {
            let error = build(&[(name, value)]).unwrap_err();
            assert_eq!(error.name, name, "{value}");
            assert!(!error.to_string().contains("s3cret"), "{error}");
        }
    }
}
