// A stream of any length takes no more memory than its longest event and one task.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import http from 'node:http';
import { test } from 'node:test';
import { message, rest, rpc } from '../support/wire.mjs';
import { openRpc } from '../support/events.mjs';
import { startWorker } from '../support/worker.mjs';
import { cardOf, CARD_PATH, taskOf } from './origin.mjs';

const MIB = 1 << 20;
const SENT = 240 * MIB;
/** What piled up would be SENT and its copies. workerd itself takes some forty per cent for so many pieces, of any worker. */
const MOST_GROWTH = 180 * MIB;
const PIECE = 'x'.repeat(100_000);

/** An origin whose only stream is artifact chunks, as fast as they are taken. */
async function startFlood() {
  const server = http.createServer(async (request, response) => {
    if (request.url === CARD_PATH) return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(cardOf(url)));
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { id } = JSON.parse(Buffer.concat(chunks));
    const event = (result) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`;
    const chunk = event({ artifactUpdate: { taskId: 't', contextId: 'ctx', append: true, artifact: { artifactId: 'a', parts: [{ text: PIECE }] } } });
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(event({ task: taskOf('t') }));
    for (let sent = 0; sent < SENT; sent += chunk.length) await new Promise((resolve) => response.write(chunk, resolve));
    return response.end(event({ statusUpdate: { taskId: 't', contextId: 'ctx', status: { state: 'TASK_STATE_COMPLETED' } } }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  return { url, stop: () => new Promise((resolve) => server.close(resolve)) };
}

const status = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
};

/** Resident memory of the workerd that this process started. */
function resident() {
  const ours = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(status).filter((text) => /^Name:\s+workerd$/m.test(text) && text.includes(`\nPPid:\t${process.pid}\n`));
  assert.equal(ours.length, 1, 'one workerd');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(ours[0])[1]) * 1024;
}

test('of a long stream nothing piles up', { skip: process.platform !== 'linux' }, async () => {
  const origin = await startFlood();
  const gateway = await startWorker({ vars: { ORIGIN_URL: origin.url, ORIGIN_TIMEOUT_MS: '60000', TASK_STORE: 'memory' } });
  try {
    await rest(gateway, 'GET', CARD_PATH);
    const before = resident();
    const response = await openRpc(gateway, 'SendStreamingMessage', { message: message('x') });
    let [taken, end] = [0, ''];
    for await (const chunk of response.body) {
      taken += chunk.length;
      end = (end + Buffer.from(chunk.subarray(-1000)).toString()).slice(-1000);
    }
    assert.ok(taken > SENT - MIB, `${taken} bytes`);
    assert.match(end, /TASK_STATE_COMPLETED[^x]*\n\n$/);
    const growth = resident() - before;
    assert.ok(growth < MOST_GROWTH, `${Math.round(growth / MIB)} MiB more`);
    assert.equal((await rpc(gateway, 'NoSuchMethod', {})).json.error.code, -32601);
  } finally {
    await gateway.stop();
    await origin.stop();
  }
});
