// examples/own-agent: the library used from outside, by its public interface alone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRestError, assertRpcError } from './support/expect.mjs';
import { bare, rest, send } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

let worker;
before(async () => {
  worker = await startWorker({ script: 'examples/own-agent/build/worker/shim.mjs' });
});
after(() => worker.stop());

const JSON_HEADERS = { 'Content-Type': 'application/json', 'A2A-Version': '1.0' };
const message = (text) => ({ message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text }] } });

function call(method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'own', method, params });
  return bare(worker, 'POST', '/rpc', { headers: JSON_HEADERS, body });
}

test('it counts words, and keeps the task in KV', async () => {
  const { result } = (await call('SendMessage', message('one two three'))).json;
  assert.equal(result.task.status.state, 'TASK_STATE_COMPLETED');
  assert.deepEqual(result.task.artifacts[0].parts, [{ text: '3' }]);
  const kept = await bare(worker, 'GET', `/tasks/${result.task.id}`, { headers: JSON_HEADERS });
  assert.deepEqual(kept.json, result.task);
});

test('its own error is on the wire as it raised it, on both bindings', async () => {
  const expected = {
    code: -32602,
    http: 400,
    grpc: 'INVALID_ARGUMENT',
    reason: 'INVALID_PARAMS',
    message: 'message must contain text',
    metadata: { fields: 'message.parts' },
    violations: ['message.parts'],
  };
  assertRpcError(await call('SendMessage', message(' ')), '"own"', expected);
  const rest = await bare(worker, 'POST', '/message:send', { headers: JSON_HEADERS, body: JSON.stringify(message(' ')) });
  assertRestError(rest, expected);
});

test('what it does not implement is answered for it', async () => {
  assertRpcError(await call('CancelTask', { id: 'x' }), '"own"', {
    code: -32004,
    http: 400,
    grpc: 'FAILED_PRECONDITION',
    reason: 'UNSUPPORTED_OPERATION',
    message: 'Operation not supported: CancelTask',
    metadata: { operation: 'CancelTask' },
  });
});

test('its Durable Object classes come with it, behind worker-build’s own main module', async (t) => {
  const script = 'examples/own-agent/build/worker/shim.mjs';
  const durable = await startWorker({ script, durable: true, vars: { TASK_STORE: 'durable' } });
  t.after(() => durable.stop());
  const task = await send(durable, 'one two three');
  assert.equal(task.status.state, 'TASK_STATE_COMPLETED');
  assert.deepEqual((await rest(durable, 'GET', `/tasks/${task.id}`)).json, task);
});
