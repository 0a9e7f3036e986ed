//! The demo agent's card, which its configuration shapes.

use crate::protocol::card::{AgentCapabilities, AgentCard, AgentExtension, AgentSkill};

/// What the demo agent is configured to declare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abilities {
    /// `AGENT_STREAMING`
    pub streaming: bool,
    /// `AGENT_PUSH`
    pub push: bool,
    /// `AGENT_EXTENDED_CARD`
    pub extended_card: ExtendedCard,
    /// `AGENT_REQUIRED_EXTENSIONS`
    pub required_extensions: Vec<String>,
    /// `AGENT_INPUT_MODES`
    pub input_modes: Vec<String>,
    /// `DEMO_FAULTS`
    pub faults: bool,
}

/// Whether there is an extended card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExtendedCard {
    /// Not declared.
    #[default]
    Off,
    /// Declared, but absent.
    Declared,
    /// Declared and there.
    Configured,
}

impl Default for Abilities {
    fn default() -> Self {
        Self {
            streaming: true,
            push: false,
            extended_card: ExtendedCard::Off,
            required_extensions: Vec::new(),
            input_modes: vec!["text/plain".to_owned(), "application/json".to_owned()],
            faults: false,
        }
    }
}

impl Abilities {
    pub(super) fn public_card(&self) -> AgentCard {
        let extensions = self.required_extensions.iter().map(|uri| AgentExtension {
            uri: uri.clone(),
            description: "Required by this agent's configuration.".to_owned(),
            required: true,
            params: None,
        });
        AgentCard {
            capabilities: AgentCapabilities {
                streaming: Some(self.streaming),
                push_notifications: Some(self.push),
                extensions: extensions.collect(),
                extended_agent_card: Some(self.extended_card != ExtendedCard::Off),
            },
            default_input_modes: self.input_modes.clone(),
            default_output_modes: vec!["text/plain".to_owned()],
            skills: vec![echo()],
            ..AgentCard::new(
                "a2a-edge demo",
                "Echoes messages, and fails in every way the protocol knows when it is asked to.",
                env!("CARGO_PKG_VERSION"),
            )
        }
    }

    /// The card for callers who may see more, if there is one.
    pub(super) fn extended_card(&self) -> Option<AgentCard> {
        match self.extended_card {
            ExtendedCard::Off | ExtendedCard::Declared => None,
            ExtendedCard::Configured => {
                let mut card = self.public_card();
                card.skills.push(faults());
                Some(card)
            }
        }
    }
}

fn skill(id: &str, name: &str, description: &str, examples: &[&str]) -> AgentSkill {
    AgentSkill {
        id: id.to_owned(),
        name: name.to_owned(),
        description: description.to_owned(),
        tags: vec!["demo".to_owned()],
        examples: examples.iter().map(|example| (*example).to_owned()).collect(),
        ..AgentSkill::default()
    }
}

fn echo() -> AgentSkill {
    skill("echo", "Echo", "Completes a task with the text it was sent.", &["hello", "slow 1500", "ask", "work"])
}

fn faults() -> AgentSkill {
    skill(
        "faults",
        "Faults",
        "Fails on demand: as a task, as a protocol error, as an error that nobody foresaw.",
        &["fail", "refuse", "error internal", "error junk", "error overloaded"],
    )
}
