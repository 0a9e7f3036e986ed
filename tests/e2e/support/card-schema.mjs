// The messages that make an agent card, as a2a.proto has them: every field by its JSON name. Written by hand from the proto.

const STRUCT = 'struct';
const SCALAR = 'scalar';

/** `!` marks a required field, `[]` a list, `{}` a map. */
export const MESSAGES = {
  AgentCard: {
    'name!': SCALAR, 'description!': SCALAR, 'supportedInterfaces![]': 'AgentInterface', provider: 'AgentProvider', 'version!': SCALAR, documentationUrl: SCALAR,
    'capabilities!': 'AgentCapabilities', 'securitySchemes{}': 'SecurityScheme', 'securityRequirements[]': 'SecurityRequirement', 'defaultInputModes![]': SCALAR,
    'defaultOutputModes![]': SCALAR, 'skills![]': 'AgentSkill', 'signatures[]': 'AgentCardSignature', iconUrl: SCALAR,
  },
  AgentInterface: { 'url!': SCALAR, 'protocolBinding!': SCALAR, tenant: SCALAR, 'protocolVersion!': SCALAR },
  AgentProvider: { 'url!': SCALAR, 'organization!': SCALAR },
  AgentCapabilities: { streaming: SCALAR, pushNotifications: SCALAR, 'extensions[]': 'AgentExtension', extendedAgentCard: SCALAR },
  AgentExtension: { uri: SCALAR, description: SCALAR, required: SCALAR, params: STRUCT },
  AgentSkill: {
    'id!': SCALAR, 'name!': SCALAR, 'description!': SCALAR, 'tags![]': SCALAR, 'examples[]': SCALAR, 'inputModes[]': SCALAR, 'outputModes[]': SCALAR,
    'securityRequirements[]': 'SecurityRequirement',
  },
  AgentCardSignature: { 'protected!': SCALAR, 'signature!': SCALAR, header: STRUCT },
  SecurityRequirement: { 'schemes{}': 'StringList' },
  StringList: { 'list[]': SCALAR },
  SecurityScheme: {
    apiKeySecurityScheme: 'APIKeySecurityScheme', httpAuthSecurityScheme: 'HTTPAuthSecurityScheme', oauth2SecurityScheme: STRUCT,
    openIdConnectSecurityScheme: 'OpenIdConnectSecurityScheme', mtlsSecurityScheme: 'MutualTlsSecurityScheme',
  },
  APIKeySecurityScheme: { description: SCALAR, 'location!': SCALAR, 'name!': SCALAR },
  HTTPAuthSecurityScheme: { description: SCALAR, 'scheme!': SCALAR, bearerFormat: SCALAR },
  OpenIdConnectSecurityScheme: { description: SCALAR, 'openIdConnectUrl!': SCALAR },
  MutualTlsSecurityScheme: { description: SCALAR },
};

const FIELD = /^(?<name>\w+)(?<required>!?)(?<shape>\[\]|\{\})?$/;

/** Lists what is wrong with a message: unknown keys, required ones that are missing or empty, values of the wrong shape. */
export function problems(value, type, path = type) {
  if (type === STRUCT) return typeof value === 'object' ? [] : [`${path} is no object`];
  if (type === SCALAR) return ['string', 'boolean', 'number'].includes(typeof value) ? [] : [`${path} is no scalar`];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is no object`];
  const fields = Object.entries(MESSAGES[type]).map(([key, of]) => ({ ...key.match(FIELD).groups, of }));
  const unknown = Object.keys(value).filter((key) => !fields.some(({ name }) => name === key));
  return [...unknown.map((key) => `${path}.${key} is unknown`), ...fields.flatMap((field) => fieldProblems(value[field.name], field, `${path}.${field.name}`))];
}

function fieldProblems(value, { required, shape, of }, path) {
  if (value === undefined) return required ? [`${path} is missing`] : [];
  if (shape === '[]') {
    if (!Array.isArray(value)) return [`${path} is no list`];
    if (required && value.length === 0) return [`${path} is empty`];
    return value.flatMap((item, index) => problems(item, of, `${path}[${index}]`));
  }
  if (shape === '{}') return Object.entries(value).flatMap(([key, item]) => problems(item, of, `${path}[${key}]`));
  if (required && value === '') return [`${path} is empty`];
  return problems(value, of, path);
}
