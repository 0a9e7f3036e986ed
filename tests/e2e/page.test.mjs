// The page, in a real browser: every case on both bindings and both local targets, what is shown against the wire. Any
// error on the console fails the test.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { CASES } from '../../www/cases.js';
import { launchChromium } from './support/chromium.mjs';
import { ERRORS, NEEDS_CONFIGURATION, PLAYED, TASKS } from './support/page-cases.mjs';
import { hashOf, pageOf, shown, visit, whenShown } from './support/page.mjs';
import { startSite } from './support/site.mjs';
import { root } from './support/worker.mjs';

const SCREENSHOTS = path.join(root, 'tests/e2e/screenshots');
const BINDINGS = ['JSONRPC', 'HTTP+JSON'];
/** All that a visitor loads, compressed: the promise of the page. */
const MAX_GZIPPED = 300 * 1024;
/** What the demo's errors, its panics and the scripted origin know and must not say. */
const SECRETS = /hunter2|postgres|psycopg2|store\.py/;

let site, browser, opened, complaints, page;
before(async () => {
  browser = await launchChromium();
  site = await startSite({ vars: { DEMO_FAULTS: 'on' } });
  ({ opened, complaints } = pageOf(site, browser));
  page = await opened();
});
after(async () => {
  await browser?.close();
  await site?.stop();
});

const packed = (json) => JSON.stringify(JSON.parse(json));
const classOf = (binding) => (binding === 'JSONRPC' ? 'JsonRpcError' : 'RestError');

/** What is shown is the error of the table, on the wire and as the client sees it. */
function assertError(seen, expected, binding) {
  const isRpc = binding === 'JSONRPC';
  const status = isRpc ? expected.rpcHttp : expected.http;
  assert.match(seen.status, new RegExp(`^HTTP ${status}\\b`), `${expected.id}: ${seen.status} ${seen.body}`);
  const body = JSON.parse(seen.body);
  if (isRpc && status === 200) {
    assert.equal(body.error.code, expected.code);
    assert.equal(body.id, ['parse', 'too-large'].includes(expected.id) ? null : 7);
  }
  assert.equal(seen.picked.length, 1 + (isRpc && status === 200 ? 0 : Number('detail' in body && 'error' in body)), 'the ErrorInfo is picked out wherever it stands');
  for (const picked of seen.picked) assert.equal(JSON.parse(picked.replace(/,$/, '')).reason, expected.reason);
  assert.equal(seen.facts.class, `${classOf(binding)} extends A2aError`);
  assert.deepEqual([seen.facts.kind, seen.facts.reason, seen.facts.httpStatus], [isRpc ? expected.rpcKind : expected.kind, expected.reason, String(status)], expected.id);
  assert.equal(seen.facts.retryable, String(expected.retryable), expected.id);
  assert.equal(seen.verdict, expected.retryable ? 'Retryable' : 'Not retryable');
  assert.doesNotMatch(seen.body, SECRETS);
}

test('the table covers every case of the page', () => {
  assert.deepEqual([...ERRORS, ...TASKS, ...PLAYED].map(({ id }) => id).sort(), [...CASES.keys()].sort());
});

for (const binding of BINDINGS) {
  describe(`inside the page, ${binding}`, () => {
    for (const expected of ERRORS) {
      test(expected.id, async () => assertError(await visit(page, { case: expected.id, binding }), expected, binding));
    }
    for (const { id, state } of TASKS) {
      test(id, async () => {
        const seen = await visit(page, { case: id, binding });
        assert.deepEqual([seen.status, seen.facts.state, seen.facts.class], ['HTTP 200 OK', state, 'no error: a result']);
      });
    }
  });

  describe(`played, ${binding}`, () => {
    for (const { id, name, origin, retryable } of PLAYED) {
      if (CASES.get(id).only && CASES.get(id).only !== binding) continue;
      test(id, async () => {
        const seen = await visit(page, { case: id, binding });
        assert.deepEqual(
          [seen.facts.class, seen.facts.origin, seen.facts.retryable],
          [`${name ?? classOf(binding)} extends A2aError`, origin, String(retryable)],
        );
      });
    }
  });

  describe(`this worker, ${binding}`, () => {
    for (const { id } of [...ERRORS, ...TASKS]) {
      test(id, async () => {
        const answers = [];
        const listen = (response) => new URL(response.url()).origin === site.url && !/\.(js|wasm|css|svg)$/.test(response.url()) && answers.push(response);
        page.on('response', listen);
        const seen = await visit(page, { case: id, binding, target: 'worker' });
        page.off('response', listen);
        const wire = answers.at(-1);
        assert.equal(seen.status.split(' ')[1], String(wire.status()));
        const headers = await wire.allHeaders();
        assert.equal(Object.fromEntries(seen.headers)['content-type'], headers['content-type']);
        if (headers['content-type'].includes('event-stream')) {
          // Chromium keeps no body of a stream. The demo's has the task, one chunk or three, and the end.
          const events = id === 'streamed' ? 5 : 3;
          assert.deepEqual([seen.body.match(/^data: /gm).length, seen.facts.events], [events, String(events)]);
        } else assert.equal(packed(seen.body), packed(await wire.text()));
        if (NEEDS_CONFIGURATION.has(id)) assert.match(seen.note, /Needs a worker with/);
        else if (ERRORS.some((one) => one.id === id)) assertError(seen, ERRORS.find((one) => one.id === id), binding);
        else assert.equal(seen.facts.state, TASKS.find((one) => one.id === id).state);
      });
    }
  });
}

describe('the Accept switch', () => {
  const ROWS = [
    ['', 'application/problem+json', ['type', 'title', 'status', 'detail', 'error']],
    ['application/json', 'application/json', ['error']],
    ['application/a2a+json', 'application/a2a+json', ['error']],
    ['application/problem+json', 'application/problem+json', ['type', 'title', 'status', 'detail']],
    // It names several, and an explicit application/json wins a tie.
    ['client', 'application/json', ['error']],
  ];
  for (const target of ['page', 'worker']) {
    for (const [accept, contentType, members] of ROWS) {
      test(`${accept || 'no preference'}, ${target}`, async () => {
        const seen = await visit(page, { case: 'task-not-found', binding: 'HTTP+JSON', target, accept });
        assert.equal(Object.fromEntries(seen.headers)['content-type'], contentType);
        assert.deepEqual(Object.keys(JSON.parse(seen.body)), members);
        assert.equal(seen.facts.kind, 'TaskNotFound');
      });
    }
  }
});

describe('what a visitor does', () => {
  beforeEach(async () => {
    await page.fill('#search', '');
    await visit(page, { case: 'completed' });
  });

  test('one click sends, and the address is a link to it', async () => {
    await page.click('a[data-key="case:invalid-params"]');
    await page.waitForFunction(() => document.querySelector('[data-fact=kind]')?.textContent === 'InvalidParams');
    const link = await page.evaluate(() => location.href);
    assert.match(link, /case=invalid-params/);
    const other = await opened({}, new URL(link).hash);
    await other.waitForFunction(() => document.body.dataset.shown);
    assert.deepEqual((await shown(other)).facts, (await shown(page)).facts);
    await other.context().close();
  });

  test('search finds by name, code and reason, from the keyboard alone', async () => {
    await page.locator('#main').focus();
    await page.keyboard.press('/');
    await page.keyboard.type('-32009');
    assert.deepEqual(await page.locator('#list a span').allTextContents(), ['Version not supported', 'No version named']);
    assert.equal(await page.textContent('#found'), '2 found');
    await page.fill('#search', 'origin_timeout');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('[data-fact=reason]')?.textContent === 'ORIGIN_TIMEOUT');
    await page.fill('#search', 'no such thing at all');
    assert.match(await page.textContent('#list'), /Nothing of that name/);
    await page.fill('#search', '');
    assert.equal(await page.locator('#list a').count(), CASES.size + 8);
  });

  test('a changed request is sent as it is, and a link carries it', async () => {
    await visit(page, { case: 'task-not-found' });
    await page.fill('#body', '{"jsonrpc":"2.0","id":"mine","method":"GetTask","params":{"id":"<b>x</b>"}}');
    await page.keyboard.press('Control+Enter');
    await page.waitForFunction(() => document.querySelector('[data-fact=metadata]')?.textContent.includes('<b>x</b>'));
    assert.equal(JSON.parse((await shown(page)).body).id, 'mine');
    const link = await page.evaluate(() => location.hash);
    assert.match(link, /request=/);
    await page.click('#reset');
    await page.waitForFunction(() => document.querySelector('[data-fact=metadata]')?.textContent.includes('task-123'));

    const other = await opened({}, link);
    await other.waitForFunction(() => document.querySelector('[data-fact=metadata]')?.textContent.includes('<b>x</b>'));
    await other.context().close();
  });

  test('a link makes nobody send to a worker what somebody else wrote', async () => {
    await visit(page, { case: 'task-not-found' });
    await page.fill('#body', '{"jsonrpc":"2.0","id":"mine","method":"SendMessage","params":{}}');
    const link = `${await page.evaluate(() => location.hash)}&target=worker`;
    const other = await opened({}, link);
    await other.waitForFunction(() => document.getElementById('status').textContent === 'Not sent yet');
    assert.match(await other.inputValue('#body'), /"mine"/);
    await other.context().close();
    await page.click('#reset');
  });

  test('nor header lines of somebody else’s', async () => {
    const parts = { case: 'task-not-found', target: 'worker', binding: 'HTTP+JSON', accept: 'a\nX-Injected: b' };
    const other = await opened({}, hashOf(parts));
    await other.waitForFunction(() => document.querySelector('[data-fact=kind]')?.textContent === 'TaskNotFound');
    assert.doesNotMatch(await other.inputValue('#headers'), /injected/i);
    await other.context().close();
  });

  test('a case that needs a task is told of a URL that makes none', async () => {
    const url = 'https://agent.example';
    const html = (tab) => tab.route(`${url}/**`, (route) => route.fulfill({ status: 200, contentType: 'text/html', body: '<p>', headers: { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' } }));
    const other = await opened({}, hashOf({ case: 'task-not-cancelable', target: 'url', url }), html);
    await other.click('#send');
    await other.waitForFunction(() => document.querySelector('[data-fact=kind]')?.textContent === 'InvalidAgentResponse');
    await other.context().close();
  });

  test('a URL of one’s own is asked when it is told to', async () => {
    await page.evaluate((hash) => void (location.hash = hash), hashOf({ case: 'task-not-found', binding: 'HTTP+JSON', target: 'url', url: site.url }));
    await page.waitForFunction(() => document.getElementById('status').textContent === 'Not sent yet');
    await page.click('#send');
    await page.waitForFunction(() => document.querySelector('[data-fact=kind]')?.textContent === 'TaskNotFound');
  });

  test('Enter in the field asks the URL that was typed, and asks it again', async () => {
    await page.evaluate((hash) => void (location.hash = hash), hashOf({ case: 'task-not-found', binding: 'HTTP+JSON', target: 'url' }));
    await page.waitForFunction(() => document.getElementById('status').textContent === 'Not sent yet');
    await page.locator('#url').pressSequentially(site.url);
    for (let time = 0; time < 2; time += 1) {
      await page.evaluate(() => delete document.body.dataset.shown);
      await page.press('#url', 'Enter');
      await whenShown(page, { case: 'task-not-found', target: 'url', binding: 'HTTP+JSON', url: site.url });
      assert.equal((await shown(page)).facts.kind, 'TaskNotFound');
    }
    // To leave the field sends nothing.
    await page.fill('#url', `${site.url}/other`);
    await page.press('#url', 'Tab');
    await page.waitForFunction(() => document.getElementById('status').textContent === 'Not sent yet');
  });

  test('Accept is asked about where it changes something', async () => {
    assert.equal(await page.locator('#accept').isVisible(), false);
    await visit(page, { case: 'completed', binding: 'HTTP+JSON' });
    assert.equal(await page.locator('#accept').isVisible(), true);
  });

  test('the log has what the answer has not', async () => {
    const seen = await visit(page, { case: 'internal' });
    assert.match(seen.log, /postgres|hunter2|DatabaseDown|connection/);
    assert.doesNotMatch(seen.body, SECRETS);
  });
});

describe('retries, drawn', () => {
  const ROWS = [
    ['recovers', 3, /TASK_STATE_COMPLETED/],
    ['retry-after', 2, /TASK_STATE_COMPLETED/],
    ['exhausted', 4, /503/],
    ['permanent', 1, /TASK_NOT_FOUND/],
    ['send', 1, /503|Error/],
    ['timeout', 2, /TASK_STATE_COMPLETED/],
    ['fallback', 3, /TASK_STATE_COMPLETED/],
    ['breaker', 4, /TASK_STATE_COMPLETED/],
  ];
  for (const binding of BINDINGS) {
    for (const [scenario, attempts, answer] of ROWS) {
      test(`${scenario}, ${binding}`, async () => {
        await page.evaluate((hash) => {
          history.replaceState(null, '', '#');
          location.hash = hash;
        }, hashOf({ scenario, binding }));
        await page.waitForFunction((title) => document.title.startsWith(title), await page.textContent(`a[data-key="scenario:${scenario}"] span`));
        await page.waitForSelector('#answer[data-done]', { timeout: 20_000 });
        const events = await page.locator('#events li span').allTextContents();
        assert.equal(events.filter((event) => event.startsWith('Attempt ')).length, attempts, events.join('\n'));
        assert.match(await page.textContent('#answer'), answer);
        assert.equal(await page.locator('.chart svg rect.ok, .chart svg rect.failed').count(), attempts);
        if (scenario === 'breaker') {
          const states = await page.locator('.chart svg rect').evaluateAll((rects) => rects.map((rect) => rect.getAttribute('class')).filter((name) => /open|closed/.test(name)));
          assert.deepEqual([states[0], states[1], states.at(-1)], ['closed', 'open', 'closed']);
          assert.ok(events.some((event) => event.startsWith('The breaker is open: nothing is sent')));
        }
      });
    }
  }
});

describe('how it is served', () => {
  test('with a policy that allows no inline script, and beside the whole API', async () => {
    const response = await site.fetch('/');
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type'), /^text\/html/);
    const policy = response.headers.get('content-security-policy');
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'/);
    const call = { method: 'POST', headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' }, body: '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}' };
    for (const target of ['/', '/rpc']) assert.equal((await (await site.fetch(target, call)).json()).error.code, -32001);
    assert.equal((await site.fetch('/', { method: 'HEAD' })).status, 200);
    assert.equal((await site.fetch('/', { method: 'DELETE' })).status, 405);
    assert.equal((await site.fetch('/', { method: 'OPTIONS' })).headers.get('allow'), 'POST, OPTIONS');
    assert.equal((await site.fetch('/tasks/x', { headers: { 'A2A-Version': '1.0' } })).status, 404);
    assert.equal((await site.fetch('/.well-known/agent-card.json')).status, 200);
  });

  test('all of it is under 300 KiB, compressed', () => {
    const files = (dir) => readdirSync(dir).flatMap((name) => {
      const file = path.join(dir, name);
      return statSync(file).isDirectory() ? files(file) : [file];
    });
    const sizes = files(path.join(root, 'www')).filter((file) => !file.endsWith('_headers')).map((file) => [path.relative(root, file), gzipSync(readFileSync(file), { level: 9 }).length]);
    const total = sizes.reduce((sum, [, size]) => sum + size, 0);
    assert.ok(total < MAX_GZIPPED, `${total} bytes: ${sizes.map(([name, size]) => `${name} ${size}`).join(', ')}`);
  });
});

describe('how it looks', () => {
  const WIDTHS = [['phone', 390, 844], ['tablet', 900, 1100], ['desk', 1440, 1000]];
  const VIEWS = { case: '#case=invalid-params&binding=HTTP%2BJSON', retry: '#scenario=recovers', trap: '#case=panic', long: '#case=origin-internals' };
  for (const colorScheme of ['light', 'dark']) {
    for (const [name, width, height] of WIDTHS) {
      test(`${name}, ${colorScheme}: nothing is wider than the screen`, async () => {
        mkdirSync(SCREENSHOTS, { recursive: true });
        for (const [view, hash] of Object.entries(VIEWS)) {
          const tab = await opened({ viewport: { width, height }, colorScheme }, hash);
          if (view === 'retry') await tab.waitForSelector('#answer[data-done]', { timeout: 20_000 });
          else await tab.waitForFunction(() => document.body.dataset.shown);
          assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), view);
          await tab.screenshot({ path: path.join(SCREENSHOTS, `${view}-${name}-${colorScheme}.png`), fullPage: true });
          await tab.context().close();
        }
      });
    }
  }
});

test('the console had nothing to complain about', () => assert.deepEqual(complaints, []));
