// The order of the checks, the same on both bindings: version, operation, authentication, extensions, parameters, media
// types, capabilities. Each request here breaks every rule from one on, and must be told of that one.
import { after, before, test } from 'node:test';
import { EDGE_DOMAIN, assertRestError, assertRpcError } from './support/expect.mjs';
import { rest, rpc } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

const EXTENSION = 'https://example.com/ext/a/v1';
const TOKEN = 't-gate-4b1';

let worker;
before(async () => {
  const vars = { AUTH_TOKENS: JSON.stringify({ [TOKEN]: 'alice' }), AGENT_REQUIRED_EXTENSIONS: EXTENSION, AGENT_INPUT_MODES: 'text/plain', AGENT_STREAMING: 'off' };
  worker = await startWorker({ vars });
});
after(() => worker.stop());

const VERSION = { 'A2A-Version': '99.0' };
const AUTHORIZED = { Authorization: `Bearer ${TOKEN}` };
const DECLARED = { 'A2A-Extensions': ` https://example.com/ext/b/v1 , ${EXTENSION}` };
const INVALID = { message: { messageId: '', role: 'ROLE_USER', parts: [{ text: 'a', mediaType: 'image/png' }] } };
const IMAGE = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'a', mediaType: 'image/png' }] } };
const TEXT = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'a', mediaType: 'text/plain; charset=utf-8' }] } };

const STAGES = [
  ['version', { headers: VERSION, params: INVALID }, { code: -32009, http: 400, reason: 'VERSION_NOT_SUPPORTED', message: 'Version not supported', metadata: { version: '99.0', supportedVersions: '1.0' } }],
  ['authentication', { headers: {}, params: INVALID }, { code: -32000, http: 401, reason: /^[A-Z_]+$/, domain: EDGE_DOMAIN, headers: { 'WWW-Authenticate': /^Bearer\b/ } }],
  ['extensions', { headers: AUTHORIZED, params: INVALID }, { code: -32008, http: 400, reason: 'EXTENSION_SUPPORT_REQUIRED', message: 'Extension support required', metadata: { extension: EXTENSION } }],
  ['parameters', { headers: { ...AUTHORIZED, ...DECLARED }, params: INVALID }, { code: -32602, http: 400, reason: 'INVALID_PARAMS', message: 'Invalid parameters', metadata: { fields: 'message.messageId' }, violations: ['message.messageId'] }],
  ['media types', { headers: { ...AUTHORIZED, ...DECLARED }, params: IMAGE }, { code: -32005, http: 400, reason: 'CONTENT_TYPE_NOT_SUPPORTED', message: 'Content type not supported', metadata: { contentType: 'image/png' } }],
  ['capabilities', { headers: { ...AUTHORIZED, ...DECLARED }, params: TEXT }, { code: -32004, http: 400, reason: 'UNSUPPORTED_OPERATION', message: 'Operation not supported: SendStreamingMessage', metadata: { operation: 'SendStreamingMessage' } }],
];

for (const [stage, { headers, params }, expected] of STAGES) {
  test(`${stage}`, async () => {
    assertRpcError(await rpc(worker, 'SendStreamingMessage', params, { headers }), '1', expected);
    assertRestError(await rest(worker, 'POST', '/message:stream', { headers, body: params }), expected);
  });
}

test('operation: after the version and before authentication', async () => {
  const unknown = { code: -32601, reason: 'METHOD_NOT_FOUND', message: 'Method not found', metadata: { method: 'NoSuchMethod' } };
  assertRpcError(await rpc(worker, 'NoSuchMethod', INVALID), '1', unknown);
  assertRpcError(await rpc(worker, 'NoSuchMethod', INVALID, { headers: VERSION }), '1', STAGES[0][2]);
});

test('a push notification config within a message needs the capability', async () => {
  const headers = { ...AUTHORIZED, ...DECLARED };
  const params = { ...TEXT, configuration: { taskPushNotificationConfig: { url: 'https://example.com/hook' } } };
  const expected = { code: -32003, http: 400, reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED', message: 'Push notifications are not supported' };
  assertRpcError(await rpc(worker, 'SendMessage', params, { headers }), '1', expected);
  assertRestError(await rest(worker, 'POST', '/message:send', { headers, body: params }), expected);
});
