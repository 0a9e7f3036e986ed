// A thousand requests to an origin that fails at random: every answer conforms, and it is its own request's.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ERROR_INFO } from '../support/expect.mjs';
import { message, rest, rpc } from '../support/wire.mjs';
import { seeded } from '../support/seeded.mjs';
import { startWorker } from '../support/worker.mjs';
import { HARMLESS, SECRET, UNARY } from './faults.mjs';
import { startOrigin } from './origin.mjs';

const REQUESTS = 1_000;
const AT_ONCE = 10;
const SEED = 20_260_101;
/** Those that keep a request waiting, or the machine busy, would make this a test of patience. */
const LEFT_OUT = new Set(['hangs', 'only-headers', 'drips', 'slow', 'large-announced', 'large-in-pieces', 'gzip-bomb', 'busy-503', 'retry-after-1', 'retry-after-date', 'retry-info']);

const random = seeded(SEED);
const names = Object.entries({ ...UNARY, ...HARMLESS }).filter(([name]) => !LEFT_OUT.has(name));

/** A fault of the binding that is spoken, or none in two cases of five. */
function choose({ binding }) {
  if (random() < 0.4) return undefined;
  const fitting = names.filter(([, { only }]) => only === undefined || only === binding);
  return fitting[Math.floor(random() * fitting.length)][0];
}

function assertDetails(details, text) {
  assert.ok(Array.isArray(details), text);
  const infos = details.filter((detail) => detail['@type'] === ERROR_INFO);
  assert.equal(infos.length, 1, text);
  assert.match(infos[0].reason, /^[A-Z][A-Z0-9_]+$/, text);
  assert.equal(typeof infos[0].domain, 'string', text);
  for (const value of Object.values(infos[0].metadata ?? {})) assert.equal(typeof value, 'string', text);
}

const isTask = (task) => typeof task?.id === 'string' && /^TASK_STATE_[A-Z_]+$/.test(task.status?.state);

function assertRpc({ status, contentType, json, text }, id, wrapped) {
  assert.deepEqual([status, contentType, json.jsonrpc, json.id], [200, 'application/json', '2.0', id], text);
  if (json.error === undefined) return assert.ok(isTask(wrapped ? json.result.task : json.result), text);
  assert.deepEqual(Object.keys(json).sort(), ['error', 'id', 'jsonrpc'], text);
  assert.deepEqual(Object.keys(json.error).sort(), ['code', 'data', 'message'], text);
  assert.ok(Number.isInteger(json.error.code) && json.error.message !== '', text);
  return assertDetails(json.error.data, text);
}

function assertRest({ status, contentType, json, text }, wrapped) {
  if (status === 200) return assert.ok(contentType === 'application/a2a+json' && isTask(wrapped ? json.task : json), text);
  assert.equal(contentType, 'application/problem+json', text);
  assert.ok(status >= 400 && status < 600 && json.status === status && json.error.code === status, text);
  assertDetails(json.detail, text);
  return assertDetails(json.error.details, text);
}

async function one(gateway, number) {
  const headers = { Authorization: `Bearer t-${number}-0123456789` };
  const isSend = number % 4 < 2;
  const id = `q-${number}`;
  const params = isSend ? { message: message(id) } : { id };
  let answer;
  if (number % 2) {
    answer = await rpc(gateway, isSend ? 'SendMessage' : 'GetTask', params, { rawId: `"${id}"`, headers });
    assertRpc(answer, id, isSend);
  } else {
    answer = isSend ? await rest(gateway, 'POST', '/message:send', { body: params, headers }) : await rest(gateway, 'GET', `/tasks/${id}`, { headers });
    assertRest(answer, isSend);
  }
  for (const forbidden of [SECRET, 'psycopg2', '/app/', '0123456789', '127.0.0.1']) assert.ok(!answer.text.includes(forbidden), answer.text);
  return answer.status === 200 && answer.json.error === undefined;
}

let origin, gateways;
before(async () => {
  origin = await startOrigin({ choose });
  const vars = { ORIGIN_URL: origin.url, ORIGIN_RETRY_BASE_MS: '1', ORIGIN_TIMEOUT_MS: '5000', BREAKER_OPEN_MS: '20', TASK_STORE: 'memory' };
  gateways = await Promise.all(['jsonrpc', 'rest'].map((binding) => startWorker({ vars: { ...vars, ORIGIN_BINDING: binding } })));
});
after(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await origin.stop();
});

test(`${REQUESTS} requests, every answer conforms`, async () => {
  let next = 0;
  let succeeded = 0;
  const worker = async () => {
    while (next < REQUESTS) {
      const number = next;
      next += 1;
      if (await one(gateways[number % 8 < 4 ? 0 : 1], number)) succeeded += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  assert.equal(next, REQUESTS);
  // Two of five are well at the first attempt; retries may only help.
  assert.ok(succeeded > REQUESTS / 4, `${succeeded} succeeded`);
  assert.ok(succeeded < REQUESTS, 'some failed');
});
