// A variable that cannot be used stops every request, under its own id, and the log says which one it is.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertRestError, assertRpcError, assertRpcErrorObject } from './support/expect.mjs';
import { bare } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

const INTERNAL = { code: -32603, http: 500, grpc: 'INTERNAL', reason: 'INTERNAL_ERROR', message: 'Internal error' };
const SECRET = 'canary-config-c0ffee';

/** Every variable of the configuration table that this worker has, with a value that it cannot use. */
const BAD = [
  ['REST_ERROR_FORMAT', 'xml'],
  ['ASSUME_VERSION', '0.3'],
  ['ASSUME_VERSION', '1.0.1'],
  ['TASK_STORE', 'sqlite'],
  ['TASK_TTL_S', 'soon'],
  ['TASK_TTL_S', '-1'],
  ['TASK_TTL_S', '1'],
  ['MAX_BODY_BYTES', '1 MB'],
  ['MAX_BODY_BYTES', '0'],
  ['MAX_BODY_BYTES', '99999999999999999999'],
  ['ALLOWED_ORIGINS', 'app.example.com'],
  ['ALLOWED_ORIGINS', 'https://app.example.com/path'],
  ['AUTH_TOKENS', SECRET],
  ['AUTH_TOKENS', `["${SECRET}"]`],
  ['AUTH_TOKENS', `{"${SECRET}":7}`],
  ['AUTH_TOKENS', `{"${SECRET}":""}`],
  ['AUTH_TOKENS', '{}'],
  ['AGENT_STREAMING', 'maybe'],
  ['AGENT_PUSH', '1'],
  ['AGENT_EXTENDED_CARD', 'on'],
  ['AGENT_INPUT_MODES', 'nonsense'],
  ['AGENT_REQUIRED_EXTENSIONS', 'not a uri'],
  ['DEMO_FAULTS', 'maybe'],
].map(([name, value], index) => ({ name, value, host: `bad-${index}.test` }));

/** Values that are unusual and right. */
const GOOD = [
  ['MAX_BODY_BYTES', 5000],
  ['TASK_TTL_S', '60'],
  ['REST_ERROR_FORMAT', ''],
  ['AUTH_TOKENS', ''],
  ['ALLOWED_ORIGINS', '*'],
  ['AGENT_STREAMING', 'off'],
  ['DEMO_FAULTS', 'off'],
].map(([name, value], index) => ({ name, value, host: `good-${index}.test` }));

let worker;
before(async () => {
  const variants = [...BAD, ...GOOD].map(({ name, value, host }) => ({ host, vars: { [name]: value } }));
  worker = await startWorker({ variants });
});
after(() => worker.stop());

const HEADERS = { 'A2A-Version': '1.0', 'Content-Type': 'application/json' };
const call = (id, method = 'ListTasks') => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`;
const ask = (host, method, path, body) => bare(worker, method, path, { headers: { ...HEADERS, Host: host }, body });

describe('a bad value', () => {
  for (const { name, value, host } of BAD) {
    test(`${name}=${value}`, async () => {
      const answers = [];
      const keep = (answer) => answers[answers.push(answer) - 1];

      assertRpcError(keep(await ask(host, 'POST', '/rpc', call('9007199254740993'))), '9007199254740993', INTERNAL);
      assertRpcError(keep(await ask(host, 'POST', '/', call('""', 'NoSuchMethod'))), '""', INTERNAL);
      const batch = keep(await ask(host, 'POST', '/rpc', `[${call('1')},${call('"two"')}]`));
      assert.deepEqual(batch.json.map(({ id }) => id), [1, 'two']);
      for (const member of batch.json) assertRpcErrorObject(member, INTERNAL);
      assert.equal((await ask(host, 'POST', '/rpc', '{"jsonrpc":"2.0","method":"ListTasks"}')).status, 204);

      for (const [method, path, body] of [['GET', '/tasks'], ['GET', '/tasks/x'], ['POST', '/message:send', '{}'], ['GET', '/.well-known/agent-card.json']]) {
        assertRestError(keep(await ask(host, method, path, body)), INTERNAL);
      }

      const line = await worker.waitForLog((line) => line.includes(name));
      assert.ok(JSON.parse(line).level === 'error', line);
      for (const { text } of answers) {
        assert.ok(!text.includes(name), 'no answer names the variable');
        assert.ok(!text.includes(SECRET), 'no answer quotes a secret');
      }
    });
  }

  test('no line of the log quotes a secret', () => {
    assert.ok(worker.logs.length > 0);
    for (const line of worker.logs) assert.ok(!line.includes(SECRET), line);
  });
});

describe('an unusual value that is right', () => {
  for (const { name, value, host } of GOOD) {
    test(`${name}=${JSON.stringify(value)}`, async () => {
      const { json } = await ask(host, 'POST', '/rpc', call('1'));
      assert.ok(json.result, JSON.stringify(json));
    });
  }
});
