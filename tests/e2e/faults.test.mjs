// Panics and traps (DEMO_FAULTS=on): the request that met one is told so under its own id, and no request after it notices.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertRestError, assertRpcError } from './support/expect.mjs';
import { linesOf, linesUntilNow } from './support/logs.mjs';
import { message, rest, rpc, send } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

const INTERNAL = { code: -32603, http: 500, grpc: 'INTERNAL', reason: 'INTERNAL_ERROR', message: 'Internal error' };
/** What the demo panics with. */
const SECRET = 'hunter2';
const TEXTS = ['panic', 'panic late', 'trap abort', 'trap late', 'trap overflow', 'trap memory', 'trap unreachable'];

let worker;
before(async () => {
  worker = await startWorker({ vars: { DEMO_FAULTS: 'on' } });
});
after(() => worker.stop());

for (const text of TEXTS) {
  describe(text, () => {
    test('is an internal error on both bindings, and the next request is served', async () => {
      for (const rawId of ['9007199254740993', '""']) {
        const answer = await rpc(worker, 'SendMessage', { message: message(text) }, { rawId });
        assertRpcError(answer, rawId, INTERNAL);
        assert.ok(!answer.text.includes(SECRET));
        assert.equal((await send(worker, 'after')).status.state, 'TASK_STATE_COMPLETED');
      }
      const answer = await rest(worker, 'POST', '/message:send', { body: { message: message(text) } });
      assertRestError(answer, INTERNAL);
      assert.ok(!answer.text.includes(SECRET));
      assert.equal((await rest(worker, 'GET', '/tasks?pageSize=1')).status, 200);
    });

    test('leaves no other request without an answer', async () => {
      const bystanders = Array.from({ length: 5 }, (_, index) => rpc(worker, 'SendMessage', { message: message('slow 300') }, { rawId: `"by-${index}"` }));
      const culprit = await rpc(worker, 'SendMessage', { message: message(text) }, { rawId: '"culprit"' });
      assertRpcError(culprit, '"culprit"', INTERNAL);
      for (const [index, answer] of (await Promise.all(bystanders)).entries()) {
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.json.id, `by-${index}`);
        if (answer.json.error) assert.equal(answer.json.error.code, -32603);
        else assert.equal(answer.json.result.task.status.state, 'TASK_STATE_COMPLETED');
      }
    });
  });
}

test('tasks in KV are still there', async () => {
  const { id } = await send(worker, 'work');
  for (const text of TEXTS) await rpc(worker, 'SendMessage', { message: message(text) });
  assert.equal((await rpc(worker, 'GetTask', { id })).json.result.status.state, 'TASK_STATE_WORKING');
});

test('the log says what ended an instance', async () => {
  // WebAssembly's own stack lies where it runs out of the memory's bounds.
  const causes = { 'trap unreachable': 'unreachable', 'trap overflow': 'memory access out of bounds' };
  for (const [text, cause] of Object.entries(causes)) {
    const lines = await linesOf(worker, () => rpc(worker, 'SendMessage', { message: message(text) }));
    const deaths = lines.filter((line) => line.includes('instance_died')).map((line) => JSON.parse(line));
    assert.deepEqual(deaths, [{ level: 'error', event: 'instance_died', cause }]);
  }
});

test('the text of a panic is in no line of the log', async () => {
  await rpc(worker, 'SendMessage', { message: message('panic') });
  const lines = await linesUntilNow(worker);
  assert.ok(lines.some((line) => line.includes('-32603')), 'panics are logged');
  for (const line of lines) assert.ok(!line.includes(SECRET), line);
});

test('a developer reads the text of a panic on the console, and no caller does', async () => {
  const developing = await startWorker({ vars: { DEMO_FAULTS: 'on', ENVIRONMENT: 'development' } });
  try {
    const answer = await rpc(developing, 'SendMessage', { message: message('panic') });
    assertRpcError(answer, '1', INTERNAL);
    assert.ok(!answer.text.includes(SECRET));
    await developing.waitForLog((line) => line.includes(SECRET));
  } finally {
    await developing.stop();
  }
});
