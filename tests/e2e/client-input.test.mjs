// What a developer gives the JavaScript client: what JSON or HTTP could not say is refused with the place that it is at, and
// nothing is changed or dropped in silence. Nothing is sent.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { A2aClient, ValidationError, buildRequest, decode } from '../../packages/client/index.js';
import { thrownBy } from './support/thrown.mjs';

describe('what a developer gets wrong', () => {
  const url = 'https://agent.example';
  const closed = (client) => (client.close(), client);

  test('is not headers in another form than an object, or what is null', async () => {
    const sent = [];
    const send = async (_url, { headers }) => (sent.push(new Headers(headers).get('X-Key')), new Response('', { status: 404 }));
    for (const headers of [{ 'X-Key': 'k' }, new Headers({ 'X-Key': 'k' }), new Map([['X-Key', 'k']]), [['X-Key', 'k']]]) {
      const client = await A2aClient.at({ url: new URL('https://agent.example'), binding: 'HTTP+JSON' }, { headers, fetch: send, onNote: null, retry: null });
      assert.equal((await thrownBy(() => client.getTask({ id: 'x' }, null))).httpStatus, 404);
    }
    assert.deepEqual(sent, ['k', 'k', 'k', 'k']);
  });

  test('is not a header of any name that HTTP has', async () => {
    const sent = [];
    const send = async (_url, { headers }) => (sent.push(...headers.map(([name]) => name)), new Response('', { status: 404 }));
    const client = await A2aClient.at({ url, binding: 'HTTP+JSON' }, { headers: [['__proto__', 'x']], fetch: send });
    await thrownBy(() => client.getTask({ id: 'x' }));
    assert.ok(sent.includes('__proto__'), sent.join());
  });

  test('is not two headers of one name: they are one, as in Headers', async () => {
    const sent = [];
    const send = async (_url, { headers }) => (sent.push(new Headers(headers).get('X-Key')), new Response('', { status: 404 }));
    for (const headers of [[['X-Key', 'a'], ['x-key', 'b']], { 'X-Key': 'a', 'x-key': 'b' }]) {
      const client = await A2aClient.at({ url, binding: 'HTTP+JSON' }, { headers, fetch: send });
      await thrownBy(() => client.getTask({ id: 'x' }));
    }
    assert.deepEqual(sent, ['a, b', 'a, b']);
  });

  test('is a TypeError that says what', async () => {
    for (const [work, words] of [
      [() => A2aClient.at({ url, binding: 'SOAP' }), /SOAP/],
      [() => A2aClient.at({ url, binding: 'JSONRPC' }, { timeout: 5 }), /timeout/],
      [async () => (await A2aClient.at({ url, binding: 'JSONRPC' })).call('getTask', { id: 'x' }), /getTask/],
      [() => A2aClient.connect(url, { retry: { maxRetries: 'x' } }), /^options\.retry\.maxRetries must be a whole number from 0 to 4294967295$/],
      [() => A2aClient.at({ url, binding: 'JSONRPC' }, { authorization: 'Bearer a\nb' }), /^options\.authorization must be what an HTTP header can hold$/],
      [async () => (await A2aClient.at({ url, binding: 'JSONRPC' })).call(5), /5/],
      [() => A2aClient.at({ binding: 'JSONRPC' }), /^endpoint\.url must be a string$/],
      [() => decode({ binding: 'JSONRPC' }), /^exchange\.operation must be a string$/],
      [() => buildRequest({ url, binding: 'JSONRPC' }, 'getTask'), /getTask/],
      [() => A2aClient.at(), /^endpoint must be an object$/],
      [() => A2aClient.at(() => {}), /^endpoint must be an object$/],
      [() => decode(), /^exchange must be an object$/],
      [() => A2aClient.connect(url, 5), /^options must be an object$/],
      [() => A2aClient.connect(url, []), /^options must be an object$/],
      [() => A2aClient.connect(url, { timeoutMs: NaN }), /^options\.timeoutMs must be what JSON in UTF-8 can hold$/],
      [() => A2aClient.connect(url, { retry: { baseMs: Infinity } }), /^options\.retry\.baseMs must be what JSON in UTF-8 can hold$/],
      [() => A2aClient.connect(url, { timeoutMs: () => 5 }), /^options\.timeoutMs must be what JSON in UTF-8 can hold$/],
      [() => A2aClient.connect(url, { timeoutMs: 5n }), /^options\.timeoutMs must be what JSON in UTF-8 can hold$/],
      [() => A2aClient.connect(url, { authorization: 'Bearer \ud83d' }), /^options\.authorization must be what JSON in UTF-8 can hold$/],
      [() => A2aClient.connect(url, { fetch: 'x' }), /^options\.fetch must be a function$/],
      [() => A2aClient.connect(url, { onNote: 5 }), /^options\.onNote must be a function$/],
      [() => A2aClient.connect(url, { signal: {} }), /^options\.signal must be an AbortSignal$/],
      [() => A2aClient.connect(url, { headers: new Map([['X Key', 'k']]) }), /^options\.headers must be what an HTTP header can hold$/],
      [async () => (await A2aClient.at({ url, binding: 'JSONRPC' })).call('GetTask', { id: 'x' }, 5), /^options must be an object$/],
      [async () => (await A2aClient.at({ url, binding: 'JSONRPC' })).getTask({ id: 'x' }, { sginal: AbortSignal.abort() }), /^options has no member "sginal"$/],
      [() => A2aClient.at({ url, binding: 'JSONRPC' }, { signal: AbortSignal.abort() }), /^options\.signal is for connect$/],
      [() => A2aClient.at({ url, binding: 'JSONRPC' }, { headers: { 'Content-Length': '1' } }), /^options\.headers must be without Content-Length, which the client writes itself$/],
      [() => A2aClient.connect(url, { headers: [['X-Key']] }), /^options\.headers must be an object of strings, or pairs of them$/],
      [() => A2aClient.connect(url, { headers: { 'X-Key': undefined } }), /^options\.headers must be an object of strings, or pairs of them$/],
      [() => A2aClient.connect(url, { headers: { 'X-Key': 5 } }), /^options\.headers must be an object of strings, or pairs of them$/],
      [() => A2aClient.connect(url, { headers: { Upgrade: 'h2c' } }), /^options\.headers must be without Upgrade, which the client writes itself$/],
      [() => A2aClient.connect(url, { fallbacks: [undefined] }), /^options\.fallbacks\[0\] must be what JSON in UTF-8 can hold$/],
      [() => A2aClient.at({ url, binding: 'JSONRPC' }, { binding: 'HTTP+JSON' }), /^options\.binding is for connect$/],
      [async () => (await A2aClient.at({ url, binding: 'JSONRPC' })).call('SubscribeToTask', { id: 'x' }), /^SubscribeToTask is answered with a stream: ask for it by stream$/],
      [async () => (await A2aClient.at({ url, binding: 'JSONRPC' })).stream('GetTask', { id: 'x' }).next(), /^GetTask is answered once: ask for it by call$/],
      [async () => (await A2aClient.at({ url, binding: 'JSONRPC' })).call(), /undefined/],
      [async () => (await A2aClient.at({ url, binding: 'JSONRPC' })).stream().next(), /undefined/],
      [async () => closed(await A2aClient.at({ url, binding: 'JSONRPC' })).getTask({ id: 'x' }), /^the client is closed$/],
      [async () => closed(await A2aClient.at({ url, binding: 'JSONRPC' })).subscribeToTask({ id: 'x' }).next(), /^the client is closed$/],
    ]) {
      const error = await thrownBy(work);
      assert.ok(error instanceof TypeError, error.stack);
      assert.match(error.message, words);
    }
  });
});

describe('params', () => {
  const never = async () => assert.fail('something was sent');
  const withMetadata = (metadata) => ({ message: { role: 'ROLE_USER', parts: [{ text: 'x' }] }, metadata });
  const itself = { a: {} };
  itself.a.list = [itself];
  let deep = [];
  for (let level = 0; level < 100_000; level += 1) deep = [deep];

  for (const [name, metadata, field, rule] of [
    ['a Map', { map: new Map([['a', 1]]) }, 'metadata.map'],
    ['a Set', { set: new Set([1]) }, 'metadata.set'],
    ['an error', { error: new Error('x') }, 'metadata.error'],
    ['a promise', { later: Promise.resolve(1) }, 'metadata.later'],
    ['bytes', { bytes: new Uint8Array([1]) }, 'metadata.bytes'],
    ['bytes of Node', { bytes: Buffer.from('x') }, 'metadata.bytes'],
    ['a hole', { list: [1, , 3] }, 'metadata.list[1]'], // eslint-disable-line no-sparse-arrays
    ['undefined in a list', { list: [undefined] }, 'metadata.list[0]'],
    ['a date that is none', { date: new Date('x') }, 'metadata.date'],
    ['a symbol', { symbol: Symbol('x') }, 'metadata.symbol'],
    ['a boxed number that is none', { n: Object(NaN) }, 'metadata.n'],
    ['what says that it is nothing', { list: [{ toJSON() {} }] }, 'metadata.list[0]'],
    ['what holds itself', itself, 'metadata.a.list[0]', /must not hold itself/i],
    ['what is nested too deeply', { deep }, /^metadata\.deep(\[0\])+$/, /nested deeper than 64 levels/],
  ]) {
    test(`${name} is refused with its place`, async () => {
      for (const binding of ['JSONRPC', 'HTTP+JSON']) {
        const client = await A2aClient.at({ url: 'https://agent.example', binding }, { fetch: never });
        const error = await thrownBy(() => client.sendMessage(withMetadata(metadata)));
        assert.ok(error instanceof ValidationError, error.stack);
        const [violation] = error.fieldViolations;
        if (field instanceof RegExp) assert.match(violation.field, field);
        else assert.equal(violation.field, field);
        assert.match(violation.description, rule ?? /^Must be what JSON in UTF-8 can hold$/);
      }
    });
  }

  test('what JSON has a form for is sent in it', async () => {
    class Own {
      constructor() {
        this.a = 1;
        this.gone = undefined;
      }
    }
    const itsOwn = { a: 1, toJSON() { return this; } };
    const twice = { b: 1 };
    const metadata = { own: new Own(), itsOwn, date: new Date(0), url: new URL('https://a.example'), boxed: [Object(1), Object('x'), Object(true)], twice: [twice, twice], bare: Object.assign(Object.create(null), { c: 1 }), none: undefined, nil: null };
    const endpoint = { url: 'https://agent.example', binding: 'JSONRPC' };
    const { body } = await buildRequest(endpoint, 'SendMessage', withMetadata(metadata));
    assert.deepEqual(JSON.parse(body).params.metadata, {
      own: { a: 1 }, itsOwn: { a: 1 }, date: '1970-01-01T00:00:00.000Z', url: 'https://a.example/', boxed: [1, 'x', true], twice: [{ b: 1 }, { b: 1 }], bare: { c: 1 }, nil: null,
    });
  });

  test('a message without an id gets one', async () => {
    const sent = [];
    const send = async (_url, { body }) => (sent.push(JSON.parse(body).params.message), new Response('', { status: 404 }));
    const client = await A2aClient.at({ url: 'https://agent.example', binding: 'JSONRPC' }, { fetch: send });
    for (const id of [{}, { messageId: '' }, { messageId: null }, { messageId: 'm' }, { message_id: 'p' }]) {
      await thrownBy(() => client.sendMessage({ message: { role: 'ROLE_USER', parts: [{ text: 'x' }], ...id } }));
    }
    for (const { messageId } of sent.slice(0, 3)) assert.match(messageId, /^[0-9a-f-]{36}$/);
    assert.deepEqual(sent.slice(3).map(({ messageId }) => messageId), ['m', 'p']);
  });

  test('what is checked is what is sent', async () => {
    let asked = 0;
    const counter = { toJSON: () => ({ asked: (asked += 1) }) };
    const { body } = await buildRequest({ url: 'https://agent.example', binding: 'JSONRPC' }, 'SendMessage', withMetadata({ counter }));
    assert.deepEqual(JSON.parse(body).params.metadata, { counter: { asked: 1 } });
  });
});
