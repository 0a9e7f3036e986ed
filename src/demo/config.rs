//! The demo agent's own variables.

use super::{Abilities, ExtendedCard};
use crate::vars::{ConfigError, Vars};

/// Reads and checks `AGENT_*` and `DEMO_FAULTS`.
///
/// # Errors
/// The first variable that cannot be used.
pub fn abilities(vars: &Vars<'_>) -> Result<Abilities, ConfigError> {
    abilities_or(vars, Abilities::default())
}

/// The same, with other defaults.
///
/// # Errors
/// The first variable that cannot be used.
pub fn abilities_or(vars: &Vars<'_>, defaults: Abilities) -> Result<Abilities, ConfigError> {
    let input_modes = checked(vars, "AGENT_INPUT_MODES", "must be media types like text/plain", is_media_type)?;
    Ok(Abilities {
        streaming: vars.switch("AGENT_STREAMING", defaults.streaming)?,
        push: vars.switch("AGENT_PUSH", defaults.push)?,
        extended_card: vars.choice(
            "AGENT_EXTENDED_CARD",
            defaults.extended_card,
            &[
                ("off", ExtendedCard::Off),
                ("declared", ExtendedCard::Declared),
                ("configured", ExtendedCard::Configured),
            ],
        )?,
        required_extensions: checked(vars, "AGENT_REQUIRED_EXTENSIONS", "must be absolute URIs", is_uri)?,
        input_modes: if input_modes.is_empty() { defaults.input_modes } else { input_modes },
        faults: faults(vars, defaults.faults)?,
    })
}

/// `DEMO_FAULTS=start` is the fault that no message can ask for: the agent traps while it is set up.
fn faults(vars: &Vars<'_>, default: bool) -> Result<bool, ConfigError> {
    let choices = [("on", Some(true)), ("off", Some(false)), ("start", None)];
    let faults = vars.choice("DEMO_FAULTS", Some(default), &choices)?;
    Ok(faults.unwrap_or_else(|| std::process::abort()))
}

fn checked(
    vars: &Vars<'_>,
    name: &'static str,
    problem: &'static str,
    is_sound: fn(&str) -> bool,
) -> Result<Vec<String>, ConfigError> {
    let list = vars.list(name);
    if list.iter().all(|entry| is_sound(entry)) { Ok(list) } else { Err(ConfigError::new(name, problem)) }
}

/// `type/subtype`, where either may be `*`; no parameters, which would never match.
fn is_media_type(text: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_graphic() && !b"/;=\"".contains(&byte));
    text.split_once('/').is_some_and(|(kind, subtype)| is_part(kind) && is_part(subtype))
}

/// A scheme and something behind it (RFC 3986, section 3), without space or what cannot be in a header.
fn is_uri(text: &str) -> bool {
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    text.bytes().all(|byte| byte.is_ascii_graphic())
        && text.split_once(':').is_some_and(|(scheme, rest)| is_scheme(scheme) && !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(name: &str, value: &str) -> Result<Abilities, ConfigError> {
        let lookup = |asked: &str| (asked == name).then(|| value.to_owned());
        abilities(&Vars::new(&lookup))
    }

    #[test]
    fn lists_are_read_entry_by_entry() {
        let modes = load("AGENT_INPUT_MODES", "text/plain, image/*").unwrap().input_modes;
        assert_eq!(modes, ["text/plain", "image/*"]);
        let extensions =
            load("AGENT_REQUIRED_EXTENSIONS", "https://example.com/a/v1,urn:b").unwrap().required_extensions;
        assert_eq!(extensions, ["https://example.com/a/v1", "urn:b"]);
        assert_eq!(load("AGENT_INPUT_MODES", "").unwrap(), Abilities::default());
    }

    #[test]
    fn what_is_none_is_refused_by_name() {
        for (name, value) in [
            ("AGENT_INPUT_MODES", "nonsense"),
            ("AGENT_INPUT_MODES", "text/"),
            ("AGENT_INPUT_MODES", "text/plain, image/png/x"),
            ("AGENT_INPUT_MODES", "text/plain;charset=utf-8"),
            ("AGENT_REQUIRED_EXTENSIONS", "not a uri"),
            ("AGENT_REQUIRED_EXTENSIONS", "https://example.com, geo"),
            ("AGENT_REQUIRED_EXTENSIONS", "1st:x"),
            ("AGENT_EXTENDED_CARD", "on"),
            ("AGENT_STREAMING", "maybe"),
            ("DEMO_FAULTS", "maybe"),
        ] {
            assert_eq!(load(name, value).unwrap_err().name, name, "{value}");
        }
    }
}
