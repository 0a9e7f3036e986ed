// examples/conformance-agent behaves as the compatibility kit expects (docs/conformance.md).
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { all, frames, openRest, openRpc, outline, payloads } from './support/events.mjs';
import { rest, rpc } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

let worker;
before(async () => {
  worker = await startWorker({ script: 'examples/conformance-agent/build/worker/shim.mjs', vars: { ENVIRONMENT: 'development' } });
});
after(() => worker.stop());

const message = (messageId, more = {}) => ({ messageId, role: 'ROLE_USER', parts: [{ text: 'tck' }], ...more });
const send = async (id, more) => (await rpc(worker, 'SendMessage', { message: message(id, more) })).json.result;

test('the card has both bindings, caching headers and no unknown key', async () => {
  const answer = await rest(worker, 'GET', '/.well-known/agent-card.json');
  assert.match(answer.headers.get('cache-control'), /max-age=\d+/);
  assert.ok(answer.headers.get('etag') && answer.headers.get('last-modified'));
  assert.deepEqual(answer.json.supportedInterfaces.map(({ protocolBinding }) => protocolBinding).sort(), ['HTTP+JSON', 'JSONRPC']);
  assert.deepEqual([answer.json.capabilities.streaming, answer.json.capabilities.pushNotifications], [true, true]);
});

describe('what a message id asks for', () => {
  test('completed, with the words of the kit', async () => {
    const { task } = await send('tck-complete-task-1');
    assert.equal(task.status.state, 'TASK_STATE_COMPLETED');
    assert.equal(task.status.message.parts[0].text, 'Hello from TCK');
  });

  test('input required, again and again, by the task id alone', async () => {
    const { task } = await send('tck-input-required-1');
    for (let turn = 0; turn < 3; turn += 1) {
      const next = (await send(`tck-input-required-${turn}`, { taskId: task.id })).task;
      assert.deepEqual([next.id, next.contextId, next.status.state], [task.id, task.contextId, 'TASK_STATE_INPUT_REQUIRED']);
    }
  });

  for (const [id, part] of [
    ['tck-artifact-text', { text: 'Generated text content' }],
    ['tck-artifact-file', { raw: Buffer.from('Generated file content').toString('base64'), filename: 'output.txt', mediaType: 'text/plain' }],
    ['tck-artifact-file-url', { url: 'https://example.com/output.txt', filename: 'output.txt', mediaType: 'text/plain' }],
    ['tck-artifact-data', { data: { key: 'value', count: 42 } }],
  ]) {
    test(id, async () => {
      const { task } = await send(`${id}-7`);
      assert.equal(task.status.state, 'TASK_STATE_COMPLETED');
      assert.deepEqual(task.artifacts.map(({ parts }) => parts), [[part]]);
    });
  }

  test('a message instead of a task', async () => {
    const result = await send('tck-message-response-1');
    assert.deepEqual(Object.keys(result), ['message']);
    assert.deepEqual(result.message.parts, [{ text: 'Direct message response' }]);
    const events = await all(await openRest(worker, '/message:stream', { message: message('tck-message-response-2') }));
    assert.deepEqual(events.map(outline), ['message']);
  });

  test('rejected', async () => {
    assert.equal((await send('tck-reject-task-1')).task.status.state, 'TASK_STATE_REJECTED');
  });

  for (const id of ['tck-stream-001', 'tck-stream-003', 'tck-stream-ordering-001']) {
    test(id, async () => {
      const events = await all(await openRpc(worker, 'SendStreamingMessage', { message: message(id) }));
      assert.deepEqual(events.map(outline), ['task SUBMITTED', 'statusUpdate WORKING', 'artifactUpdate', 'statusUpdate COMPLETED']);
    });
  }

  test('tck-stream-002', async () => {
    const events = await all(await openRest(worker, '/message:stream', { message: message('tck-stream-002') }));
    assert.equal(outline(events.at(-1)), 'statusUpdate COMPLETED');
  });

  test('anything else is echoed, and the same id twice is two tasks', async () => {
    const [first, second] = [(await send('m-1')).task, (await send('m-1')).task];
    assert.equal(first.status.state, 'TASK_STATE_COMPLETED');
    assert.notEqual(first.id, second.id);
  });
});

test('snake_case parameters on JSON-RPC, an empty body on :cancel and :subscribe', async () => {
  const { task } = await send('tck-input-required-9');
  const got = await rpc(worker, 'GetTask', { id: task.id, history_length: 0 });
  assert.equal(got.json.result.history, undefined);
  const listed = await rpc(worker, 'ListTasks', { context_id: task.contextId, page_size: 1, include_artifacts: true });
  assert.equal(listed.json.result.tasks[0].id, task.id);
  const stream = frames(await worker.fetch(`/tasks/${task.id}:subscribe`, { method: 'POST', headers: { 'A2A-Version': '1.0' } }));
  assert.deepEqual(payloads([(await stream.next()).value])[0].task.id, task.id);
  const canceled = await rest(worker, 'POST', `/tasks/${task.id}:cancel`);
  assert.equal(canceled.json.status.state, 'TASK_STATE_CANCELED');
  assert.equal(outline((await stream.next()).value), 'statusUpdate CANCELED');
  assert.equal((await stream.next()).done, true);
});

test('a push config on a completed task keeps the id that the client chose', async () => {
  const { task } = await send('tck-complete-task-2');
  const config = { id: 'client-chosen', url: 'http://127.0.0.1:9/hook' };
  const created = await rest(worker, 'POST', `/tasks/${task.id}/pushNotificationConfigs`, { body: config });
  assert.deepEqual(created.json, { ...config, taskId: task.id });
});
