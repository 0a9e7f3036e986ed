// Agents and a client that others wrote, with the gateway between them: what works without it works, errors are of the
// right class, and what the agents let slip stays behind.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Role, TaskState } from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import * as errors from '@a2a-js/sdk/errors';
import { assertRestError, assertRpcError } from '../support/expect.mjs';
import { openRest, openRpc } from '../support/events.mjs';
import { message, rest, rpc } from '../support/wire.mjs';
import { startWorker } from '../support/worker.mjs';
import { startJavaScriptAgent, startPythonAgent } from './agents.mjs';

const AGENTS = [
  { name: '@a2a-js/sdk agent', start: startJavaScriptAgent, behind: ['jsonrpc', 'rest'] },
  { name: 'Python a2a-sdk agent', start: startPythonAgent, behind: ['jsonrpc', 'rest'] },
];

async function connect(worker, binding) {
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory(), new RestTransportFactory()],
    preferredTransports: [binding],
    cardResolver: new DefaultAgentCardResolver(),
  });
  const client = await new ClientFactory(options).createFromUrl(worker.url);
  assert.equal(client.transport.protocolName, binding);
  return client;
}

let messages = 0;
const request = (text, configuration) => ({
  tenant: '', configuration, metadata: undefined,
  message: {
    messageId: `gw-${(messages += 1)}`, role: Role.ROLE_USER, contextId: '', taskId: '', extensions: [], referenceTaskIds: [], metadata: undefined,
    parts: [{ content: { $case: 'text', value: text }, filename: '', mediaType: '', metadata: undefined }],
  },
});
const textsOf = (artifacts) => artifacts.flatMap(({ parts }) => parts.map((part) => part.content.value)).join('');

for (const { name, start, behind } of AGENTS) {
  for (const spoken of behind) {
    describe(`${name}, ${spoken} behind`, () => {
      let agent, gateway;
      before(async () => {
        agent = await start();
        gateway = await startWorker({ vars: { ORIGIN_URL: agent.url, ORIGIN_BINDING: spoken, TASK_STORE: 'memory' } });
      });
      after(async () => {
        await gateway.stop();
        await agent.stop();
      });

      test('the card names the gateway alone', async () => {
        const { json, text } = await rest(gateway, 'GET', '/.well-known/agent-card.json');
        assert.deepEqual(json.supportedInterfaces.map(({ protocolBinding, url }) => [protocolBinding, url]), [['JSONRPC', `${gateway.url}/rpc`], ['HTTP+JSON', gateway.url]]);
        assert.ok(!text.includes(agent.url), text);
      });

      for (const binding of ['JSONRPC', 'HTTP+JSON']) {
        test(`${binding}: send, get, list, cancel`, async () => {
          const client = await connect(gateway, binding);
          const task = await client.sendMessage(request('hello'));
          assert.equal(task.status.state, TaskState.TASK_STATE_COMPLETED);
          assert.equal(textsOf(task.artifacts), 'hello');
          const found = await client.getTask({ tenant: '', id: task.id });
          assert.deepEqual([found.id, textsOf(found.artifacts)], [task.id, 'hello']);
          const listed = await client.listTasks({ tenant: '', contextId: task.contextId, status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: '' });
          assert.deepEqual(listed.tasks.map(({ id }) => id), [task.id]);
          const error = await client.cancelTask({ tenant: '', id: task.id, metadata: undefined }).then(() => assert.fail('cancelled'), (thrown) => thrown);
          assert.ok(error instanceof errors.TaskNotCancelableError, `${error}`);
        });

        test(`${binding}: a stream, piece by piece`, async () => {
          const client = await connect(gateway, binding);
          const events = [];
          for await (const event of client.sendMessageStream(request('stream'))) events.push(event.payload);
          assert.equal(events[0].$case, 'task');
          const pieces = events.filter(({ $case }) => $case === 'artifactUpdate').map(({ value }) => textsOf([value.artifact]));
          assert.deepEqual(pieces, ['a', 'b', 'c']);
          assert.equal(events.at(-1).value.status.state, TaskState.TASK_STATE_COMPLETED);
        });

        test(`${binding}: a task that is watched from two sides is cancelled`, async () => {
          const client = await connect(gateway, binding);
          const states = (events) => events.map(({ $case, value }) => [$case, value.status?.state]);
          const watch = async (stream, first) => {
            const events = [];
            for await (const { payload } of stream) {
              events.push(payload);
              first?.(payload.value.id);
            }
            return states(events);
          };
          let watched;
          const id = await new Promise((resolve, reject) => {
            watched = watch(client.sendMessageStream(request('work')), resolve);
            watched.catch(reject);
          });
          let subscribed;
          assert.equal(await new Promise((resolve, reject) => {
            subscribed = watch(client.resubscribeTask({ tenant: '', id }), resolve);
            subscribed.catch(reject);
          }), id, 'a subscription begins with the task');
          const cancelled = await client.cancelTask({ tenant: '', id, metadata: undefined });
          assert.deepEqual([cancelled.id, cancelled.status.state], [id, TaskState.TASK_STATE_CANCELED]);
          for (const seen of [await watched, await subscribed]) {
            assert.equal(seen[0][0], 'task');
            assert.deepEqual(seen.at(-1), ['statusUpdate', TaskState.TASK_STATE_CANCELED]);
          }
        });

        test(`${binding}: webhooks are registered, read, listed and removed`, async () => {
          const client = await connect(gateway, binding);
          const { id: taskId } = await client.sendMessage(request('hello'));
          const given = { tenant: '', id: 'hook-1', taskId, url: 'https://hooks.example.com/a2a', token: '', authentication: undefined };
          const list = async () => (await client.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' })).configs.map(({ id }) => id);
          assert.deepEqual(await list(), [], 'an empty list is no junk');
          const created = await client.createTaskPushNotificationConfig(given);
          assert.deepEqual([created.url, created.taskId], [given.url, taskId]);
          const found = await client.getTaskPushNotificationConfig({ tenant: '', taskId, id: created.id });
          assert.equal(found.url, given.url);
          assert.deepEqual(await list(), [created.id]);
          await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: created.id });
          assert.deepEqual(await list(), []);
        });

        test(`${binding}: errors are of their class`, async () => {
          const client = await connect(gateway, binding);
          const thrown = await client.getTask({ tenant: '', id: 'no-such-task' }).then(() => assert.fail('found'), (error) => error);
          assert.ok(thrown instanceof errors.TaskNotFoundError, `${thrown}`);
        });
      }

      test('an empty page of tasks has its four fields', async () => {
        const onRpc = await rpc(gateway, 'ListTasks', { contextId: 'no-such-context' });
        const onRest = await rest(gateway, 'GET', '/tasks?contextId=no-such-context');
        for (const page of [onRpc.json.result, onRest.json]) assert.deepEqual(page, { tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
      });

      test('a crash is an error that tells nothing of the agent, or a task that failed', async () => {
        const params = { message: message('crash') };
        const onRpc = await rpc(gateway, 'SendMessage', params, { rawId: '"c"' });
        const onRest = await rest(gateway, 'POST', '/message:send', { body: params });
        for (const [{ text }, task, error] of [[onRpc, onRpc.json.result?.task, onRpc.json.error], [onRest, onRest.json.task, onRest.json.error]]) {
          if (task) assert.equal(task.status.state, 'TASK_STATE_FAILED', text);
          else assert.ok([-32603, 500].includes(error.code), text);
          for (const forbidden of ['hunter2', 'postgres', 'db.internal', 'Traceback', 'RuntimeError']) assert.ok(!text.includes(forbidden), text);
        }
      });

      test('a crash in a stream is no different', async () => {
        const params = { message: message('crash') };
        for (const open of [() => openRpc(gateway, 'SendStreamingMessage', params), () => openRest(gateway, '/message:stream', params)]) {
          const text = await (await open()).text();
          assert.match(text, /TASK_STATE_FAILED|-32603|"code":500/);
          for (const forbidden of ['hunter2', 'postgres', 'db.internal', 'Traceback', 'RuntimeError']) assert.ok(!text.includes(forbidden), text);
        }
      });

      test('what is malformed never gets there', async () => {
        const answer = await rpc(gateway, 'SendMessage', { message: { role: 'ROLE_USER', parts: [] } }, { rawId: '0' });
        assertRpcError(answer, '0', { code: -32602, reason: 'INVALID_PARAMS', metadata: { fields: /message\.messageId/ } });
        const other = await rest(gateway, 'GET', '/tasks/x', { headers: { 'A2A-Version': '99.0' } });
        assertRestError(other, { code: -32009, http: 400, reason: 'VERSION_NOT_SUPPORTED', metadata: { version: '99.0', supportedVersions: '1.0' } });
      });
    });
  }
}
