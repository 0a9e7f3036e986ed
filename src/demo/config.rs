//! The demo agent's own variables.

use super::{Abilities, ExtendedCard};
use crate::vars::{ConfigError, Vars};

/// Reads and checks `AGENT_*`.
///
/// # Errors
/// The first variable that cannot be used.
pub fn abilities(vars: &Vars<'_>) -> Result<Abilities, ConfigError> {
    let defaults = Abilities::default();
    let input_modes = vars.list("AGENT_INPUT_MODES");
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
        required_extensions: vars.list("AGENT_REQUIRED_EXTENSIONS"),
        input_modes: if input_modes.is_empty() { defaults.input_modes } else { input_modes },
    })
}
