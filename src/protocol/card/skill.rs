//! Skills (specification 4.4.5).

use serde::{Deserialize, Serialize};

use super::SecurityRequirement;

/// Something that an agent is good at.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentSkill {
    /// Identifies the skill.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Description for people and other agents.
    pub description: String,
    /// Keywords: one at least.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What one might ask.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// Media types that it takes, if not the agent's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub input_modes: Vec<String>,
    /// Media types that it answers with, if not the agent's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output_modes: Vec<String>,
    /// What it takes to use it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub security_requirements: Vec<SecurityRequirement>,
}

impl AgentSkill {
    /// A skill with its keywords.
    pub fn new<T: Into<String>>(
        id: impl Into<String>,
        name: impl Into<String>,
        description: impl Into<String>,
        tags: impl IntoIterator<Item = T>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            description: description.into(),
            tags: tags.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }
}
