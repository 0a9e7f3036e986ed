// The JavaScript client against real agents: this worker, and agents of the official SDKs for JavaScript and Python. Errors are real classes,
// on both bindings; nothing is retried that must not be; leaving a stream closes its connection.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, describe, test } from 'node:test';
import { A2aClient, A2aError, JsonRpcError, RestError, TaskFailedError, TransportError, ValidationError, buildRequest, decode, failed, unwrap } from '../../packages/client/index.js';
import { startPythonAgent } from './gateway/agents.mjs';
import { startSdkAgent } from './support/sdk-agent.mjs';
import { thrownBy } from './support/thrown.mjs';
import { startWorker } from './support/worker.mjs';

let worker, strict, sdk, python;
before(async () => {
  const vars = { AUTH_TOKENS: '{"t-client-1":"alice"}', DEMO_FAULTS: 'on' };
  [worker, strict, sdk, python] = await Promise.all([startWorker(), startWorker({ vars }), startSdkAgent(), startPythonAgent()]);
});
after(() => Promise.all([worker, strict, sdk, python].map((agent) => agent?.stop())));

const text = (words, more) => ({ message: { role: 'ROLE_USER', parts: [{ text: words }], ...more } });

/** An answer as a fetch function of one’s own may make it. */
const handMade = (type, read, cancel = async () => {}) => ({ status: 200, headers: new Headers({ 'Content-Type': type }), body: { getReader: () => ({ read, cancel }) } });

/** A fetch function that counts. */
function counting() {
  const count = async (...args) => {
    count.calls += 1;
    return fetch(...args);
  };
  return Object.assign(count, { calls: 0 });
}

const BINDINGS = [
  ['JSONRPC', JsonRpcError],
  ['HTTP+JSON', RestError],
];

for (const [binding, OwnError] of BINDINGS) {
  describe(`this worker, ${binding}`, () => {
    let client;
    before(async () => {
      client = await A2aClient.connect(worker.url, { binding });
    });

    test('the card, a message, its task', async () => {
      assert.equal(client.card.name, 'a2a-edge demo');
      const { task } = await client.sendMessage(text('hello'));
      assert.equal(task.status.state, 'TASK_STATE_COMPLETED');
      assert.equal(task.artifacts[0].parts[0].text, 'hello');
      assert.deepEqual(await client.getTask({ id: task.id }), task);
      const { tasks, totalSize } = await client.listTasks({ contextId: task.contextId });
      assert.deepEqual([tasks.map(({ id }) => id), totalSize], [[task.id], 1]);
    });

    const ROWS = [
      ['TaskNotFound', () => client.getTask({ id: 'no-such' }), { code: -32001, status: 404, reason: 'TASK_NOT_FOUND', metadata: { taskId: 'no-such' } }],
      ['UnsupportedOperation', () => client.sendMessage(text('refuse')), { code: -32004, status: 400, reason: 'UNSUPPORTED_OPERATION' }],
      ['PushNotificationNotSupported', () => client.createPushConfig({ taskId: 't', url: 'https://example.com/hook' }), { code: -32003, status: 400 }],
      ['InvalidAgentResponse', () => client.sendMessage(text('error junk')), { code: -32006, status: 500 }],
      ['Internal', () => client.sendMessage(text('error internal')), { code: -32603, status: 500, retryable: true, message: 'Internal error' }],
      ['Custom', () => client.sendMessage(text('error overloaded')), { code: -32000, status: 503, retryable: true, retryAfterMs: 2000 }],
    ];
    for (const [kind, work, expected] of ROWS) {
      test(kind, async () => {
        const error = await thrownBy(work);
        for (const Class of [OwnError, A2aError, Error]) assert.ok(error instanceof Class, `${error.stack}`);
        assert.equal(error.name, OwnError.name);
        const { name, message, code } = JSON.parse(JSON.stringify(error)); // as a logger writes it
        assert.deepEqual({ name, message, code }, { name: error.name, message: error.message, code: error.code });
        assert.deepEqual([error.kind, error.code, error.retryable, error.origin], [kind, expected.code, expected.retryable ?? false, 'reported']);
        assert.equal(error.httpStatus, binding === 'JSONRPC' ? 200 : expected.status);
        assert.equal(error.retryAfterMs, expected.retryAfterMs);
        if (expected.reason) assert.equal(error.reason, expected.reason);
        if (expected.metadata) assert.deepEqual(error.metadata, expected.metadata);
        if (expected.message) assert.equal(error.message, expected.message);
        assert.equal(error.details.filter((detail) => detail['@type'].endsWith('google.rpc.ErrorInfo')).length, 1);
      });
    }

    test('what breaks the schema is not sent', async () => {
      const send = counting();
      const other = await A2aClient.at({ url: worker.url, binding }, { fetch: send });
      const error = await thrownBy(() => other.listTasks({ pageSize: 101, historyLength: -5 }));
      assert.ok(error instanceof ValidationError && error instanceof A2aError);
      assert.deepEqual([send.calls, error.kind, error.httpStatus], [0, 'InvalidParams', undefined]);
      assert.deepEqual(error.fieldViolations.map(({ field }) => field), ['pageSize', 'historyLength']);
    });

    test('a task that failed is an answer, until somebody unwraps it', async () => {
      const result = await client.sendMessage(text('fail'));
      assert.ok(failed(result.task));
      const error = await thrownBy(async () => unwrap(result));
      assert.ok(error instanceof TaskFailedError && !(error instanceof A2aError));
      assert.deepEqual([error.task.id, error.message], [result.task.id, 'The work failed: the demo was asked to fail.']);
      const { task } = unwrap(await client.sendMessage(text('hello')));
      assert.equal(failed(task), false);
    });

    test('a stream is iterated to its end', async () => {
      const texts = [];
      let last;
      for await (const event of client.sendStreamingMessage(text('stream 3'))) {
        if (event.artifactUpdate) texts.push(event.artifactUpdate.artifact.parts[0].text);
        last = event;
      }
      assert.deepEqual(texts, ['chunk 1 of 3\n', 'chunk 2 of 3\n', 'chunk 3 of 3\n']);
      assert.equal(last.statusUpdate.status.state, 'TASK_STATE_COMPLETED');
    });

    test('an error in place of a stream, and in it', async () => {
      const refused = await thrownBy(() => client.sendStreamingMessage(text('refuse')).next());
      assert.ok(refused instanceof OwnError);
      assert.equal(refused.kind, 'UnsupportedOperation');
    });

    test('a token opens what is closed without it', async () => {
      const stranger = await A2aClient.connect(strict.url, { binding });
      const error = await thrownBy(() => stranger.listTasks());
      assert.deepEqual([error.code, error.reason, error.retryable], [-32000, 'UNAUTHENTICATED', false]);
      if (binding === 'HTTP+JSON') assert.match(error.challenge, /^Bearer/);
      const known = await A2aClient.connect(strict.url, { binding, authorization: 'Bearer t-client-1' });
      assert.equal((await known.listTasks()).totalSize, 0);
    });

    test('a panic is an error like any other, and is not sent twice', async () => {
      const send = counting();
      const known = await A2aClient.connect(strict.url, { binding, authorization: 'Bearer t-client-1', fetch: send });
      const error = await thrownBy(() => known.sendMessage(text('panic')));
      assert.deepEqual([error.kind, error.message, send.calls], ['Internal', 'Internal error', 2]);
    });
  });
}

for (const [title, agent] of [['JavaScript', () => sdk], ['Python', () => python]]) {
  describe(`an agent of the ${title} SDK`, () => {
    for (const [binding, OwnError] of BINDINGS) {
      test(`${binding}: a message, a stream, an error`, async () => {
        const client = await A2aClient.connect(agent().url, { binding });
        const { task } = await client.sendMessage(text('hello'));
        assert.equal(task.status.state, 'TASK_STATE_COMPLETED');
        assert.equal((await client.getTask({ id: task.id })).id, task.id);
        let events = 0;
        for await (const event of client.sendStreamingMessage(text('hello'))) events += event ? 1 : 0;
        assert.ok(events > 0);
        const error = await thrownBy(() => client.getTask({ id: 'no-such' }));
        assert.ok(error instanceof OwnError, error.stack);
        assert.deepEqual([error.kind, error.code, error.retryable], ['TaskNotFound', -32001, false]);
        const canceled = await thrownBy(() => client.cancelTask({ id: task.id }));
        assert.equal(canceled.kind, 'TaskNotCancelable');
      });
    }
  });
}

describe('an agent that is in trouble', () => {
  /** Answers each request by the next of these functions, the last again and again. */
  async function origin(...answers) {
    const server = http.createServer((request, response) => {
      const chunks = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => (answers.length > 1 ? answers.shift() : answers[0])(response, JSON.parse(Buffer.concat(chunks).toString() || 'null')));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${server.address().port}/rpc`;
    return { url, server, stop: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())) };
  }
  const status = (code, headers) => (response) => response.writeHead(code, headers).end();
  const task = { id: 't-1', contextId: 'c-1', status: { state: 'TASK_STATE_COMPLETED' } };
  const working = (id) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { task: { ...task, status: { state: 'TASK_STATE_WORKING' } } } })}\n\n`;
  const ok = (response, { id }) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result: task }));
  const QUICK = { retry: { baseMs: 1, capMs: 2 } };
  const at = (url, options) => A2aClient.at({ url, binding: 'JSONRPC' }, { ...QUICK, ...options });

  test('is asked again, and what happens is told', async (t) => {
    const { url, stop } = await origin(status(503), status(502), ok);
    t.after(stop);
    const notes = [];
    const client = await at(url, { onNote: (note) => notes.push(note) });
    assert.equal((await client.getTask({ id: 't-1' })).id, 't-1');
    assert.deepEqual(notes.map(({ type }) => type), ['attempt', 'retry', 'attempt', 'retry', 'attempt']);
    assert.ok(notes[1].error instanceof JsonRpcError);
    assert.deepEqual([notes[1].error.httpStatus, notes[3].error.httpStatus], [503, 502]);
  });

  test('is left alone by its breaker', async (t) => {
    let asked = 0;
    const { url, stop } = await origin((response) => {
      asked += 1;
      response.writeHead(503).end();
    });
    t.after(stop);
    const client = await at(url, { retry: { maxRetries: 0 }, breaker: { failures: 2, openMs: 60_000 } });
    assert.equal(client.breaker, 'closed');
    for (let i = 0; i < 2; i += 1) await thrownBy(() => client.getTask({ id: 't-1' }));
    assert.equal(client.breaker, 'open');
    const error = await thrownBy(() => client.getTask({ id: 't-1' }));
    assert.ok(error instanceof TransportError);
    assert.equal(error.reason, 'ORIGIN_CIRCUIT_OPEN');
    assert.equal(asked, 2);
  });

  test('a stranger’s message is not sent twice, a question is asked elsewhere', async (t) => {
    const [first, second] = [await origin(status(503)), await origin(ok)];
    t.after(() => Promise.all([first.stop(), second.stop()]));
    const client = await at(first.url, { retry: { maxRetries: 0 }, fallbacks: [{ url: second.url, binding: 'JSONRPC' }] });
    assert.equal((await client.getTask({ id: 't-1' })).id, 't-1');
    assert.equal((await thrownBy(() => client.sendMessage(text('hello')))).httpStatus, 503);
  });

  test('nobody there, which is known to have sent nothing', async () => {
    const { url, stop } = await origin(ok);
    await stop();
    const error = await thrownBy(async () => (await at(url, { retry: { maxRetries: 0 } })).sendMessage(text('hello')));
    assert.ok(error instanceof TransportError, error.stack);
    assert.deepEqual([error.reason, error.retryable, error.notSent, error.httpStatus], ['ORIGIN_UNAVAILABLE', true, true, undefined]);
    assert.equal(error.cause.message, `connect ECONNREFUSED ${new URL(url).host}`);
  });

  test('a fetch function that breaks says why', async () => {
    const broken = async () => Promise.reject(new TypeError('fetch failed', { cause: new Error('other side closed') }));
    const error = await thrownBy(async () => (await at('https://agent.example', { fetch: broken, retry: { maxRetries: 0 } })).sendMessage(text('hello')));
    assert.deepEqual([error.reason, error.notSent, error.cause.message], ['ORIGIN_UNAVAILABLE', false, 'other side closed']);
  });

  test('silence, up to the limit', async (t) => {
    const { url, stop } = await origin(() => {});
    t.after(stop);
    const error = await thrownBy(async () => (await at(url, { headTimeoutMs: 20, retry: { maxRetries: 0 } })).getTask({ id: 't-1' }));
    assert.deepEqual([error.name, error.reason, error.notSent], ['TransportError', 'ORIGIN_TIMEOUT', false]);
  });

  test('a signal gives a call up, and its connection', async (t) => {
    let closed;
    const gone = new Promise((resolve) => (closed = resolve));
    const abort = new AbortController();
    const { url, stop } = await origin((response) => {
      response.on('close', closed);
      abort.abort(new Error('enough'));
    });
    t.after(stop);
    const error = await thrownBy(async () => (await at(url)).getTask({ id: 't-1' }, { signal: abort.signal }));
    assert.equal(error.message, 'enough');
    await gone;
    const late = await thrownBy(async () => (await at(url)).getTask({ id: 't-1' }, { signal: AbortSignal.abort() }));
    assert.equal(late.name, 'AbortError');
  });

  /** An agent that begins a stream and says no more; `gone` is when its connection is closed. */
  async function silentStream(t) {
    let closed;
    const gone = new Promise((resolve) => (closed = resolve));
    const { url, stop } = await origin((response, { id }) => {
      response.on('close', closed);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(working(id));
    });
    t.after(stop);
    return { client: await at(url), gone };
  }

  test('leaving a stream closes its connection', async (t) => {
    const { client, gone } = await silentStream(t);
    for await (const event of client.sendStreamingMessage(text('hello'))) {
      assert.equal(event.task.id, 't-1');
      break;
    }
    await gone;
  });

  test('a signal closes a stream whose event is still being looked at', async (t) => {
    const { client, gone } = await silentStream(t);
    const abort = new AbortController();
    const events = client.sendStreamingMessage(text('hello'), { signal: abort.signal });
    await events.next();
    abort.abort(new Error('enough'));
    await gone;
    assert.equal((await thrownBy(() => events.next())).message, 'enough');
    assert.deepEqual(await events.next(), { done: true, value: undefined });
  });

  test('leaving a stream does not wait for its next event', async (t) => {
    const { client, gone } = await silentStream(t);
    const events = client.sendStreamingMessage(text('hello'));
    await events.next();
    const next = events.next();
    assert.deepEqual(await events.return('left'), { done: true, value: 'left' });
    assert.deepEqual(await next, { done: true, value: undefined });
    await gone;
    assert.deepEqual(await client.sendStreamingMessage(text('hello')).return(), { done: true, value: undefined });
    const thrown = client.sendStreamingMessage(text('hello'));
    await thrown.next();
    const pending = thrown.next();
    assert.equal((await thrownBy(() => thrown.throw(new Error('enough')))).message, 'enough');
    assert.deepEqual(await pending, { done: true, value: undefined });
  });

  test('a fetch function of one’s own need not know of signals, and must give bytes', async () => {
    let cancelled;
    const gone = new Promise((resolve) => (cancelled = resolve));
    const answering = (pull) => async (_url, { body }) => {
      const { id } = JSON.parse(body);
      const stream = new ReadableStream({ start: (controller) => pull(controller, working(id)), cancel: cancelled });
      return { status: 200, headers: new Headers({ 'Content-Type': 'text/event-stream' }), body: stream };
    };
    const events = (await at('https://agent.example', { fetch: answering((controller, event) => controller.enqueue(new TextEncoder().encode(event))) })).sendStreamingMessage(text('hello'));
    await events.next();
    await events.return();
    await gone;
    const stubborn = async (_url, { body }) => {
      const value = new TextEncoder().encode(working(JSON.parse(body).id));
      return handMade('text/event-stream', async () => ({ done: false, value }), () => assert.fail('not like this'));
    };
    for await (const event of (await at('https://agent.example', { fetch: stubborn })).sendStreamingMessage(text('hello'))) if (event) break;
    for (const piece of [null, 'text', new ArrayBuffer(1)]) {
      const error = await thrownBy(async () => (await at('https://agent.example', { fetch: answering((controller) => controller.enqueue(piece)) })).sendStreamingMessage(text('hello')).next());
      assert.deepEqual([error.name, error.cause.message], ['TransportError', 'the body of an answer must come in bytes']);
    }
  });

  test('bytes that somebody takes away are a fault, and no wait for ever', async () => {
    const send = async () => {
      const taken = new Uint8Array([0x7b]);
      structuredClone(taken.buffer, { transfer: [taken.buffer] });
      return handMade('application/json', async () => ({ done: false, value: taken }));
    };
    const client = await A2aClient.at({ url: 'https://agent.example', binding: 'JSONRPC' }, { fetch: send, retry: { maxRetries: 0 } });
    const error = await thrownBy(() => client.getTask({ id: 't' }));
    assert.deepEqual([error.name, error.reason], ['TransportError', 'ORIGIN_INTERRUPTED']);
    assert.match(error.cause.message, /detached/);
  });

  test('a message is sent again only if there was no connection', async () => {
    const failing = (cause) => {
      const send = async () => {
        send.calls += 1;
        throw new TypeError('fetch failed', { cause: Object.assign(new Error('x'), cause) });
      };
      return Object.assign(send, { calls: 0 });
    };
    const MULTIPLE = { errors: [{ code: 'ETIMEDOUT', syscall: 'connect', message: 'x' }, { code: 'ECONNREFUSED', syscall: 'connect', message: 'x' }] };
    for (const [cause, notSent] of [
      [{ code: 'ECONNREFUSED', syscall: 'connect' }, true],
      [{ code: 'ENOTFOUND', syscall: 'getaddrinfo' }, true],
      [MULTIPLE, true],
      [{ code: 'UND_ERR_CONNECT_TIMEOUT' }, true],
      [{ code: 'ECONNRESET', syscall: 'connect' }, true],
      [{ code: 'ECONNRESET', message: 'Client network socket disconnected before secure TLS connection was established' }, true],
      [{ code: 'ERR_SSL_WRONG_VERSION_NUMBER' }, true],
      [{ errors: [MULTIPLE.errors[0], { code: 'ECONNRESET', syscall: 'read' }] }, false],
      [{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, true],
      [{ message: 'bad port' }, true],
      // A host can become unreachable when it has the message.
      [{ code: 'EHOSTUNREACH', syscall: 'read' }, false],
      [{ code: 'ECONNRESET', syscall: 'read' }, false],
      [{ code: 'EPIPE', syscall: 'write' }, false],
      [{ code: 'UND_ERR_SOCKET' }, false],
    ]) {
      const send = failing(cause);
      const client = await A2aClient.at({ url: 'https://agent.example', binding: 'JSONRPC' }, { fetch: send, retry: { maxRetries: 1, baseMs: 1 } });
      const error = await thrownBy(() => client.sendMessage(text('hello')));
      assert.deepEqual([error.notSent, send.calls], [notSent, notSent ? 2 : 1], JSON.stringify(cause));
    }
  });

  test('the time limits of Node’s own fetch are time limits', async () => {
    for (const code of ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']) {
      const tooSlow = () => Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) }));
      const send = code.includes('BODY') ? async () => handMade('application/json', tooSlow) : tooSlow;
      const client = await A2aClient.at({ url: 'https://agent.example', binding: 'JSONRPC' }, { fetch: send, retry: { maxRetries: 0 } });
      const error = await thrownBy(() => client.getTask({ id: 't' }));
      assert.deepEqual([error.name, error.reason], ['TransportError', 'ORIGIN_TIMEOUT'], code);
    }
  });

  test('what is given up in the same breath is not sent', async () => {
    const send = counting();
    const client = await A2aClient.at({ url: worker.url, binding: 'HTTP+JSON' }, { fetch: send });
    const leaving = new AbortController();
    const asked = client.sendMessage(text('hello'), { signal: leaving.signal });
    leaving.abort(new Error('never mind'));
    assert.equal((await thrownBy(() => asked)).message, 'never mind');
    assert.equal(send.calls, 0);
  });

  test('an answer that comes when nobody waits any more is closed, by whichever fetch function', async () => {
    let answer, closed;
    const gone = new Promise((resolve) => (closed = resolve));
    const body = new ReadableStream({ cancel: closed });
    const client = await A2aClient.at({ url: 'https://agent.example', binding: 'JSONRPC' }, { fetch: () => new Promise((resolve) => (answer = resolve)), timeoutMs: 50 });
    assert.equal((await thrownBy(() => client.sendMessage(text('hello')))).reason, 'ORIGIN_TIMEOUT');
    answer(new Response(body, { headers: { 'Content-Type': 'application/json' } }));
    await gone;
  });

  test('whatever a signal gives as its reason', async (t) => {
    const { client } = await silentStream(t);
    const abort = new AbortController();
    const events = client.sendStreamingMessage(text('hello'), { signal: abort.signal });
    await events.next();
    const next = events.next();
    abort.abort(null);
    assert.equal(await next.then(() => 'no error', (reason) => reason), null);
  });

  test('one signal serves many calls', async (t) => {
    const { url, stop } = await origin(ok);
    t.after(stop);
    const warnings = [];
    const note = (warning) => warnings.push(warning.name);
    process.on('warning', note);
    t.after(() => process.off('warning', note));
    const { signal } = new AbortController();
    const client = await at(url);
    await Promise.all(Array.from({ length: 20 }, () => client.getTask({ id: 't-1' }, { signal })));
    await new Promise(setImmediate); // warnings are told in the next turn
    assert.deepEqual(warnings, []);
  });

  test('a stream whose connection breaks says why', async () => {
    const broken = async (_url, { body }) => {
      const pieces = [() => new TextEncoder().encode(working(JSON.parse(body).id)), () => { throw new Error('terminated', { cause: new Error('other side closed') }); }];
      const stream = new ReadableStream({ pull: (controller) => controller.enqueue(pieces.shift()()) }, { highWaterMark: 0 });
      return new Response(stream, { headers: { 'Content-Type': 'text/event-stream' } });
    };
    const events = (await at('https://agent.example', { fetch: broken })).sendStreamingMessage(text('hello'));
    assert.equal((await events.next()).value.task.id, 't-1');
    const error = await thrownBy(() => events.next());
    assert.deepEqual([error.name, error.reason, error.cause?.message], ['TransportError', 'ORIGIN_INTERRUPTED', 'other side closed']);
  });

  test('a card is asked for again', async (t) => {
    const card = (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(CARD));
    const { url, stop } = await origin(status(503), card, ok);
    t.after(stop);
    const CARD = {
      name: 'a', description: 'd', version: '1', capabilities: {}, defaultInputModes: [], defaultOutputModes: [], skills: [],
      supportedInterfaces: [{ url: '/rest', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }, { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      securitySchemes: { old: { type: 'http', scheme: 'bearer' }, later: { walletSecurityScheme: {} } },
    };
    const client = await A2aClient.connect(url, QUICK);
    assert.deepEqual(client.card, CARD);
    assert.equal((await client.getTask({ id: 't-1' })).id, 't-1');
  });

  test('what is in the place of details is not lost, nor what is wrong with a result', async (t) => {
    const answer = (members) => (response, { id }) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...members }));
    const error = (data) => answer({ error: { code: -32042, message: 'm', data } });
    const { url, stop } = await origin(error('why'), error(7), error([{ a: 1 }]), error(undefined), answer({ result: { id: 't-1', status: { state: 'X' } } }));
    t.after(stop);
    const client = await at(url);
    const ask = () => thrownBy(() => client.getTask({ id: 't-1' }));
    for (const [data, details] of [['why', []], [7, []], [undefined, [{ a: 1 }]], [undefined, []]]) {
      const told = await ask();
      assert.deepEqual([told.data, told.details], [data, details]);
    }
    assert.deepEqual((await ask()).fieldViolations.map(({ field }) => field), ['status.state']);
  });

  test('half a character in an answer is replaced, and not sent', async (t) => {
    const half = (response, { id }) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(`{"jsonrpc":"2.0","id":"${id}","result":${JSON.stringify({ ...task, metadata: { cut: '\ud83d' } })}}`);
    const { url, stop } = await origin(half);
    t.after(stop);
    const client = await at(url);
    assert.equal((await client.getTask({ id: 't-1' })).metadata.cut, '\ufffd');
    for (const [params, field] of [
      [text('cut \ud83d'), 'message.parts[0].text'],
      [{ ...text('x'), metadata: { a: { '\ude00': 1 } } }, 'metadata.a'],
      ['\ud83d', 'params'],
      [{ ...text('x'), metadata: { n: NaN } }, 'metadata.n'],
      [{ ...text('x'), metadata: { list: [1, Infinity] } }, 'metadata.list[1]'],
      [{ ...text('x'), metadata: { f: () => 1 } }, 'metadata.f'],
      [{ ...text('x'), metadata: { toJSON: () => ({ n: NaN }) } }, 'metadata.n'],
    ]) {
      const error = await thrownBy(() => client.sendMessage(params));
      assert.ok(error instanceof ValidationError, error.stack);
      assert.deepEqual([error.kind, error.notSent, error.fieldViolations[0].field], ['InvalidParams', true, field]);
    }
    await client.getTask({ id: 'a \\ud83d' });
    await client.getTask({ id: '😀' });
  });

  test('answers that cannot be believed', async (t) => {
    const answer = (members) => (response, { id }) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(members(id)));
    const ROWS = [
      ['wrong-id', () => ({ jsonrpc: '2.0', id: 'other', result: task })],
      ['no-version', (id) => ({ id, result: task })],
      ['no-result', (id) => ({ jsonrpc: '2.0', id })],
      ['result-and-error', (id) => ({ jsonrpc: '2.0', id, result: task, error: { code: -32603, message: 'x' } })],
      ['schema', (id) => ({ jsonrpc: '2.0', id, result: { id: 't-1' } })],
    ];
    for (const [expected, members] of ROWS) {
      const { url, stop } = await origin(answer(members));
      t.after(stop);
      const error = await thrownBy(async () => (await at(url)).getTask({ id: 't-1' }));
      assert.ok(error instanceof JsonRpcError);
      assert.deepEqual([error.origin, error.kind, error.retryable], [expected, 'InvalidAgentResponse', false]);
    }
  });
});

describe('a URL that is none', () => {
  const options = (send) => ({ fetch: send, fallbacks: [{ url: 'b.example', binding: 'JSONRPC' }] });
  for (const [name, work, fields] of [
    ['of an agent', (send) => A2aClient.connect('nonsense', { fetch: send }), ['url']],
    ['nothing at all', (send) => A2aClient.connect('', { fetch: send }), ['url']],
    ['of an endpoint', (send) => A2aClient.at({ url: 'http://:1', binding: 'JSONRPC' }, { fetch: send }), ['endpoint.url']],
    ['of a fallback', (send) => A2aClient.connect('https://a.example', options(send)), ['fallbacks[0].url']],
  ]) {
    test(`${name}, is asked by nobody`, async () => {
      const send = counting();
      const error = await thrownBy(() => work(send));
      assert.ok(error instanceof ValidationError, error.stack);
      assert.deepEqual([error.origin, error.retryable, error.notSent, send.calls], ['invalid-request', false, true, 0]);
      assert.deepEqual(error.fieldViolations.map(({ field }) => field), fields);
      assert.match(error.message, /must be an absolute http or https URL/);
    });
  }
});
