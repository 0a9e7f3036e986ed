// What each failure of the page must look like, written by hand from docs/errors.md and the specification (5.4, 9.5, 11.6).
//
// A row: id, JSON-RPC code, HTTP status of REST, ErrorInfo reason, kind, whether it is retryable. `200` on JSON-RPC unless
// `rpcHttp` says otherwise.

const ERRORS = [
  ['parse', -32700, 400, 'PARSE_ERROR', 'Parse'],
  ['invalid-request', -32600, 400, 'INVALID_REQUEST', 'InvalidRequest'],
  ['method-not-found', -32601, 404, 'METHOD_NOT_FOUND', 'MethodNotFound'],
  ['method-not-allowed', -32601, 405, 'METHOD_NOT_FOUND', 'MethodNotFound', false, 405],
  ['invalid-params', -32602, 400, 'INVALID_PARAMS', 'InvalidParams'],
  ['missing-params', -32602, 400, 'INVALID_PARAMS', 'InvalidParams'],
  ['internal', -32603, 500, 'INTERNAL_ERROR', 'Internal', true],
  ['request-content-type', -32005, 415, 'CONTENT_TYPE_NOT_SUPPORTED', 'ContentTypeNotSupported'],
  ['too-large', -32000, 413, 'REQUEST_TOO_LARGE', 'Custom'],
  ['unauthenticated', -32000, 401, 'UNAUTHENTICATED', 'Custom'],
  ['invalid-token', -32000, 401, 'UNAUTHENTICATED', 'Custom'],
  ['task-not-found', -32001, 404, 'TASK_NOT_FOUND', 'TaskNotFound'],
  ['task-not-cancelable', -32002, 400, 'TASK_NOT_CANCELABLE', 'TaskNotCancelable'],
  ['push-not-supported', -32003, 400, 'PUSH_NOTIFICATION_NOT_SUPPORTED', 'PushNotificationNotSupported'],
  ['unsupported-operation', -32004, 400, 'UNSUPPORTED_OPERATION', 'UnsupportedOperation'],
  ['task-over', -32004, 400, 'UNSUPPORTED_OPERATION', 'UnsupportedOperation'],
  ['streaming-not-supported', -32004, 400, 'UNSUPPORTED_OPERATION', 'UnsupportedOperation'],
  ['content-type-not-supported', -32005, 400, 'CONTENT_TYPE_NOT_SUPPORTED', 'ContentTypeNotSupported'],
  ['invalid-agent-response', -32006, 500, 'INVALID_AGENT_RESPONSE', 'InvalidAgentResponse'],
  ['extended-card-not-configured', -32007, 400, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED', 'ExtendedAgentCardNotConfigured'],
  ['extension-required', -32008, 400, 'EXTENSION_SUPPORT_REQUIRED', 'ExtensionSupportRequired'],
  ['version-not-supported', -32009, 400, 'VERSION_NOT_SUPPORTED', 'VersionNotSupported'],
  ['version-missing', -32009, 400, 'VERSION_NOT_SUPPORTED', 'VersionNotSupported'],
  ['push-config-not-found', -32001, 404, 'TASK_NOT_FOUND', 'PushNotificationConfigNotFound'],
  ['overloaded', -32000, 503, 'UNAVAILABLE', 'Custom', true],
  ...['panic', 'panic-late', 'trap-abort', 'trap-late', 'trap-overflow', 'trap-memory', 'trap-unreachable'].map((id) => [id, -32603, 500, 'INTERNAL_ERROR', 'Internal', true]),
  ['origin-unavailable', -32603, 502, 'ORIGIN_UNAVAILABLE', 'Custom', true],
  ['origin-timeout', -32603, 504, 'ORIGIN_TIMEOUT', 'Custom', true],
  ['origin-interrupted', -32603, 502, 'ORIGIN_UNAVAILABLE', 'Custom', true],
  ['origin-junk', -32006, 500, 'INVALID_AGENT_RESPONSE', 'InvalidAgentResponse'],
  ['origin-internals', -32603, 500, 'INTERNAL_ERROR', 'Internal', true],
  ['origin-overloaded', -32000, 429, 'RESOURCE_EXHAUSTED', 'Custom', true],
].map(([id, code, http, reason, kind, retryable = false, rpcHttp = 200]) => {
  // A reason that the protocol does not define: then the code says which kind it is, and without a code the status.
  const rpcKind = code === -32603 ? 'Internal' : kind;
  return { id, code, http, reason, kind, rpcKind, retryable, rpcHttp };
});

/** Cases whose answer is a task: id and state. */
const TASKS = [
  ['failed', 'TASK_STATE_FAILED'],
  ['rejected', 'TASK_STATE_REJECTED'],
  ['input-required', 'TASK_STATE_INPUT_REQUIRED'],
  ['completed', 'TASK_STATE_COMPLETED'],
  ['streamed', 'TASK_STATE_COMPLETED'],
].map(([id, state]) => ({ id, state }));

/** Answers that the page plays itself: id, class on JSON-RPC and REST, origin, whether it is retryable. */
const PLAYED = [
  ['unreachable', 'TransportError', 'transport', true],
  ['timed-out', 'TransportError', 'transport', true],
  ['cut-short', 'TransportError', 'transport', true],
  ['stream-cut-short', 'TransportError', 'transport', true],
  ['proxy-error', undefined, 'reported', true],
  ['rate-limited', undefined, 'reported', true],
  ['not-json', undefined, 'not-json', false],
  ['schema', undefined, 'schema', false],
  ['wrong-id', 'JsonRpcError', 'wrong-id', false],
  ['result-and-error', 'JsonRpcError', 'result-and-error', false],
  ['no-result', 'JsonRpcError', 'no-result', false],
  ['old-dialect', undefined, 'reported', false],
].map(([id, name, origin, retryable]) => ({ id, name, origin, retryable }));

/** What a worker without configuration of its own but DEMO_FAULTS=on cannot show. */
export const NEEDS_CONFIGURATION = new Set([
  'too-large', 'unauthenticated', 'invalid-token', 'streaming-not-supported', 'extended-card-not-configured', 'extension-required', 'push-config-not-found',
  'origin-unavailable', 'origin-timeout', 'origin-interrupted', 'origin-junk', 'origin-internals', 'origin-overloaded',
]);

export { ERRORS, PLAYED, TASKS };
