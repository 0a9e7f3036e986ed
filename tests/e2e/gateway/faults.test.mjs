// Whatever the origin does, its caller gets a correct error on either binding, in bounded time, and the log says how.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { all, openRest, openRpc, outline } from '../support/events.mjs';
import { assertRestError, assertRpcError, assertRpcErrorObject } from '../support/expect.mjs';
import { message, rest, rpc } from '../support/wire.mjs';
import { startWorker } from '../support/worker.mjs';
import { HARMLESS, SECRET, STREAMS, UNARY } from './faults.mjs';
import { startOrigin } from './origin.mjs';

const TIMEOUT_MS = 1_000;
/** Both attempts' worth of a call, and a slow machine's share. */
const BOUND_MS = 2 * TIMEOUT_MS + 4_000;
const TOKEN = 'Bearer t-0123456789abcdef';
const HEADERS = { Authorization: TOKEN };

/** One gateway for each binding that is spoken behind it. */
const gateways = {};
let origin;
let tasks = 0;
before(async () => {
  origin = await startOrigin();
  const vars = { ORIGIN_URL: origin.url, ORIGIN_TIMEOUT_MS: String(TIMEOUT_MS), ORIGIN_MAX_RETRIES: '0', BREAKER_FAILURES: '0', TASK_STORE: 'memory' };
  const start = (binding) => startWorker({ vars: { ...vars, ORIGIN_BINDING: binding } });
  [gateways.jsonrpc, gateways.rest] = await Promise.all([start('jsonrpc'), start('rest')]);
});
after(async () => {
  await Promise.all(Object.values(gateways).map((gateway) => gateway.stop()));
  await origin.stop();
});

async function within(work) {
  const started = Date.now();
  const value = await work;
  assert.ok(Date.now() - started < BOUND_MS, `took ${Date.now() - started} ms`);
  return value;
}

const logged = (gateway, mark) => gateway.waitForLog((line) => line.includes(mark) && line.includes('request_failed'));

function assertHarmless(text) {
  for (const forbidden of [SECRET, 'psycopg2', '/app/', TOKEN.slice(7), '127.0.0.1']) assert.ok(!text.includes(forbidden), `${forbidden} in ${text}`);
}

for (const behind of ['jsonrpc', 'rest']) {
  describe(`${behind} behind`, () => {
    for (const [name, { only, expect, log }] of Object.entries(UNARY)) {
      if (only && only !== behind) continue;
      test(name, async () => {
        const gateway = gateways[behind];
        const id = () => `fault-${name}-${(tasks += 1)}`;
        const [first, second] = [id(), id()];
        const answer = await within(rpc(gateway, 'GetTask', { id: first }, { rawId: '9007199254740993', headers: HEADERS }));
        assertRpcError(answer, '9007199254740993', expect);
        assertHarmless(answer.text);
        const other = await within(rest(gateway, 'GET', `/tasks/${second}`, { headers: HEADERS }));
        assertRestError(other, expect);
        assertHarmless(other.text);
        const line = await logged(gateway, first);
        assert.ok(!line.includes(TOKEN.slice(7)), line);
        if (log) assert.match(JSON.parse(line).sources.join(' '), log);
      });
    }

    for (const name of Object.keys(HARMLESS)) {
      test(`${name} does no harm`, async () => {
        const gateway = gateways[behind];
        const id = `fault-${name}-${(tasks += 1)}`;
        const answer = await within(rpc(gateway, 'GetTask', { id }, { rawId: '"x"' }));
        assert.equal(answer.json.result?.status.state, 'TASK_STATE_WORKING', answer.text);
        assert.equal(answer.json.id, 'x');
        const other = await within(rest(gateway, 'GET', `/tasks/${id}?historyLength=1`));
        assert.equal(other.json.status?.state, 'TASK_STATE_WORKING', other.text);
      });
    }

    for (const [name, { expect, instead, states }] of Object.entries(STREAMS)) {
      test(name, async () => {
        const gateway = gateways[behind];
        const body = { message: message(`fault-${name}`) };
        const front = [
          () => openRpc(gateway, 'SendStreamingMessage', body, { rawId: '"s1"', headers: HEADERS }),
          () => openRest(gateway, '/message:stream', body, { headers: HEADERS }),
        ];
        for (const [index, open] of front.entries()) {
          const response = await within(open());
          if (instead) {
            const text = await response.text();
            const answer = { status: response.status, headers: response.headers, contentType: response.headers.get('content-type'), text, json: JSON.parse(text) };
            if (index === 0) assertRpcError(answer, '"s1"', instead);
            else assertRestError(answer, instead);
            continue;
          }
          const events = await within(all(response));
          if (states) {
            assertHarmless(JSON.stringify(events));
            assert.deepEqual(events.map((event) => outline(event).split(' ')[1]), states);
            continue;
          }
          const last = events.at(-1);
          assert.deepEqual(events.slice(0, -1).map(outline), ['task WORKING', 'statusUpdate WORKING']);
          assert.equal(last.event, 'error');
          assertHarmless(JSON.stringify(last));
          if (index === 0) {
            assert.equal(last.data.id, 's1');
            assertRpcErrorObject(last.data, expect);
          } else {
            assertRestError({ status: expect.http, contentType: 'application/a2a+json', headers: new Headers(), json: last.data }, { ...expect, headers: undefined }, 'status');
          }
        }
      });
    }
  });
}
