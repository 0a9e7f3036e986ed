// What reaches the origin and what does not, its card, and the tasks that the edge keeps.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertRestError, assertRpcError } from '../support/expect.mjs';
import { frames, openRest, openRpc, outline } from '../support/events.mjs';
import { bare, message, post, rest, rpc } from '../support/wire.mjs';
import { startWorker } from '../support/worker.mjs';
import { startOrigin, unusedPort } from './origin.mjs';

const CARD = '/.well-known/agent-card.json';
const ALICE = { Authorization: 'Bearer t-alice-1234' };
const BOB = { Authorization: 'Bearer t-bob-56789' };
const AWAY = { code: -32603, http: 502, reason: 'ORIGIN_UNAVAILABLE', domain: 'a2a-edge' };
const vars = (origin, more) => ({ ORIGIN_URL: origin.url, ORIGIN_MAX_RETRIES: '0', BREAKER_FAILURES: '0', ORIGIN_TIMEOUT_MS: '3000', ...more });

/** Gives up waiting for a condition after this. */
const PATIENCE_MS = 10_000;
async function eventually(check, what) {
  for (const started = Date.now(); Date.now() - started < PATIENCE_MS; ) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail(what);
}

describe('passing on', () => {
  let origin, gateways;
  before(async () => {
    const card = { securitySchemes: { key: { apiKeySecurityScheme: { location: 'header', name: 'X-Agent-Key' } } } };
    origin = await startOrigin({ card });
    const start = (binding) => startWorker({ vars: vars(origin, { ORIGIN_BINDING: binding, TASK_STORE: 'memory' }) });
    gateways = Object.fromEntries(await Promise.all(['jsonrpc', 'rest'].map(async (binding) => [binding, await start(binding)])));
  });
  after(async () => {
    await Promise.all(Object.values(gateways).map((gateway) => gateway.stop()));
    await origin.stop();
  });

  for (const behind of ['jsonrpc', 'rest']) {
    test(`${behind} behind: credentials, extensions and the trace go along, the rest stays`, async () => {
      const headers = {
        'A2A-Version': '1.0', 'A2A-Extensions': 'https://example.com/a, https://example.com/b', Authorization: 'Bearer t-1', 'X-Agent-Key': 'k-1', 'x-api-key': 'k-2',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'a=b',
        Cookie: 'session=1', 'X-Forwarded-For': '10.0.0.1', TE: 'trailers', Connection: 'close', 'X-Whatever': 'w',
      };
      const answer = await bare(gateways[behind], 'GET', '/tasks/h-1', { headers });
      assert.equal(answer.status, 200, answer.text);
      const { headers: got, call } = origin.seen.at(-1);
      assert.equal(call.binding, behind);
      for (const name of ['a2a-version', 'a2a-extensions', 'authorization', 'x-agent-key', 'x-api-key', 'traceparent', 'tracestate']) {
        const sent = Object.entries(headers).find(([known]) => known.toLowerCase() === name)[1];
        assert.equal(got[name], sent, name);
      }
      for (const name of ['cookie', 'x-forwarded-for', 'te', 'x-whatever']) assert.equal(got[name], undefined, name);
      assert.equal(got.host, new URL(origin.url).host);
    });

    test(`${behind} behind: a request that is refused never gets there`, async () => {
      const gateway = gateways[behind];
      const count = origin.seen.length;
      assertRpcError(await post(gateway, '{"jsonrpc"'), 'null', { code: -32700, reason: 'PARSE_ERROR', violations: [''] });
      assertRpcError(await rpc(gateway, 'NoSuchMethod', {}, { rawId: '0' }), '0', { code: -32601, reason: 'METHOD_NOT_FOUND', metadata: { method: 'NoSuchMethod' } });
      assertRpcError(await rpc(gateway, 'GetTask', { historyLength: -1 }, { rawId: '""' }), '""', { code: -32602, reason: 'INVALID_PARAMS', metadata: { fields: /historyLength/ }, violations: ['historyLength', 'id'] });
      assertRpcError(await rpc(gateway, 'SendMessage', { message: message('x', { parts: [{ text: 'x', mediaType: 'image/png' }] }) }), '1', { code: -32005, reason: 'CONTENT_TYPE_NOT_SUPPORTED', metadata: { contentType: 'image/png' } });
      assertRpcError(await rpc(gateway, 'GetExtendedAgentCard', {}), '1', { code: -32004, reason: 'UNSUPPORTED_OPERATION', metadata: { operation: 'GetExtendedAgentCard' } });
      assertRestError(await rest(gateway, 'GET', '/nowhere'), { code: -32601, http: 404, reason: 'METHOD_NOT_FOUND', metadata: { method: 'GET /nowhere' } });
      assertRestError(await rest(gateway, 'POST', '/message:send', { body: { message: message('x') }, headers: { 'Content-Type': 'text/plain' } }), { code: -32005, http: 415, reason: 'CONTENT_TYPE_NOT_SUPPORTED', metadata: { contentType: 'text/plain' } });
      assert.equal(origin.seen.length, count);
    });

    test(`${behind} behind: ids, batches and notifications`, async () => {
      const gateway = gateways[behind];
      for (const rawId of ['9007199254740993', '0', '""', '1.5', '"a"']) {
        const { text } = await rpc(gateway, 'GetTask', { id: 'i-1' }, { rawId });
        assert.match(text, new RegExp(`"id":${rawId.replace('.', '\\.')}[,}]`), text);
      }
      const call = (id, more) => ({ jsonrpc: '2.0', id, method: 'GetTask', params: { id: 'i-1' }, ...more });
      const batch = await post(gateway, [call('a'), call('b', { method: 'Nope' }), { ...call(), id: undefined }]);
      assert.deepEqual(batch.json.map(({ id, result, error }) => [id, result?.id, error?.code]), [['a', 'i-1', undefined], ['b', undefined, -32601]]);
      const count = origin.seen.length;
      const notification = await post(gateway, { jsonrpc: '2.0', method: 'SendStreamingMessage', params: { message: message('n') } });
      assert.equal(notification.status, 204);
      assert.equal(origin.seen.length, count + 1);
      assert.equal(origin.seen.at(-1).call.params.configuration.returnImmediately, true);
    });

    test(`${behind} behind: params arrive whole`, async () => {
      const params = { tenant: 'acme', message: message('hello', { metadata: { n: 1, list: [null, { a: 'ä' }] } }), configuration: { historyLength: 3, acceptedOutputModes: ['text/plain'] } };
      const answer = await rpc(gateways[behind], 'SendMessage', params);
      assert.ok(answer.json.result?.task, answer.text);
      const got = origin.seen.at(-1).call.params;
      assert.deepEqual(got.message, params.message);
      assert.deepEqual(got.configuration, params.configuration);
    });
  }
});

describe('ids that no path of a URL can hold', () => {
  test('are asked for in a body, and known to be nothing where a path is needed', async () => {
    const origin = await startOrigin({ card: { capabilities: { streaming: true, pushNotifications: true } } });
    const start = (binding) => startWorker({ vars: vars(origin, { ORIGIN_BINDING: binding, TASK_STORE: 'memory' }) });
    const [behindRpc, behindRest] = await Promise.all([start('jsonrpc'), start('rest')]);
    const gone = (metadata, message = 'Task not found') => ({ code: -32001, http: 404, reason: 'TASK_NOT_FOUND', message, metadata });
    try {
      for (const step of ['.', '..']) {
        assert.equal((await rpc(behindRpc, 'GetTask', { id: step })).json.result?.id, step);
        const count = origin.seen.length;
        for (const operation of ['GetTask', 'CancelTask', 'SubscribeToTask']) {
          assertRpcError(await rpc(behindRest, operation, { id: step }, { rawId: '0' }), '0', gone({ taskId: step }));
        }
        for (const operation of ['GetTaskPushNotificationConfig', 'DeleteTaskPushNotificationConfig']) {
          assertRpcError(await rpc(behindRest, operation, { taskId: step, id: 'p' }), '1', gone({ taskId: step }));
          assertRpcError(await rpc(behindRest, operation, { taskId: 't', id: step }), '1', gone({ taskId: 't', configId: step }, 'Push notification config not found'));
        }
        assertRpcError(await rpc(behindRest, 'ListTaskPushNotificationConfigs', { taskId: step }), '1', gone({ taskId: step }));
        const tenant = { code: -32602, http: 400, reason: 'INVALID_PARAMS', metadata: { fields: 'tenant' }, violations: ['tenant'] };
        assertRpcError(await rpc(behindRest, 'SendMessage', { tenant: step, message: message('x') }), '1', tenant);
        assert.equal(origin.seen.length, count, 'the origin is not asked');
      }
    } finally {
      await Promise.all([behindRpc.stop(), behindRest.stop()]);
      await origin.stop();
    }
  });
});

describe('streams', () => {
  test('come event by event, and end at the origin when their caller leaves', async () => {
    const origin = await startOrigin();
    const gateway = await startWorker({ vars: vars(origin, { ORIGIN_TIMEOUT_MS: '60000', TASK_STORE: 'memory' }) });
    try {
      for (const open of [
        (signal) => openRpc(gateway, 'SendStreamingMessage', { message: message('fault-stream-for-ever') }, { signal }),
        (signal) => openRest(gateway, '/message:stream', { message: message('fault-stream-for-ever') }, { signal }),
      ]) {
        const count = origin.closed;
        const leaving = new AbortController();
        const events = frames(await open(leaving.signal));
        // The origin's stream stays open, so these cannot have waited for its end.
        assert.equal(outline((await events.next()).value), 'task WORKING');
        assert.equal(outline((await events.next()).value), 'statusUpdate WORKING');
        assert.equal(origin.closed, count);
        // workerd notices that somebody has left when it has something to write to them.
        leaving.abort();
        await eventually(() => origin.closed === count + 1, 'the connection to the origin is closed');
      }
      assert.ok((await rpc(gateway, 'GetTask', { id: 'after' })).json.result);
    } finally {
      await gateway.stop();
      await origin.stop();
    }
  });
});

describe('the card', () => {
  test('is asked for by its tags, served stale, and not given up for a worse one', async () => {
    const origin = await startOrigin();
    origin.cardHeaders = { ETag: '"v1"', 'Cache-Control': 'max-age=5' };
    const gateway = await startWorker({ vars: vars(origin, { TASK_STORE: 'memory' }) });
    const clockless = () => rest(gateway, 'GET', CARD);
    try {
      const first = await clockless();
      assert.equal(first.json.name, 'Faulty');
      assert.equal((await rest(gateway, 'GET', CARD, { headers: { 'If-None-Match': first.headers.get('etag') } })).status, 304);
      assert.equal(origin.cards, 1, 'fresh for five seconds');
      await eventually(async () => (await clockless()).status === 200 && origin.cards === 2, 'asked again');
      assert.equal(origin.cardRequest['if-none-match'], '"v1"');
      for (const mode of ['down', 'junk']) {
        origin.cardMode = mode;
        const count = origin.cards;
        await eventually(async () => (await clockless()).json?.name === 'Faulty' && origin.cards > count, mode);
        await gateway.waitForLog((line) => line.includes('origin_card_stale'));
        assert.ok((await rpc(gateway, 'GetTask', { id: 'c-1' })).json.result);
      }
    } finally {
      await gateway.stop();
      await origin.stop();
    }
  });

  test('that never was there is told as such, and the rest of the protocol stands', async () => {
    const port = await unusedPort();
    const gateway = await startWorker({ vars: vars({ url: `http://127.0.0.1:${port}` }, { TASK_STORE: 'memory' }) });
    let origin;
    try {
      const away = { ...AWAY, retry: true, headers: { 'retry-after': '1' } };
      assertRpcError(await rpc(gateway, 'GetTask', { id: 'x' }, { rawId: '"away"' }), '"away"', away);
      assertRestError(await rest(gateway, 'GET', '/tasks/x'), away);
      assertRestError(await rest(gateway, 'GET', CARD), away);
      assertRpcError(await post(gateway, 'no json'), 'null', { code: -32700, reason: 'PARSE_ERROR', violations: [''] });
      assert.equal((await gateway.fetch('/rpc', { method: 'OPTIONS' })).status, 204);
      origin = await startOrigin({ port });
      await eventually(async () => (await rpc(gateway, 'GetTask', { id: 'x' })).json.result, 'the origin is noticed');
    } finally {
      await gateway.stop();
      await origin?.stop();
    }
  });

  test('that is none is junk, and the log says how', async () => {
    const origin = await startOrigin();
    origin.cardMode = 'junk';
    const gateway = await startWorker({ vars: vars(origin, { TASK_STORE: 'memory' }) });
    try {
      assertRpcError(await rpc(gateway, 'GetTask', { id: 'x' }), '1', { code: -32006, reason: 'INVALID_AGENT_RESPONSE', message: 'Invalid agent response' });
      const line = await gateway.waitForLog((text) => text.includes('request_failed'));
      assert.match(line, /schema at .*version/);
      assert.equal(origin.seen.length, 0);
    } finally {
      await gateway.stop();
      await origin.stop();
    }
  });
});

describe('tasks at the edge', () => {
  for (const store of ['memory', 'kv']) {
    test(`kept in ${store}: at their end without the origin, else in its need, and for nobody else`, async () => {
      const origin = await startOrigin();
      const gateway = await startWorker({ vars: vars(origin, { TASK_STORE: store }) });
      const get = (id, headers) => rpc(gateway, 'GetTask', { id }, { headers });
      try {
        for (const id of ['done-1', 'open-1']) assert.ok((await get(id, ALICE)).json.result);
        // What is written in the background is there in a moment: then the origin is not asked any more.
        await eventually(async () => {
          const count = origin.seen.length;
          await get('done-1', ALICE);
          return origin.seen.length === count;
        }, 'answered from the edge');
        const atEdge = await get('done-1', ALICE);
        assert.deepEqual(atEdge.json.result, { id: 'done-1', contextId: 'ctx', status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-01T00:00:00.000Z' } });
        const viaRest = await rest(gateway, 'GET', '/tasks/done-1', { headers: ALICE });
        assert.equal(viaRest.json.status.state, 'TASK_STATE_COMPLETED');

        const count = origin.seen.length;
        for (const headers of [BOB, undefined, { ...ALICE, 'x-api-key': 'k' }]) await get('done-1', headers);
        assert.equal(origin.seen.length, count + 3, 'others are told what the origin tells them');

        await origin.stop();
        for (const answer of [(await get('open-1', ALICE)).json.result, (await rest(gateway, 'GET', '/tasks/open-1', { headers: ALICE })).json]) {
          assert.equal(answer.status.state, 'TASK_STATE_WORKING');
          assert.deepEqual(answer.metadata, { 'a2a-edge.cached': 'ORIGIN_UNAVAILABLE' });
        }
        await gateway.waitForLog((line) => line.includes('task_from_cache') && line.includes('open-1'));
        assertRpcError(await get('open-1', BOB), '1', AWAY);
        assertRpcError(await get('open-1'), '1', AWAY);
        assertRpcError(await get('never-seen', ALICE), '1', AWAY);
        assertRpcError(await rpc(gateway, 'CancelTask', { id: 'open-1' }, { headers: ALICE }), '1', AWAY);
      } finally {
        await gateway.stop();
        await origin.stop().catch(() => {});
      }
    });
  }
});

describe('what a failed task says', () => {
  const STACK = 'Traceback (most recent call last): File "/srv/agent.py", line 3, password=hunter2';
  const part = (text) => ({ text, mediaType: 'text/plain' });
  const said = (id, ...texts) => ({ messageId: id, role: 'ROLE_AGENT', parts: texts.map(part) });
  const taskIn = (state, id = 't1') => ({
    id, contextId: 'ctx', status: { state, message: said('m2', STACK, 'The flight is fully booked.') },
    history: [said('m1', STACK), said('m2', STACK)], artifacts: [{ artifactId: 'a', parts: [part(STACK)] }],
  });
  const results = {
    GetTask: (state) => taskIn(state, 'get-1'), CancelTask: (state) => taskIn(state, 'cancel-1'), SendMessage: (state) => ({ task: taskIn(state) }),
    ListTasks: (state) => ({ tasks: [taskIn(state)], nextPageToken: '', pageSize: 50, totalSize: 1 }),
  };

  test('passes unless it tells of the agent\'s insides, and the log says how; other states and artifacts pass as they are', async () => {
    let state;
    const origin = await startOrigin({ answer: ({ operation }) => results[operation](state) });
    const start = (binding) => startWorker({ vars: vars(origin, { ORIGIN_BINDING: binding, TASK_STORE: 'memory' }) });
    const gateways = await Promise.all([start('jsonrpc'), start('rest')]);
    const ask = async (gateway, operation, id) => {
      const params = operation === 'SendMessage' ? { message: message('x') } : operation === 'ListTasks' ? {} : { id };
      return (await rpc(gateway, operation, params)).json.result;
    };
    const taskOf = (operation, result) => ({ SendMessage: result.task, ListTasks: result.tasks?.[0] })[operation] ?? result;
    try {
      for (const gateway of gateways) {
        for (const [operation, id] of [['CancelTask', 'cancel-1'], ['SendMessage', 't1'], ['ListTasks', 't1'], ['GetTask', 'get-1']]) {
          state = 'TASK_STATE_WORKING';
          const working = taskOf(operation, await ask(gateway, operation, id));
          assert.deepEqual(working, taskIn(state, id), operation);
          state = 'TASK_STATE_FAILED';
          const failed = taskOf(operation, await ask(gateway, operation, id));
          const harmless = said('m2', 'The agent failed.', 'The flight is fully booked.');
          assert.deepEqual(failed, { ...taskIn(state, id), status: { state, message: harmless }, history: [said('m1', STACK), said('m2', 'The agent failed.')] }, operation);
          const line = await gateway.waitForLog((text) => text.includes('task_failure_hidden') && text.includes(id));
          assert.ok(!line.includes('hunter2'), line);
        }
        // From the edge, too.
        const count = origin.seen.length;
        await eventually(async () => {
          const before = origin.seen.length;
          const { status } = await ask(gateway, 'GetTask', 'get-1');
          assert.equal(status.message.parts[0].text, 'The agent failed.');
          return origin.seen.length === before;
        }, `answered from the edge after ${count} requests`);
        const onRest = await rest(gateway, 'GET', '/tasks/get-1');
        assert.equal(onRest.json.status.message.parts[0].text, 'The agent failed.');
      }
    } finally {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await origin.stop();
    }
  });
});

describe('configuration', () => {
  test('a bad variable stops every request, and the log names it', async () => {
    const gateway = await startWorker({ vars: { ORIGIN_URL: 'https://user:s3cret@origin.example' } });
    try {
      assertRpcError(await rpc(gateway, 'GetTask', { id: 'x' }, { rawId: '"m"' }), '"m"', { code: -32603, reason: 'INTERNAL_ERROR' });
      const line = await gateway.waitForLog((text) => text.includes('misconfigured'));
      assert.ok(line.includes('ORIGIN_URL') && !line.includes('s3cret'), line);
    } finally {
      await gateway.stop();
    }
  });
});
