// The life of tasks, the same in every store: send, get, list, cancel, and each row of the demo agent's table.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertRestError, assertRpcError } from './support/expect.mjs';
import { message, rest, result, rpc, send } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Specification 5.6.1. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

const notFound = (taskId) => ({ code: -32001, http: 404, grpc: 'NOT_FOUND', reason: 'TASK_NOT_FOUND', message: 'Task not found', metadata: { taskId } });
const notCancelable = (taskId, state) => ({
  code: -32002, http: 400, grpc: 'FAILED_PRECONDITION', reason: 'TASK_NOT_CANCELABLE', message: 'Task is not cancelable', metadata: { taskId, state },
});
const texts = (messages) => messages.map(({ parts }) => parts[0].text);
const ids = (tasks) => tasks.map(({ id }) => id);

let contexts = 0;
/** A context of its own for each test, so that none sees another's tasks. */
const newContext = () => `ctx-${(contexts += 1)}`;

function suite(worker) {
  const get = (id, params) => result(worker(), 'GetTask', { id, ...params });
  const list = (params) => result(worker(), 'ListTasks', params);
  const cancel = (id) => rpc(worker(), 'CancelTask', { id });

  /** Every page of a list, from the first to the one without a token. */
  async function allPages(params) {
    const pages = [];
    let pageToken = '';
    do {
      pages.push(await list({ ...params, ...(pageToken && { pageToken }) }));
      pageToken = pages.at(-1).nextPageToken;
      assert.ok(pages.length < 100, 'the pages end');
    } while (pageToken !== '');
    return pages;
  }

  describe('the demo agent', () => {
    test('completes any other text with an artifact of the same text', async () => {
      for (const text of ['hello', 'workshop', 'please fail', 'é 😀', '{"a":1}', 'a\nb']) {
        const task = await send(worker(), text);
        assert.match(task.id, UUID);
        assert.ok(task.contextId);
        assert.equal(task.status.state, 'TASK_STATE_COMPLETED');
        assert.match(task.status.timestamp, TIMESTAMP);
        assert.equal(task.artifacts.length, 1);
        assert.deepEqual(task.artifacts[0].parts.map((part) => part.text), [text]);
        assert.ok(task.artifacts[0].artifactId);
        assert.equal(task.history[0].role, 'ROLE_USER');
        assert.deepEqual([task.history[0].taskId, task.history[0].contextId], [task.id, task.contextId]);
      }
    });

    test('slow: completes after that many milliseconds', async () => {
      const started = performance.now();
      const task = await send(worker(), 'slow 400');
      // Timers of two processes may differ by a little.
      assert.ok(performance.now() - started >= 390);
      assert.equal(task.status.state, 'TASK_STATE_COMPLETED');
    });

    test('slow requests do not hold up each other or others', async () => {
      const started = performance.now();
      const slow = Array.from({ length: 10 }, () => send(worker(), 'slow 800'));
      await send(worker(), 'hello');
      assert.ok(performance.now() - started < 700, 'another request is answered meanwhile');
      assert.equal(new Set(ids(await Promise.all(slow))).size, 10);
      assert.ok(performance.now() - started < 4000, 'ten wait side by side');
    });

    test('stream: that many chunks, then completed', async () => {
      const task = await send(worker(), 'stream 5');
      assert.equal(task.status.state, 'TASK_STATE_COMPLETED');
    });

    test('work: stays in WORKING until it is cancelled', async () => {
      const task = await send(worker(), 'work');
      assert.equal(task.status.state, 'TASK_STATE_WORKING');
      assert.equal((await get(task.id)).status.state, 'TASK_STATE_WORKING');
      assert.equal((await cancel(task.id)).json.result.status.state, 'TASK_STATE_CANCELED');
      assert.equal((await get(task.id)).status.state, 'TASK_STATE_CANCELED');
    });

    test('ask: the next message with the task id completes it', async () => {
      const task = await send(worker(), 'ask');
      assert.equal(task.status.state, 'TASK_STATE_INPUT_REQUIRED');
      assert.equal(task.status.message.role, 'ROLE_AGENT');
      const answered = await send(worker(), 'forty-two', { task: task.id });
      assert.deepEqual([answered.id, answered.contextId, answered.status.state], [task.id, task.contextId, 'TASK_STATE_COMPLETED']);
      assert.equal(answered.artifacts[0].parts[0].text, 'forty-two');
      const said = texts(answered.history.filter(({ role }) => role === 'ROLE_USER'));
      assert.deepEqual(said, ['ask', 'forty-two']);
    });

    for (const [text, state] of [['fail', 'TASK_STATE_FAILED'], ['reject', 'TASK_STATE_REJECTED']]) {
      test(`${text}: a task in ${state} with a message, and no protocol error`, async () => {
        const task = await send(worker(), text);
        assert.equal(task.status.state, state);
        assert.equal(task.status.message.role, 'ROLE_AGENT');
        assert.notEqual(task.status.message.parts[0].text, '');
        assert.deepEqual(await get(task.id), task);
      });
    }

    test('panics and traps are unsupported while DEMO_FAULTS is off', async () => {
      for (const text of ['panic', 'panic late', 'trap abort', 'trap late', 'trap overflow', 'trap memory', 'trap unreachable']) {
        const answer = await rpc(worker(), 'SendMessage', { message: message(text) });
        assert.equal(answer.json.error?.code, -32004, `${text}: ${answer.text}`);
      }
    });

    test('what fails with a protocol error leaves no task behind', async () => {
      const contextId = newContext();
      for (const text of ['refuse', 'error internal', 'error junk', 'error overloaded']) {
        assert.ok((await rpc(worker(), 'SendMessage', { message: message(text, { contextId }) })).json.error, text);
      }
      assert.equal((await list({ contextId })).totalSize, 0);
    });
  });

  describe('GetTask', () => {
    test('gives the task as it was sent, on both bindings', async () => {
      const task = await send(worker(), 'hello');
      assert.deepEqual(await get(task.id), task);
      assert.deepEqual((await rest(worker(), 'GET', `/tasks/${task.id}`)).json, task);
    });

    test('an unknown id is not found, whatever it looks like', async () => {
      for (const id of ['no-such-task', '00000000-0000-4000-8000-000000000000', 'a/../b', 'é', '__proto__', 'task:x', '*', 'x'.repeat(300), 'x'.repeat(2000)]) {
        const answer = await rpc(worker(), 'GetTask', { id });
        assert.equal(answer.json.error?.code, -32001, answer.text);
        if (id.length < 100) assertRpcError(answer, '1', notFound(id));
      }
    });

    test('historyLength: unset is all, 0 is none, n is the n most recent', async () => {
      const { id } = await send(worker(), 'ask');
      await send(worker(), 'second', { task: id });
      const all = (await get(id)).history;
      assert.ok(all.length >= 2);
      assert.equal('history' in (await get(id, { historyLength: 0 })), false);
      assert.deepEqual((await get(id, { historyLength: 1 })).history, all.slice(-1));
      assert.deepEqual((await get(id, { historyLength: all.length })).history, all);
      assert.deepEqual((await get(id, { historyLength: 100 })).history, all);
    });
  });

  describe('SendMessage', () => {
    test('configuration.historyLength limits the history of the answer, not of the task', async () => {
      const none = await send(worker(), 'ask', { configuration: { historyLength: 0 } });
      assert.equal('history' in none, false);
      assert.equal((await get(none.id)).history.length, 1);
      const last = await send(worker(), 'second', { task: none.id, configuration: { historyLength: 1 } });
      assert.deepEqual(texts(last.history), ['second']);
      assert.ok((await get(none.id)).history.length >= 2);
    });

    test('without a context id one is made, with one it is kept', async () => {
      const [first, second] = [await send(worker(), 'hello'), await send(worker(), 'hello')];
      assert.notEqual(first.contextId, second.contextId);
      const context = newContext();
      assert.equal((await send(worker(), 'hello', { context })).contextId, context);
    });

    test('the context is that of the task, and another is refused', async () => {
      const context = newContext();
      const { id } = await send(worker(), 'ask', { context });
      const mismatch = await rpc(worker(), 'SendMessage', { message: message('x', { taskId: id, contextId: 'ctx-another' }) });
      assert.equal(mismatch.json.error?.code, -32602, mismatch.text);
      assert.deepEqual(mismatch.json.error.data[0].metadata, { fields: 'message.contextId' });
      assert.equal((await get(id)).status.state, 'TASK_STATE_INPUT_REQUIRED', 'the task has not heard of it');
      assert.equal((await get(id)).history.length, 1);
      assert.equal((await send(worker(), 'x', { task: id, context })).contextId, context);
    });

    test('a task that does not exist cannot be continued', async () => {
      for (const taskId of ['no-such-task', '00000000-0000-4000-8000-000000000000']) {
        const body = { message: message('hello', { taskId }) };
        assertRpcError(await rpc(worker(), 'SendMessage', body), '1', notFound(taskId));
        assertRestError(await rest(worker(), 'POST', '/message:send', { body }), notFound(taskId));
      }
    });

    test('a task in a terminal state takes no further message', async () => {
      const canceled = await send(worker(), 'work');
      await cancel(canceled.id);
      const terminal = [await send(worker(), 'hello'), await send(worker(), 'fail'), await send(worker(), 'reject'), canceled];
      for (const { id } of terminal) {
        const before = await get(id);
        const answer = await rpc(worker(), 'SendMessage', { message: message('more', { taskId: id }) });
        assert.deepEqual([answer.json.error?.code, answer.json.error?.data[0].reason], [-32004, 'UNSUPPORTED_OPERATION'], answer.text);
        assert.equal((await rest(worker(), 'POST', '/message:send', { body: { message: message('more', { taskId: id }) } })).status, 400);
        assert.deepEqual(await get(id), before);
      }
    });

    test('the same message id twice makes two tasks', async () => {
      const same = { message: { messageId: 'the-same', role: 'ROLE_USER', parts: [{ text: 'hello' }] } };
      const [first, second] = [await result(worker(), 'SendMessage', same), await result(worker(), 'SendMessage', same)];
      assert.notEqual(first.task.id, second.task.id);
    });
  });

  describe('CancelTask', () => {
    test('cancels what is not at its end, on both bindings', async () => {
      for (const text of ['work', 'ask']) {
        const one = await send(worker(), text);
        assert.equal((await cancel(one.id)).json.result.status.state, 'TASK_STATE_CANCELED');
        const other = await send(worker(), text);
        assert.equal((await rest(worker(), 'POST', `/tasks/${other.id}:cancel`)).json.status.state, 'TASK_STATE_CANCELED');
      }
    });

    test('twice is not cancelable, and the state says why', async () => {
      const { id } = await send(worker(), 'work');
      await cancel(id);
      const expected = notCancelable(id, 'TASK_STATE_CANCELED');
      assertRpcError(await cancel(id), '1', expected);
      assertRestError(await rest(worker(), 'POST', `/tasks/${id}:cancel`), expected);
    });

    test('a task at its end is not cancelable and stays as it is', async () => {
      for (const [text, state] of [['hello', 'TASK_STATE_COMPLETED'], ['fail', 'TASK_STATE_FAILED'], ['reject', 'TASK_STATE_REJECTED']]) {
        const task = await send(worker(), text);
        assertRpcError(await cancel(task.id), '1', notCancelable(task.id, state));
        assert.deepEqual(await get(task.id), task);
      }
    });

    test('an unknown task is not found', async () => {
      assertRpcError(await cancel('no-such-task'), '1', notFound('no-such-task'));
    });
  });

  describe('ListTasks', () => {
    test('by context, newest first', async () => {
      const contextId = newContext();
      const sent = [];
      for (const text of ['a', 'b', 'c']) sent.push(await send(worker(), text, { context: contextId }));
      const { tasks, totalSize, pageSize, nextPageToken } = await list({ contextId });
      assert.deepEqual([totalSize, pageSize, nextPageToken], [3, 50, '']);
      assert.deepEqual(ids(tasks).sort(), ids(sent).sort());
      const times = tasks.map(({ status }) => status.timestamp);
      assert.deepEqual(times, [...times].sort().reverse());
    });

    test('a task that moves on comes first', async () => {
      const contextId = newContext();
      const first = await send(worker(), 'work', { context: contextId });
      // Statuses of one millisecond have no order between them.
      let second;
      do second = await send(worker(), 'work', { context: contextId });
      while (second.status.timestamp <= first.status.timestamp);
      assert.equal((await list({ contextId })).tasks[0].id, second.id);
      const canceled = (await cancel(first.id)).json.result;
      if (canceled.status.timestamp > second.status.timestamp) assert.equal((await list({ contextId })).tasks[0].id, first.id);
    });

    test('an unknown context has no tasks, and is no error', async () => {
      assert.deepEqual(await list({ contextId: 'ctx-never' }), { tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
    });

    test('by state, each of those that the demo knows', async () => {
      const contextId = newContext();
      const byState = {};
      for (const [text, state] of [['work', 'WORKING'], ['ask', 'INPUT_REQUIRED'], ['hello', 'COMPLETED'], ['fail', 'FAILED'], ['reject', 'REJECTED'], ['work', 'CANCELED']]) {
        const { id } = await send(worker(), text, { context: contextId });
        if (state === 'CANCELED') await cancel(id);
        byState[state] = id;
      }
      for (const [state, id] of Object.entries(byState)) {
        const { tasks, totalSize } = await list({ contextId, status: `TASK_STATE_${state}` });
        assert.deepEqual([ids(tasks), totalSize], [[id], 1], state);
      }
      assert.equal((await list({ contextId, status: 'TASK_STATE_AUTH_REQUIRED' })).totalSize, 0);
      assert.equal((await list({ contextId, status: 'TASK_STATE_UNSPECIFIED' })).totalSize, 6, 'unspecified is no filter');
    });

    test('by the time of the status, that time included', async () => {
      const contextId = newContext();
      const sent = [];
      for (let i = 0; i < 5; i += 1) sent.push(await send(worker(), `${i}`, { context: contextId }));
      for (const { status: { timestamp } } of sent) {
        const { tasks } = await list({ contextId, statusTimestampAfter: timestamp });
        assert.deepEqual(ids(tasks).sort(), ids(sent.filter(({ status }) => status.timestamp >= timestamp)).sort());
      }
      assert.equal((await list({ contextId, statusTimestampAfter: '2999-01-01T00:00:00Z' })).totalSize, 0);
    });

    test('filters hold together', async () => {
      const contextId = newContext();
      await send(worker(), 'hello', { context: contextId });
      const { id } = await send(worker(), 'work', { context: contextId });
      await send(worker(), 'work', { context: newContext() });
      const found = await list({ contextId, status: 'TASK_STATE_WORKING', statusTimestampAfter: '2000-01-01T00:00:00Z', pageSize: 1 });
      assert.deepEqual([ids(found.tasks), found.totalSize, found.nextPageToken], [[id], 1, '']);
    });

    test('artifacts only where they are asked for', async () => {
      const contextId = newContext();
      const { id, artifacts } = await send(worker(), 'hello', { context: contextId });
      await send(worker(), 'work', { context: contextId });
      for (const params of [{}, { includeArtifacts: false }]) {
        for (const task of (await list({ contextId, ...params })).tasks) assert.equal('artifacts' in task, false);
      }
      const withThem = (await list({ contextId, includeArtifacts: true })).tasks;
      assert.deepEqual(withThem.find((task) => task.id === id).artifacts, artifacts);
      const rested = await rest(worker(), 'GET', `/tasks?contextId=${contextId}&includeArtifacts=true`);
      assert.deepEqual(rested.json.tasks, withThem);
    });

    test('historyLength as in GetTask', async () => {
      const contextId = newContext();
      const { id } = await send(worker(), 'ask', { context: contextId });
      await send(worker(), 'second', { task: id });
      assert.equal('history' in (await list({ contextId, historyLength: 0 })).tasks[0], false);
      assert.deepEqual(texts((await list({ contextId, historyLength: 1 })).tasks[0].history), ['second']);
    });

    test('in pages: none lost, none doubled, to the end', async () => {
      const contextId = newContext();
      const sent = [];
      for (let i = 0; i < 7; i += 1) sent.push(await send(worker(), i % 2 ? 'work' : 'hello', { context: contextId }));
      for (const pageSize of [1, 2, 3, 7, 100]) {
        const pages = await allPages({ contextId, pageSize });
        assert.equal(pages.length, Math.ceil(7 / pageSize), `pages of ${pageSize}`);
        for (const page of pages) assert.deepEqual([page.totalSize, page.pageSize], [7, pageSize]);
        for (const page of pages.slice(0, -1)) assert.equal(page.tasks.length, pageSize);
        const seen = pages.flatMap(({ tasks }) => tasks);
        assert.deepEqual(ids(seen).sort(), ids(sent).sort());
        const times = seen.map(({ status }) => status.timestamp);
        assert.deepEqual(times, [...times].sort().reverse(), 'newest first over all pages');
      }
      const working = await allPages({ contextId, status: 'TASK_STATE_WORKING', pageSize: 2 });
      assert.deepEqual(working.map(({ tasks, totalSize }) => [tasks.length, totalSize]), [[2, 3], [1, 3]]);
    });

    test('a task that comes between two pages neither doubles nor hides another', async () => {
      const contextId = newContext();
      const sent = [];
      for (let i = 0; i < 4; i += 1) sent.push(await send(worker(), 'hello', { context: contextId }));
      const first = await list({ contextId, pageSize: 2 });
      await send(worker(), 'hello', { context: contextId });
      const second = await list({ contextId, pageSize: 2, pageToken: first.nextPageToken });
      assert.deepEqual(ids([...first.tasks, ...second.tasks]).sort(), ids(sent).sort());
    });

    test('50 to a page when no size is asked for', async () => {
      const contextId = newContext();
      await Promise.all(Array.from({ length: 53 }, () => send(worker(), 'hello', { context: contextId })));
      const pages = await allPages({ contextId });
      assert.deepEqual(pages.map(({ tasks, pageSize }) => [tasks.length, pageSize]), [[50, 50], [3, 50]]);
      assert.equal(new Set(ids(pages.flatMap(({ tasks }) => tasks))).size, 53);
    });

    test('a page token that was not given out is a violation', async () => {
      for (const pageToken of ['x', '!!!', 'AAAA', Buffer.from('x:y').toString('base64url'), 'é', 'a'.repeat(10_000)]) {
        const answer = await rpc(worker(), 'ListTasks', { pageToken });
        assert.equal(answer.json.error?.code, -32602, answer.text.slice(0, 200));
        assert.equal(answer.json.error.data[0].metadata.fields, 'pageToken');
      }
    });
  });
}

for (const store of ['kv', 'durable', 'memory']) {
  describe(`TASK_STORE=${store}`, () => {
    let worker;
    before(async () => {
      worker = await startWorker({ vars: { TASK_STORE: store } });
    });
    after(() => worker.stop());
    suite(() => worker);
  });
}
