//! The agent card (specification 4.4, 4.5): what an agent says about itself.

mod security;
mod skill;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::details::FieldViolation;
use super::types::{self, Struct};
use super::{json, schema};

pub use security::{
    ApiKeySecurityScheme, AuthorizationCodeOAuthFlow, ClientCredentialsOAuthFlow, DeviceCodeOAuthFlow,
    HttpAuthSecurityScheme, ImplicitOAuthFlow, MutualTlsSecurityScheme, OAuth2SecurityScheme, OAuthFlows,
    OpenIdConnectSecurityScheme, PasswordOAuthFlow, SecurityRequirement, SecurityScheme, StringList,
};
pub use skill::AgentSkill;

/// Self-description of an agent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentCard {
    /// Name for people.
    pub name: String,
    /// Description for people and other agents.
    pub description: String,
    /// Where the agent is, the preferred way first. The server fills in what it serves if this is empty.
    #[serde(default)]
    pub supported_interfaces: Vec<AgentInterface>,
    /// Who provides the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<AgentProvider>,
    /// The agent's own version.
    pub version: String,
    /// Where to read more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documentation_url: Option<String>,
    /// What of the protocol the agent supports.
    pub capabilities: AgentCapabilities,
    /// The security schemes, by the names that requirements use. When a card is read, schemes that this version does not
    /// know are left out.
    #[serde(default, deserialize_with = "known_schemes", skip_serializing_if = "BTreeMap::is_empty")]
    pub security_schemes: BTreeMap<String, SecurityScheme>,
    /// What it takes to contact the agent: any one of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub security_requirements: Vec<SecurityRequirement>,
    /// Media types that the agent takes.
    #[serde(default)]
    pub default_input_modes: Vec<String>,
    /// Media types that the agent answers with.
    #[serde(default)]
    pub default_output_modes: Vec<String>,
    /// What the agent is good at.
    #[serde(default)]
    pub skills: Vec<AgentSkill>,
    /// Signatures of the card.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<AgentCardSignature>,
    /// Where the agent's icon is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon_url: Option<String>,
}

impl AgentCard {
    /// The card of an agent that takes and answers plain text. It needs a skill to be complete.
    pub fn new(name: impl Into<String>, description: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            version: version.into(),
            default_input_modes: vec!["text/plain".to_owned()],
            default_output_modes: vec!["text/plain".to_owned()],
            ..Self::default()
        }
    }

    /// Adds a skill.
    pub fn with_skill(mut self, skill: AgentSkill) -> Self {
        self.skills.push(skill);
        self
    }

    /// Declares that every caller needs a bearer token (specification 4.5.3).
    #[inline(never)]
    pub fn require_bearer(&mut self) {
        const NAME: &str = "bearer";
        let scheme = HttpAuthSecurityScheme { scheme: "Bearer".to_owned(), ..HttpAuthSecurityScheme::default() };
        self.security_schemes.insert(NAME.to_owned(), SecurityScheme::HttpAuth(scheme));
        let schemes = BTreeMap::from([(NAME.to_owned(), StringList::default())]);
        self.security_requirements.push(SecurityRequirement { schemes });
    }

    /// Checks the card as it is to be served, interfaces included (specification 5.7).
    ///
    /// # Errors
    /// Every violation, with paths like `skills[0].tags`.
    pub fn check(&self) -> Result<(), Vec<FieldViolation>> {
        // By way of text, since nothing else here needs a serializer into values.
        let card = serde_json::to_string(self)
            .and_then(|text| json::parse_own(&text))
            .map_err(|error| vec![FieldViolation::new("card", format!("Must be JSON: {error}"))])?;
        schema::check_card(card).map(|_| ())
    }
}

/// Reads schemes, but for those of another version of the protocol: an agent may well offer a known one beside them, or
/// need none.
fn known_schemes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, SecurityScheme>, D::Error> {
    let schemes = BTreeMap::<String, Value>::deserialize(deserializer)?;
    let known = schemes.into_iter().filter_map(|(name, scheme)| Some((name, types::from_value(scheme).ok()?)));
    Ok(known.collect())
}

/// A place where the agent is, and how to talk to it there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentInterface {
    /// Absolute URL.
    pub url: String,
    /// `JSONRPC`, `GRPC`, `HTTP+JSON` or one of somebody's own.
    pub protocol_binding: String,
    /// The tenant to name in requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Version of A2A, like `1.0`.
    pub protocol_version: String,
}

impl AgentInterface {
    /// An interface for every tenant.
    pub fn new(
        url: impl Into<String>,
        protocol_binding: impl Into<String>,
        protocol_version: impl Into<String>,
    ) -> Self {
        Self {
            url: url.into(),
            protocol_binding: protocol_binding.into(),
            tenant: None,
            protocol_version: protocol_version.into(),
        }
    }
}

/// Who provides the agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AgentProvider {
    /// Its website.
    pub url: String,
    /// Its name.
    pub organization: String,
}

/// What of the protocol an agent supports. `None` is no, and is left out of the card.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentCapabilities {
    /// Streams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
    /// Push notifications.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_notifications: Option<bool>,
    /// Extensions of the protocol.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<AgentExtension>,
    /// A card with more in it for callers that are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extended_agent_card: Option<bool>,
}

/// An extension that an agent supports.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentExtension {
    /// Identifies the extension.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uri: String,
    /// How the agent uses it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether callers must support it too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Its own parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<Struct>,
}

/// A signature of the card (RFC 7515).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AgentCardSignature {
    /// The protected header, base64url.
    pub protected: String,
    /// The signature, base64url.
    pub signature: String,
    /// The unprotected header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<Struct>,
}
