// Answers of an agent elsewhere that break off, hang, or are larger than anybody wants; and ids of all kinds.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startAgent } from './support/agent.mjs';
import { launchChromium } from './support/chromium.mjs';
import { go, hashOf, pageOf, shown, whenShown } from './support/page.mjs';
import { startSite } from './support/site.mjs';

const MIB = 1024 * 1024;
const WORKING = '{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}';
const COMPLETED = WORKING.replace('WORKING', 'COMPLETED');
const TASK = '{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}';
const wrapped = (result) => `{"jsonrpc":"2.0","id":7,"result":${result}}`;

let site, browser, opened, complaints, agent, answer;
before(async () => {
  browser = await launchChromium();
  site = await startSite();
  ({ opened, complaints } = pageOf(site, browser));
  agent = await startAgent((request, response) => answer(request, response));
});
after(async () => {
  await browser?.close();
  await site?.stop();
  agent?.stop();
});

const asked = (id, more) => ({ case: id, target: 'url', binding: 'JSONRPC', url: agent.url, ...more });

/** Opens the page with the agent as its target. */
async function asking(id, more, prepare) {
  const tab = await opened({}, hashOf(asked(id, more)), prepare);
  await tab.waitForFunction(() => document.getElementById('status').textContent === 'Not sent yet');
  return tab;
}

/** Sends what is in the editors and waits until the answer has been read. */
async function sent(tab) {
  await tab.evaluate(() => delete document.body.dataset.shown);
  await tab.click('#send');
  await whenShown(tab);
  return shown(tab);
}

const pieceShown = (tab) => tab.waitForFunction(() => document.getElementById('response-body').textContent !== '');

/** Writes a piece, and breaks the connection when the page has it. */
async function breakOff(tab, response, status, type, piece) {
  response.writeHead(status, { 'Content-Type': type });
  response.write(piece);
  await pieceShown(tab);
  response.destroy();
}

test('what stands in the place of details is shown', async () => {
  const tab = await asking('task-not-found');
  answer = (_, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"gone","data":"for good"}}');
  assert.equal((await sent(tab)).facts.data, '"for good"');
});

describe('an answer that breaks off', () => {
  test('keeps its head and what came of its body, and is cut short', async () => {
    const tab = await asking('task-not-found');
    answer = (_, response) => breakOff(tab, response, 200, 'application/json', '{"jsonrpc":"2.0","id":7,"result":{');
    const seen = await sent(tab);
    assert.equal(seen.status, 'HTTP 200 OK, then the connection broke');
    assert.equal(seen.body, '{"jsonrpc":"2.0","id":7,"result":{');
    assert.equal(Object.fromEntries(seen.headers)['content-type'], 'application/json');
    assert.deepEqual([seen.facts.class, seen.facts.reason, seen.facts.notSent], ['TransportError extends A2aError', 'ORIGIN_INTERRUPTED', undefined]);
    await tab.context().close();
  });

  test('is what its status says, if that is an error', async () => {
    const tab = await asking('task-not-found');
    answer = (_, response) => breakOff(tab, response, 503, 'text/plain', 'overloaded, so');
    const seen = await sent(tab);
    assert.deepEqual([seen.body, seen.facts.httpStatus, seen.facts.origin], ['overloaded, so', '503', 'reported']);
    await tab.context().close();
  });

  for (const [state, event, facts] of [
    ['at work', WORKING, ['TransportError extends A2aError', '1 before it']],
    ['done', COMPLETED, ['no error: a result', '1']],
  ]) {
    test(`has its events, if it is a stream of a task that is ${state}`, async () => {
      const tab = await asking('streamed');
      answer = (_, response) => breakOff(tab, response, 200, 'text/event-stream', `data: ${wrapped(event)}\n\n`);
      const seen = await sent(tab);
      assert.deepEqual([seen.facts.class, seen.facts.events], facts);
      assert.match(seen.body, new RegExp(state === 'done' ? 'COMPLETED' : 'WORKING'));
      await tab.context().close();
    });
  }
});

test('a stream of the agent inside the page breaks off when its instance dies', async () => {
  const tab = await opened({}, hashOf({ case: 'streamed', target: 'page' }));
  await whenShown(tab);
  await tab.fill('#body', (await tab.inputValue('#body')).replace('stream 3', 'trap late'));
  const seen = await sent(tab);
  assert.deepEqual([seen.status, seen.facts.reason], ['HTTP 200 OK, then the connection broke', 'ORIGIN_INTERRUPTED']);
  await go(tab, { case: 'completed' });
  await whenShown(tab);
  assert.equal((await shown(tab)).facts.state, 'TASK_STATE_COMPLETED', 'the next instance answers');
  await tab.context().close();
});

describe('an answer that hangs', () => {
  const slow = (tab) => tab.addInitScript(() => {
    const controller = new AbortController();
    AbortSignal.timeout = () => controller.signal;
    globalThis.passTime = () => controller.abort(new DOMException('late', 'TimeoutError'));
  });
  for (const [id, type, piece, events] of [
    ['task-not-found', 'application/json', '{"jsonrpc":"2.0",', undefined],
    ['streamed', 'text/event-stream', `data: ${wrapped(WORKING)}\n\n`, '1 before it'],
  ]) {
    test(`keeps what came until then, ${type}`, async () => {
      const tab = await asking(id, {}, slow);
      answer = async (_, response) => {
        response.writeHead(200, { 'Content-Type': type });
        response.write(piece);
        await pieceShown(tab);
        await tab.evaluate(() => globalThis.passTime());
      };
      const seen = await sent(tab);
      assert.equal(seen.status, 'HTTP 200 OK, then the deadline passed');
      assert.ok(seen.body.includes('"jsonrpc"'), seen.body);
      assert.deepEqual([seen.facts.reason, seen.facts.events], ['ORIGIN_TIMEOUT', events]);
      await tab.context().close();
    });
  }
});

describe('a large answer', () => {
  const withText = (length) => `${wrapped(TASK).slice(0, -2)},"metadata":{"text":"${'x'.repeat(length)}"}}}`;
  const json = (body) => (_, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);

  test('is read whole, and its beginning is shown', async () => {
    const tab = await asking('task-not-found');
    answer = json(withText(300_000));
    const seen = await sent(tab);
    assert.equal(seen.facts.state, 'TASK_STATE_COMPLETED');
    assert.equal(seen.body.length, 200_001);
    await tab.context().close();
  });

  for (const [binding, name] of [['JSONRPC', 'JsonRpcError'], ['HTTP+JSON', 'RestError']]) {
    test(`is too large where the client thinks so, ${binding}`, async () => {
      const tab = await asking('task-not-found', { binding });
      answer = json(withText(MIB));
      const seen = await sent(tab);
      assert.equal(seen.status, 'HTTP 200 OK, and more than is read');
      assert.deepEqual([seen.facts.class, seen.facts.origin, seen.facts.httpStatus], [`${name} extends A2aError`, 'too-large', '200']);
      await tab.context().close();
    });
  }

  test('of an error is that error', async () => {
    const tab = await asking('task-not-found');
    answer = (_, response) => response.writeHead(502, { 'Content-Type': 'text/html' }).end('x'.repeat(MIB + 1));
    const seen = await sent(tab);
    assert.deepEqual([seen.facts.httpStatus, seen.facts.origin], ['502', 'reported']);
    await tab.context().close();
  });

  test('that is a stream has no limit but that of its events', async () => {
    const tab = await asking('streamed');
    const padding = `: ${'x'.repeat(400_000)}\n\n`.repeat(4);
    answer = (_, response) => response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(`${padding}data: ${wrapped(COMPLETED)}\n\n`);
    const seen = await sent(tab);
    assert.equal(seen.facts.state, 'TASK_STATE_COMPLETED');
    await tab.context().close();
  });

  test('is laid out by nobody, if it is nested without end', async () => {
    const tab = await asking('task-not-found');
    answer = json('['.repeat(90_000) + ']'.repeat(90_000));
    const seen = await sent(tab);
    assert.equal(seen.body.length, 180_000);
    assert.equal(seen.facts.origin, 'not-json');
    await tab.context().close();
  });
});

test('a stream is laid out whatever ends its lines', async () => {
  const tab = await asking('streamed');
  answer = (_, response) => response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(`data: ${wrapped(COMPLETED)}\r\n\r\n`);
  assert.match((await sent(tab)).body, /^data: \{\n {2}"jsonrpc"/);
  await tab.context().close();
});

test('a fragment is sent to nobody, not even inside the page', async () => {
  const tab = await opened({}, hashOf({ case: 'task-not-found', target: 'page' }));
  await whenShown(tab);
  await tab.fill('#path', '/rpc#top');
  assert.equal((await sent(tab)).facts.kind, 'TaskNotFound');
  await tab.context().close();
});

describe('an id is taken to the letter', () => {
  for (const id of ['9007199254740993', '1.0', '-1e3', '"a\\u0062$&"', '12345678901234567890123']) {
    test(id, async () => {
      const tab = await asking('task-not-found');
      answer = ({ body }, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(wrapped(TASK).replace('7', () => /"id":\s*([^,]+),/.exec(body)[1]));
      await tab.fill('#body', `{"jsonrpc":"2.0","id": ${id},"method":"GetTask","params":{"id":"t"}}`);
      assert.equal((await sent(tab)).facts.state, 'TASK_STATE_COMPLETED');
      await go(tab, { case: 'old-dialect' });
      await whenShown(tab);
      await tab.fill('#body', `{"jsonrpc":"2.0","id": ${id},"method":"GetTask","params":{"id":"t"}}`);
      assert.ok((await sent(tab)).body.includes(id));
      assert.equal((await shown(tab)).facts.kind, 'TaskNotFound');
      await tab.context().close();
    });
  }
});

test('the console had nothing to complain about but what was broken off', () =>
  assert.deepEqual(complaints.filter((complaint) => !/ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION/.test(complaint)), []));
