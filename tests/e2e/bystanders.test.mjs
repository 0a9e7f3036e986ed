// One request panics or traps while others are being served (DEMO_FAULTS=on): the culprit is told under its own id, and the
// others do not notice, or are told to come again.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertRestError, assertRpcError } from './support/expect.mjs';
import { collect, frames, openRest, openRpc, outline } from './support/events.mjs';
import { message, parsed, post, rest, rpc, send } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

const INTERNAL = { code: -32603, http: 500, grpc: 'INTERNAL', reason: 'INTERNAL_ERROR', message: 'Internal error' };
const RESET = { ...INTERNAL, reason: 'INSTANCE_RESET', retry: true, headers: undefined };
const TRAPS = ['trap abort', 'trap late', 'trap overflow', 'trap memory', 'trap unreachable'];
const CULPRITS = ['panic', 'panic late', ...TRAPS];

let worker;
before(async () => {
  worker = await startWorker({ vars: { DEMO_FAULTS: 'on' } });
});
after(() => worker.stop());

/** Whether a bystander may have been told to come again: it is no idempotent operation, and had reached the agent. */
function assertBystander(answer, rawId, mayBeReset, check) {
  const error = answer.json?.error;
  const reset = rawId === undefined ? answer.status === 500 && error?.details?.[0]?.reason === 'INSTANCE_RESET' : error?.data?.[0]?.reason === 'INSTANCE_RESET';
  if (!reset) return check();
  assert.ok(mayBeReset, `an idempotent operation was not sent again: ${answer.text}`);
  if (rawId !== undefined) assert.equal(JSON.stringify(answer.json.id), rawId);
  const details = rawId === undefined ? error.details : error.data;
  assert.ok(details.some((detail) => detail['@type'].endsWith('RetryInfo')), 'told when to come again');
  return undefined;
}

/** Twenty requests of all kinds, each with what its answer must be. */
function bystanders(taskId) {
  const started = [];
  const add = (request, check) => started.push(request.then(check));
  for (let index = 0; index < 4; index += 1) {
    const rawId = `"by-${index}"`;
    add(rpc(worker, 'SendMessage', { message: message('slow 300') }, { rawId }), (answer) =>
      assertBystander(answer, rawId, true, () => assert.equal(answer.json.result.task.status.state, 'TASK_STATE_COMPLETED', answer.text)));
    add(rest(worker, 'POST', '/message:send', { body: { message: message('slow 300') } }), (answer) =>
      assertBystander(answer, undefined, true, () => assert.equal(answer.json.task.status.state, 'TASK_STATE_COMPLETED', answer.text)));
    add(rpc(worker, 'GetTask', { id: taskId }, { rawId }), (answer) =>
      assertBystander(answer, rawId, false, () => assert.deepEqual([answer.json.id, answer.json.result.id], [`by-${index}`, taskId])));
    add(rest(worker, 'GET', '/tasks?pageSize=1'), (answer) => assertBystander(answer, undefined, false, () => assert.equal(answer.status, 200, answer.text)));
    add(rpc(worker, 'GetTask', { id: 'no-such-task' }, { rawId }), (answer) =>
      assertRpcError(answer, rawId, { code: -32001, http: 404, grpc: 'NOT_FOUND', reason: 'TASK_NOT_FOUND', message: 'Task not found', metadata: { taskId: 'no-such-task' } }));
  }
  assert.equal(started.length, 20);
  return started;
}

for (const text of CULPRITS) {
  test(`${text}: the culprit, twenty bystanders, and who comes next`, async () => {
    const { id } = await send(worker, 'work');
    const others = bystanders(id);
    assertRpcError(await rpc(worker, 'SendMessage', { message: message(text) }, { rawId: '9007199254740993' }), '9007199254740993', INTERNAL);
    await Promise.all(others);
    assert.equal((await send(worker, 'after')).status.state, 'TASK_STATE_COMPLETED');
  });
}

for (const text of TRAPS) {
  test(`${text}: open streams end with an error event within a second`, async () => {
    const streams = await Promise.all([
      openRest(worker, '/message:stream', { message: message('slow 20000') }),
      openRpc(worker, 'SendStreamingMessage', { message: message('slow 20000') }, { rawId: '"stream"' }),
    ]);
    const events = streams.map((response) => frames(response));
    for (const stream of events) await stream.next();
    const started = performance.now();
    await rpc(worker, 'SendMessage', { message: message(text) });
    const [overRest, overRpc] = await Promise.all(events.map((stream) => collect(stream)));
    assert.ok(performance.now() - started < 1_000 + (text === 'trap memory' ? 4_000 : 0), 'within the second');
    assert.equal(outline(overRest.at(-1)), '!error');
    assert.equal(overRest.at(-1).data.error.details[0].reason, 'INSTANCE_RESET');
    assert.deepEqual([outline(overRpc.at(-1)), overRpc.at(-1).data.id, overRpc.at(-1).data.error.data[0].reason], ['!error', 'stream', 'INSTANCE_RESET']);
  });
}

describe('traps one after the other', () => {
  test('ten at once: each has its answer', async () => {
    const texts = Array.from({ length: 10 }, (_, index) => TRAPS[index % TRAPS.length]).filter((text) => text !== 'trap memory');
    const answers = await Promise.all(texts.map((text, index) => rpc(worker, 'SendMessage', { message: message(text) }, { rawId: String(index) })));
    for (const [index, answer] of answers.entries()) {
      assert.deepEqual([answer.status, answer.json.id, answer.json.error?.code], [200, index, -32603], answer.text);
    }
    assert.equal((await send(worker, 'after')).status.state, 'TASK_STATE_COMPLETED');
  });

  test('in quick succession, between requests that are not at fault', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [trap, fine] = await Promise.all([
        rest(worker, 'POST', '/message:send', { body: { message: message('trap late') } }),
        rest(worker, 'GET', '/tasks?pageSize=1'),
      ]);
      assertRestError(trap, trap.json.error.details[0].reason === 'INSTANCE_RESET' ? { ...RESET, retry: trap.json.error.details.length > 1 } : INTERNAL);
      assert.equal(fine.status, 200, fine.text);
    }
  });

  test('in the background: the next request does not notice, and the death is logged', async () => {
    for (const next of [
      () => rpc(worker, 'GetTask', { id: 'none' }).then((answer) => assert.equal(answer.json.error.code, -32001, answer.text)),
      () => rest(worker, 'GET', '/.well-known/agent-card.json').then((answer) => assert.equal(answer.status, 200, answer.text)),
      () => send(worker, 'hello').then((task) => assert.equal(task.status.state, 'TASK_STATE_COMPLETED')),
    ]) {
      const deaths = () => worker.logs.filter((line) => line.includes('instance_died')).length;
      const before = deaths();
      await send(worker, 'trap late', { configuration: { returnImmediately: true } });
      await worker.waitForLog(() => deaths() > before);
      await next();
    }
  });

  test('in a batch: every member is answered under its id', async () => {
    const call = (id, text) => ({ jsonrpc: '2.0', id, method: 'SendMessage', params: { message: message(text) } });
    for (const text of TRAPS) {
      const answer = await post(worker, [call(1, 'hello'), call('two', text), { jsonrpc: '2.0', method: 'GetTask', params: { id: 'x' } }, call(0, 'hello')]);
      assert.deepEqual(answer.json.map(({ id, error }) => [id, error.code]), [[1, -32603], ['two', -32603], [0, -32603]], text);
    }
  });
});

test('an agent that traps while it is set up answers every request nonetheless', async () => {
  const broken = await startWorker({ vars: { DEMO_FAULTS: 'start' } });
  try {
    for (const rawId of ['1', '""', '9007199254740993']) {
      assertRpcError(await rpc(broken, 'GetTask', { id: 'x' }, { rawId }), rawId, INTERNAL);
    }
    assertRestError(await rest(broken, 'GET', '/tasks/x'), INTERNAL);
    assertRestError(await rest(broken, 'POST', '/message:stream', { body: { message: message('hello') } }), INTERNAL);
    const batch = await broken.fetch('/rpc', { method: 'POST', headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' }, body: '[{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"id":"x"}}]' });
    assert.deepEqual(parsed(await batch.text()).map(({ id, error }) => [id, error.code]), [[7, -32603]]);
  } finally {
    await broken.stop();
  }
});
