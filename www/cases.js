// Every failure that can be looked at: when it happens, and how to make it happen.
//
// `operation` and `params` are what is asked; `JSONRPC` and `HTTP+JSON` change the request where it has to be wrong in its
// form. `vars` is the configuration that it takes, `before` a message that makes TASK_ID, `script` an origin behind a
// gateway, `played` an answer that no agent gives on purpose.

const text = (words, more) => ({ message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: words }], ...more } });
const say = (words) => ({ operation: 'SendMessage', params: text(words) });

const EXTENSION = 'https://example.com/ext/geo-coordinates/v1';
const TOKENS = '{"secret-token":"alice"}';

const protocol = [
  {
    id: 'parse', title: 'Parse error', code: -32700,
    when: 'The body is not JSON: cut off, a trailing comma, or something else entirely.',
    ...say('hello'),
    JSONRPC: { body: '{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{' },
    'HTTP+JSON': { body: '{"message":{"messageId":"m-1",' },
  },
  {
    id: 'invalid-request', title: 'Invalid request', code: -32600,
    when: 'The body is JSON, but not a request: no “jsonrpc”: “2.0”, no method, or no object at all.',
    ...say('hello'),
    JSONRPC: { body: '{"id":7,"method":"SendMessage","params":{}}' },
    'HTTP+JSON': { body: '["hello"]' },
  },
  {
    id: 'method-not-found', title: 'Method not found', code: -32601,
    when: 'A2A 1.0 has no such method or path; here, the name that version 0.3 had.',
    ...say('hello'),
    JSONRPC: { body: '{"jsonrpc":"2.0","id":7,"method":"message/send","params":{}}' },
    'HTTP+JSON': { path: '/v1/message:send/now' },
  },
  {
    id: 'method-not-allowed', title: 'Method not allowed', code: -32601, words: '405 verb allow',
    when: 'The path is known, but not with this verb. “Allow” names those that are.',
    operation: 'ListTasks', params: {},
    JSONRPC: { method: 'GET', body: '' },
    'HTTP+JSON': { method: 'DELETE', path: '/tasks' },
  },
  {
    id: 'invalid-params', title: 'Invalid parameters', code: -32602,
    when: 'Parameters break the schema of the operation. All faults are reported at once, each with its path.',
    operation: 'ListTasks', params: { pageSize: 150, historyLength: -5 },
  },
  {
    id: 'missing-params', title: 'Missing parameters', code: -32602,
    when: 'A required parameter is not there; here, a message without parts.',
    operation: 'SendMessage', params: { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [] } },
  },
  {
    id: 'internal', title: 'Internal error', code: -32603,
    when: 'Something broke that the caller cannot help; what it was is in the log, and only there.',
    ...say('error internal'),
  },
  {
    id: 'request-content-type', title: 'Request is not JSON', code: -32005, words: '415 content-type',
    when: 'The request’s own Content-Type is not JSON. HTTP has a status of its own for that: 415.',
    ...say('hello'), headers: { 'Content-Type': 'text/plain' },
  },
  {
    id: 'too-large', title: 'Body too large', code: -32000, words: '413 REQUEST_TOO_LARGE',
    when: 'The body is longer than MAX_BODY_BYTES.',
    ...say('A body of more than a hundred bytes, which is all that this agent has been told to read.'),
    vars: { MAX_BODY_BYTES: '100' },
  },
  {
    id: 'unauthenticated', title: 'Not authenticated', code: -32000, words: '401 UNAUTHENTICATED token bearer',
    when: 'The agent asks for a bearer token, and the request names none.',
    operation: 'ListTasks', params: {}, vars: { AUTH_TOKENS: TOKENS },
  },
  {
    id: 'invalid-token', title: 'Unknown token', code: -32000, words: '401 UNAUTHENTICATED bearer',
    when: 'The request names a token, and the agent does not know it.',
    operation: 'ListTasks', params: {}, headers: { Authorization: 'Bearer mistyped' }, vars: { AUTH_TOKENS: TOKENS },
  },
];

const a2a = [
  {
    id: 'task-not-found', title: 'Task not found', code: -32001,
    when: 'The task does not exist, has expired, or is another caller’s: the answer is the same.',
    operation: 'GetTask', params: { id: 'task-123' },
  },
  {
    id: 'task-not-cancelable', title: 'Task not cancelable', code: -32002,
    when: 'The task has reached its end: completed, failed, canceled or rejected.',
    operation: 'CancelTask', params: { id: 'TASK_ID' }, before: 'hello',
  },
  {
    id: 'push-not-supported', title: 'Push notifications not supported', code: -32003,
    when: 'The agent’s card does not declare pushNotifications.',
    operation: 'CreateTaskPushNotificationConfig', params: { taskId: 'task-123', url: 'https://example.com/hook' },
    vars: { AGENT_PUSH: 'off' },
  },
  {
    id: 'unsupported-operation', title: 'Unsupported operation', code: -32004,
    when: 'The agent lacks the operation, or refuses this use of it in its own words.',
    ...say('refuse'),
  },
  {
    id: 'task-over', title: 'Message to a task at its end', code: -32004, words: 'UNSUPPORTED_OPERATION',
    when: 'A task in a terminal state takes no further messages.',
    operation: 'SendMessage', params: text('more', { taskId: 'TASK_ID' }), before: 'hello',
  },
  {
    id: 'streaming-not-supported', title: 'Streaming not supported', code: -32004, words: 'UNSUPPORTED_OPERATION SSE',
    when: 'The agent’s card does not declare streaming, and somebody asks for a stream.',
    operation: 'SendStreamingMessage', params: text('hello'), vars: { AGENT_STREAMING: 'off' },
  },
  {
    id: 'content-type-not-supported', title: 'Content type not supported', code: -32005,
    when: 'A part of the message has a media type that is not among the card’s input modes.',
    operation: 'SendMessage',
    params: { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ raw: 'iVBORw0KGgo=', mediaType: 'image/png' }] } },
  },
  {
    id: 'invalid-agent-response', title: 'Invalid agent response', code: -32006,
    when: 'An agent that this one relies on answered junk.',
    ...say('error junk'),
  },
  {
    id: 'extended-card-not-configured', title: 'Extended card not configured', code: -32007,
    when: 'The card declares an extended card, and there is none.',
    operation: 'GetExtendedAgentCard', params: {}, vars: { AGENT_EXTENDED_CARD: 'declared' },
  },
  {
    id: 'extension-required', title: 'Extension support required', code: -32008,
    when: 'The card requires an extension that the request does not declare in A2A-Extensions.',
    ...say('hello'), vars: { AGENT_REQUIRED_EXTENSIONS: EXTENSION },
  },
  {
    id: 'version-not-supported', title: 'Version not supported', code: -32009,
    when: 'The A2A-Version that the request names is not served.',
    ...say('hello'), headers: { 'A2A-Version': '99.0' },
  },
  {
    id: 'version-missing', title: 'No version named', code: -32009, words: 'VERSION_NOT_SUPPORTED',
    when: 'A request without A2A-Version is of version 0.3, by the specification, and that is not served.',
    ...say('hello'), headers: { 'A2A-Version': null },
  },
  {
    id: 'push-config-not-found', title: 'Push config not found', code: -32001, words: 'TASK_NOT_FOUND',
    when: 'The task is there, its push notification config is not.',
    operation: 'GetTaskPushNotificationConfig', params: { taskId: 'TASK_ID', id: 'config-1' }, before: 'work',
    vars: { AGENT_PUSH: 'on' },
  },
  {
    id: 'overloaded', title: 'An error of the agent’s own', code: -32000, words: '503 custom RetryInfo Retry-After overloaded',
    when: 'The agent says something that the specification has no name for; here, when to come back.',
    ...say('error overloaded'),
  },
];

const failures = [
  { id: 'failed', title: 'Task failed', state: 'FAILED', when: 'The request was fine and the work was not: a result, and no error.', ...say('fail') },
  { id: 'rejected', title: 'Task rejected', state: 'REJECTED', when: 'The agent decided not to take the task on.', ...say('reject') },
  { id: 'input-required', title: 'Input required', state: 'INPUT_REQUIRED', when: 'The task waits for an answer of the client’s: not a failure, but easily taken for one.', ...say('ask') },
  { id: 'completed', title: 'Completed', state: 'COMPLETED', when: 'For comparison: what it looks like when all is well.', ...say('hello') },
  { id: 'streamed', title: 'Completed, streamed', state: 'COMPLETED', words: 'SSE', when: 'For comparison: a stream of events that comes to its end.', operation: 'SendStreamingMessage', params: text('stream 3') },
];

const faults = [
  ['panic', 'Panic', 'The agent’s code panics before it awaits anything.'],
  ['panic late', 'Panic after an await', 'The agent’s code panics while other requests are under way.'],
  ['trap abort', 'Abort', 'The process aborts: nothing unwinds, and the WebAssembly instance is gone.'],
  ['trap late', 'Abort after an await', 'The instance dies with requests in flight; each still gets an answer.'],
  ['trap overflow', 'Stack overflow', 'Recursion without a bottom.'],
  ['trap memory', 'Out of memory', 'Memory is taken until there is none.'],
  ['trap unreachable', 'Unreachable executed', 'Code runs that the compiler was told never runs.'],
].map(([words, title, when]) => ({ id: words.replace(' ', '-'), title, code: -32603, when, ...say(words), vars: { DEMO_FAULTS: 'on' } }));

const JSON_TYPE = { 'Content-Type': 'application/json' };
const get = { operation: 'GetTask', params: { id: 'task-123' } };
const task = '{"id":"task-123","contextId":"c-1","status":{"state":"TASK_STATE_COMPLETED"}}';
const rpc = (members) => ({ status: 200, headers: JSON_TYPE, body: `{${members}}` });
const HTML = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1><hr>nginx/1.24.0</body></html>';
const WORKING = '{"statusUpdate":{"taskId":"task-123","contextId":"c-1","status":{"state":"TASK_STATE_WORKING"}}}';
const sse = (...datas) => ({ status: 200, headers: { 'Content-Type': 'text/event-stream' }, body: datas.map((data) => `data: ${data}\n\n`).join('') });

const transport = [
  { id: 'unreachable', title: 'Unreachable', label: 'no answer', when: 'No connection comes about, so nothing was sent: even a message may safely be sent again.', ...get, played: { fault: 'unreachable' } },
  { id: 'timed-out', title: 'Timed out', label: 'no answer', when: 'The deadline passes first. Whether the agent did the work is not known.', ...get, played: { fault: 'timed-out' } },
  { id: 'cut-short', title: 'Cut short', label: 'no answer', when: 'The connection breaks before the answer is whole.', ...get, played: { fault: 'cut-short' } },
  { id: 'stream-cut-short', title: 'Stream cut short', label: 'SSE', when: 'A stream ends while the task is still at work. A client that takes this for the end loses the result.', operation: 'SendStreamingMessage', params: text('hello'), played: { JSONRPC: sse(`{"jsonrpc":"2.0","id":$ID,"result":${WORKING}}`), 'HTTP+JSON': sse(WORKING) } },
  { id: 'proxy-error', title: 'A proxy’s error page', label: '502', when: 'Something on the way answers in HTML.', ...get, played: { status: 502, headers: { 'Content-Type': 'text/html' }, body: HTML } },
  { id: 'rate-limited', title: 'Too many requests', label: '429', when: 'A limit on the way is reached, and Retry-After says for how long.', ...get, played: { status: 429, headers: { 'Content-Type': 'text/plain', 'Retry-After': '3' }, body: 'Too many requests' } },
  { id: 'not-json', title: 'Not JSON', label: '200', when: 'A success that is no JSON: a login page, as a rule.', ...get, played: { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<html><title>Sign in</title></html>' } },
  { id: 'schema', title: 'Broken result', label: '200', when: 'A result that is not one of the operation: a task without its status.', ...get, played: { JSONRPC: rpc('"jsonrpc":"2.0","id":$ID,"result":{"id":"task-123","contextId":"c-1"}'), 'HTTP+JSON': rpc('"id":"task-123","contextId":"c-1"') } },
  { id: 'wrong-id', title: 'Wrong id', label: '200', only: 'JSONRPC', when: 'The answer to somebody else’s request.', ...get, played: rpc(`"jsonrpc":"2.0","id":"another","result":${task}`) },
  { id: 'result-and-error', title: 'Result and error', label: '200', only: 'JSONRPC', when: 'Both at once, which JSON-RPC forbids; neither can be believed.', ...get, played: rpc(`"jsonrpc":"2.0","id":$ID,"result":${task},"error":{"code":-32603,"message":"Internal error"}`) },
  { id: 'no-result', title: 'Neither result nor error', label: '200', only: 'JSONRPC', when: 'An envelope with nothing in it.', ...get, played: rpc('"jsonrpc":"2.0","id":$ID') },
  { id: 'old-dialect', title: 'An older dialect', label: '200', when: 'Errors as A2A 0.3 has them, or a web framework: the client reads them all the same.', ...get, played: { JSONRPC: rpc('"jsonrpc":"2.0","id":$ID,"error":{"code":-32001,"message":"Task not found","data":{"taskId":"task-123"}}'), 'HTTP+JSON': { status: 404, headers: JSON_TYPE, body: '{"detail":"Task task-123 not found"}' } } },
];

const origin = (status, contentType, body, more) => [{ status, contentType, body, ...more }];
const gateway = [
  { id: 'origin-unavailable', title: 'Origin unavailable', code: -32603, words: '502 ORIGIN_UNAVAILABLE', when: 'The gateway cannot reach the agent behind it.', ...get, script: [{ fault: 'unreachable' }] },
  { id: 'origin-timeout', title: 'Origin timeout', code: -32603, words: '504 ORIGIN_TIMEOUT', when: 'The agent behind the gateway does not answer in time.', ...get, script: [{ fault: 'timed-out' }] },
  { id: 'origin-interrupted', title: 'Origin breaks off', code: -32603, words: '502 ORIGIN_UNAVAILABLE', when: 'The agent behind the gateway breaks off in the middle of its answer.', ...say('hello'), script: [{ fault: 'cut-short' }] },
  { id: 'origin-junk', title: 'Origin answers junk', code: -32006, words: 'INVALID_AGENT_RESPONSE', when: 'The agent behind the gateway answers what the protocol does not allow.', ...get, script: origin(200, 'text/html', '<html>It works!</html>') },
  { id: 'origin-internals', title: 'Origin leaks internals', code: -32603, words: 'stack trace secret', when: 'The agent behind the gateway answers with its stack trace. The caller gets none of it.', ...say('hello'), script: origin(500, 'application/json', '{"error":{"code":-32603,"message":"psycopg2.OperationalError: connection to postgres://app:hunter2@10.0.0.7/tasks refused\\n  File \\"/srv/app/store.py\\", line 41, in load"}}') },
  { id: 'origin-overloaded', title: 'Origin overloaded', code: -32000, words: '429 Retry-After', when: 'The agent behind the gateway asks to be left alone, and the caller is told for how long.', ...say('hello'), script: origin(429, 'text/plain', 'slow down', { retryAfter: '7' }) },
];

const group = (id, title, cases) => ({ id, title, cases: cases.map((one) => ({ ...one, group: title })) });

export const GROUPS = [
  group('protocol', 'Protocol', protocol),
  group('a2a', 'A2A', a2a),
  group('task', 'Tasks', failures),
  group('faults', 'Panics and traps', faults),
  group('transport', 'Transport', transport),
  group('gateway', 'Gateway', gateway),
];

export const CASES = new Map(GROUPS.flatMap(({ cases }) => cases).map((one) => [one.id, one]));

/** Short and in monospace: what a list shows beside the title. */
export const labelOf = ({ code, state, label }) => (code === undefined ? (state ?? label) : String(code));
