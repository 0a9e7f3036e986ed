//! Security schemes and requirements (specification 4.5).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Security schemes that are needed together, by name, each with its scopes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SecurityRequirement {
    /// The schemes.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub schemes: BTreeMap<String, StringList>,
}

/// A list of strings, as protobuf needs it within a map.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StringList {
    /// The strings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<String>,
}

/// A way to secure an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SecurityScheme {
    /// An API key.
    #[serde(rename = "apiKeySecurityScheme")]
    ApiKey(ApiKeySecurityScheme),
    /// HTTP authentication.
    #[serde(rename = "httpAuthSecurityScheme")]
    HttpAuth(HttpAuthSecurityScheme),
    /// OAuth 2.0.
    #[serde(rename = "oauth2SecurityScheme")]
    OAuth2(OAuth2SecurityScheme),
    /// OpenID Connect.
    #[serde(rename = "openIdConnectSecurityScheme")]
    OpenIdConnect(OpenIdConnectSecurityScheme),
    /// Mutual TLS.
    #[serde(rename = "mtlsSecurityScheme")]
    MutualTls(MutualTlsSecurityScheme),
}

/// An API key.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ApiKeySecurityScheme {
    /// Description for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// `query`, `header` or `cookie`.
    pub location: String,
    /// Name of the query parameter, header or cookie.
    pub name: String,
}

/// HTTP authentication.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HttpAuthSecurityScheme {
    /// Description for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The scheme, like `Bearer`.
    pub scheme: String,
    /// What a bearer token looks like, like `JWT`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub bearer_format: String,
}

/// OAuth 2.0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OAuth2SecurityScheme {
    /// Description for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The flow.
    pub flows: OAuthFlows,
    /// Where the authorization server describes itself (RFC 8414).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub oauth2_metadata_url: String,
}

/// OpenID Connect.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenIdConnectSecurityScheme {
    /// Description for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Discovery URL.
    pub open_id_connect_url: String,
}

/// Mutual TLS.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MutualTlsSecurityScheme {
    /// Description for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// A flow of OAuth 2.0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OAuthFlows {
    /// Authorization code.
    AuthorizationCode(AuthorizationCodeOAuthFlow),
    /// Client credentials.
    ClientCredentials(ClientCredentialsOAuthFlow),
    /// Implicit: deprecated by the protocol.
    Implicit(ImplicitOAuthFlow),
    /// Password: deprecated by the protocol.
    Password(PasswordOAuthFlow),
    /// Device code.
    DeviceCode(DeviceCodeOAuthFlow),
}

/// The authorization code flow.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuthorizationCodeOAuthFlow {
    /// Where to authorize.
    pub authorization_url: String,
    /// Where to get a token.
    pub token_url: String,
    /// Where to refresh it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub refresh_url: String,
    /// The scopes, each with a description.
    #[serde(default)]
    pub scopes: BTreeMap<String, String>,
    /// Whether PKCE (RFC 7636) is required.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pkce_required: bool,
}

/// The client credentials flow.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientCredentialsOAuthFlow {
    /// Where to get a token.
    pub token_url: String,
    /// Where to refresh it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub refresh_url: String,
    /// The scopes, each with a description.
    #[serde(default)]
    pub scopes: BTreeMap<String, String>,
}

/// The implicit flow.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ImplicitOAuthFlow {
    /// Where to authorize.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub authorization_url: String,
    /// Where to refresh a token.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub refresh_url: String,
    /// The scopes, each with a description.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub scopes: BTreeMap<String, String>,
}

/// The password flow.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PasswordOAuthFlow {
    /// Where to get a token.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub token_url: String,
    /// Where to refresh it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub refresh_url: String,
    /// The scopes, each with a description.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub scopes: BTreeMap<String, String>,
}

/// The device code flow (RFC 8628).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceCodeOAuthFlow {
    /// Where to get a device code.
    pub device_authorization_url: String,
    /// Where to get a token.
    pub token_url: String,
    /// Where to refresh it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub refresh_url: String,
    /// The scopes, each with a description.
    #[serde(default)]
    pub scopes: BTreeMap<String, String>,
}
