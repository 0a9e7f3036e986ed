// Cross-origin requests: who may read the answers in a browser (ALLOWED_ORIGINS; the Fetch standard's CORS protocol).
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { post, rest } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

const APP = 'https://app.example.com';
const OTHER = 'https://evil.example';
const CALL = '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}';

/** Successes and errors of both bindings: a page must be able to read why it was refused. */
const asks = (worker, headers) => [
  () => post(worker, CALL, { headers }),
  () => post(worker, '{', { headers }),
  () => rest(worker, 'GET', '/tasks', { headers }),
  () => rest(worker, 'GET', '/tasks/x', { headers }),
  () => rest(worker, 'GET', '/no/such/path', { headers }),
  () => rest(worker, 'PUT', '/tasks', { headers }),
  () => rest(worker, 'GET', '/.well-known/agent-card.json', { headers }),
];
const allOf = (worker, headers) => Promise.all(asks(worker, headers).map((ask) => ask()));
const preflight = (worker, path, origin, method = 'POST') =>
  rest(worker, 'OPTIONS', path, { headers: { Origin: origin, 'Access-Control-Request-Method': method, 'Access-Control-Request-Headers': 'content-type,a2a-version' } });

let open, closed;
before(async () => {
  [open, closed] = await Promise.all([startWorker(), startWorker({ vars: { ALLOWED_ORIGINS: `${APP}, http://localhost:8080` } })]);
});
after(() => Promise.all([open.stop(), closed.stop()]));

describe('by default', () => {
  test('every page may read every answer, without credentials', async () => {
    for (const answer of await allOf(open, { Origin: OTHER })) {
      assert.equal(answer.headers.get('access-control-allow-origin'), '*');
      assert.equal(answer.headers.get('access-control-allow-credentials'), null);
    }
  });

  test('a preflight allows the verbs and headers of the protocol', async () => {
    for (const [path, method] of [['/', 'POST'], ['/rpc', 'POST'], ['/message:send', 'POST'], ['/tasks/t1', 'GET'], ['/tasks/t1/pushNotificationConfigs/c1', 'DELETE']]) {
      const answer = await preflight(open, path, OTHER, method);
      assert.deepEqual([answer.status, answer.text], [204, ''], path);
      assert.equal(answer.headers.get('access-control-allow-origin'), '*');
      assert.ok(answer.headers.get('access-control-allow-methods').split(/, */).includes(method), path);
      const headers = answer.headers.get('access-control-allow-headers').toLowerCase().split(/, */);
      for (const name of ['authorization', 'content-type', 'a2a-version', 'a2a-extensions']) assert.ok(headers.includes(name), name);
    }
  });

  test('a page may read the headers that say what to do next', async () => {
    const [answer] = await allOf(open, { Origin: OTHER });
    const exposed = answer.headers.get('access-control-expose-headers').toLowerCase().split(/, */);
    for (const name of ['retry-after', 'www-authenticate', 'allow']) assert.ok(exposed.includes(name), name);
  });

  test('who names no origin is told nothing of origins', async () => {
    for (const answer of await allOf(open, {})) assert.equal(answer.headers.get('access-control-allow-origin'), null);
  });
});

describe('with ALLOWED_ORIGINS', () => {
  test('a page of the list may read every answer', async () => {
    for (const origin of [APP, 'http://localhost:8080']) {
      for (const answer of await allOf(closed, { Origin: origin })) {
        assert.equal(answer.headers.get('access-control-allow-origin'), origin);
        assert.match(answer.headers.get('vary') ?? '', /\bOrigin\b/i);
      }
      assert.equal((await preflight(closed, '/rpc', origin)).headers.get('access-control-allow-origin'), origin);
    }
  });

  test('no other page may', async () => {
    for (const origin of [OTHER, 'https://app.example.com.evil.example', 'http://app.example.com', 'null']) {
      for (const answer of await allOf(closed, { Origin: origin })) {
        assert.equal(answer.headers.get('access-control-allow-origin'), null, origin);
        assert.match(answer.headers.get('vary') ?? '', /\bOrigin\b/i);
      }
      assert.equal((await preflight(closed, '/rpc', origin)).headers.get('access-control-allow-origin'), null);
    }
  });
});
