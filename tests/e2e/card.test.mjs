// The agent card: where it is, what it says, how it is cached (specification 4.4, 8.2, 8.6; RFC 9110, section 13).
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { problems } from './support/card-schema.mjs';
import { bare, message, rest, result } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

const PATH = '/.well-known/agent-card.json';
const EXTENSION = 'https://example.com/ext/geo-coordinates/v1';

let worker, rich;
before(async () => {
  const vars = {
    AGENT_STREAMING: 'on', AGENT_PUSH: 'on', AGENT_EXTENDED_CARD: 'configured', AGENT_REQUIRED_EXTENSIONS: EXTENSION, AGENT_INPUT_MODES: 'text/plain, image/*',
    AUTH_TOKENS: '{"t-1":"alice"}',
  };
  [worker, rich] = await Promise.all([startWorker(), startWorker({ vars })]);
});
after(() => Promise.all([worker.stop(), rich.stop()]));

const card = (of, headers, method = 'GET') => rest(of, method, PATH, { headers: { 'A2A-Version': null, ...headers } });

describe('what it says', () => {
  test('no key that the proto does not have, and every one that it requires', async () => {
    for (const of of [worker, rich]) {
      const { status, contentType, json } = await card(of);
      assert.deepEqual([status, contentType], [200, 'application/json']);
      assert.deepEqual(problems(json, 'AgentCard'), []);
    }
  });

  test('the capabilities that are configured', async () => {
    const off = (await card(worker)).json;
    assert.deepEqual([off.capabilities.streaming ?? false, off.capabilities.pushNotifications ?? false, off.capabilities.extendedAgentCard ?? false], [true, false, false]);
    assert.deepEqual(off.capabilities.extensions ?? [], []);
    assert.equal(off.securitySchemes, undefined);

    const on = (await card(rich)).json;
    assert.deepEqual([on.capabilities.streaming, on.capabilities.pushNotifications, on.capabilities.extendedAgentCard], [true, true, true]);
    assert.deepEqual(on.capabilities.extensions.map(({ uri, required }) => [uri, required]), [[EXTENSION, true]]);
    assert.deepEqual(on.defaultInputModes, ['text/plain', 'image/*']);
  });

  test('an interface of each binding, on the host that was asked', async () => {
    for (const host of ['agent.example.com', 'agent.example.com:8443', '127.0.0.1:9']) {
      const { json } = await bare(worker, 'GET', PATH, { headers: { Host: host } });
      const byBinding = Object.fromEntries(json.supportedInterfaces.map((one) => [one.protocolBinding, one]));
      assert.deepEqual(Object.keys(byBinding), ['JSONRPC', 'HTTP+JSON']);
      for (const { url, protocolVersion } of json.supportedInterfaces) {
        assert.equal(new URL(url).host, host);
        assert.equal(protocolVersion, '1.0');
      }
    }
  });

  test('interfaces are where the bindings are', async () => {
    const { json } = await card(worker);
    const url = (binding) => json.supportedInterfaces.find(({ protocolBinding }) => protocolBinding === binding).url.replace(/\/$/, '');
    for (const suffix of ['', '/']) {
      const answer = await fetch(`${url('JSONRPC')}${suffix}`, {
        method: 'POST', headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' }, body: '{"jsonrpc":"2.0","id":1,"method":"ListTasks"}',
      });
      assert.ok((await answer.json()).result);
    }
    const answer = await fetch(`${url('HTTP+JSON')}/message:send`, {
      method: 'POST', headers: { 'Content-Type': 'application/a2a+json', 'A2A-Version': '1.0' }, body: JSON.stringify({ message: message('hello') }),
    });
    assert.equal((await answer.json()).task.status.state, 'TASK_STATE_COMPLETED');
  });

  test('the extended card is a card too, with more in it', async () => {
    const headers = { Authorization: 'Bearer t-1', 'A2A-Extensions': EXTENSION };
    const publicCard = (await card(rich)).json;
    for (const extended of [await result(rich, 'GetExtendedAgentCard', undefined, { headers }), (await rest(rich, 'GET', '/extendedAgentCard', { headers })).json]) {
      assert.deepEqual(problems(extended, 'AgentCard'), []);
      assert.deepEqual(extended.supportedInterfaces, publicCard.supportedInterfaces);
      assert.deepEqual(extended.securitySchemes, publicCard.securitySchemes);
      assert.ok(extended.skills.length > publicCard.skills.length);
    }
  });
});

describe('how it is cached', () => {
  test('it says for how long, and has validators', async () => {
    const { headers } = await card(worker);
    assert.match(headers.get('cache-control'), /\bmax-age=[1-9]\d*\b/);
    assert.match(headers.get('etag'), /^(W\/)?"[^"]+"$/);
    const modified = Date.parse(headers.get('last-modified'));
    assert.equal(new Date(modified).toUTCString(), headers.get('last-modified'), 'an HTTP date');
    assert.ok(modified <= Date.now());
  });

  test('it stays the same while it is the same', async () => {
    const [first, second] = [await card(worker), await card(worker)];
    for (const name of ['etag', 'last-modified']) assert.equal(first.headers.get(name), second.headers.get(name));
    assert.notEqual(first.headers.get('etag'), (await card(rich)).headers.get('etag'));
  });

  test('another host has another card, and so another tag', async () => {
    const of = (host) => bare(worker, 'GET', PATH, { headers: { Host: host } });
    assert.notEqual((await of('a.example')).headers.get('etag'), (await of('b.example')).headers.get('etag'));
  });

  const asked = async (headers) => {
    const answer = await card(worker, headers);
    return [answer.status, answer.text.length > 0];
  };
  const FULL = [200, true];
  const NOT_MODIFIED = [304, false];

  test('If-None-Match', async () => {
    const etag = (await card(worker)).headers.get('etag');
    const opaque = etag.replace(/^W\//, '');
    for (const known of [etag, `W/${opaque}`, `"other", ${etag}`, `"other",${etag},"another"`, '*']) {
      assert.deepEqual(await asked({ 'If-None-Match': known }), NOT_MODIFIED, known);
    }
    for (const known of ['"other"', opaque.slice(1, -1), '""', 'W/"x"']) assert.deepEqual(await asked({ 'If-None-Match': known }), FULL, known);
  });

  test('If-Modified-Since', async () => {
    const modified = (await card(worker)).headers.get('last-modified');
    const later = new Date(Date.parse(modified) + 60_000).toUTCString();
    const earlier = new Date(Date.parse(modified) - 60_000).toUTCString();
    assert.deepEqual(await asked({ 'If-Modified-Since': modified }), NOT_MODIFIED);
    assert.deepEqual(await asked({ 'If-Modified-Since': later }), NOT_MODIFIED);
    assert.deepEqual(await asked({ 'If-Modified-Since': earlier }), FULL);
    assert.deepEqual(await asked({ 'If-Modified-Since': 'yesterday' }), FULL, 'what is no date is ignored');
  });

  test('If-None-Match goes before If-Modified-Since', async () => {
    const { headers } = await card(worker);
    assert.deepEqual(await asked({ 'If-None-Match': '"other"', 'If-Modified-Since': headers.get('last-modified') }), FULL);
  });

  test('304 has the headers that 200 has', async () => {
    const full = await card(worker);
    const { headers } = await card(worker, { 'If-None-Match': full.headers.get('etag') });
    for (const name of ['etag', 'cache-control', 'last-modified']) assert.equal(headers.get(name), full.headers.get(name), name);
    assert.equal(headers.get('content-type'), null);
  });

  test('HEAD is GET without a body', async () => {
    const [get, head] = [await card(worker), await card(worker, {}, 'HEAD')];
    assert.deepEqual([head.status, head.text], [200, '']);
    for (const name of ['content-type', 'etag', 'cache-control', 'last-modified']) assert.equal(head.headers.get(name), get.headers.get(name), name);
  });
});
