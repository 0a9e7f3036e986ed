// What the KV task store writes, and what becomes of requests when KV fails (TASK_STORE=kv, TASK_TTL_S).
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { assertRestError, assertRpcError, assertRpcErrorObject } from './support/expect.mjs';
import { SECRET, startFaultyKv } from './support/faulty-kv.mjs';
import { A2A_TYPE, PROBLEM_TYPE, message, post, rest, result, rpc, send } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

const INTERNAL = { code: -32603, http: 500, grpc: 'INTERNAL', reason: 'INTERNAL_ERROR', message: 'Internal error' };

async function everyKey(worker) {
  const kv = await worker.kv();
  return (await kv.list()).keys;
}

describe('time to live', () => {
  const TTL_S = 3600;
  let worker, forDefault;
  before(async () => {
    [worker, forDefault] = await Promise.all([startWorker({ vars: { TASK_TTL_S: String(TTL_S) } }), startWorker()]);
  });
  after(() => Promise.all([worker.stop(), forDefault.stop()]));

  test('every key expires after TASK_TTL_S, or a week when that is unset', async () => {
    for (const [of, ttl] of [[worker, TTL_S], [forDefault, 7 * 24 * 3600]]) {
      await send(of, 'hello');
      const keys = await everyKey(of);
      assert.ok(keys.length >= 1);
      for (const { name, expiration } of keys) {
        const left = expiration - Date.now() / 1000;
        assert.ok(left > ttl - 60 && left <= ttl + 1, `${name} has ${left} s left`);
      }
    }
  });

  test('keys hold no caller’s name and no text of a message', async () => {
    await send(worker, 'canary-in-kv-key');
    for (const key of await everyKey(worker)) assert.ok(!JSON.stringify(key).includes('canary-in-kv-key'));
  });
});

test('tasks outlive the isolate that made them', async (t) => {
  const persist = mkdtempSync(path.join(tmpdir(), 'a2a-edge-kv-'));
  t.after(() => rmSync(persist, { recursive: true, force: true }));
  const first = await startWorker({ persist });
  const task = await send(first, 'work');
  await first.stop();
  const second = await startWorker({ persist });
  t.after(() => second.stop());
  assert.deepEqual(await result(second, 'GetTask', { id: task.id }), task);
  assert.equal((await result(second, 'CancelTask', { id: task.id })).status.state, 'TASK_STATE_CANCELED');
});

describe('when KV fails for good', () => {
  let worker;
  before(async () => {
    worker = await startFaultyKv({ get: 'fail', put: 'fail', list: 'fail' });
  });
  after(() => worker.stop());

  test('every operation that needs it is an internal error, and says no more', async () => {
    for (const answer of [
      await rpc(worker, 'GetTask', { id: 'x' }), await rpc(worker, 'ListTasks', {}), await rpc(worker, 'CancelTask', { id: 'x' }),
      await rpc(worker, 'SendMessage', { message: message('hello') }), await rpc(worker, 'SendMessage', { message: message('hello', { taskId: 'x' }) }),
    ]) {
      assertRpcError(answer, '1', INTERNAL);
      assert.ok(!answer.text.includes(SECRET));
    }
    for (const [form, Accept] of [['both', '*/*'], ['problem', PROBLEM_TYPE], ['status', A2A_TYPE]]) {
      const headers = { Accept };
      const body = { message: message('hello') };
      for (const answer of [await rest(worker, 'GET', '/tasks/x', { headers }), await rest(worker, 'GET', '/tasks', { headers }), await rest(worker, 'POST', '/message:send', { headers, body })]) {
        assertRestError(answer, INTERNAL, form);
        assert.ok(!answer.text.includes(SECRET));
      }
    }
    const [member] = (await post(worker, [{ jsonrpc: '2.0', id: 1, method: 'ListTasks' }])).json;
    assertRpcErrorObject(member, INTERNAL);
    assert.ok(!JSON.stringify(member).includes(SECRET));
  });

  test('what needs no task works all the same', async () => {
    assert.equal((await rest(worker, 'GET', '/.well-known/agent-card.json')).status, 200);
    assertRpcError(await rpc(worker, 'GetTask', {}), '1', {
      code: -32602, reason: 'INVALID_PARAMS', message: 'Invalid parameters', metadata: { fields: 'id' }, violations: ['id'],
    });
  });
});

describe('when KV refuses writes for their number', () => {
  test('a write is tried again until it is done', async (t) => {
    const worker = await startFaultyKv({ put: 'twice' });
    t.after(() => worker.stop());
    const task = await send(worker, 'work');
    assert.equal(task.status.state, 'TASK_STATE_WORKING');
    assert.equal((await result(worker, 'GetTask', { id: task.id })).id, task.id);
    assert.equal((await result(worker, 'CancelTask', { id: task.id })).status.state, 'TASK_STATE_CANCELED');
  });
});

test('when there is no KV, every request is an internal error and the log names the binding', async (t) => {
  const worker = await startWorker({ kv: false });
  t.after(() => worker.stop());
  assertRpcError(await rpc(worker, 'ListTasks', {}, { rawId: '"no-kv"' }), '"no-kv"', INTERNAL);
  assertRestError(await rest(worker, 'GET', '/tasks'), INTERNAL);
  assert.ok(await worker.waitForLog((line) => line.includes('TASKS')));
});
