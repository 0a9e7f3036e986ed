// Push notifications from real workerd to a real webhook (specification 4.3), in each store.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, describe, test } from 'node:test';
import { assertRestError } from './support/expect.mjs';
import { all, openRest, payloads } from './support/events.mjs';
import { linesUntilNow } from './support/logs.mjs';
import { message, parsed, rest, rpc, send } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

const SECRET = 'canary-credentials-51';

/** A webhook that answers with the statuses it is given, and then with 200. */
async function hook() {
  const seen = [];
  const waiting = new Set();
  const statuses = [];
  const server = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    seen.push({ method: request.method, url: request.url, headers: request.headers, body: parsed(Buffer.concat(chunks).toString()) });
    response.writeHead(statuses.shift() ?? 200, { Location: '/elsewhere' }).end('no matter what');
    for (const look of waiting) look();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}/hook`;
  /** Waits until so many requests have come in. */
  const count = (wanted) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${seen.length} of ${wanted} notifications: ${JSON.stringify(seen)}`)), 15_000);
      const look = () => {
        if (seen.length < wanted) return;
        clearTimeout(timer);
        waiting.delete(look);
        resolve(seen);
      };
      waiting.add(look);
      look();
    });
  return { url, seen, statuses, count, close: () => new Promise((resolve) => server.close(resolve)) };
}

for (const TASK_STORE of ['memory', 'kv', 'durable']) {
  describe(`store ${TASK_STORE}`, () => {
    let worker, receiver;
    before(async () => {
      worker = await startWorker({ vars: { TASK_STORE, AGENT_PUSH: 'on', ENVIRONMENT: 'development' }, durable: true });
    });
    after(() => worker.stop());

    const withReceiver = (name, run) =>
      test(name, async () => {
        receiver = await hook();
        try {
          await run();
        } finally {
          await receiver.close();
        }
      });

    withReceiver('a config of the message is told all that happens, with its secrets in the headers', async () => {
      const config = { url: receiver.url, token: 't-1', authentication: { scheme: 'Bearer', credentials: SECRET } };
      const body = { message: message('stream 2'), configuration: { taskPushNotificationConfig: config } };
      const events = payloads(await all(await openRest(worker, '/message:stream', body)));
      const seen = await receiver.count(events.length);
      assert.deepEqual(seen.map(({ body: told }) => told), events);
      for (const { method, url, headers } of seen) {
        assert.deepEqual([method, url, headers['content-type']], ['POST', '/hook', 'application/a2a+json']);
        assert.deepEqual([headers.authorization, headers['x-a2a-notification-token']], [`Bearer ${SECRET}`, 't-1']);
      }
    });

    withReceiver('a config that is created later is told of a cancellation', async () => {
      const { id } = await send(worker, 'work');
      const created = await rest(worker, 'POST', `/tasks/${id}/pushNotificationConfigs`, { body: { id: 'mine', url: receiver.url } });
      assert.deepEqual(created.json, { id: 'mine', taskId: id, url: receiver.url });
      assert.deepEqual((await rpc(worker, 'GetTaskPushNotificationConfig', { taskId: id, id: 'mine' })).json.result, created.json);
      assert.deepEqual((await rpc(worker, 'ListTaskPushNotificationConfigs', { taskId: id })).json.result.configs, [created.json]);
      await rpc(worker, 'CancelTask', { id });
      const [{ body }] = await receiver.count(1);
      assert.equal(body.statusUpdate.status.state, 'TASK_STATE_CANCELED');
      for (let again = 0; again < 2; again += 1) {
        assert.deepEqual((await rpc(worker, 'DeleteTaskPushNotificationConfig', { taskId: id, id: 'mine' })).json.result, {});
      }
      assert.deepEqual((await rpc(worker, 'ListTaskPushNotificationConfigs', { taskId: id })).json.result.configs ?? [], []);
    });

    withReceiver('a webhook that fails is tried again, and the task does not wait for it', async () => {
      receiver.statuses.push(503, 500);
      const started = performance.now();
      const configuration = { taskPushNotificationConfig: { url: receiver.url } };
      const task = await send(worker, 'hello', { configuration });
      assert.equal(task.status.state, 'TASK_STATE_COMPLETED');
      const answered = performance.now() - started;
      const seen = await receiver.count(3);
      assert.ok(performance.now() - started > answered + 1_000, 'the waits come after the answer');
      assert.deepEqual(seen.map(({ body }) => body.task.id), [task.id, task.id, task.id]);
    });

    withReceiver('a redirect is not followed, and what fails is logged without its secrets', async () => {
      receiver.statuses.push(307);
      const config = { id: 'c-9', url: `${receiver.url}?key=${SECRET}`, token: SECRET };
      await send(worker, 'hello', { configuration: { taskPushNotificationConfig: config } });
      await worker.waitForLog((line) => line.includes('push_failed') && line.includes('c-9'));
      assert.equal(receiver.seen.length, 1);
      for (const line of await linesUntilNow(worker)) assert.ok(!line.includes(SECRET), line);
    });
  });
}

test('outside of development, only public https webhooks will do', async () => {
  const worker = await startWorker({ vars: { TASK_STORE: 'memory', AGENT_PUSH: 'on' } });
  try {
    const { id } = await send(worker, 'work');
    for (const url of ['http://127.0.0.1:1/hook', 'http://hooks.example.com/', 'https://localhost/', 'https://169.254.169.254/latest/meta-data', 'https://[::1]/', 'https://10.0.0.1/', 'https://2130706433/']) {
      const answer = await rest(worker, 'POST', `/tasks/${id}/pushNotificationConfigs`, { body: { url } });
      assertRestError(answer, { code: -32602, http: 400, grpc: 'INVALID_ARGUMENT', reason: 'INVALID_PARAMS', message: 'Invalid parameters', metadata: { fields: 'url' }, violations: ['url'] });
    }
  } finally {
    await worker.stop();
  }
});
