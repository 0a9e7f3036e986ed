// The Durable Object task store (TASK_STORE=durable): races, isolates that share tasks, subscribers, traps. What it has in
// common with the other stores is in tasks.test.mjs and auth.test.mjs.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { assertRestError, assertRpcError } from './support/expect.mjs';
import { collect, frames, openRest, openRpc, outline, payloads } from './support/events.mjs';
import { message, rest, result, rpc, send } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

const INTERNAL = { code: -32603, http: 500, grpc: 'INTERNAL', reason: 'INTERNAL_ERROR', message: 'Internal error' };
const DURABLE = { TASK_STORE: 'durable', LOG_LEVEL: 'error', DEMO_FAULTS: 'on' };

/** Two isolates with the same objects, each by its host name. */
const FIRST = 'first.example';
const SECOND = 'second.example';

let worker;
before(async () => {
  const variants = [{ host: FIRST, vars: DURABLE }, { host: SECOND, vars: DURABLE, objectsOf: FIRST }];
  worker = await startWorker({ variants });
});
after(() => worker.stop());

/** `worker` as it is seen under a host name, which `fetch` would not send. */
const at = (host) => ({ fetch: (target, init) => worker.mf.dispatchFetch(`http://${host}${target}`, init) });

const isolates = [at(FIRST), at(SECOND)];

describe('isolates', () => {
  test('tell each other every step, in order, and a late subscriber misses nothing', async () => {
    const [here, there] = isolates;
    const sender = frames(await openRest(here, '/message:stream', { message: message('stream 20') }));
    const first = (await sender.next()).value;
    const subscriber = frames(await openRpc(there, 'SubscribeToTask', { id: first.data.task.id }));
    const start = payloads([(await subscriber.next()).value])[0].task;
    const [sent, seen] = [payloads(await collect(sender)), payloads(await collect(subscriber))];
    // What happened before the subscription is in the task that it begins with.
    const known = start.artifacts?.[0].parts.length ?? 0;
    assert.deepEqual(seen, sent.slice(known));
    assert.equal(sent.at(-1).statusUpdate.status.state, 'TASK_STATE_COMPLETED');
  });

  test('end each other\'s streams by a cancellation', async () => {
    const [here, there] = isolates;
    const { id } = await send(here, 'work');
    const subscriber = frames(await openRest(here, `/tasks/${id}:subscribe`));
    assert.equal(outline((await subscriber.next()).value), 'task WORKING');
    await rpc(there, 'CancelTask', { id });
    assert.deepEqual((await collect(subscriber)).map(outline), ['statusUpdate CANCELED']);
  });

  test('see what the other has written, at once', async () => {
    const [first, second] = isolates;
    const task = await send(first, 'work');
    assert.deepEqual(await result(second, 'GetTask', { id: task.id }), task);
    assert.equal((await result(second, 'CancelTask', { id: task.id })).status.state, 'TASK_STATE_CANCELED');
    assert.equal((await result(first, 'GetTask', { id: task.id })).status.state, 'TASK_STATE_CANCELED');
    const { tasks } = await result(first, 'ListTasks', { contextId: task.contextId });
    assert.deepEqual(tasks.map(({ status }) => status.state), ['TASK_STATE_CANCELED']);
  });
});

test('tasks outlive the isolate that made them', async (t) => {
  const persist = mkdtempSync(path.join(tmpdir(), 'a2a-edge-durable-'));
  t.after(() => rmSync(persist, { recursive: true, force: true }));
  const first = await startWorker({ persist, vars: DURABLE });
  const task = await send(first, 'work');
  await first.stop();
  const second = await startWorker({ persist, vars: DURABLE });
  t.after(() => second.stop());
  assert.deepEqual(await result(second, 'GetTask', { id: task.id }), task);
  assert.equal((await result(second, 'ListTasks', { contextId: task.contextId })).totalSize, 1);
  assert.equal((await result(second, 'CancelTask', { id: task.id })).status.state, 'TASK_STATE_CANCELED');
});

describe('races', () => {
  const RACES = 200;

  test(`of ${RACES} times cancel against complete, one wins and the other is told so`, async () => {
    const race = async (_, number) => {
      const [canceler, completer] = number % 2 ? isolates : isolates.toReversed();
      const { id, contextId } = await send(canceler, 'ask', { context: 'races' });
      const cancel = () => rpc(canceler, 'CancelTask', { id });
      const complete = () => rpc(completer, 'SendMessage', { message: message('done', { taskId: id, contextId }) });
      const [canceled, completed] = await Promise.all([cancel(), complete()]);
      const { status } = await result(completer, 'GetTask', { id });
      if (status.state === 'TASK_STATE_CANCELED') {
        assert.equal(canceled.json.result?.status.state, 'TASK_STATE_CANCELED', canceled.text);
        // It came when the task had ended, or lost the write and shows the end that stands.
        if (completed.json.error) assert.equal(completed.json.error.data[0].reason, 'UNSUPPORTED_OPERATION', completed.text);
        else assert.deepEqual(completed.json.result.task.status, status);
      } else {
        assert.equal(status.state, 'TASK_STATE_COMPLETED');
        assert.equal(completed.json.result?.task.status.state, 'TASK_STATE_COMPLETED', completed.text);
        assertRpcError(canceled, '1', {
          code: -32002, reason: 'TASK_NOT_CANCELABLE', message: 'Task is not cancelable', metadata: { taskId: id, state: 'TASK_STATE_COMPLETED' },
        });
      }
      return status.state;
    };
    const states = await Promise.all(Array.from({ length: RACES }, race));
    for (const status of ['TASK_STATE_CANCELED', 'TASK_STATE_COMPLETED']) {
      const { totalSize } = await result(isolates[0], 'ListTasks', { contextId: 'races', status });
      assert.equal(totalSize, states.filter((state) => state === status).length, `${status} in the index`);
    }
    assert.equal((await result(isolates[0], 'ListTasks', { contextId: 'races' })).totalSize, RACES, 'none lost, none doubled');
  });

  test('of two cancels, one is too late', async () => {
    await Promise.all(Array.from({ length: 50 }, async () => {
      const { id } = await send(isolates[0], 'work', { context: 'two-cancels' });
      const answers = await Promise.all(isolates.map((isolate) => rpc(isolate, 'CancelTask', { id })));
      assert.equal(answers.filter(({ json }) => json.result).length, 1);
      const [late] = answers.filter(({ json }) => json.error);
      assert.equal(late.json.error.code, -32002);
    }));
  });
});

// One object by itself, in the words of src/worker/durable/messages.rs.
describe('the object of a task', () => {
  const TTL_MS = 60_000;
  let writes = 0;
  const put = (base, task, { verb = 'put', ttlMs = TTL_MS, events = '' } = {}) => {
    writes += 1;
    return `${verb} ${base} ${ttlMs} w${writes} index\n+ ${base + 1} 0 TASK_STATE_WORKING context t\n${events}\n${task}`;
  };

  /** A function that asks the object of this name. */
  async function object(name) {
    const namespace = await worker.mf.getDurableObjectNamespace('TASK_OBJECTS', FIRST);
    const stub = namespace.get(namespace.idFromName(name));
    return (body) => stub.fetch('http://object/', { method: 'POST', body });
  }
  const text = async (response) => (await response).text();

  /** Reads a stream line by line. */
  function lines(response) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    const next = async () => {
      while (!rest.includes('\n')) {
        const { done, value } = await reader.read();
        if (done) return undefined;
        rest += value;
      }
      const end = rest.indexOf('\n');
      const line = rest.slice(0, end);
      rest = rest.slice(end + 1);
      return line;
    };
    return { next, cancel: () => reader.cancel() };
  }

  test('takes one of 200 writes that are based on the same revision', async () => {
    const ask = await object('contended');
    assert.equal(await text(ask(put(0, '{}'))), 'written 1');
    const answers = await Promise.all(Array.from({ length: 200 }, (_, number) => text(ask(put(1, `{"writer":${number}}`)))));
    const winners = answers.flatMap((answer, number) => (answer === 'written 2' ? [number] : []));
    assert.equal(winners.length, 1);
    assert.equal(answers.filter((answer) => answer === 'conflict').length, 199);
    assert.equal(await text(ask('get')), `task 2\n{"writer":${winners[0]}}`);
  });

  test('tells all subscribers every change, after the task as it stood', async () => {
    const ask = await object('subscribed');
    assert.equal(await text(ask('subscribe')), 'nothing');
    await text(ask(put(0, '{"v":1}')));
    const early = lines(await ask('subscribe'));
    assert.equal(await early.next(), '1 {"v":1}');
    await text(ask(put(1, '{"v":2}', { events: '[2]' })));
    const late = lines(await ask('subscribe'));
    assert.equal(await late.next(), '2 {"v":2}');
    for (let v = 3; v <= 40; v += 1) await text(ask(put(v - 1, `{"v":${v}}`, { verb: 'step', events: `[${v}]` })));
    for (let v = 2; v <= 40; v += 1) assert.equal(await early.next(), `${v} [${v}]`);
    for (let v = 3; v <= 40; v += 1) assert.equal(await late.next(), `${v} [${v}]`);
    await early.cancel();
    assert.equal(await text(ask(put(40, '{}', { events: '[41]' }))), 'written 41');
    assert.equal(await late.next(), '41 [41]');
    await late.cancel();
  });

  test('takes tasks that are larger than a row', async () => {
    const ask = await object('large');
    const task = JSON.stringify('\u20AC'.repeat(2_000_000));
    assert.equal(await text(ask(put(0, task))), 'written 1');
    assert.equal(await text(ask('get')), `task 1\n${task}`);
    const subscription = lines(await ask('subscribe'));
    assert.equal(await subscription.next(), `1 ${task}`);
    await text(ask(put(1, '{}', { events: '[1]' })));
    assert.equal(await subscription.next(), '2 [1]');
    await subscription.cancel();
  });

  test('forgets an expired task', async () => {
    const ask = await object('expired');
    assert.equal(await text(ask(put(0, '{}', { ttlMs: 1 }))), 'written 1');
    for (;;) {
      const answer = await text(ask('get'));
      if (answer === 'nothing') break;
      assert.equal(answer, 'task 1\n{}');
    }
    assert.equal(await text(ask(put(0, '{"new":1}'))), 'written 1');
  });

  test('answers what is no request with a failure that quotes nothing, and changes nothing', async () => {
    const ask = await object('garbled');
    await text(ask(put(0, '{}')));
    for (const body of ['', 'canary', 'put 1', put(1, '{}').replace('put 1', 'put canary')]) {
      const response = await ask(body);
      assert.equal(response.status, 500);
      assert.doesNotMatch(await response.text(), /canary/);
    }
    assert.equal(await text(ask('get')), 'task 1\n{}');
  });

  test('and its subscribers survive when the instance dies', async () => {
    const ask = await object('survivor');
    await text(ask(put(0, '{}')));
    const subscription = lines(await ask('subscribe'));
    assert.equal(await subscription.next(), '1 {}');
    for (let base = 1; base <= 3; base += 1) {
      assertRpcError(await rpc(isolates[0], 'SendMessage', { message: message('trap abort') }), '1', INTERNAL);
      assert.equal(await text(ask(put(base, '{}', { events: '["after"]' }))), `written ${base + 1}`);
      assert.equal(await subscription.next(), `${base + 1} ["after"]`);
    }
    await subscription.cancel();
  });
});

test('when a binding is missing, every request is an internal error and the log names it', async (t) => {
  const unbound = await startWorker({ vars: DURABLE, durable: false });
  t.after(() => unbound.stop());
  assertRpcError(await rpc(unbound, 'ListTasks', {}, { rawId: '"unbound"' }), '"unbound"', INTERNAL);
  assertRestError(await rest(unbound, 'GET', '/tasks'), INTERNAL);
  assert.ok(await unbound.waitForLog((line) => line.includes('TASK_OBJECTS')));
});
