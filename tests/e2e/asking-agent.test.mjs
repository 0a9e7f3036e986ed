// examples/asking-agent: the Rust client in a Worker. An agent asks another and passes on what comes of it, while it comes;
// what is wrong with the other is a typed error of this one, and its breaker learns from all requests.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startAgent } from './support/agent.mjs';
import { frames, openRpc } from './support/events.mjs';
import { EDGE_DOMAIN, assertRestError, assertRpcError } from './support/expect.mjs';
import { message, rest, rpc, send } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

const script = 'examples/asking-agent/build/worker/shim.mjs';
const asking = (url) => startWorker({ script, vars: { ASKED_URL: url } });

let asked, worker;
before(async () => {
  asked = await startWorker();
  worker = await asking(`${asked.url}/rpc`);
});
after(() => Promise.all([worker?.stop(), asked?.stop()]));

/** A worker that asks an agent which does this with every request. */
async function origin(t, answer) {
  const agent = await startAgent(({ body }, response) => answer(response, JSON.parse(body)));
  t.after(() => agent.stop());
  const started = await asking(`${agent.url}/rpc`);
  t.after(() => started.stop());
  return started;
}

test('what the other agent makes is passed on', async () => {
  const task = await send(worker, 'hello');
  assert.equal(task.status.state, 'TASK_STATE_COMPLETED');
  assert.deepEqual(task.artifacts.map(({ parts }) => parts), [[{ text: 'hello' }]]);
});

test('while it comes', async (t) => {
  let goOn;
  const pieces = await origin(t, (response, { id }) => {
    const write = (result) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    const piece = (text, more) => write({ artifactUpdate: { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [{ text }] }, ...more } });
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    piece('one');
    goOn = () => {
      piece('two', { append: true, lastChunk: true });
      write({ statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } } });
      response.end();
    };
  });
  const seen = [];
  for await (const { data } of frames(await openRpc(pieces, 'SendStreamingMessage', { message: message('go') }))) {
    const { task, artifactUpdate, statusUpdate } = data.result;
    seen.push(artifactUpdate?.artifact.parts[0].text ?? (task ?? statusUpdate).status.state);
    if (seen.at(-1) === 'one') goOn(); // not before it is here
  }
  assert.deepEqual(seen, ['TASK_STATE_SUBMITTED', 'one', 'two', 'TASK_STATE_COMPLETED']);
});

test('a task that fails there fails here, and says why', async () => {
  const { status } = await send(worker, 'fail');
  assert.equal(status.state, 'TASK_STATE_FAILED');
  assert.match(status.message.parts[0].text, /./);
});

test('an error of the other agent has its kind, and none of its secrets', async () => {
  for (const [text, expected] of [
    ['error internal', { code: -32603, http: 500, grpc: 'INTERNAL', reason: 'INTERNAL_ERROR', message: 'Internal error' }],
    ['error junk', { code: -32006, http: 500, grpc: 'INTERNAL', reason: 'INVALID_AGENT_RESPONSE', message: /./ }],
  ]) {
    assertRpcError(await rpc(worker, 'SendMessage', { message: message(text) }, { rawId: '"q"' }), '"q"', expected);
    assertRestError(await rest(worker, 'POST', '/message:send', { body: { message: message(text) } }), expected);
  }
});

test('an agent that is not there is a typed error, and is left alone after five attempts', async (t) => {
  let requests = 0;
  const gone = await origin(t, (response) => {
    requests += 1;
    response.socket.destroy();
  });
  const away = { code: -32603, http: 502, grpc: 'UNAVAILABLE', domain: EDGE_DOMAIN, reason: 'ORIGIN_UNAVAILABLE', message: /did not answer/ };
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    assertRpcError(await rpc(gone, 'SendMessage', { message: message('hello') }, { rawId: '0' }), '0', away);
    assert.equal(requests, attempt, 'a message is not sent twice');
  }
  const open = await rpc(gone, 'SendMessage', { message: message('hello') });
  assert.equal(open.json.error.data[0].reason, 'ORIGIN_CIRCUIT_OPEN');
  assert.equal(requests, 5);
});

test('one that breaks off has its task fail, and not the request', async (t) => {
  const breaking = await origin(t, (response, { id }) => {
    const result = { statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } };
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(`event: ping\ndata: {}\n\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`, () => response.socket.destroy());
  });
  const { status } = await send(breaking, 'hello');
  assert.deepEqual([status.state, status.message.parts[0].text], ['TASK_STATE_FAILED', 'The agent that was asked broke off.']);
});
