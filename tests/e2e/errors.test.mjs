// Every error of the protocol, reached by a natural request, on both bindings and in every form that a caller can ask for.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EDGE_DOMAIN, assertRestError, assertRpcError } from './support/expect.mjs';
import { A2A_TYPE, JSON_TYPE, PROBLEM_TYPE, bare, message, post, send} from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

const EXTENSION = 'https://example.com/ext/geo-coordinates/v1';
const TOKEN = 't-alice-0123456789';
const MAX_BODY_BYTES = 4096;

/** What every request sends, so that one configuration can refuse for the lack of any of it. */
const USUAL = { 'A2A-Version': '1.0', 'A2A-Extensions': EXTENSION, Authorization: `Bearer ${TOKEN}` };

const sendText = (text) => sendMessage(message(text));
const sendMessage = (msg) => ({
  rpc: { method: 'SendMessage', params: { message: msg } },
  rest: { method: 'POST', path: '/message:send', body: JSON.stringify({ message: msg }) },
});
const getTask = (id, headers) => ({
  rpc: { method: 'GetTask', params: { id }, headers },
  rest: { method: 'GET', path: `/tasks/${id}`, headers },
});
const tooLarge = JSON.stringify({ message: message('x'.repeat(MAX_BODY_BYTES)) });

/**
 * The table. `request` gives the request of each binding (`rpc.body` is sent as it is, else method and params under
 * every id); `error` is what both answers say. HTTP statuses, codes and names are those of specification 5.4 and 9.5,
 * messages and metadata those of the Ruby library.
 */
const ROWS = [
  {
    name: 'TaskNotFound',
    request: () => getTask('no-such-task'),
    error: { code: -32001, http: 404, grpc: 'NOT_FOUND', reason: 'TASK_NOT_FOUND', message: 'Task not found', metadata: { taskId: 'no-such-task' } },
  },
  {
    name: 'TaskNotCancelable',
    request: ({ completed }) => ({
      rpc: { method: 'CancelTask', params: { id: completed } },
      rest: { method: 'POST', path: `/tasks/${completed}:cancel` },
    }),
    error: ({ completed }) => ({
      code: -32002, http: 400, grpc: 'FAILED_PRECONDITION', reason: 'TASK_NOT_CANCELABLE', message: 'Task is not cancelable',
      metadata: { taskId: completed, state: 'TASK_STATE_COMPLETED' },
    }),
  },
  {
    name: 'PushNotificationNotSupported',
    request: () => ({
      rpc: { method: 'CreateTaskPushNotificationConfig', params: { taskId: 't1', url: 'https://example.com/hook' } },
      rest: { method: 'POST', path: '/tasks/t1/pushNotificationConfigs', body: '{"url":"https://example.com/hook"}' },
    }),
    error: {
      code: -32003, http: 400, grpc: 'FAILED_PRECONDITION', reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED', message: 'Push notifications are not supported',
    },
  },
  {
    name: 'UnsupportedOperation: a capability that the card does not declare',
    request: () => ({
      rpc: { method: 'SendStreamingMessage', params: { message: message('hello') } },
      rest: { method: 'POST', path: '/message:stream', body: JSON.stringify({ message: message('hello') }) },
    }),
    error: {
      code: -32004, http: 400, grpc: 'FAILED_PRECONDITION', reason: 'UNSUPPORTED_OPERATION',
      message: 'Operation not supported: SendStreamingMessage', metadata: { operation: 'SendStreamingMessage' },
    },
  },
  {
    name: 'UnsupportedOperation: a variant that the agent refuses',
    request: () => sendText('refuse'),
    error: { code: -32004, http: 400, grpc: 'FAILED_PRECONDITION', reason: 'UNSUPPORTED_OPERATION', message: /^(?!Operation not supported)\S/ },
  },
  {
    name: 'ContentTypeNotSupported',
    request: () => sendMessage(message('', { parts: [{ raw: 'aGk=', mediaType: 'image/png' }] })),
    error: {
      code: -32005, http: 400, grpc: 'INVALID_ARGUMENT', reason: 'CONTENT_TYPE_NOT_SUPPORTED', message: 'Content type not supported',
      metadata: { contentType: 'image/png' },
    },
  },
  {
    name: 'InvalidAgentResponse',
    request: () => sendText('error junk'),
    error: { code: -32006, http: 500, grpc: 'INTERNAL', reason: 'INVALID_AGENT_RESPONSE', message: 'Invalid agent response' },
  },
  {
    name: 'ExtendedAgentCardNotConfigured',
    request: () => ({ rpc: { method: 'GetExtendedAgentCard' }, rest: { method: 'GET', path: '/extendedAgentCard' } }),
    error: {
      code: -32007, http: 400, grpc: 'FAILED_PRECONDITION', reason: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED', message: 'Extended agent card is not configured',
    },
  },
  {
    name: 'ExtensionSupportRequired',
    request: () => getTask('t1', { 'A2A-Extensions': null }),
    error: {
      code: -32008, http: 400, grpc: 'FAILED_PRECONDITION', reason: 'EXTENSION_SUPPORT_REQUIRED', message: 'Extension support required',
      metadata: { extension: EXTENSION },
    },
  },
  {
    name: 'VersionNotSupported',
    request: () => getTask('t1', { 'A2A-Version': '99.0' }),
    error: {
      code: -32009, http: 400, grpc: 'FAILED_PRECONDITION', reason: 'VERSION_NOT_SUPPORTED', message: 'Version not supported',
      metadata: { version: '99.0', supportedVersions: '1.0' },
    },
  },
  {
    name: 'Parse',
    request: () => ({
      rpc: { body: '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":' },
      rest: { method: 'POST', path: '/message:send', body: '{"message":' },
    }),
    id: 'null',
    error: { code: -32700, http: 400, grpc: 'INVALID_ARGUMENT', reason: 'PARSE_ERROR', message: 'Invalid JSON payload' },
  },
  {
    name: 'InvalidRequest',
    request: () => ({
      rpc: { body: '{"jsonrpc":"1.0","id":"r-7","method":"GetTask","params":{"id":"t1"}}' },
      // JSON, but no object, so no request message of any operation.
      rest: { method: 'POST', path: '/message:send', body: '[]' },
    }),
    id: '"r-7"',
    error: { code: -32600, http: 400, grpc: 'INVALID_ARGUMENT', reason: 'INVALID_REQUEST', message: 'Request payload validation error' },
  },
  {
    name: 'MethodNotFound',
    request: () => ({ rpc: { method: 'message/send', params: {} }, rest: { method: 'GET', path: '/no/such/path' } }),
    error: { code: -32601, http: 404, grpc: 'UNIMPLEMENTED', reason: 'METHOD_NOT_FOUND', message: 'Method not found', metadata: { method: /./ } },
    rpcError: { metadata: { method: 'message/send' } },
  },
  {
    name: 'InvalidParams',
    request: () => sendMessage({ parts: [] }),
    error: {
      code: -32602, http: 400, grpc: 'INVALID_ARGUMENT', reason: 'INVALID_PARAMS', message: 'Invalid parameters',
      metadata: { fields: 'message.messageId, message.role, message.parts' },
      violations: ['message.messageId', 'message.role', 'message.parts'],
    },
  },
  {
    name: 'Internal',
    request: () => sendText('error internal'),
    error: { code: -32603, http: 500, grpc: 'INTERNAL', reason: 'INTERNAL_ERROR', message: 'Internal error' },
  },
  {
    name: 'Custom',
    request: () => sendText('error overloaded'),
    error: {
      code: -32000, http: 503, grpc: 'UNAVAILABLE', reason: /^[A-Z_]+$/, domain: EDGE_DOMAIN, message: 'Agent is overloaded, retry later',
      retry: true, headers: { 'Retry-After': /^[1-9]\d*$/ },
    },
  },
  {
    name: '401',
    request: () => getTask('t1', { Authorization: null }),
    error: { code: -32000, http: 401, grpc: 'UNAUTHENTICATED', reason: /^[A-Z_]+$/, domain: EDGE_DOMAIN, headers: { 'WWW-Authenticate': /^Bearer\b/ } },
  },
  {
    name: '405',
    request: () => ({ rest: { method: 'DELETE', path: '/tasks' } }),
    error: {
      code: -32601, http: 405, grpc: 'UNIMPLEMENTED', reason: 'METHOD_NOT_FOUND', metadata: { method: /./ }, headers: { Allow: /\bGET\b/ },
    },
  },
  {
    name: '413',
    request: () => ({
      rpc: { body: `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${tooLarge}}` },
      rest: { method: 'POST', path: '/message:send', body: tooLarge },
    }),
    // What comes after the limit is not read, so neither is the id.
    id: 'null',
    error: { code: -32000, http: 413, reason: /^[A-Z_]+$/, domain: EDGE_DOMAIN, metadata: { maxBytes: String(MAX_BODY_BYTES) } },
  },
  {
    name: 'a request body of another media type',
    request: () => {
      const headers = { 'Content-Type': 'text/plain' };
      const { rpc, rest } = sendText('hello');
      return { rpc: { ...rpc, headers }, rest: { ...rest, headers } };
    },
    error: {
      code: -32005, http: 415, grpc: 'INVALID_ARGUMENT', reason: 'CONTENT_TYPE_NOT_SUPPORTED', message: 'Content type not supported',
      metadata: { contentType: 'text/plain' },
    },
  },
];

/** What REST callers may ask for, and what they get: a form and its media type. `default` is that of REST_ERROR_FORMAT. */
const ACCEPTS = [
  [undefined, 'default'],
  ['*/*', 'default'],
  ['application/*', 'default'],
  ['text/html', 'default'],
  ['text/html, */*;q=0.1', 'default'],
  // The wildcard asks for anything else more than for the type that is named.
  ['*/*, application/json;q=0.5', 'default'],
  [PROBLEM_TYPE, 'problem', PROBLEM_TYPE],
  ['APPLICATION/Problem+JSON', 'problem', PROBLEM_TYPE],
  [A2A_TYPE, 'status', A2A_TYPE],
  [JSON_TYPE, 'status', JSON_TYPE],
  [`${JSON_TYPE}; charset=utf-8`, 'status', JSON_TYPE],
  // An explicit application/json wins a tie.
  [`${A2A_TYPE}, ${JSON_TYPE}`, 'status', JSON_TYPE],
  [`${JSON_TYPE}, ${A2A_TYPE}`, 'status', JSON_TYPE],
  [`${A2A_TYPE}, ${JSON_TYPE};q=0.9`, 'status', A2A_TYPE],
  [`${PROBLEM_TYPE};q=0.8, ${JSON_TYPE};q=0.9`, 'status', JSON_TYPE],
  [`${PROBLEM_TYPE};q=0.9, ${A2A_TYPE};q=0.8, */*;q=0.1`, 'problem', PROBLEM_TYPE],
  ['text/event-stream, application/json;q=0.5', 'status', JSON_TYPE],
  [`${PROBLEM_TYPE};q=0, */*`, 'status', A2A_TYPE],
];

const IDS = ['1', '0', '""', '"é"', '9007199254740993', '-1.5', 'null'];

const FORMATS = ['both', 'problem', 'status'];
const workers = {};
const tasks = {};

before(async () => {
  const started = FORMATS.map(async (format) => {
    const vars = {
      REST_ERROR_FORMAT: format,
      AUTH_TOKENS: JSON.stringify({ [TOKEN]: 'alice' }),
      AGENT_STREAMING: 'off',
      AGENT_EXTENDED_CARD: 'declared',
      AGENT_REQUIRED_EXTENSIONS: EXTENSION,
      MAX_BODY_BYTES: String(MAX_BODY_BYTES),
    };
    workers[format] = await startWorker({ vars });
    tasks[format] = { completed: (await send(workers[format], 'hello', { headers: USUAL })).id };
  });
  await Promise.all(started);
});

after(() => Promise.all(Object.values(workers).map((worker) => worker.stop())));

const headersOf = (headers) => Object.fromEntries(Object.entries({ ...USUAL, ...headers }).filter(([, value]) => value !== null));
const errorOf = (row, context) => (typeof row.error === 'function' ? row.error(context) : row.error);

function call(worker, { method, params, body, headers }, rawId) {
  const text = body ?? `{"jsonrpc":"2.0","id":${rawId},"method":"${method}"${params ? `,"params":${JSON.stringify(params)}` : ''}}`;
  return post(worker, text, { headers: { ...USUAL, ...headers } });
}

function ask(worker, { method, path, body, headers }, accept) {
  const all = { ...(body === undefined ? {} : { 'Content-Type': A2A_TYPE }), ...USUAL, ...headers, Accept: accept ?? null };
  return bare(worker, method, path, { headers: headersOf(all), body });
}

describe('on JSON-RPC, over HTTP 200 and with the id to the letter', () => {
  for (const row of ROWS.filter((row) => row.request(row).rpc)) {
    test(row.name, async () => {
      const context = tasks.both;
      const expected = { ...errorOf(row, context), ...row.rpcError };
      const { rpc } = row.request(context);
      for (const rawId of row.id ? [row.id] : IDS) {
        assertRpcError(await call(workers.both, rpc, rawId), rawId, expected);
      }
    });
  }

  test('the form of the answer does not depend on Accept or REST_ERROR_FORMAT', async () => {
    for (const format of FORMATS) {
      for (const accept of [PROBLEM_TYPE, A2A_TYPE, 'text/html']) {
        const row = ROWS.find(({ name }) => name === 'TaskNotFound');
        const { rpc } = row.request(tasks[format]);
        assertRpcError(await call(workers[format], { ...rpc, headers: { Accept: accept } }, '7'), '7', row.error);
      }
    }
  });
});

for (const format of FORMATS) {
  describe(`on HTTP+JSON, REST_ERROR_FORMAT=${format}`, () => {
    for (const row of ROWS.filter((row) => row.request(row).rest)) {
      test(row.name, async () => {
        const context = tasks[format];
        const expected = errorOf(row, context);
        const { rest } = row.request(context);
        for (const [accept, form, type] of ACCEPTS) {
          const answer = await ask(workers[format], rest, accept);
          try {
            assertRestError(answer, expected, form === 'default' ? format : form, type);
          } catch (error) {
            error.message = `Accept: ${accept ?? '(absent)'}: ${error.message}\n${answer.text}`;
            throw error;
          }
        }
      });
    }
  });
}

describe('an operation that the agent lacks, though its card declares the capability', () => {
  let worker;
  before(async () => {
    worker = await startWorker({ vars: { AGENT_PUSH: 'on', AGENT_EXTENDED_CARD: 'off' } });
  });
  after(() => worker.stop());

  const unsupported = (operation) => ({
    code: -32004, http: 400, grpc: 'FAILED_PRECONDITION', reason: 'UNSUPPORTED_OPERATION',
    message: `Operation not supported: ${operation}`, metadata: { operation },
  });

  test('a push notification config that is not there', async () => {
    const headers = { Authorization: null, 'A2A-Extensions': null };
    const { id: taskId } = await send(worker, 'work');
    for (const [task, configId, expected] of [
      [taskId, 'c1', { message: 'Push notification config not found', metadata: { taskId, configId: 'c1' } }],
      ['t1', 'c1', { message: 'Task not found', metadata: { taskId: 't1' } }],
    ]) {
      const error = { code: -32001, http: 404, grpc: 'NOT_FOUND', reason: 'TASK_NOT_FOUND', ...expected };
      assertRpcError(await call(worker, { method: 'GetTaskPushNotificationConfig', params: { taskId: task, id: configId }, headers }, '1'), '1', error);
      assertRestError(await ask(worker, { method: 'GET', path: `/tasks/${task}/pushNotificationConfigs/${configId}`, headers }), error);
    }
  });

  test('an extended card that is not declared is unsupported, not unconfigured', async () => {
    const operation = 'GetExtendedAgentCard';
    assertRpcError(await call(worker, { method: operation }, '1'), '1', unsupported(operation));
    assertRestError(await ask(worker, { method: 'GET', path: '/extendedAgentCard' }), unsupported(operation));
  });

  test('a message may declare the required extension itself', async () => {
    const msg = message('hello', { extensions: [EXTENSION] });
    const { rpc, rest } = sendMessage(msg);
    const headers = { 'A2A-Extensions': null };
    assert.ok((await call(workers.both, { ...rpc, headers }, '1')).json.result);
    assert.equal((await ask(workers.both, { ...rest, headers })).status, 200);
  });
});
