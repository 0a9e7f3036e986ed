// What the page can do before its WebAssembly module is there, and without it. Requests for the module are held back, so
// nothing here depends on how fast anything is.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildRequest as buildInRust } from '../../packages/client/index.js';
import { CASES } from '../../www/cases.js';
import { buildRequest } from '../../www/request.js';
import { launchChromium } from './support/chromium.mjs';
import { go, pageOf, shown, whenShown } from './support/page.mjs';
import { startSite } from './support/site.mjs';
import { root } from './support/worker.mjs';

const MODULE = '**/pkg/**';
const WASM = '**/*.wasm';
const START = Date.UTC(2026, 0, 1);

let site, browser, opened, complaints;
before(async () => {
  browser = await launchChromium();
  site = await startSite();
  ({ opened, complaints } = pageOf(site, browser));
});
after(async () => {
  await browser?.close();
  await site?.stop();
});

/** Holds all requests for a pattern back until `release` is called. */
async function held(tab, pattern) {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await tab.route(pattern, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}

/** Opens the page with the module held back. */
async function waiting(hash, pattern = WASM) {
  let release;
  const tab = await opened({}, hash, async (page) => (release = await held(page, pattern)));
  return { tab, release };
}

const text = (tab, selector) => tab.textContent(selector);
const says = (tab, selector, pattern) =>
  tab.waitForFunction(([where, what]) => new RegExp(what).test(document.querySelector(where)?.textContent), [selector, pattern.source]);

describe('before the module is there', () => {
  for (const pattern of [WASM, MODULE]) {
    test(`the list, the search, the switches and the keyboard work (${pattern})`, async () => {
      const { tab, release } = await waiting('#case=invalid-params&target=page', pattern);
      assert.equal(await text(tab, '#title'), 'Invalid parameters');
      assert.match(await tab.inputValue('#body'), /"pageSize": 150/);
      assert.match(await text(tab, '#status'), /^Waiting for the agent inside the page/);
      assert.equal(await tab.getAttribute('#response', 'aria-busy'), 'true');

      await tab.locator('label:has(input[value="HTTP+JSON"])').click();
      await tab.waitForFunction(() => document.getElementById('path').value === '/tasks?pageSize=150&historyLength=-5'); // the address tells of it later
      await tab.locator('#main').focus();
      await tab.keyboard.press('/');
      await tab.keyboard.type('32001');
      assert.deepEqual(await tab.locator('#list a span').allTextContents(), ['Task not found', 'Push config not found']);
      await tab.keyboard.press('Enter');
      await says(tab, '#title', /^Task not found$/);
      assert.equal(await tab.inputValue('#path'), '/tasks/task-123');

      release();
      await whenShown(tab, { case: 'task-not-found', target: 'page', binding: 'HTTP+JSON' });
      const seen = await shown(tab);
      assert.deepEqual([seen.status, seen.facts.kind], ['HTTP 404 Not Found', 'TaskNotFound']);
      await tab.context().close();
    });
  }

  test('the worker is asked, and only the reading of its answer waits', async () => {
    const { tab, release } = await waiting('#case=task-not-found&target=worker');
    await says(tab, '#status', /^HTTP 200/);
    const early = await shown(tab);
    assert.equal(JSON.parse(early.body).error.code, -32001);
    assert.equal(early.picked.length, 1);
    assert.deepEqual(early.facts, {});
    assert.match(await text(tab, '#seen'), /^Waiting for the client/);
    release();
    await whenShown(tab);
    assert.equal((await shown(tab)).facts.kind, 'TaskNotFound');
    await tab.context().close();
  });

  const target = (tab) => tab.locator('#target input:checked').evaluate(({ value }) => value);

  test('whoever chose no target need not wait for the agent inside the page', async () => {
    const { tab, release } = await waiting('#case=task-not-found');
    await says(tab, '#status', /^HTTP 200/);
    assert.equal(await target(tab), 'worker');
    assert.equal(JSON.parse((await shown(tab)).body).error.code, -32001);
    // This worker is not set up for it.
    await go(tab, { case: 'unauthenticated' });
    await says(tab, '#status', /^Waiting for the agent inside the page/);
    assert.equal(await target(tab), 'page');
    release();
    await whenShown(tab, { case: 'unauthenticated' });
    await go(tab, { case: 'task-not-found' });
    await whenShown(tab, { case: 'task-not-found' });
    assert.equal(await target(tab), 'page');
    await tab.context().close();
  });

  test('what somebody else wrote goes to no worker, chosen or not', async () => {
    const request = Buffer.from(JSON.stringify({ method: 'POST', path: '/rpc', headers: '', body: '{}' })).toString('base64url');
    const { tab, release } = await waiting(`#case=task-not-found&request=${request}`);
    await says(tab, '#status', /^Waiting for the agent inside the page/);
    release();
    await whenShown(tab);
    assert.equal(await target(tab), 'page');
    await tab.context().close();
  });

  test('a retrying call waits, and says so', async () => {
    const { tab, release } = await waiting('#scenario=permanent');
    await says(tab, '#answer', /^Waiting for the client/);
    assert.equal(await tab.locator('#events li').count(), 0);
    release();
    await tab.waitForSelector('#answer[data-done]');
    assert.match(await text(tab, '#answer'), /TASK_NOT_FOUND/);
    await tab.context().close();
  });

  test('only the last of several choices is sent when it comes', async () => {
    const { tab, release } = await waiting('#case=parse');
    for (const id of ['internal', 'invalid-params', 'failed']) await go(tab, { case: id });
    release();
    await whenShown(tab, { case: 'failed' });
    assert.equal((await shown(tab)).facts.state, 'TASK_STATE_FAILED');
    await tab.context().close();
  });
});

describe('when the module does not come', () => {
  /** Opens the page with a clock that stands still, and the module answered by `fail` for the first so many tries. */
  async function failing(fail, pattern, hash = '#case=task-not-found&target=page') {
    const state = { isAway: true, tries: 0 };
    const tab = await opened({}, hash, async (page) => {
      await page.clock.install({ time: START });
      await page.clock.pauseAt(START + 1);
      await page.route(pattern, (route) => {
        // The preload is no try.
        if (pattern === WASM || /client\.js/.test(route.request().url())) state.tries += 1;
        return state.isAway ? fail(route) : route.continue();
      });
    });
    await says(tab, '#module-state', /did not load/);
    return { tab, state };
  }
  const FAILURES = [
    ['it is not built yet (404)', (route) => route.fulfill({ status: 404, body: '' }), MODULE],
    ['the WebAssembly is not there (404)', (route) => route.fulfill({ status: 404, body: '' }), WASM],
    ['the network is away', (route) => route.abort('failed'), MODULE],
    ['it breaks off', (route) => route.fulfill({ status: 200, contentType: 'application/wasm', body: '\0asm' }), WASM],
  ];
  for (const [name, fail, pattern] of FAILURES) {
    test(`${name}: the page says so, works as far as it can, and comes alive`, async () => {
      const { tab, state } = await failing(fail, pattern);
      assert.equal(await tab.getAttribute('#module-state', 'role'), 'status');
      assert.equal(await text(tab, '#module-next'), 'Tried once. Next try in 1 s.');
      await tab.locator('label:has(input[value="worker"])').click();
      await says(tab, '#status', /^HTTP 200/);
      assert.equal(JSON.parse((await shown(tab)).body).error.code, -32001);

      state.isAway = false;
      await tab.click('#module-retry');
      await whenShown(tab, { case: 'task-not-found', target: 'worker' });
      assert.equal((await shown(tab)).facts.kind, 'TaskNotFound');
      await says(tab, '#module-state', /^$/);
      assert.equal(await tab.locator('#module-retry').isVisible(), false);
      await go(tab, { case: 'invalid-params' });
      await whenShown(tab, { case: 'invalid-params' });
      assert.equal((await shown(tab)).facts.kind, 'InvalidParams');
      await tab.context().close();
    });
  }

  test('pauses grow, up to a limit, and a try follows each', async () => {
    const { tab, state } = await failing((route) => route.fulfill({ status: 404, body: '' }), MODULE);
    for (const [index, seconds] of [1, 2, 4, 8, 16, 30, 30].entries()) {
      await says(tab, '#module-next', new RegExp(`^Tried ${index === 0 ? 'once' : `${index + 1} times`}\\. Next try in ${seconds} s\\.$`));
      const tries = state.tries;
      const next = tab.waitForRequest(/client\.js\?try=/);
      await tab.clock.runFor(seconds * 1000 - 1);
      assert.equal(state.tries, tries, 'not before its time');
      await tab.clock.runFor(1);
      await next;
    }
    await says(tab, '#module-next', /^Tried 8 times/);
    state.isAway = false;
    await tab.clock.runFor(30_000);
    await whenShown(tab);
    assert.equal((await shown(tab)).facts.kind, 'TaskNotFound');
    await tab.context().close();
  });

  test('a connection that comes back ends the pause', async () => {
    const { tab, state } = await failing((route) => route.abort('failed'), MODULE);
    state.isAway = false;
    await tab.evaluate(() => dispatchEvent(new Event('online')));
    await whenShown(tab);
    await tab.context().close();
  });
});

describe('what the page makes itself', () => {
  for (const binding of ['JSONRPC', 'HTTP+JSON']) {
    for (const url of ['https://agent.example/base', 'https://agent.example/base/?key=1&a=b%20c', 'https://agent.example?key=/']) test(`its requests to ${url} are those of the client, ${binding}`, async () => {
      const endpoint = { url, binding };
      const parts = ({ method, url, headers, body }) => {
        const { origin, pathname, searchParams } = new URL(url);
        return { method, origin, pathname, query: [...searchParams].sort(), headers, body: body && JSON.parse(body) };
      };
      const odd = [{ operation: 'GetTask', params: { id: 'a b/ü?#', historyLength: 2 } }, { operation: 'CancelTask', params: { id: 'x', metadata: { a: [1] } } }];
      for (const { operation, params } of [...CASES.values(), ...odd]) {
        const expected = await buildInRust(endpoint, operation, params, '7');
        assert.deepEqual(parts(buildRequest(endpoint, operation, params)), parts(expected), operation);
      }
    });
  }

  test('every script that the page starts with is asked for at once', () => {
    const html = readFileSync(path.join(root, 'www/index.html'), 'utf8');
    const preloaded = [...html.matchAll(/rel="modulepreload" href="([^"]+)"/g)].map(([, href]) => href);
    const started = ['app.js'];
    for (const name of started) {
      const source = readFileSync(path.join(root, 'www', name), 'utf8');
      for (const [, found] of source.matchAll(/^import .*?'\.\/(.+?)';$/gm)) if (!started.includes(found)) started.push(found);
    }
    assert.deepEqual(preloaded.sort(), [...started.slice(1), 'pkg/client.js'].sort());
    const own = readdirSync(path.join(root, 'www')).filter((name) => name.endsWith('.js') && name !== 'agent-worker.js');
    assert.deepEqual(own.sort(), started.sort(), 'no script that nobody asks for');
  });
});

// Chromium itself reports each file that did not load.
test('the console had nothing to complain about but what was held back', () =>
  assert.deepEqual(complaints.filter((complaint) => !/^Failed to load resource: .*\/pkg\//.test(complaint)), []));
