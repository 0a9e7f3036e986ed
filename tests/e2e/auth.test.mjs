// Authentication by bearer tokens, and what a caller may know of another's tasks (AUTH_TOKENS; specification 7, 13.1).
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EDGE_DOMAIN, assertRestError, assertRpcError } from './support/expect.mjs';
import { message, post, rest, result, rpc, send } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

const ALICE = { Authorization: 'Bearer t-alice-7f3a9c' };
const BOB = { Authorization: 'Bearer t-bob-51d0e2' };
const STORES = ['kv', 'durable', 'memory'];

const workers = {};
before(async () => {
  const AUTH_TOKENS = JSON.stringify({ 't-alice-7f3a9c': 'alice', 't-alice-second': 'alice', 't-bob-51d0e2': 'bob' });
  await Promise.all(STORES.map(async (store) => {
    workers[store] = await startWorker({ vars: { AUTH_TOKENS, TASK_STORE: store, AGENT_EXTENDED_CARD: 'configured' } });
  }));
});
after(() => Promise.all(Object.values(workers).map((worker) => worker.stop())));

const unauthenticated = (challenge) => ({
  code: -32000, http: 401, grpc: 'UNAUTHENTICATED', reason: /^[A-Z_]+$/, domain: EDGE_DOMAIN, headers: { 'WWW-Authenticate': challenge },
});
const OPERATIONS = [
  ['SendMessage', { message: message('hello') }, 'POST', '/message:send'],
  ['SendStreamingMessage', { message: message('hello') }, 'POST', '/message:stream'],
  ['GetTask', { id: 'x' }, 'GET', '/tasks/x'],
  ['ListTasks', {}, 'GET', '/tasks'],
  ['CancelTask', { id: 'x' }, 'POST', '/tasks/x:cancel'],
  ['SubscribeToTask', { id: 'x' }, 'POST', '/tasks/x:subscribe'],
  ['CreateTaskPushNotificationConfig', { taskId: 'x', url: 'https://example.com' }, 'POST', '/tasks/x/pushNotificationConfigs'],
  ['GetTaskPushNotificationConfig', { taskId: 'x', id: 'c' }, 'GET', '/tasks/x/pushNotificationConfigs/c'],
  ['ListTaskPushNotificationConfigs', { taskId: 'x' }, 'GET', '/tasks/x/pushNotificationConfigs'],
  ['DeleteTaskPushNotificationConfig', { taskId: 'x', id: 'c' }, 'DELETE', '/tasks/x/pushNotificationConfigs/c'],
  ['GetExtendedAgentCard', {}, 'GET', '/extendedAgentCard'],
];

describe('who names no token, or none that is known, is challenged', () => {
  const CALLERS = [
    ['nothing', {}, /^Bearer\b/],
    ['another scheme', { Authorization: 'Basic dC1hbGljZTp4' }, /^Bearer\b/],
    ['a bare token', { Authorization: 't-alice-7f3a9c' }, /^Bearer\b/],
    ['an empty token', { Authorization: 'Bearer ' }, /^Bearer\b/],
    // RFC 6750, section 3.1.
    ['an unknown token', { Authorization: 'Bearer t-carol' }, /^Bearer\b.*error="invalid_token"/],
    ['the start of a token', { Authorization: 'Bearer t-alice' }, /error="invalid_token"/],
    ['a token in other case', { Authorization: 'Bearer T-ALICE-7F3A9C' }, /error="invalid_token"/],
  ];
  for (const [name, headers, challenge] of CALLERS) {
    test(name, async () => {
      for (const [method, params, verb, path] of OPERATIONS) {
        assertRpcError(await rpc(workers.kv, method, params, { headers }), '1', unauthenticated(challenge));
        const body = verb === 'POST' ? JSON.stringify(params) : undefined;
        assertRestError(await rest(workers.kv, verb, path, { headers, body }), unauthenticated(challenge));
      }
    });
  }

  test('no answer repeats the token', async () => {
    const headers = { Authorization: 'Bearer canary-token-8d1f' };
    for (const answer of [await rpc(workers.kv, 'GetTask', { id: 'x' }, { headers }), await rest(workers.kv, 'GET', '/tasks/x', { headers })]) {
      assert.ok(!answer.text.includes('canary-token'));
      assert.ok(![...answer.headers].flat().join().includes('canary-token'));
    }
  });

  test('the card is public, and says how to authenticate', async () => {
    const { status, json } = await rest(workers.kv, 'GET', '/.well-known/agent-card.json');
    assert.equal(status, 200);
    const schemes = Object.entries(json.securitySchemes);
    assert.equal(schemes.length, 1);
    const [[name, scheme]] = schemes;
    assert.equal(scheme.httpAuthSecurityScheme.scheme.toLowerCase(), 'bearer');
    assert.deepEqual(json.securityRequirements.map(({ schemes }) => Object.keys(schemes)), [[name]]);
  });

  test('the scheme’s name has no case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const answer = await rpc(workers.kv, 'ListTasks', {}, { headers: { Authorization: `${scheme} t-bob-51d0e2` } });
      assert.ok(answer.json.result, answer.text);
    }
  });
});

for (const store of STORES) {
  describe(`callers are kept apart in TASK_STORE=${store}`, () => {
    const worker = () => workers[store];
    let working, asking, done;
    before(async () => {
      working = await send(worker(), 'work', { headers: ALICE, context: 'ctx-alice' });
      asking = await send(worker(), 'ask', { headers: ALICE, context: 'ctx-alice' });
      done = await send(worker(), 'hello', { headers: ALICE, context: 'ctx-alice' });
    });

    /** What bob is told of alice's task must be what he is told of one that never was, but for its id. */
    async function assertAsIfAbsent(ask) {
      for (const { id } of [working, asking, done]) {
        const absent = id.replace(/^.{8}/, '00000000');
        const [known, unknown] = [await ask(id), await ask(absent)];
        const shown = ({ status, text, headers }) => ({ status, text, headers: Object.fromEntries([...headers].filter(([name]) => name !== 'date')) });
        const renamed = { ...known, text: known.text.replaceAll(id, absent) };
        assert.deepEqual(shown(renamed), shown(unknown));
        assert.match(known.text, /TASK_NOT_FOUND/);
      }
    }

    test('bob cannot get, cancel or continue a task of alice’s, nor tell that it exists', async () => {
      await assertAsIfAbsent((id) => rpc(worker(), 'GetTask', { id }, { headers: BOB }));
      await assertAsIfAbsent((id) => rpc(worker(), 'CancelTask', { id }, { headers: BOB }));
      await assertAsIfAbsent((id) => rpc(worker(), 'SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'mine' }], taskId: id } }, { headers: BOB }));
      await assertAsIfAbsent((id) => rpc(worker(), 'SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'mine' }], taskId: id, contextId: 'ctx-alice' } }, { headers: BOB }));
      await assertAsIfAbsent((id) => rest(worker(), 'GET', `/tasks/${id}`, { headers: BOB }));
      await assertAsIfAbsent((id) => rest(worker(), 'POST', `/tasks/${id}:cancel`, { headers: BOB }));
    });

    test('bob lists nothing of alice’s, by no filter', async () => {
      for (const params of [{}, { contextId: 'ctx-alice' }, { status: 'TASK_STATE_WORKING' }, { pageSize: 1 }, { statusTimestampAfter: '2000-01-01T00:00:00Z' }]) {
        const list = await result(worker(), 'ListTasks', params, { headers: BOB });
        assert.deepEqual([list.tasks, list.totalSize, list.nextPageToken], [[], 0, ''], JSON.stringify(params));
      }
    });

    test('a page token of alice’s shows bob nothing', async () => {
      const first = await result(worker(), 'ListTasks', { pageSize: 1 }, { headers: ALICE });
      assert.notEqual(first.nextPageToken, '');
      const { json } = await rpc(worker(), 'ListTasks', { pageToken: first.nextPageToken }, { headers: BOB });
      assert.deepEqual(json.result?.tasks ?? [], []);
    });

    test('nothing that bob tried has changed a task of alice’s', async () => {
      for (const task of [working, asking, done]) {
        assert.deepEqual(await result(worker(), 'GetTask', { id: task.id }, { headers: ALICE }), task);
      }
    });

    test('bob may use the same context id for tasks of his own', async () => {
      const own = await send(worker(), 'hello', { headers: BOB, context: 'ctx-alice' });
      const ids = async (headers) => (await result(worker(), 'ListTasks', { contextId: 'ctx-alice' }, { headers })).tasks.map(({ id }) => id);
      assert.deepEqual(await ids(BOB), [own.id]);
      assert.ok(!(await ids(ALICE)).includes(own.id));
    });

    test('two tokens of one subject are one caller', async () => {
      const second = { Authorization: 'Bearer t-alice-second' };
      assert.equal((await result(worker(), 'GetTask', { id: done.id }, { headers: second })).id, done.id);
    });
  });
}

test('the extended card is for who has a token', async () => {
  for (const headers of [ALICE, BOB]) {
    assert.ok((await result(workers.kv, 'GetExtendedAgentCard', undefined, { headers })).skills.length > 0);
  }
});

test('each member of a batch is authenticated', async () => {
  const call = (id) => `{"jsonrpc":"2.0","id":${id},"method":"ListTasks"}`;
  const answer = await post(workers.kv, `[${call(1)},${call(2)}]`);
  assert.deepEqual(answer.json.map(({ id, error }) => [id, error.code]), [[1, -32000], [2, -32000]]);
});
