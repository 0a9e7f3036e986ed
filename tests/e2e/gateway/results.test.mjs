// Answers that are no answers to what was asked: whichever operation, binding or stream, the caller is told so, and the log
// says how. And answers that only leave out what is empty, which are as good as any.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openRest, openRpc } from '../support/events.mjs';
import { assertRestError, assertRpcError } from '../support/expect.mjs';
import { message, rest, rpc } from '../support/wire.mjs';
import { startWorker } from '../support/worker.mjs';
import { startOrigin } from './origin.mjs';

const JUNK = { code: -32006, http: 500, reason: 'INVALID_AGENT_RESPONSE', message: 'Invalid agent response' };

const task = { id: 't1', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } };
const config = { id: 'p1', taskId: 't1', url: 'https://example.com/hook' };
const said = { messageId: 'm1', role: 'ROLE_AGENT', parts: [{ text: 'x' }] };
const artifact = { artifactId: 'a', parts: [{ text: 'x' }] };
const without = (object, name) => Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));

/** How an operation is asked for over REST. */
const send = { message: message('hello') };
const OPERATIONS = {
  SendMessage: { params: send, method: 'POST', path: '/message:send', body: send },
  GetTask: { params: { id: 't1' }, path: '/tasks/t1' },
  CancelTask: { params: { id: 't1' }, method: 'POST', path: '/tasks/t1:cancel' },
  ListTasks: { params: {}, path: '/tasks' },
  CreateTaskPushNotificationConfig: { params: config, method: 'POST', path: '/tasks/t1/pushNotificationConfigs', body: without(config, 'taskId') },
  GetTaskPushNotificationConfig: { params: { taskId: 't1', id: 'p1' }, path: '/tasks/t1/pushNotificationConfigs/p1' },
  ListTaskPushNotificationConfigs: { params: { taskId: 't1' }, path: '/tasks/t1/pushNotificationConfigs' },
  DeleteTaskPushNotificationConfig: { params: { taskId: 't1', id: 'p1' }, method: 'DELETE', path: '/tasks/t1/pushNotificationConfigs/p1' },
  GetExtendedAgentCard: { params: {}, path: '/extendedAgentCard' },
};

/** What is answered, and what the log says of it. */
const NONE = [
  ['SendMessage', task, /exactly one of: task, message; got none/],
  ['SendMessage', said, /got none/],
  ['SendMessage', { task, message: said }, /got task, message/],
  ['SendMessage', { message: { parts: [] } }, /message\.messageId, message\.role/],
  ['SendMessage', { message: { ...said, parts: [{}] } }, /message\.parts\[0\]/],
  ['SendMessage', { task: without(task, 'status') }, /task\.status/],
  ['SendMessage', { task: { ...task, artifacts: [without(artifact, 'artifactId')] } }, /task\.artifacts\[0\]\.artifactId/],
  ['SendMessage', { task: { ...task, history: [without(said, 'role')] } }, /task\.history\[0\]\.role/],
  ['SendMessage', { task: { ...task, status: { ...task.status, message: without(said, 'messageId') } } }, /task\.status\.message\.messageId/],
  ['SendMessage', {}, /got none/],
  ['GetTask', without(task, 'status'), /status/],
  ['GetTask', { task }, /id, status/],
  ['GetTask', {}, /id, status/],
  ['GetTask', [task], /got an array/],
  ['CancelTask', { cancelled: true }, /id, status/],
  ['ListTasks', task, /\(ListTasksResponse\), got one that has none/],
  ['ListTasks', { ok: true }, /\(ListTasksResponse\), got one that has none/],
  ['ListTasks', [task], /got an array/],
  ['ListTasks', { tasks: [without(task, 'id')] }, /tasks\[0\]\.id/],
  ['ListTasks', { tasks: [task], totalSize: -1 }, /totalSize/],
  ['CreateTaskPushNotificationConfig', without(config, 'url'), /url/],
  ['CreateTaskPushNotificationConfig', { ...config, taskId: 't2' }, /another task/],
  ['GetTaskPushNotificationConfig', task, /url/],
  ['GetTaskPushNotificationConfig', { ...config, id: 'p2' }, /another push notification config/],
  ['GetTaskPushNotificationConfig', { ...config, authentication: {} }, /authentication\.scheme/],
  ['ListTaskPushNotificationConfigs', task, /\(ListTaskPushNotificationConfigsResponse\), got one that has none/],
  ['ListTaskPushNotificationConfigs', config, /\(ListTaskPushNotificationConfigsResponse\), got one that has none/],
  ['ListTaskPushNotificationConfigs', [config], /got an array/],
  ['ListTaskPushNotificationConfigs', { configs: [without(config, 'url')] }, /configs\[0\]\.url/],
  ['ListTaskPushNotificationConfigs', { configs: [{ ...config, taskId: 't2' }] }, /another task/],
  ['DeleteTaskPushNotificationConfig', task, /\(Empty\), got one that has none/],
  ['DeleteTaskPushNotificationConfig', [], /got an array/],
  ['GetExtendedAgentCard', {}, /name/],
  ['GetExtendedAgentCard', task, /name/],
];

const EMPTY_PAGE = { tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 };
/** What ProtoJSON makes of empty lists, 0 and "": some emitters leave them out, some do not. And what it is for the caller. */
const EMPTY = [
  ['ListTasks', {}, EMPTY_PAGE],
  ['ListTasks', EMPTY_PAGE, EMPTY_PAGE],
  ['ListTasks', { tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 }, { ...EMPTY_PAGE, pageSize: 50 }],
  ['ListTasks', { pageSize: 50 }, { ...EMPTY_PAGE, pageSize: 50 }],
  ['ListTaskPushNotificationConfigs', {}, {}],
  ['ListTaskPushNotificationConfigs', { configs: [], nextPageToken: '' }, { configs: [] }],
  ['DeleteTaskPushNotificationConfig', {}, {}],
  ['DeleteTaskPushNotificationConfig', null, {}],
];

/** First events of a stream that are none. */
const NO_EVENTS = [
  [task, /got none/],
  [said, /got none/],
  [{ kind: 'status-update', taskId: 't1', contextId: 'c', status: { state: 'working' }, final: false }, /got none/],
  [{}, /got none/],
  [{ task: without(task, 'status') }, /task\.status/],
  [{ task, message: said }, /got task, message/],
  [{ message: { parts: [] } }, /message\.messageId/],
  [{ statusUpdate: { taskId: 't1', contextId: 'c' } }, /statusUpdate\.status/],
  [{ statusUpdate: { contextId: 'c', status: task.status } }, /statusUpdate\.taskId/],
  [{ artifactUpdate: { taskId: 't1', contextId: 'c' } }, /artifactUpdate\.artifact/],
  [{ artifactUpdate: { taskId: 't1', contextId: 'c', artifact: {} } }, /artifactUpdate\.artifact\.artifactId/],
];

let origin, result;
const gateways = {};
before(async () => {
  origin = await startOrigin({ card: { capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true } }, answer: () => result });
  const vars = { ORIGIN_URL: origin.url, ORIGIN_MAX_RETRIES: '0', BREAKER_FAILURES: '0', TASK_STORE: 'memory' };
  const start = (binding) => startWorker({ vars: { ...vars, ORIGIN_BINDING: binding } });
  [gateways.jsonrpc, gateways.rest] = await Promise.all([start('jsonrpc'), start('rest')]);
});
after(async () => {
  await Promise.all(Object.values(gateways).map((gateway) => gateway.stop()));
  await origin.stop();
});

const onRest = (gateway, { method = 'GET', path, body }) => rest(gateway, method, path, { body });
/** The line of the request with this mark. */
const line = async (gateway, mark) => JSON.parse(await gateway.waitForLog((text) => text.includes('request_failed') && text.includes(mark)));

let calls = 0;
for (const behind of ['jsonrpc', 'rest']) {
  describe(`${behind} behind`, () => {
    for (const [operation, value, log] of NONE) {
      test(`${operation}: ${JSON.stringify(value)}`, async () => {
        result = value;
        const id = `call-${behind}-${(calls += 1)}`;
        const asked = OPERATIONS[operation];
        const answer = await rpc(gateways[behind], operation, asked.params, { rawId: JSON.stringify(id) });
        assertRpcError(answer, JSON.stringify(id), JUNK);
        assert.match((await line(gateways[behind], id)).sources.join(' '), log);
        assertRestError(await onRest(gateways[behind], asked), JUNK);
      });
    }

    for (const [operation, value, expected] of EMPTY) {
      test(`${operation}: ${JSON.stringify(value)} is empty`, async () => {
        result = value;
        const asked = OPERATIONS[operation];
        assert.deepEqual((await rpc(gateways[behind], operation, asked.params)).json.result, expected);
        const { status, text } = await onRest(gateways[behind], asked);
        assert.ok(status === 200 || status === 204, text);
        if (text !== '') assert.deepEqual(JSON.parse(text), expected);
      });
    }

    for (const [event, log] of NO_EVENTS) {
      test(`a stream that begins with ${JSON.stringify(event)}`, async () => {
        result = event;
        const id = `call-${behind}-${(calls += 1)}`;
        for (const open of [
          () => openRpc(gateways[behind], 'SendStreamingMessage', { message: message('x') }, { rawId: JSON.stringify(id) }),
          () => openRest(gateways[behind], '/message:stream', { message: message('x') }),
          () => openRpc(gateways[behind], 'SubscribeToTask', { id: 't1' }, { rawId: JSON.stringify(id) }),
        ]) {
          const response = await open();
          const text = await response.text();
          const answer = { status: response.status, headers: response.headers, contentType: response.headers.get('content-type'), text, json: JSON.parse(text) };
          if (answer.json.jsonrpc) assertRpcError(answer, JSON.stringify(id), JUNK);
          else assertRestError(answer, JUNK);
        }
        assert.match((await line(gateways[behind], id)).sources.join(' '), log);
      });
    }
  });
}
