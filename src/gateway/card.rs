//! The origin's card as JSON: checked, and otherwise as the origin wrote it.
//!
//! Not as an [`AgentCard`]: most of it only passes through, and reading all its types would be a tenth of the upload.

use serde_json::{Map, Value, json};

use crate::agent::interfaces;
use crate::protocol::card::{AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentSkill};
use crate::protocol::json;

/// A card in canonical form.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OriginCard(Map<String, Value>);

impl OriginCard {
    /// A card that the schema was checked of.
    pub(super) fn new(card: Value) -> Self {
        match card {
            Value::Object(members) => Self(members),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Self(Map::new()),
        }
    }

    /// Where the origin says that it is.
    pub(super) fn interfaces(&self) -> Vec<AgentInterface> {
        let interfaces = list(self.0.get("supportedInterfaces")).map(|interface| {
            let binding = AgentInterface::new(
                text(interface, "url"),
                text(interface, "protocolBinding"),
                text(interface, "protocolVersion"),
            );
            AgentInterface { tenant: Some(text(interface, "tenant").to_owned()), ..binding }
        });
        interfaces.collect()
    }

    /// The headers that API keys go in (specification 4.5.2).
    pub(super) fn api_key_headers(&self) -> impl Iterator<Item = &str> {
        let schemes = self.0.get("securitySchemes").and_then(Value::as_object);
        let keys = schemes.into_iter().flat_map(Map::values).filter_map(|scheme| scheme.get("apiKeySecurityScheme"));
        keys.filter(|key| text(key, "location").eq_ignore_ascii_case("header")).map(|key| text(key, "name"))
    }

    /// What of it the gate goes by.
    pub(super) fn for_the_gate(&self) -> AgentCard {
        let empty = Value::Null;
        let capabilities = self.0.get("capabilities").unwrap_or(&empty);
        let flag = |name: &str| capabilities.get(name).and_then(Value::as_bool);
        let extensions = list(capabilities.get("extensions")).map(|extension| AgentExtension {
            uri: text(extension, "uri").to_owned(),
            required: extension.get("required").and_then(Value::as_bool).unwrap_or_default(),
            ..AgentExtension::default()
        });
        let skills = list(self.0.get("skills")).map(|skill| AgentSkill {
            input_modes: texts(skill.get("inputModes")),
            output_modes: texts(skill.get("outputModes")),
            ..AgentSkill::default()
        });
        AgentCard {
            capabilities: AgentCapabilities {
                streaming: flag("streaming"),
                push_notifications: flag("pushNotifications"),
                extended_agent_card: flag("extendedAgentCard"),
                extensions: extensions.collect(),
            },
            default_input_modes: texts(self.0.get("defaultInputModes")),
            default_output_modes: texts(self.0.get("defaultOutputModes")),
            skills: skills.collect(),
            ..AgentCard::default()
        }
    }

    /// The card as it is to be seen at `edge`: with the interfaces there, and with a bearer token asked for if the edge does
    /// and the card says nothing of the kind. Without signatures, which would be of another card.
    pub(super) fn at(&self, edge: &str, needs_token: bool) -> Value {
        let mut card = self.0.clone();
        card.remove("signatures");
        // Members of 0.3 that say where the origin is.
        for member in ["url", "preferredTransport", "additionalInterfaces"] {
            card.remove(member);
        }
        let interfaces = interfaces(edge).map(|interface| {
            let AgentInterface { url, protocol_binding, protocol_version, .. } = interface;
            json!({ "url": url, "protocolBinding": protocol_binding, "protocolVersion": protocol_version })
        });
        card.insert("supportedInterfaces".to_owned(), Value::Array(interfaces.collect()));
        let is_silent = card.get("securitySchemes").and_then(Value::as_object).is_none_or(Map::is_empty);
        if needs_token && is_silent {
            let scheme = json!({ "bearer": { "httpAuthSecurityScheme": { "scheme": "Bearer" } } });
            card.insert("securitySchemes".to_owned(), scheme);
            card.insert("securityRequirements".to_owned(), json!([{ "schemes": { "bearer": {} } }]));
        }
        Value::Object(card)
    }
}

fn list(value: Option<&Value>) -> std::slice::Iter<'_, Value> {
    value.and_then(Value::as_array).map(|items| items.iter()).unwrap_or_default()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    json::text(value, name).unwrap_or_default()
}

fn texts(value: Option<&Value>) -> Vec<String> {
    list(value).filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::operation::Operation;
    use crate::protocol::schema;

    fn card() -> Value {
        json!({
            "name": "n", "description": "d", "version": "1", "signatures": [{"protected": "p", "signature": "s"}],
            "supportedInterfaces": [{"url": "http://a/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0", "tenant": "t"}],
            "capabilities": {"streaming": true, "extensions": [{"uri": "urn:a", "required": true}, {"uri": "urn:b"}]},
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "skills": [{"id": "s", "name": "s", "description": "s", "tags": ["x"], "inputModes": ["image/*"]}],
        })
    }

    #[test]
    fn the_gate_gets_what_it_goes_by() {
        let card = OriginCard::new(card());
        let thin = card.for_the_gate();
        assert_eq!((thin.capabilities.streaming, thin.capabilities.push_notifications), (Some(true), None));
        let extensions: Vec<_> = thin.capabilities.extensions.iter().map(|it| (it.uri.as_str(), it.required)).collect();
        assert_eq!(extensions, [("urn:a", true), ("urn:b", false)]);
        assert_eq!(
            (thin.default_input_modes, thin.skills[0].input_modes.clone()),
            (vec!["text/plain".to_owned()], vec!["image/*".to_owned()])
        );
        let [interface] = &card.interfaces()[..] else { panic!("one interface") };
        assert_eq!((interface.url.as_str(), interface.tenant.as_deref()), ("http://a/rpc", Some("t")));
    }

    #[test]
    fn the_edge_shows_itself_in_the_place_of_the_origin() {
        let shown = OriginCard::new(card()).at("https://edge.example", true);
        assert!(schema::check_result(Operation::GetExtendedAgentCard, shown.clone()).is_ok());
        assert_eq!(
            shown["supportedInterfaces"],
            json!([
                {"url": "https://edge.example/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
                {"url": "https://edge.example", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
            ])
        );
        assert_eq!(shown.get("signatures"), None);
        assert_eq!(shown["securitySchemes"]["bearer"]["httpAuthSecurityScheme"]["scheme"], "Bearer");
        assert_eq!((&shown["name"], &shown["skills"]), (&json!("n"), &card()["skills"]));
        // A card that has a scheme keeps it.
        let mut own = card();
        own["securitySchemes"] = json!({"key": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}}});
        let shown = OriginCard::new(own.clone()).at("https://edge.example", true);
        assert_eq!(shown["securitySchemes"], own["securitySchemes"]);
        assert_eq!(shown.get("securityRequirements"), None);
    }
}
