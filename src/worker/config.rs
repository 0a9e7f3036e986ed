//! How an agent is served, from variables. Each is read once and checked; a bad one stops every request.

use std::time::Duration;

use crate::agent::{AllowedOrigins, Config, Tokens};
use crate::gateway;
use crate::ports::Level;
use crate::protocol::negotiate::ErrorFormat;
use crate::protocol::version::SERVED;

use crate::vars::{ConfigError, Vars};

/// Longest body that is read when `MAX_BODY_BYTES` is unset: 1 MiB, far above any message of text.
pub const DEFAULT_MAX_BODY_BYTES: u64 = 1 << 20;
/// A Worker has 128 MB in all, and a body is in memory several times while it is read.
const MAX_MAX_BODY_BYTES: u64 = 16 << 20;
/// How long a task is kept when `TASK_TTL_S` is unset: a week.
const DEFAULT_TASK_TTL_S: u64 = 7 * 24 * 3600;
/// The same of a task that is another agent's: credentials that it was shown to may have been revoked there.
const DEFAULT_CACHED_TASK_TTL_S: u64 = 3600;
/// Workers KV keeps nothing for less than a minute.
const MIN_TASK_TTL_S: u64 = 60;
const MAX_TASK_TTL_S: u64 = 10 * 365 * 24 * 3600;

/// Where tasks are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreKind {
    /// Workers KV, under the binding `TASKS`.
    Kv,
    /// Durable Objects, under the bindings `TASK_OBJECTS` and `OWNER_INDEX`.
    Durable,
    /// The memory of one isolate, for development and measurements.
    Memory,
}

/// All settings that every agent has.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What the server needs.
    pub server: Config,
    /// `MAX_BODY_BYTES`
    pub max_body_bytes: u64,
    /// `TASK_STORE`
    pub store: StoreKind,
    /// `TASK_TTL_S`
    pub task_ttl: Duration,
    /// `ORIGIN_URL` and its like: the agent to stand before, in place of one of this worker's own.
    pub gateway: Option<gateway::Config>,
}

impl Settings {
    /// Reads and checks the variables.
    ///
    /// # Errors
    /// The first that cannot be used.
    pub fn build(vars: &Vars<'_>) -> Result<Self, ConfigError> {
        let max_body_bytes = max_body_bytes(vars)?;
        // Within any address space: the greatest limit is far below 2^32.
        let gateway = gateway::Config::build(vars, usize::try_from(max_body_bytes).unwrap_or(usize::MAX))?;
        let default_ttl = if gateway.is_some() { DEFAULT_CACHED_TASK_TTL_S } else { DEFAULT_TASK_TTL_S };
        Ok(Self {
            server: Config {
                rest_error_format: vars.parsed::<ErrorFormat>("REST_ERROR_FORMAT")?.unwrap_or_default(),
                assume_version: assume_version(vars)?,
                allowed_origins: allowed_origins(vars)?,
                tokens: tokens(vars)?,
                log_level: vars.choice(
                    "LOG_LEVEL",
                    Level::Info,
                    &[("info", Level::Info), ("warn", Level::Warn), ("error", Level::Error)],
                )?,
                in_development: vars.choice("ENVIRONMENT", false, &[("production", false), ("development", true)])?,
            },
            max_body_bytes,
            store: vars.choice(
                "TASK_STORE",
                StoreKind::Kv,
                &[("kv", StoreKind::Kv), ("durable", StoreKind::Durable), ("memory", StoreKind::Memory)],
            )?,
            task_ttl: Duration::from_secs(vars.number("TASK_TTL_S", default_ttl, MIN_TASK_TTL_S..=MAX_TASK_TTL_S)?),
            gateway,
        })
    }
}

/// `MAX_BODY_BYTES`, which the JavaScript side needs before there is a server.
pub(super) fn max_body_bytes(vars: &Vars<'_>) -> Result<u64, ConfigError> {
    vars.number("MAX_BODY_BYTES", DEFAULT_MAX_BODY_BYTES, 1..=MAX_MAX_BODY_BYTES)
}

fn assume_version(vars: &Vars<'_>) -> Result<Option<String>, ConfigError> {
    let name = "ASSUME_VERSION";
    match vars.text(name) {
        Some(version) if !SERVED.contains(&version.as_str()) => {
            Err(ConfigError::new(name, format!("must be one of the versions served: {}", SERVED.join(", "))))
        }
        version => Ok(version),
    }
}

fn allowed_origins(vars: &Vars<'_>) -> Result<AllowedOrigins, ConfigError> {
    let name = "ALLOWED_ORIGINS";
    let Some(text) = vars.text(name) else { return Ok(AllowedOrigins::Any) };
    AllowedOrigins::parse(&text).map_err(|problem| ConfigError::new(name, problem))
}

fn tokens(vars: &Vars<'_>) -> Result<Tokens, ConfigError> {
    let name = "AUTH_TOKENS";
    let Some(text) = vars.text(name) else { return Ok(Tokens::default()) };
    Tokens::parse(&text).map_err(|error| ConfigError::new(name, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(vars: &[(&str, &str)]) -> Result<Settings, ConfigError> {
        let lookup = |name: &str| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Settings::build(&Vars::new(&lookup))
    }

    #[test]
    fn unset_and_empty_variables_have_the_documented_defaults() {
        for vars in [&[][..], &[("TASK_STORE", ""), ("MAX_BODY_BYTES", " "), ("AUTH_TOKENS", "")]] {
            let settings = build(vars).unwrap();
            assert_eq!(settings.store, StoreKind::Kv);
            assert_eq!(settings.task_ttl.as_secs(), 604_800);
            assert_eq!(settings.max_body_bytes, 1_048_576);
            assert!(!settings.server.in_development && settings.gateway.is_none());
            assert_eq!(settings.server.rest_error_format, ErrorFormat::Both);
            assert_eq!(settings.server.assume_version, None);
            assert_eq!(settings.server.allowed_origins, AllowedOrigins::Any);
            assert!(!settings.server.tokens.are_required());
        }
    }

    #[test]
    fn each_variable_is_read() {
        let settings = build(&[
            ("REST_ERROR_FORMAT", "problem"),
            ("ASSUME_VERSION", "1.0"),
            ("ALLOWED_ORIGINS", "https://a.example"),
            ("AUTH_TOKENS", r#"{"t":"alice"}"#),
            ("MAX_BODY_BYTES", "2000"),
            ("TASK_STORE", "memory"),
            ("TASK_TTL_S", "60"),
            ("LOG_LEVEL", "error"),
            ("ENVIRONMENT", "development"),
        ])
        .unwrap();
        assert_eq!(settings.server.rest_error_format, ErrorFormat::Problem);
        assert_eq!(settings.server.assume_version.as_deref(), Some("1.0"));
        assert_eq!(settings.server.allowed_origins, AllowedOrigins::Only(vec!["https://a.example".into()]));
        assert!(settings.server.tokens.are_required());
        assert_eq!(settings.server.log_level, Level::Error);
        assert_eq!(settings.max_body_bytes, 2000);
        assert!(settings.server.in_development);
        assert_eq!((settings.store, settings.task_ttl.as_secs()), (StoreKind::Memory, 60));
        assert_eq!(build(&[("TASK_STORE", "durable")]).unwrap().store, StoreKind::Durable);
    }

    #[test]
    fn an_origin_makes_a_gateway() {
        let settings = build(&[("ORIGIN_URL", "http://127.0.0.1:9000"), ("MAX_BODY_BYTES", "2000")]).unwrap();
        assert_eq!(settings.task_ttl.as_secs(), 3600);
        assert_eq!(settings.gateway.unwrap().policy.max_response_bytes, 2000);
        assert_eq!(build(&[("ORIGIN_URL", "s3cret")]).unwrap_err().name, "ORIGIN_URL");
    }

    #[test]
    fn a_bad_variable_is_named_and_not_quoted() {
        for (name, value) in [
            ("REST_ERROR_FORMAT", "s3cret"),
            ("ASSUME_VERSION", "s3cret"),
            ("AUTH_TOKENS", "s3cret"),
            ("LOG_LEVEL", "s3cret"),
            ("ENVIRONMENT", "s3cret"),
            ("MAX_BODY_BYTES", "0"),
            ("MAX_BODY_BYTES", "1e3"),
            ("MAX_BODY_BYTES", "99999999999999999999"),
            ("TASK_STORE", "s3cret"),
            ("TASK_TTL_S", "59"),
        ] {
            let error = build(&[(name, value)]).unwrap_err();
            assert_eq!(error.name, name, "{value}");
            assert!(error.to_string().contains(name) && !error.to_string().contains("s3cret"), "{error}");
        }
        assert_eq!(build(&[("ALLOWED_ORIGINS", "nonsense")]).unwrap_err().name, "ALLOWED_ORIGINS");
    }
}
