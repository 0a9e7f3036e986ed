//! Tables of the agent card and its security messages (`a2a.proto`, specification 4.4 and 4.5).

use super::model::Kind::{Bool, Map, Message, Repeated, String, Struct};
use super::model::{Field, Kind, MessageDef, Oneof, defaulted, explicit, field, message, required};

const DESCRIPTION: Field = field("description", "description", String);
const TOKEN_URL: Field = required("tokenUrl", "token_url", String);
const REFRESH_URL: Field = field("refreshUrl", "refresh_url", String);
/// The scopes "MAY be empty", and 5.7 asks only of arrays that they are not.
const SCOPES: Field = defaulted("scopes", "scopes", Map(&String));
const SECURITY_REQUIREMENTS: Field = explicit("securityRequirements", "security_requirements", Repeated(&REQUIREMENT));
static REQUIREMENT: Kind = Message(&SECURITY_REQUIREMENT);

/// A message with at most one of `members`: a card may name a scheme that this version does not know.
const fn open_one_of(name: &'static str, fields: &'static [Field], members: &'static [&'static str]) -> MessageDef {
    MessageDef { name, fields, oneof: Some(Oneof { members, required: false }) }
}

static STRING_LIST: MessageDef = message("StringList", &[explicit("list", "list", Repeated(&String))]);

static SECURITY_REQUIREMENT: MessageDef =
    message("SecurityRequirement", &[explicit("schemes", "schemes", Map(&Message(&STRING_LIST)))]);

static API_KEY_SECURITY_SCHEME: MessageDef = message(
    "APIKeySecurityScheme",
    &[DESCRIPTION, required("location", "location", String), required("name", "name", String)],
);

static HTTP_AUTH_SECURITY_SCHEME: MessageDef = message(
    "HTTPAuthSecurityScheme",
    &[DESCRIPTION, required("scheme", "scheme", String), field("bearerFormat", "bearer_format", String)],
);

static OAUTH2_SECURITY_SCHEME: MessageDef = message(
    "OAuth2SecurityScheme",
    &[
        DESCRIPTION,
        required("flows", "flows", Message(&OAUTH_FLOWS)),
        field("oauth2MetadataUrl", "oauth2_metadata_url", String),
    ],
);

static OPEN_ID_CONNECT_SECURITY_SCHEME: MessageDef =
    message("OpenIdConnectSecurityScheme", &[DESCRIPTION, required("openIdConnectUrl", "open_id_connect_url", String)]);

static MUTUAL_TLS_SECURITY_SCHEME: MessageDef = message("MutualTlsSecurityScheme", &[DESCRIPTION]);

static SECURITY_SCHEME: MessageDef = open_one_of(
    "SecurityScheme",
    &[
        explicit("apiKeySecurityScheme", "api_key_security_scheme", Message(&API_KEY_SECURITY_SCHEME)),
        explicit("httpAuthSecurityScheme", "http_auth_security_scheme", Message(&HTTP_AUTH_SECURITY_SCHEME)),
        explicit("oauth2SecurityScheme", "oauth2_security_scheme", Message(&OAUTH2_SECURITY_SCHEME)),
        explicit(
            "openIdConnectSecurityScheme",
            "open_id_connect_security_scheme",
            Message(&OPEN_ID_CONNECT_SECURITY_SCHEME),
        ),
        explicit("mtlsSecurityScheme", "mtls_security_scheme", Message(&MUTUAL_TLS_SECURITY_SCHEME)),
    ],
    &[
        "apiKeySecurityScheme",
        "httpAuthSecurityScheme",
        "oauth2SecurityScheme",
        "openIdConnectSecurityScheme",
        "mtlsSecurityScheme",
    ],
);

static AUTHORIZATION_CODE_OAUTH_FLOW: MessageDef = message(
    "AuthorizationCodeOAuthFlow",
    &[
        required("authorizationUrl", "authorization_url", String),
        TOKEN_URL,
        REFRESH_URL,
        SCOPES,
        field("pkceRequired", "pkce_required", Bool),
    ],
);

static CLIENT_CREDENTIALS_OAUTH_FLOW: MessageDef =
    message("ClientCredentialsOAuthFlow", &[TOKEN_URL, REFRESH_URL, SCOPES]);

static IMPLICIT_OAUTH_FLOW: MessageDef = message(
    "ImplicitOAuthFlow",
    &[field("authorizationUrl", "authorization_url", String), REFRESH_URL, explicit("scopes", "scopes", Map(&String))],
);

static PASSWORD_OAUTH_FLOW: MessageDef = message(
    "PasswordOAuthFlow",
    &[field("tokenUrl", "token_url", String), REFRESH_URL, explicit("scopes", "scopes", Map(&String))],
);

static DEVICE_CODE_OAUTH_FLOW: MessageDef = message(
    "DeviceCodeOAuthFlow",
    &[required("deviceAuthorizationUrl", "device_authorization_url", String), TOKEN_URL, REFRESH_URL, SCOPES],
);

static OAUTH_FLOWS: MessageDef = open_one_of(
    "OAuthFlows",
    &[
        explicit("authorizationCode", "authorization_code", Message(&AUTHORIZATION_CODE_OAUTH_FLOW)),
        explicit("clientCredentials", "client_credentials", Message(&CLIENT_CREDENTIALS_OAUTH_FLOW)),
        explicit("implicit", "implicit", Message(&IMPLICIT_OAUTH_FLOW)),
        explicit("password", "password", Message(&PASSWORD_OAUTH_FLOW)),
        explicit("deviceCode", "device_code", Message(&DEVICE_CODE_OAUTH_FLOW)),
    ],
    &["authorizationCode", "clientCredentials", "implicit", "password", "deviceCode"],
);

static AGENT_INTERFACE: MessageDef = message(
    "AgentInterface",
    &[
        required("url", "url", String),
        required("protocolBinding", "protocol_binding", String),
        field("tenant", "tenant", String),
        required("protocolVersion", "protocol_version", String),
    ],
);

static AGENT_PROVIDER: MessageDef =
    message("AgentProvider", &[required("url", "url", String), required("organization", "organization", String)]);

static AGENT_EXTENSION: MessageDef = message(
    "AgentExtension",
    &[
        field("uri", "uri", String),
        DESCRIPTION,
        field("required", "required", Bool),
        explicit("params", "params", Struct),
    ],
);

static AGENT_CAPABILITIES: MessageDef = message(
    "AgentCapabilities",
    &[
        explicit("streaming", "streaming", Bool),
        explicit("pushNotifications", "push_notifications", Bool),
        explicit("extensions", "extensions", Repeated(&Message(&AGENT_EXTENSION))),
        explicit("extendedAgentCard", "extended_agent_card", Bool),
    ],
);

static AGENT_SKILL: MessageDef = message(
    "AgentSkill",
    &[
        required("id", "id", String),
        required("name", "name", String),
        required("description", "description", String),
        required("tags", "tags", Repeated(&String)),
        explicit("examples", "examples", Repeated(&String)),
        explicit("inputModes", "input_modes", Repeated(&String)),
        explicit("outputModes", "output_modes", Repeated(&String)),
        SECURITY_REQUIREMENTS,
    ],
);

static AGENT_CARD_SIGNATURE: MessageDef = message(
    "AgentCardSignature",
    &[
        required("protected", "protected", String),
        required("signature", "signature", String),
        explicit("header", "header", Struct),
    ],
);

pub(super) static AGENT_CARD: MessageDef = message(
    "AgentCard",
    &[
        required("name", "name", String),
        required("description", "description", String),
        required("supportedInterfaces", "supported_interfaces", Repeated(&Message(&AGENT_INTERFACE))),
        explicit("provider", "provider", Message(&AGENT_PROVIDER)),
        required("version", "version", String),
        explicit("documentationUrl", "documentation_url", String),
        required("capabilities", "capabilities", Message(&AGENT_CAPABILITIES)),
        explicit("securitySchemes", "security_schemes", Map(&Message(&SECURITY_SCHEME))),
        SECURITY_REQUIREMENTS,
        required("defaultInputModes", "default_input_modes", Repeated(&String)),
        required("defaultOutputModes", "default_output_modes", Repeated(&String)),
        required("skills", "skills", Repeated(&Message(&AGENT_SKILL))),
        explicit("signatures", "signatures", Repeated(&Message(&AGENT_CARD_SIGNATURE))),
        explicit("iconUrl", "icon_url", String),
    ],
);
