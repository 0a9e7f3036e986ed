// Version negotiation (specification 3.6; ASSUME_VERSION).
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertRestError, assertRpcError } from './support/expect.mjs';
import { bare, parsed } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

let strict, assuming;
before(async () => {
  [strict, assuming] = await Promise.all([startWorker(), startWorker({ vars: { ASSUME_VERSION: '1.0' } })]);
});
after(() => Promise.all([strict.stop(), assuming.stop()]));

const CALL = '{"jsonrpc":"2.0","id":"v","method":"GetTask","params":{"id":"x"}}';
const NOT_FOUND = { code: -32001, http: 404, grpc: 'NOT_FOUND', reason: 'TASK_NOT_FOUND', message: 'Task not found', metadata: { taskId: 'x' } };
const refused = (version, message = 'Version not supported') => ({
  code: -32009, http: 400, grpc: 'FAILED_PRECONDITION', reason: 'VERSION_NOT_SUPPORTED', message, metadata: { version, supportedVersions: '1.0' },
});
/** Without a version the message names the one that is served, and the header to send. */
const UNSTATED = refused('0.3', /^Version not supported(?=.*\b1\.0\b).*A2A-Version/);

/** The version in a header, in the query, or nowhere. */
function request({ header, query }) {
  const headers = header === undefined ? {} : { 'A2A-Version': header };
  const suffix = query === undefined ? '' : `?${query}`;
  return { headers, suffix };
}

async function assertBoth(worker, where, expected) {
  const { headers, suffix } = request(where);
  const rpc = await bare(worker, 'POST', `/rpc${suffix}`, { headers: { 'Content-Type': 'application/json', ...headers }, body: CALL });
  assertRpcError(rpc, '"v"', expected);
  assertRestError(await bare(worker, 'GET', `/tasks/x${suffix}`, { headers }), expected);
}

const SERVED = [
  ['the header 1.0', { header: '1.0' }],
  ['the query 1.0', { query: 'A2A-Version=1.0' }],
  ['the query in other case', { query: 'a2a-version=1.0' }],
  ['an encoded query', { query: 'A2A-Version=1%2E0' }],
  ['an empty header beside the query', { header: '', query: 'A2A-Version=1.0' }],
  ['the header before the query', { header: '1.0', query: 'A2A-Version=99.0' }],
];
const REFUSED = [
  ['the header 0.3', { header: '0.3' }, refused('0.3')],
  ['the header 99.0', { header: '99.0' }, refused('99.0')],
  ['a patch level', { header: '1.0.1' }, refused('1.0.1')],
  ['a major version alone', { header: '1' }, refused('1')],
  ['the query 99.0', { query: 'A2A-Version=99.0' }, refused('99.0')],
  ['the query 0.3', { query: 'A2A-Version=0.3' }, refused('0.3')],
  ['a header that is refused, whatever the query says', { header: '0.3', query: 'A2A-Version=1.0' }, refused('0.3')],
];
const ABSENT = [
  ['no version', {}],
  ['an empty header', { header: '' }],
  ['an empty query', { query: 'A2A-Version=' }],
];

describe('by default', () => {
  for (const [name, where] of SERVED) test(`${name} is served`, () => assertBoth(strict, where, NOT_FOUND));
  for (const [name, where, expected] of REFUSED) test(`${name} is refused`, () => assertBoth(strict, where, expected));
  for (const [name, where] of ABSENT) test(`${name} means 0.3, which is not served`, () => assertBoth(strict, where, UNSTATED));
});

describe('with ASSUME_VERSION=1.0', () => {
  for (const [name, where] of [...SERVED, ...ABSENT]) test(`${name} is served`, () => assertBoth(assuming, where, NOT_FOUND));
  for (const [name, where, expected] of REFUSED) test(`${name} is refused all the same`, () => assertBoth(assuming, where, expected));
});

test('a version is not repeated without end', async () => {
  const answer = await bare(strict, 'GET', '/tasks/x', { headers: { 'A2A-Version': '9'.repeat(5000) } });
  assert.equal(answer.status, 400);
  assert.ok(answer.text.length < 2000, `${answer.text.length} bytes`);
});

test('the card needs no version', async () => {
  const answer = await bare(strict, 'GET', '/.well-known/agent-card.json');
  assert.equal(answer.status, 200);
  assert.ok(parsed(answer.text).name);
});
