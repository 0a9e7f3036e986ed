// A client that somebody else wrote, unchanged: @a2a-js/sdk connects through the card, works, and throws the class that
// each error has, on both bindings.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Role, TaskState } from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory, createAuthenticatingFetchWithRetry, withA2AExtensions } from '@a2a-js/sdk/client';
import * as errors from '@a2a-js/sdk/errors';
import { startWorker } from './support/worker.mjs';

const EXTENSION = 'https://example.com/ext/geo-coordinates/v1';
const TOKEN = 't-sdk-93ab';

/** `plain` has the demo's defaults; `strict` has all that the SDK must be told of. */
let plain, strict;
before(async () => {
  const vars = { AGENT_EXTENDED_CARD: 'declared', AGENT_REQUIRED_EXTENSIONS: EXTENSION, AUTH_TOKENS: JSON.stringify({ [TOKEN]: 'alice' }) };
  [plain, strict] = await Promise.all([startWorker({ vars: { AGENT_STREAMING: 'off' } }), startWorker({ vars })]);
});
after(() => Promise.all([plain.stop(), strict.stop()]));

async function connect(worker, binding, token) {
  const authHandler = { headers: async () => (token ? { Authorization: `Bearer ${token}` } : {}), shouldRetryWithHeaders: async () => undefined };
  const fetchImpl = createAuthenticatingFetchWithRetry(fetch, authHandler);
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
    preferredTransports: [binding],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  const client = await new ClientFactory(options).createFromUrl(worker.url);
  assert.equal(client.transport.protocolName, binding);
  return client;
}

let messages = 0;
const part = (text, mediaType = '') => ({ content: { $case: 'text', value: text }, filename: '', mediaType, metadata: undefined });
const request = (text, { taskId = '', contextId = '', mediaType } = {}) => ({
  tenant: '',
  message: { messageId: `sdk-${(messages += 1)}`, role: Role.ROLE_USER, parts: [part(text, mediaType)], contextId, taskId, extensions: [], referenceTaskIds: [], metadata: undefined },
  configuration: undefined,
  metadata: undefined,
});
const list = (more) => ({ tenant: '', contextId: '', status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: '', ...more });
const textOf = (artifact) => artifact.parts[0].content.value;

async function thrownBy(work) {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing was thrown');
}

for (const binding of ['JSONRPC', 'HTTP+JSON']) {
  const isRest = binding === 'HTTP+JSON';

  describe(`${binding}: what works`, () => {
    let client;
    before(async () => {
      client = await connect(plain, binding);
    });

    test('send, get', async () => {
      const task = await client.sendMessage(request('hello from the SDK'));
      assert.equal(task.status.state, TaskState.TASK_STATE_COMPLETED);
      assert.equal(textOf(task.artifacts[0]), 'hello from the SDK');
      const found = await client.getTask({ tenant: '', id: task.id });
      assert.deepEqual(found, task);
      assert.deepEqual((await client.getTask({ tenant: '', id: task.id, historyLength: 0 })).history, []);
    });

    test('ask, and answer', async () => {
      const task = await client.sendMessage(request('ask'));
      assert.equal(task.status.state, TaskState.TASK_STATE_INPUT_REQUIRED);
      const answered = await client.sendMessage(request('this', { taskId: task.id, contextId: task.contextId }));
      assert.deepEqual([answered.id, answered.status.state], [task.id, TaskState.TASK_STATE_COMPLETED]);
    });

    test('list, in pages and with filters', async () => {
      const contextId = `sdk-${binding}`;
      const sent = [];
      for (let i = 0; i < 3; i += 1) sent.push((await client.sendMessage(request(i === 1 ? 'work' : 'hello', { contextId }))).id);
      const first = await client.listTasks(list({ contextId, pageSize: 2 }));
      assert.deepEqual([first.tasks.length, first.pageSize, first.totalSize], [2, 2, 3]);
      const second = await client.listTasks(list({ contextId, pageSize: 2, pageToken: first.nextPageToken }));
      assert.equal(second.nextPageToken, '');
      assert.deepEqual([...first.tasks, ...second.tasks].map(({ id }) => id).sort(), sent.sort());
      const working = await client.listTasks(list({ contextId, status: TaskState.TASK_STATE_WORKING }));
      assert.equal(working.tasks.length, 1);
      const withArtifacts = await client.listTasks(list({ contextId, status: TaskState.TASK_STATE_COMPLETED, includeArtifacts: true, historyLength: 0 }));
      for (const task of withArtifacts.tasks) assert.deepEqual([textOf(task.artifacts[0]), task.history], ['hello', []]);
      const later = await client.listTasks(list({ contextId, statusTimestampAfter: '2999-01-01T00:00:00Z' }));
      assert.equal(later.totalSize, 0);
    });

    test('cancel', async () => {
      const { id } = await client.sendMessage(request('work'));
      assert.equal((await client.cancelTask({ tenant: '', id, metadata: undefined })).status.state, TaskState.TASK_STATE_CANCELED);
    });

    test('a failed task is a task', async () => {
      const task = await client.sendMessage(request('fail'));
      assert.equal(task.status.state, TaskState.TASK_STATE_FAILED);
      assert.ok(task.status.message.parts[0].content.value);
    });

    test('streaming falls back to sending, as the card says that there is none', async () => {
      const events = [];
      for await (const event of client.sendMessageStream(request('hello'))) events.push(event.payload.$case);
      assert.deepEqual(events, ['task']);
    });

    test('a tenant', async () => {
      const task = await client.sendMessage({ ...request('hello'), tenant: 'acme inc' });
      assert.equal((await client.getTask({ tenant: 'acme inc', id: task.id })).id, task.id);
    });
  });

  /**
   * Each error, the class it must be of, and what else the SDK shows. It shows no `metadata` on JSON-RPC, only the raw
   * `data`; on HTTP+JSON it has no class for codes outside its table, only the status.
   */
  describe(`${binding}: what is thrown`, () => {
    let client, known;
    before(async () => {
      client = await connect(plain, binding);
      known = await connect(strict, binding, TOKEN);
    });
    const declared = { serviceParameters: {} };
    withA2AExtensions(EXTENSION)(declared.serviceParameters);

    function assertThrown(error, { type, code, status, message, metadata }) {
      assert.ok(error instanceof errors.A2AError, `${error}`);
      if (type) assert.ok(error instanceof errors[type], `${error.name} is no ${type}`);
      assert.equal(error.message, message ?? error.message);
      assert.notEqual(error.message, '');
      if (isRest) {
        assert.ok(errors.isRestError(error));
        assert.equal(error.statusCode, status);
        if (metadata) assert.deepEqual(error.metadata, metadata);
      } else {
        assert.ok(errors.isJsonRpcError(error));
        assert.equal(error.envelopeCode, code);
        if (metadata) assert.deepEqual(error.data[0].metadata, metadata);
      }
    }

    const hook = { tenant: '', id: 'c1', taskId: 't1', url: 'https://example.com/hook', token: '', authentication: undefined };
    const ROWS = [
      ['TaskNotFound', () => client.getTask({ tenant: '', id: 'no-such-task' }),
        () => ({ type: 'TaskNotFoundError', code: -32001, status: 404, message: 'Task not found', metadata: { taskId: 'no-such-task' } })],
      ['TaskNotCancelable', (task) => client.cancelTask({ tenant: '', id: task.id, metadata: undefined }),
        (task) => ({ type: 'TaskNotCancelableError', code: -32002, status: 400, message: 'Task is not cancelable', metadata: { taskId: task.id, state: 'TASK_STATE_COMPLETED' } })],
      // The client itself asks only for what the card declares; its transport asks for anything.
      ['PushNotificationNotSupported', () => client.transport.createTaskPushNotificationConfig(hook, { serviceParameters: { 'A2A-Version': '1.0' } }),
        () => ({ type: 'PushNotificationNotSupportedError', code: -32003, status: 400, message: 'Push notifications are not supported' })],
      ['PushNotificationNotSupported, for a deletion', () => client.deleteTaskPushNotificationConfig({ tenant: '', taskId: 't1', id: 'c1' }),
        () => ({ type: 'PushNotificationNotSupportedError', code: -32003, status: 400 })],
      ['UnsupportedOperation', () => client.sendMessage(request('refuse')), () => ({ type: 'UnsupportedOperationError', code: -32004, status: 400 })],
      ['UnsupportedOperation, for a task at its end', (task) => client.sendMessage(request('more', { taskId: task.id })), () => ({ type: 'UnsupportedOperationError', code: -32004, status: 400 })],
      ['UnsupportedOperation, for a stream', () => client.transport.sendMessageStream(request('hello'), { serviceParameters: { 'A2A-Version': '1.0' } }).next(),
        () => ({ type: 'UnsupportedOperationError', code: -32004, status: 400, message: 'Operation not supported: SendStreamingMessage', metadata: { operation: 'SendStreamingMessage' } })],
      ['ContentTypeNotSupported', () => client.sendMessage(request('hello', { mediaType: 'image/png' })),
        () => ({ type: 'ContentTypeNotSupportedError', code: -32005, status: 400, message: 'Content type not supported', metadata: { contentType: 'image/png' } })],
      ['InvalidAgentResponse', () => client.sendMessage(request('error junk')), () => ({ type: 'InvalidAgentResponseError', code: -32006, status: 500, message: 'Invalid agent response' })],
      ['ExtendedAgentCardNotConfigured', () => known.getAgentCard(declared),
        () => ({ type: 'ExtendedAgentCardNotConfiguredError', code: -32007, status: 400, message: 'Extended agent card is not configured' })],
      ['ExtensionSupportRequired', () => known.listTasks(list()),
        () => ({ type: 'ExtensionSupportRequiredError', code: -32008, status: 400, message: 'Extension support required', metadata: { extension: EXTENSION } })],
      // The client always asks for the version of the card.
      ['VersionNotSupported', () => client.transport.getTask({ tenant: '', id: 'x' }, { serviceParameters: { 'A2A-Version': '99.0' } }),
        () => ({ type: 'VersionNotSupportedError', code: -32009, status: 400, message: 'Version not supported', metadata: { version: '99.0', supportedVersions: '1.0' } })],
      ['InvalidParams', () => client.listTasks(list({ pageSize: 101, historyLength: -5 })),
        () => ({ type: 'RequestMalformedError', code: -32602, status: 400, message: 'Invalid parameters' })],
      ['Internal', () => client.sendMessage(request('error internal')), () => ({ code: -32603, status: 500, message: 'Internal error' })],
      ['Custom', () => client.sendMessage(request('error overloaded')), () => ({ code: -32000, status: 503, message: 'Agent is overloaded, retry later' })],
    ];
    for (const [name, work, expected] of ROWS) {
      test(name, async () => {
        const task = await client.sendMessage(request('hello'));
        assertThrown(await thrownBy(() => work(task)), expected(task));
      });
    }

    test('401', async () => {
      const stranger = await connect(strict, binding);
      assertThrown(await thrownBy(() => stranger.listTasks(list(), declared)), { code: -32000, status: 401 });
      assertThrown(await thrownBy(async () => (await connect(strict, binding, 'unknown')).listTasks(list(), declared)), { code: -32000, status: 401 });
    });

    test('with its token and its extensions declared, the same caller is served', async () => {
      const task = await known.sendMessage(request('hello'), declared);
      assert.equal((await known.getTask({ tenant: '', id: task.id }, declared)).id, task.id);
    });

    if (isRest) {
      test('the headers of an error are there, to know when to try again', async () => {
        const error = await thrownBy(() => client.sendMessage(request('error overloaded')));
        assert.match(error.headers['retry-after'], /^[1-9]\d*$/);
      });
    } else {
      test('MethodNotFound, which the SDK takes for a malformed request', async () => {
        const error = await thrownBy(() => client.transport.callExtensionMethod('NoSuchMethod', {}, { serviceParameters: { 'A2A-Version': '1.0' } }));
        assertThrown(error, { type: 'RequestMalformedError', code: -32601, message: 'Method not found', metadata: { method: 'NoSuchMethod' } });
      });

      test('Custom: all details are in data', async () => {
        const error = await thrownBy(() => client.sendMessage(request('error overloaded')));
        assert.ok(error.data.some((detail) => detail['@type'] === 'type.googleapis.com/google.rpc.RetryInfo'));
      });
    }
  });
}

for (const binding of ['JSONRPC', 'HTTP+JSON']) {
  describe(`${binding}: streams`, () => {
    let worker, client;
    before(async () => {
      worker = await startWorker({ vars: { DEMO_FAULTS: 'on' } });
      client = await connect(worker, binding);
    });
    after(() => worker.stop());

    const told = ({ payload }) => [payload.$case, payload.value.status?.state];
    const collect = async (stream) => {
      const events = [];
      for await (const event of stream) events.push(event);
      return events;
    };

    test('a task from its beginning to its end', async () => {
      const events = await collect(client.sendMessageStream(request('stream 2')));
      assert.deepEqual(events.map(told), [['task', TaskState.TASK_STATE_SUBMITTED], ['artifactUpdate', undefined], ['artifactUpdate', undefined], ['statusUpdate', TaskState.TASK_STATE_COMPLETED]]);
    });

    test('a subscriber sees the cancellation', async () => {
      const { id } = await client.sendMessage(request('work'));
      const stream = client.resubscribeTask ? client.resubscribeTask({ tenant: '', id }) : client.subscribeToTask({ tenant: '', id });
      const first = (await stream.next()).value;
      assert.deepEqual(told(first), ['task', TaskState.TASK_STATE_WORKING]);
      await client.cancelTask({ tenant: '', id, metadata: undefined });
      assert.deepEqual((await collect(stream)).map(told), [['statusUpdate', TaskState.TASK_STATE_CANCELED]]);
    });

    test('errors before and within a stream', async () => {
      const refused = await thrownBy(() => collect(client.sendMessageStream(request('refuse'))));
      assert.match(refused.constructor.name, /UnsupportedOperationError$/);
      const broken = await thrownBy(() => collect(client.sendMessageStream(request('panic late'))));
      assert.match(`${broken.message} ${broken.cause?.message ?? ''}`, /Internal error/);
    });
  });
}
