// SendStreamingMessage and SubscribeToTask on real workerd (specification 3.1.2, 3.1.6, 9.4.2, 11.7).
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';
import { assertRestError, assertRpcError } from './support/expect.mjs';
import { all, collect, frames, openRest, openRpc, outline, payloads } from './support/events.mjs';
import { linesUntilNow } from './support/logs.mjs';
import { message, parsed, rest, rpc, send } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

const INTERNAL = { code: -32603, http: 500, grpc: 'INTERNAL', reason: 'INTERNAL_ERROR', message: 'Internal error' };
const LIFE = ['task SUBMITTED', 'artifactUpdate', 'artifactUpdate', 'artifactUpdate', 'statusUpdate COMPLETED'];

const read = async (response) => {
  const text = await response.text();
  const contentType = response.headers.get('content-type');
  return { status: response.status, headers: response.headers, contentType, text, json: parsed(text) };
};

/** Until `condition` holds, asking the worker again and again. */
async function until(condition, what, patience = 10_000) {
  const deadline = performance.now() + patience;
  while (performance.now() < deadline) {
    if (await condition()) return;
  }
  assert.fail(`never: ${what}`);
}

for (const TASK_STORE of ['memory', 'kv', 'durable']) {
  describe(`store ${TASK_STORE}`, () => {
    let worker;
    before(async () => {
      worker = await startWorker({ vars: { TASK_STORE, DEMO_FAULTS: 'on' } });
    });
    after(() => worker.stop());

    const state = async (id) => (await rpc(worker, 'GetTask', { id })).json.result.status.state;

    test('a task is told from its beginning to its end, in order, on both bindings', async () => {
      const overRest = await all(await openRest(worker, '/message:stream', { message: message('stream 3') }));
      assert.deepEqual(overRest.map(outline), LIFE);
      const overRpc = await all(await openRpc(worker, 'SendStreamingMessage', { message: message('stream 3') }, { rawId: '9007199254740993' }));
      assert.deepEqual(overRpc.map(outline), LIFE);
      for (const events of [payloads(overRest), payloads(overRpc)]) {
        const { id, contextId } = events[0].task;
        const chunks = events.slice(1, 4).map(({ artifactUpdate }) => artifactUpdate);
        assert.deepEqual(chunks.map((chunk) => [chunk.taskId, chunk.contextId]), Array(3).fill([id, contextId]));
        assert.deepEqual(chunks.map((chunk) => chunk.artifact.parts[0].text), ['chunk 1 of 3\n', 'chunk 2 of 3\n', 'chunk 3 of 3\n']);
        const task = (await rpc(worker, 'GetTask', { id })).json.result;
        assert.deepEqual(task.status, events[4].statusUpdate.status);
        assert.equal(task.artifacts[0].parts.length, 3);
      }
    });

    test('ids of 64 bits, empty ones and fractions stand in every event', async () => {
      for (const rawId of ['9007199254740993', '""', '0', '1.5']) {
        const response = await openRpc(worker, 'SendStreamingMessage', { message: message('hello') }, { rawId });
        const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
        assert.equal(lines.length, 3);
        for (const line of lines) assert.ok(line.startsWith(`data: {"jsonrpc":"2.0","id":${rawId},`), line);
      }
    });

    test('an error before the first event is a plain answer', async () => {
      for (const text of ['refuse', 'panic', 'trap abort']) {
        const expected = text === 'refuse'
          ? { code: -32004, http: 400, grpc: 'FAILED_PRECONDITION', reason: 'UNSUPPORTED_OPERATION', message: 'The demo was asked to refuse this' }
          : INTERNAL;
        assertRpcError(await read(await openRpc(worker, 'SendStreamingMessage', { message: message(text) }, { rawId: '""' })), '""', expected);
        assertRestError(await read(await openRest(worker, '/message:stream', { message: message(text) })), expected);
      }
    });

    test('a later error is an event with the id, and the stream ends', async () => {
      for (const text of ['panic late', 'trap late']) {
        const overRpc = await all(await openRpc(worker, 'SendStreamingMessage', { message: message(text) }, { rawId: '"late"' }));
        assert.deepEqual(overRpc.map(outline), ['task SUBMITTED', '!error'], text);
        const { data } = overRpc[1];
        assert.deepEqual([data.id, data.error.code, data.error.message], ['late', -32603, 'Internal error']);
        const overRest = await all(await openRest(worker, '/message:stream', { message: message(text) }));
        assert.deepEqual(overRest.map(outline), ['task SUBMITTED', '!error'], text);
        const { error } = overRest[1].data;
        assert.deepEqual([error.code, error.status, error.message], [500, 'INTERNAL', 'Internal error']);
        assert.equal((await send(worker, 'after')).status.state, 'TASK_STATE_COMPLETED');
      }
    });

    test('two subscribers see the same, and a late one the task first', async () => {
      const sender = frames(await openRest(worker, '/message:stream', { message: message('work') }));
      const { id } = (await sender.next()).value.data.task;
      assert.equal(outline((await sender.next()).value), 'statusUpdate WORKING');
      const first = frames(await openRest(worker, `/tasks/${id}:subscribe`));
      const second = frames(await openRpc(worker, 'SubscribeToTask', { id }));
      const [a, b] = [payloads([(await first.next()).value])[0], payloads([(await second.next()).value])[0]];
      assert.deepEqual(a, b);
      assert.equal(a.task.status.state, 'TASK_STATE_WORKING');
      await rpc(worker, 'CancelTask', { id });
      const rests = [payloads(await collect(sender)), payloads(await collect(first)), payloads(await collect(second))];
      assert.equal(rests[0].length, 1);
      assert.equal(rests[0][0].statusUpdate.status.state, 'TASK_STATE_CANCELED');
      assert.deepEqual(rests[1], rests[0]);
      assert.deepEqual(rests[2], rests[0]);
      const refused = { code: -32004, http: 400, grpc: 'FAILED_PRECONDITION', reason: 'UNSUPPORTED_OPERATION', message: 'Task is in a terminal state', metadata: { taskId: id, state: 'TASK_STATE_CANCELED' } };
      assertRestError(await read(await openRest(worker, `/tasks/${id}:subscribe`)), refused);
      assertRpcError(await read(await openRpc(worker, 'SubscribeToTask', { id })), '1', refused);
    });

    test('GET subscribes too', async () => {
      const { id } = await send(worker, 'ask');
      const events = frames(await openRest(worker, `/tasks/${id}:subscribe`, undefined, { method: 'GET' }));
      assert.equal(outline((await events.next()).value), 'task INPUT_REQUIRED');
      await send(worker, 'forty-two', { task: id });
      assert.deepEqual((await collect(events)).map(outline), ['statusUpdate WORKING', 'artifactUpdate', 'statusUpdate COMPLETED']);
    });

    test('returnImmediately answers at once, and the work is done all the same', async () => {
      const started = performance.now();
      const task = await send(worker, 'slow 600', { configuration: { returnImmediately: true } });
      assert.ok(performance.now() - started < 500, 'it did not wait');
      assert.ok(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'].includes(task.status.state), task.status.state);
      const events = await all(await openRest(worker, `/tasks/${task.id}:subscribe`));
      assert.equal(outline(events.at(-1)), 'statusUpdate COMPLETED');
      assert.equal(await state(task.id), 'TASK_STATE_COMPLETED');
    });

    test('work in the background that panics fails its task, and is logged once', async () => {
      const before = (await linesUntilNow(worker)).filter((line) => line.includes('panic at')).length;
      const task = await send(worker, 'panic late', { configuration: { returnImmediately: true } });
      await until(async () => (await state(task.id)) === 'TASK_STATE_FAILED', 'failed');
      const lines = (await linesUntilNow(worker)).filter((line) => line.includes('panic at'));
      assert.equal(lines.length - before, 1);
      assert.ok(!lines.join('').includes('hunter2'));
    });

    test('who leaves stops the work, unless another watches', async () => {
      for (const watched of [false, true]) {
        const leaving = new AbortController();
        const sender = frames(await openRest(worker, '/message:stream', { message: message('stream 100') }, { signal: leaving.signal }));
        const { id } = (await sender.next()).value.data.task;
        await sender.next();
        const watching = watched ? all(await openRest(worker, `/tasks/${id}:subscribe`)) : undefined;
        leaving.abort();
        if (watched) {
          assert.equal(outline((await watching).at(-1)), 'statusUpdate COMPLETED');
        } else {
          await until(async () => (await state(id)) === 'TASK_STATE_CANCELED', 'cancelled');
        }
      }
    });
  });
}

/** Opens a stream on a connection of its own and cuts it after so many bytes of the answer. Resolves when it is cut. */
function cutAfter(worker, bytes, text) {
  const { hostname, port } = new URL(worker.url);
  const body = JSON.stringify({ message: message(text) });
  const head = `POST /message:stream HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    let seen = 0;
    const socket = net.connect(Number(port), hostname, () => socket.write(head + body));
    socket.on('data', (chunk) => {
      seen += chunk.length;
      if (seen >= bytes) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(seen));
  });
}

test('a stream that is cut at any byte leaves nothing running', async () => {
  const worker = await startWorker({ vars: { TASK_STORE: 'memory' } });
  try {
    // A task that goes on for ten seconds, cut at each byte of its head, its first events and what lies between them.
    const cuts = Array.from({ length: 960 }, (_, index) => 1 + index);
    for (let start = 0; start < cuts.length; start += 24) {
      await Promise.all(cuts.slice(start, start + 24).map((bytes) => cutAfter(worker, bytes, 'stream 1000')));
    }
    const open = async () => {
      let count = 0;
      for (const status of ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']) {
        count += (await rest(worker, 'GET', `/tasks?status=${status}&pageSize=1`)).json.totalSize;
      }
      return count;
    };
    // Who leaves while the head is being sent is noticed by other requests alone, after thirty seconds.
    await until(async () => (await open()) === 0, 'no task left open', 50_000);
    const { totalSize } = (await rest(worker, 'GET', '/tasks?status=TASK_STATE_CANCELED&pageSize=1')).json;
    assert.ok(totalSize > cuts.length / 4, `${totalSize} were cancelled: the others had not begun`);
    assert.equal((await send(worker, 'after')).status.state, 'TASK_STATE_COMPLETED');
  } finally {
    await worker.stop();
  }
});
