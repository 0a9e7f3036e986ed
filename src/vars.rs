//! Configuration variables, from the Worker's environment or from anywhere else.

use std::fmt;
use std::str::FromStr;

/// Why a variable cannot be used. Does not quote its value, which may be a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("configuration variable {name}: {problem}")]
pub struct ConfigError {
    /// The variable's name.
    pub name: &'static str,
    /// What is wrong with it.
    pub problem: String,
}

impl ConfigError {
    /// `name` cannot be used because of `problem`.
    pub fn new(name: &'static str, problem: impl Into<String>) -> Self {
        Self { name, problem: problem.into() }
    }
}

/// Reads variables by name. An empty variable counts as unset.
pub struct Vars<'a>(&'a dyn Fn(&str) -> Option<String>);

impl fmt::Debug for Vars<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Vars(..)")
    }
}

impl<'a> Vars<'a> {
    /// Variables as `lookup` finds them.
    pub fn new(lookup: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self(lookup)
    }

    /// The text of a variable.
    pub fn text(&self, name: &'static str) -> Option<String> {
        (self.0)(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    /// A whole number within `range`, or `default` when the variable is unset.
    ///
    /// # Errors
    /// Anything else.
    pub fn number(
        &self,
        name: &'static str,
        default: u64,
        range: std::ops::RangeInclusive<u64>,
    ) -> Result<u64, ConfigError> {
        let Some(text) = self.text(name) else { return Ok(default) };
        text.parse().ok().filter(|number| range.contains(number)).ok_or_else(|| {
            ConfigError::new(name, format!("must be a whole number from {} to {}", range.start(), range.end()))
        })
    }

    /// `on` or `off`.
    ///
    /// # Errors
    /// Anything else.
    pub fn switch(&self, name: &'static str, default: bool) -> Result<bool, ConfigError> {
        self.choice(name, default, &[("on", true), ("off", false)])
    }

    /// One of several words.
    ///
    /// # Errors
    /// Anything else.
    pub fn choice<T: Copy>(
        &self,
        name: &'static str,
        default: T,
        choices: &[(&'static str, T)],
    ) -> Result<T, ConfigError> {
        let Some(text) = self.text(name) else { return Ok(default) };
        let chosen = choices.iter().find(|(word, _)| text.eq_ignore_ascii_case(word)).map(|(_, value)| *value);
        chosen.ok_or_else(|| {
            let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            ConfigError::new(name, format!("must be one of {}", words.join(", ")))
        })
    }

    /// Words separated by commas; none when the variable is unset.
    pub fn list(&self, name: &'static str) -> Vec<String> {
        let text = self.text(name).unwrap_or_default();
        text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    /// Whatever parses from text.
    ///
    /// # Errors
    /// With the parser's own words, which must not quote the value.
    pub fn parsed<T: FromStr>(&self, name: &'static str) -> Result<Option<T>, ConfigError>
    where
        T::Err: fmt::Display,
    {
        let parse = |text: String| text.parse().map_err(|error: T::Err| ConfigError::new(name, error.to_string()));
        self.text(name).map(parse).transpose()
    }
}
