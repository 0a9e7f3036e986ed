//! The card against the examples of the specification.

use serde_json::{Value, json};

use super::*;
use crate::protocol::operation::Operation;

/// Specification 8.5, "Sample Agent Card", with its texts shortened.
fn sample() -> Value {
    json!({
        "name": "GeoSpatial Route Planner Agent",
        "description": "Provides advanced route planning.",
        "supportedInterfaces": [
            {"url": "https://georoute-agent.example.com/a2a/v1", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"url": "https://georoute-agent.example.com/a2a/grpc", "protocolBinding": "GRPC", "protocolVersion": "1.0"},
            {"url": "https://georoute-agent.example.com/a2a/json", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}
        ],
        "provider": {"organization": "Example Geo Services Inc.", "url": "https://www.examplegeoservices.com"},
        "iconUrl": "https://georoute-agent.example.com/icon.png",
        "version": "1.2.0",
        "documentationUrl": "https://docs.examplegeoservices.com/georoute-agent/api",
        "capabilities": {"streaming": true, "pushNotifications": true, "extendedAgentCard": true},
        "securitySchemes": {
            "google": {
                "openIdConnectSecurityScheme": {
                    "openIdConnectUrl": "https://accounts.google.com/.well-known/openid-configuration"
                }
            }
        },
        "securityRequirements": [{"schemes": {"google": {"list": ["openid", "profile", "email"]}}}],
        "defaultInputModes": ["application/json", "text/plain"],
        "defaultOutputModes": ["application/json", "image/png"],
        "skills": [{
            "id": "route-optimizer-traffic",
            "name": "Traffic-Aware Route Optimizer",
            "description": "Calculates the optimal driving route.",
            "tags": ["maps", "routing"],
            "examples": ["Plan a route."],
            "inputModes": ["application/json", "text/plain"],
            "outputModes": ["application/json", "application/vnd.geo+json", "text/html"]
        }],
        "signatures": [{"protected": "eyJhbGciOiJFUzI1NiJ9", "signature": "QFdkNLNszlGj3z3u0YQGt_T9"}]
    })
}

fn complete() -> AgentCard {
    let mut card =
        AgentCard::new("Echo", "Echoes.", "1.0.0").with_skill(AgentSkill::new("echo", "Echo", "Echoes.", ["echo"]));
    card.supported_interfaces.push(AgentInterface::new("https://agent.example/rpc", "JSONRPC", "1.0"));
    card
}

fn violations(card: &AgentCard) -> Vec<String> {
    card.check().unwrap_err().into_iter().map(|violation| violation.field).collect()
}

#[test]
fn the_sample_card_is_read_and_written() {
    let card: AgentCard = serde_json::from_value(sample()).unwrap();
    assert_eq!(card.check(), Ok(()));
    assert_eq!(serde_json::to_value(&card).unwrap(), sample());
}

#[test]
fn every_security_scheme_is_read_and_written() {
    let flow = json!({"tokenUrl": "https://t", "scopes": {"read": "Reads."}});
    let schemes = [
        json!({"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}}),
        json!({"httpAuthSecurityScheme": {"scheme": "Bearer", "bearerFormat": "JWT", "description": "d"}}),
        json!({"oauth2SecurityScheme": {"flows": {"clientCredentials": flow}, "oauth2MetadataUrl": "https://m"}}),
        json!({"oauth2SecurityScheme": {"flows": {"authorizationCode": {
            "authorizationUrl": "https://a", "tokenUrl": "https://t", "refreshUrl": "https://r", "scopes": {},
            "pkceRequired": true,
        }}}}),
        json!({"oauth2SecurityScheme": {"flows": {"deviceCode": {
            "deviceAuthorizationUrl": "https://d", "tokenUrl": "https://t", "scopes": {},
        }}}}),
        json!({"oauth2SecurityScheme": {"flows": {"implicit": {"authorizationUrl": "https://a"}}}}),
        json!({"oauth2SecurityScheme": {"flows": {"password": flow}}}),
        json!({"openIdConnectSecurityScheme": {"openIdConnectUrl": "https://o"}}),
        json!({"mtlsSecurityScheme": {}}),
    ];
    for scheme in schemes {
        let mut card = sample();
        card["securitySchemes"] = json!({"one": scheme});
        let typed: AgentCard = serde_json::from_value(card.clone()).unwrap();
        assert_eq!(typed.check(), Ok(()), "{scheme}");
        assert_eq!(serde_json::to_value(&typed).unwrap(), card, "{scheme}");
    }
}

#[test]
fn schemes_of_other_versions_are_left_out() {
    let mut card = sample();
    card["securitySchemes"]["old"] = json!({"type": "http", "scheme": "bearer"});
    card["securitySchemes"]["later"] = json!({"walletSecurityScheme": {"chain": "x"}});
    card["securitySchemes"]["flow"] = json!({"oauth2SecurityScheme": {"flows": {"ciba": {}}}});
    card["securitySchemes"]["none"] = json!({"oauth2SecurityScheme": {"flows": {}}});
    let checked = schema::check_result(Operation::GetExtendedAgentCard, card).unwrap();
    let typed: AgentCard = types::from_value(checked).unwrap();
    assert_eq!(typed.security_schemes.keys().collect::<Vec<_>>(), ["google"]);
    assert_eq!(serde_json::to_value(&typed).unwrap(), sample());
}

#[test]
fn a_card_needs_what_the_proto_marks_as_required() {
    let expected =
        ["name", "description", "supportedInterfaces", "version", "defaultInputModes", "defaultOutputModes", "skills"];
    assert_eq!(violations(&AgentCard::default()), expected);
    assert_eq!(complete().check(), Ok(()));
    // Without a skill, and before the server has filled in the interfaces.
    assert_eq!(violations(&AgentCard::new("Echo", "Echoes.", "1.0.0")), ["supportedInterfaces", "skills"]);
}

#[test]
fn what_is_within_a_card_is_checked_too() {
    let mut card = complete();
    card.skills.push(AgentSkill::default());
    card.provider = Some(AgentProvider::default());
    let scheme =
        SecurityScheme::ApiKey(ApiKeySecurityScheme { name: "X-Key".into(), ..ApiKeySecurityScheme::default() });
    card.security_schemes.insert("my key".into(), scheme);
    let expected = [
        "provider.url",
        "provider.organization",
        "securitySchemes[\"my key\"].apiKeySecurityScheme.location",
        "skills[1].id",
        "skills[1].name",
        "skills[1].description",
        "skills[1].tags",
    ];
    assert_eq!(violations(&card), expected);
}

#[test]
fn optional_fields_are_there_only_when_they_are_set() {
    // 8.4.1: "Optional fields explicitly set to defaults ... MUST be included".
    let mut card = complete();
    card.capabilities = AgentCapabilities { streaming: Some(false), ..AgentCapabilities::default() };
    let wire = serde_json::to_value(&card).unwrap();
    assert_eq!(wire["capabilities"], json!({"streaming": false}));
    let mut names: Vec<&str> = wire.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    let expected = [
        "capabilities",
        "defaultInputModes",
        "defaultOutputModes",
        "description",
        "name",
        "skills",
        "supportedInterfaces",
        "version",
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_card_can_ask_for_a_bearer_token() {
    let mut card = complete();
    card.require_bearer();
    let wire = serde_json::to_value(&card).unwrap();
    assert_eq!(wire["securitySchemes"], json!({"bearer": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}}));
    assert_eq!(wire["securityRequirements"], json!([{"schemes": {"bearer": {}}}]));
    assert_eq!(card.check(), Ok(()));
}
