// One line of JSON for each request that failed, with all that is needed to find the fault; none for one that succeeded.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { linesOf } from './support/logs.mjs';
import { bare, message, post, rest, rpc, send } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

let worker;
before(async () => {
  worker = await startWorker();
});
after(() => worker.stop());

const LEVELS = ['info', 'warn', 'error'];

/** The one line that `work` leaves behind. */
async function lineOf(work) {
  const lines = await linesOf(worker, work);
  assert.equal(lines.length, 1, `exactly one line: ${lines.join('\n')}`);
  assert.ok(!/[\n\r]/.test(lines[0]));
  const line = JSON.parse(lines[0]);
  assert.ok(LEVELS.includes(line.level), line.level);
  assert.equal(typeof line.durationMs, 'number');
  assert.ok(line.durationMs >= 0 && line.durationMs < 60_000);
  return line;
}

const pick = (line, expected) => Object.fromEntries(Object.keys(expected).map((key) => [key, line[key]]));
const assertLine = (line, expected) => assert.deepEqual(pick(line, expected), expected);

describe('a failed request', () => {
  test('on JSON-RPC', async () => {
    const line = await lineOf(() => rpc(worker, 'GetTask', { id: 'task-in-log' }, { rawId: '"r-1"' }));
    assertLine(line, { code: -32001, reason: 'TASK_NOT_FOUND', binding: 'JSONRPC', operation: 'GetTask', taskId: 'task-in-log' });
    // As text or as JSON: 1 and "1" are two ids.
    assert.ok(['r-1', '"r-1"'].includes(line.requestId), line.requestId);
    assert.equal(line.sources?.length ?? 0, 0);
  });

  test('on HTTP+JSON', async () => {
    const line = await lineOf(() => rest(worker, 'POST', '/tasks/task-in-log:cancel'));
    assertLine(line, { code: -32001, reason: 'TASK_NOT_FOUND', binding: 'HTTP+JSON', operation: 'CancelTask', taskId: 'task-in-log' });
  });

  test('names the ray that Cloudflare gave it', async () => {
    const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0', 'CF-Ray': '8f0c1d2e3a4b5c6d-FRA' };
    const body = '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}';
    assert.equal((await lineOf(() => bare(worker, 'POST', '/rpc', { headers, body }))).ray, '8f0c1d2e3a4b5c6d-FRA');
  });

  test('names the task that the message belongs to', async () => {
    const { id } = await send(worker, 'hello');
    const line = await lineOf(() => rpc(worker, 'SendMessage', { message: message('more', { taskId: id }) }));
    assertLine(line, { code: -32004, reason: 'UNSUPPORTED_OPERATION', operation: 'SendMessage', taskId: id });
  });

  test('has the chain of sources of an internal error, and is an error to its operator', async () => {
    const line = await lineOf(() => rpc(worker, 'SendMessage', { message: message('error internal') }));
    assertLine(line, { level: 'error', code: -32603, reason: 'INTERNAL_ERROR' });
    assert.ok(line.sources.length >= 1);
    for (const source of line.sources) assert.equal(typeof source, 'string');
  });

  test('has the source of what a downstream agent did, too', async () => {
    const line = await lineOf(() => rest(worker, 'POST', '/message:send', { body: { message: message('error junk') } }));
    assertLine(line, { level: 'error', code: -32006, reason: 'INVALID_AGENT_RESPONSE' });
    assert.ok(line.sources.length >= 1);
  });

  test('that is the caller’s fault is no error to the operator', async () => {
    for (const work of [() => rpc(worker, 'GetTask', { id: 'x' }), () => rpc(worker, 'NoSuchMethod', {}), () => post(worker, '{'), () => rest(worker, 'GET', '/no/such/path')]) {
      assert.notEqual((await lineOf(work)).level, 'error');
    }
  });

  for (const [name, work, expected] of [
    ['malformed JSON', () => post(worker, '{"jsonrpc"'), { code: -32700, reason: 'PARSE_ERROR', binding: 'JSONRPC' }],
    ['an invalid request', () => post(worker, '{"id":1}'), { code: -32600, reason: 'INVALID_REQUEST' }],
    ['an unknown method', () => rpc(worker, 'NoSuchMethod', {}), { code: -32601, reason: 'METHOD_NOT_FOUND' }],
    ['invalid params', () => rpc(worker, 'GetTask', {}), { code: -32602, reason: 'INVALID_PARAMS', operation: 'GetTask' }],
    ['a version that is not served', () => rest(worker, 'GET', '/tasks', { headers: { 'A2A-Version': '0.3' } }), { code: -32009, reason: 'VERSION_NOT_SUPPORTED', operation: 'ListTasks' }],
    ['an unknown path', () => rest(worker, 'GET', '/no/such/path'), { code: -32601, reason: 'METHOD_NOT_FOUND', binding: 'HTTP+JSON' }],
    ['a wrong verb', () => rest(worker, 'PUT', '/tasks'), { code: -32601, reason: 'METHOD_NOT_FOUND', binding: 'HTTP+JSON' }],
    ['an overloaded agent', () => rpc(worker, 'SendMessage', { message: message('error overloaded') }), { code: -32000, operation: 'SendMessage' }],
    ['a notification', () => post(worker, '{"jsonrpc":"2.0","method":"GetTask","params":{"id":"quiet"}}'), { code: -32001, taskId: 'quiet' }],
  ]) {
    test(`${name} leaves one line`, async () => assertLine(await lineOf(work), expected));
  }

  test('in a batch leaves one line for each call that failed', async () => {
    const call = (id, method, params) => ({ jsonrpc: '2.0', id, method, params });
    const batch = [call('b-1', 'GetTask', { id: 'x' }), call('b-2', 'ListTasks', {}), call('b-3', 'NoSuchMethod', {}), 7];
    const lines = (await linesOf(worker, () => post(worker, batch))).map((line) => JSON.parse(line));
    assert.deepEqual(lines.map(({ code }) => code).sort(), [-32001, -32600, -32601]);
  });

  test('cannot write lines of its own, however long its ids are', async () => {
    const id = 'x\n{"level":"error"}\r\u2028'.repeat(1000);
    const lines = await linesOf(worker, () => rpc(worker, 'GetTask', { id }, { rawId: JSON.stringify(id) }));
    assert.equal(lines.length, 1);
    assert.ok(lines[0].length < 4096, `${lines[0].length} characters`);
    assert.ok(!/[\n\r]/.test(lines[0]));
    assert.equal(JSON.parse(lines[0]).code, -32001);
  });
});

test('a request that succeeded leaves no line', async () => {
  const { id } = await send(worker, 'work');
  const lines = await linesOf(worker, async () => {
    await send(worker, 'hello');
    await send(worker, 'fail');
    await rpc(worker, 'GetTask', { id });
    await rpc(worker, 'CancelTask', { id });
    await rpc(worker, 'ListTasks', {});
    await rest(worker, 'GET', '/tasks');
    await rest(worker, 'GET', '/.well-known/agent-card.json');
    await rest(worker, 'GET', '/.well-known/agent-card.json', { headers: { 'If-None-Match': '*' } });
    await rest(worker, 'OPTIONS', '/rpc');
  });
  assert.deepEqual(lines, []);
});
