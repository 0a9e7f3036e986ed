// Retries, the breaker and fallbacks, seen by when which origin is asked.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { assertRestError, assertRpcError } from '../support/expect.mjs';
import { message, rest, rpc } from '../support/wire.mjs';
import { startWorker } from '../support/worker.mjs';
import { startOrigin, unusedPort } from './origin.mjs';

const OPEN_MS = 1_500;
const CIRCUIT_OPEN = { code: -32603, http: 503, reason: 'ORIGIN_CIRCUIT_OPEN', domain: 'a2a-edge', retry: true, headers: { 'retry-after': /^[12]$/ } };
const AWAY = { code: -32603, http: 502, reason: 'ORIGIN_UNAVAILABLE', domain: 'a2a-edge' };

/** Runs `work` with an origin whose requests are answered by a list of faults, the last one again and again. */
async function withOrigin(script, vars, work) {
  const origin = await startOrigin({ choose: () => (origin.script.length > 1 ? origin.script.shift() : origin.script[0]) });
  origin.script = script;
  const gateway = await startWorker({ vars: { ORIGIN_URL: origin.url, ORIGIN_TIMEOUT_MS: '5000', ORIGIN_RETRY_BASE_MS: '10', TASK_STORE: 'memory', ...vars } });
  try {
    // The card is there when the clock starts.
    await rest(gateway, 'GET', '/.well-known/agent-card.json');
    await work(gateway, origin);
  } finally {
    await gateway.stop();
    await origin.stop();
  }
}

let tasks = 0;
const get = (gateway, more) => rpc(gateway, 'GetTask', { id: `r-${(tasks += 1)}` }, more);
const send = (gateway) => rpc(gateway, 'SendMessage', { message: message('hello') });
const OK = undefined;

describe('retries', () => {
  test('an idempotent request is sent again, until it succeeds', () =>
    withOrigin(['empty-503', 'reset', OK], {}, async (gateway, origin) => {
      const answer = await get(gateway);
      assert.equal(answer.json.result?.status.state, 'TASK_STATE_WORKING', answer.text);
      assert.equal(origin.seen.length, 3);
      // Each attempt has an id of its own, and the caller gets back the one that it sent.
      const ids = origin.seen.map(({ call }) => call.id);
      assert.equal(new Set(ids).size, 3);
      assert.equal(answer.json.id, 1);
      await gateway.waitForLog((line) => line.includes('origin_retry'));
    }));

  test('four times at most', () =>
    withOrigin(['empty-503'], { BREAKER_FAILURES: '0' }, async (gateway, origin) => {
      assertRpcError(await get(gateway), '1', { code: -32000, reason: /./, domain: 'a2a-edge' });
      assert.equal(origin.seen.length, 4);
    }));

  test('Retry-After is waited for, in seconds and as a date', () =>
    withOrigin(['retry-after-1', 'retry-after-date', OK], {}, async (gateway, origin) => {
      assert.ok((await get(gateway)).json.result);
      const [first, second, third] = origin.seen.map(({ at }) => at);
      assert.ok(second - first >= 950, `${second - first} ms`);
      // A date has no more than whole seconds.
      assert.ok(third - second >= 950, `${third - second} ms`);
    }));

  test('not past the deadline: the caller is told how long to wait instead', () =>
    withOrigin(['busy-503'], { ORIGIN_TIMEOUT_MS: '1000' }, async (gateway, origin) => {
      const started = Date.now();
      assertRpcError(await get(gateway), '1', { code: -32000, reason: /./, domain: 'a2a-edge', retry: true, headers: { 'retry-after': '3' } });
      assert.equal(origin.seen.length, 1);
      assert.ok(Date.now() - started < 2_000);
    }));

  test('what may be done twice is sent once', () =>
    withOrigin(['empty-503'], {}, async (gateway, origin) => {
      assertRpcError(await send(gateway), '1', { code: -32000, reason: /./, domain: 'a2a-edge' });
      assert.equal(origin.seen.length, 1);
    }));

  test('unless the operator says otherwise', () =>
    withOrigin(['empty-503', OK], { RETRY_SENDS: 'on' }, async (gateway, origin) => {
      assert.ok((await send(gateway)).json.result);
      assert.equal(origin.seen.length, 2);
    }));

  test('an error of the caller\'s own making is final', () =>
    withOrigin(['data-null'], { ORIGIN_BINDING: 'jsonrpc' }, async (gateway, origin) => {
      assertRpcError(await get(gateway), '1', { code: -32001, reason: 'TASK_NOT_FOUND' });
      assert.equal(origin.seen.length, 1);
    }));
});

describe('the breaker', () => {
  test('opens, keeps the origin in peace, lets one probe through, and closes', () =>
    withOrigin(['reset'], { ORIGIN_MAX_RETRIES: '0', BREAKER_FAILURES: '3', BREAKER_OPEN_MS: String(OPEN_MS) }, async (gateway, origin) => {
      for (let i = 0; i < 3; i += 1) assertRpcError(await get(gateway), '1', AWAY);
      assertRpcError(await get(gateway, { rawId: '"open"' }), '"open"', CIRCUIT_OPEN);
      assertRestError(await rest(gateway, 'GET', '/tasks/r'), CIRCUIT_OPEN);
      assert.equal(origin.seen.length, 3, 'nothing more reached the origin');

      await pause(OPEN_MS);
      assertRpcError(await get(gateway), '1', AWAY); // the probe
      assertRpcError(await get(gateway), '1', CIRCUIT_OPEN);
      assert.equal(origin.seen.length, 4);

      await pause(OPEN_MS);
      origin.script = ['slow', OK];
      const answers = await Promise.all(Array.from({ length: 5 }, () => get(gateway)));
      assert.equal(answers.filter(({ json }) => json.result).length, 1, 'one probe');
      assert.equal(answers.filter(({ json }) => json.error?.data[0].reason === 'ORIGIN_CIRCUIT_OPEN').length, 4);
      assert.equal(origin.seen.length, 5);
      assert.ok((await get(gateway)).json.result);
    }));

  test('an origin that only answers with errors stays connected', () =>
    withOrigin(['sql-in-message'], { ORIGIN_BINDING: 'jsonrpc', ORIGIN_MAX_RETRIES: '0', BREAKER_FAILURES: '2' }, async (gateway, origin) => {
      for (let i = 0; i < 5; i += 1) assertRpcError(await get(gateway), '1', { code: -32603, reason: 'INTERNAL_ERROR' });
      assert.equal(origin.seen.length, 5);
    }));
});

describe('fallbacks', () => {
  test('stand in, in their order, also for the card', async () => {
    const [second, third] = [await startOrigin(), await startOrigin()];
    const dead = `http://127.0.0.1:${await unusedPort()}`;
    const vars = { ORIGIN_URL: dead, ORIGIN_FALLBACK_URLS: `${second.url},${third.url}`, ORIGIN_MAX_RETRIES: '0', BREAKER_FAILURES: '2', TASK_STORE: 'memory' };
    const gateway = await startWorker({ vars });
    try {
      for (let i = 0; i < 3; i += 1) assert.ok((await get(gateway)).json.result);
      assert.deepEqual([second.seen.length, third.seen.length], [3, 0]);
      await second.stop();
      assert.ok((await get(gateway)).json.result);
      assert.equal(third.seen.length, 1);
      // What may have been done at one is not asked of another.
      assertRpcError(await send(gateway), '1', AWAY);
      assert.equal(third.seen.length, 1);
    } finally {
      await gateway.stop();
      await third.stop();
    }
  });
});
