// What the page gives to be copied: a link shows the same, curl and JavaScript do the same, Rust is what
// `tests/page_snippets.rs` compiles.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { CASES } from '../../www/cases.js';
import { startAgent } from './support/agent.mjs';
import { launchChromium } from './support/chromium.mjs';
import { installedPackage } from './support/package.mjs';
import { ERRORS, TASKS } from './support/page-cases.mjs';
import { hashOf, pageOf, shown, visit, whenShown } from './support/page.mjs';
import { startSite } from './support/site.mjs';
import { root } from './support/worker.mjs';

const run = promisify(execFile);
const BINDINGS = ['JSONRPC', 'HTTP+JSON'];
const SNIPPETS = path.join(root, 'tests/page_snippets');

let site, browser, opened, complaints, page, installed;
before(async () => {
  browser = await launchChromium();
  site = await startSite({ vars: { DEMO_FAULTS: 'on' } });
  ({ opened, complaints } = pageOf(site, browser));
  page = await opened();
  installed = installedPackage();
});
after(async () => {
  await browser?.close();
  await site?.stop();
  installed?.remove();
});

async function copied(tab, kind) {
  await tab.evaluate(() => (document.getElementById('copied').textContent = ''));
  await tab.click(`[data-copy=${kind}]`);
  await tab.waitForFunction(() => document.getElementById('copied').textContent.startsWith('Copied'));
  return tab.evaluate(() => navigator.clipboard.readText());
}

/** What is the same whenever a request is made: of a task, its state. */
function essence(body) {
  const states = [...body.matchAll(/"state":\s*"(\w+)"/g)].map(([, state]) => state);
  if (states.length > 0) return states;
  return JSON.stringify(JSON.parse(body));
}

for (const binding of BINDINGS) {
  describe(`copied as curl it does the same, ${binding}`, () => {
    for (const { id } of [...ERRORS, ...TASKS]) {
      test(id, async () => {
        const seen = await visit(page, { case: id, binding, target: 'worker' });
        const { stdout } = await run('sh', ['-c', await copied(page, 'curl')]);
        const [head, ...rest] = stdout.split(/\r?\n\r?\n/);
        const line = head.split(/\r?\n/).find((one) => one.startsWith('HTTP/'));
        assert.equal(line.split(' ')[1], seen.status.split(' ')[1]);
        assert.deepEqual(essence(rest.join('\n\n')), essence(seen.body));
      });
    }
  });

  describe(`copied as JavaScript it does the same, ${binding}`, () => {
    const ROWS = ['task-not-found', 'invalid-params', 'version-missing', 'unsupported-operation', 'overloaded', 'failed', 'streamed', 'parse', 'method-not-allowed', 'invalid-token'];
    for (const id of ROWS) {
      test(id, async () => {
        const seen = await visit(page, { case: id, binding, target: 'worker' });
        const code = await copied(page, 'javascript');
        const { stdout, stderr } = await installed.run(id, code);
        const { kind, reason, code: number, state } = seen.facts;
        // This worker asks for no token, and lists the tasks.
        if (id === 'invalid-token') assert.match(stdout, /pageSize: 50/);
        else if (state !== undefined) assert.match(stdout, new RegExp(state));
        else if (!code.includes('A2aClient')) assert.ok(stdout.startsWith(`${seen.status.split(' ')[1]} {`) && stdout.includes(reason), stdout);
        // The client says what the request breaks before it is sent.
        else if (id === 'invalid-params') assert.match(stderr, /^ValidationError InvalidParams -32602 /);
        else assert.ok(stderr.startsWith(`${binding === 'JSONRPC' ? 'JsonRpcError' : 'RestError'} ${kind} ${number} ${reason}`), stderr);
      });
    }
  });
}

describe('copied as Rust it is what is compiled', () => {
  const ODD = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'GetTask', params: { id: 'a\b\u0001\n"\\é', historyLength: 5_000_000_000, metadata: [1.5, -7_000_000_000, 1e30] } });
  const ROWS = [
    ['call', { case: 'invalid-params' }],
    ['stream', { case: 'streamed', binding: 'HTTP+JSON' }],
    ['own_headers', { case: 'invalid-token' }],
    ['odd_params', { case: 'task-not-found' }, ODD],
    ['raw_body', { case: 'parse' }, '{"a":"#", "b": "##'],
    ['raw_verb', { case: 'method-not-allowed', binding: 'HTTP+JSON' }],
  ];
  for (const [name, parts, body] of ROWS) {
    test(name, async () => {
      await visit(page, parts);
      if (body !== undefined) {
        await page.fill('#body', body);
        await page.evaluate(() => delete document.body.dataset.shown);
        await page.keyboard.press('Control+Enter');
        await whenShown(page);
      }
      const file = path.join(SNIPPETS, `${name}.rs`);
      const code = `{\n${(await copied(page, 'rust')).trimEnd()}\nOk(())\n}\n`;
      assert.equal(code, readFileSync(file, 'utf8'));
    });
  }
});

test('a body that looks like a file’s name is sent as it is', async () => {
  await visit(page, { case: 'task-not-found', target: 'worker' });
  await page.fill('#body', "@/etc/hostname 'quoted' $HOME");
  const command = await copied(page, 'curl');
  const { stdout } = await run('sh', ['-c', command.replace('curl -i', 'curl -s').replace(/'http:\S+'/, `'${site.url}/rpc'`)]);
  assert.equal(JSON.parse(stdout).error.code, -32700);
  assert.match(command, /--data-raw '@\/etc\/hostname '\\''quoted'\\'' \$HOME'/);
});

describe('copied as code it is the request to the letter, where the client would send another', () => {
  const CHANGES = [
    ['the version', {}, '#headers', (text) => text.replace('A2A-Version: 1.0', 'a2a-version: 1.1')],
    ['the type of the body', {}, '#headers', (text) => text.replace('Content-Type: application/json', 'Content-Type: application/json; charset=utf-8')],
    ['no type', {}, '#headers', (text) => text.replace(/^Content-Type.*$/m, '')],
    ['the form of the answer', {}, '#headers', (text) => `${text}\nAccept: text/html`],
    ['the form that is chosen', { binding: 'HTTP+JSON', accept: 'application/problem+json' }],
    ['the path', {}, '#path', (text) => `${text}?a=b`],
    ['a path of a resource', { binding: 'HTTP+JSON' }, '#path', (text) => `${text}?historyLength=-1`],
    ['the method', {}, '#method', () => 'PUT'],
    ['a number that JavaScript would round', {}, '#body', (text) => text.replace('"task-123"', '"task-123", "historyLength": 9007199254740993')],
    ['one that it has no room for', {}, '#body', (text) => text.replace('"task-123"', '"task-123", "historyLength": 1e400')],
  ];
  for (const [name, parts, field, change] of CHANGES) {
    test(name, async () => {
      await visit(page, { case: 'task-not-found', ...parts });
      if (field === '#method') await page.selectOption(field, change());
      else if (field) await page.fill(field, change(await page.inputValue(field)));
      assert.match(await copied(page, 'javascript'), /^const response = await fetch/);
      assert.match(await copied(page, 'rust'), /^let response = reqwest/);
    });
  }

  for (const [name, parts, field, change] of [
    ['no form is preferred', { binding: 'HTTP+JSON' }],
    ['the client’s is', { binding: 'HTTP+JSON', accept: 'client' }],
    ['one was, of the other binding', { accept: 'application/problem+json' }],
    ['a header is one’s own', {}, '#headers', (text) => `${text}\nX-Own: 1`],
    ['params are others', {}, '#body', (text) => text.replace('task-123', 'task-4')],
  ]) {
    test(`and a call of the client where ${name}`, async () => {
      await visit(page, { case: 'task-not-found', ...parts });
      if (field) await page.fill(field, change(await page.inputValue(field)));
      assert.match(await copied(page, 'javascript'), /client\.call\("GetTask"/);
      assert.match(await copied(page, 'rust'), /Operation::GetTask/);
    });
  }

  test('the task that was made is the one that is asked for', async () => {
    const seen = await visit(page, { case: 'task-not-cancelable', binding: 'HTTP+JSON' });
    const id = seen.facts.message.match(/[0-9a-f-]{36}/)?.[0] ?? JSON.parse(seen.body).error.details.at(-1).metadata.taskId;
    assert.ok((await copied(page, 'javascript')).includes(`"id": "${id}"`));
  });
});

describe('what is copied is what is to be seen', () => {
  test('although it was changed while the one before was under way', async () => {
    let release;
    const released = new Promise((resolve) => (release = resolve));
    const other = await opened({}, hashOf({ case: 'task-not-found', target: 'url', binding: 'JSONRPC', url: 'https://agent.example' }), (tab) =>
      tab.route('https://agent.example/**', async (route) => {
        await released;
        await route.fulfill({ status: 200, contentType: 'application/json', body: '{}', headers: { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' } });
      }));
    await Promise.all([other.waitForRequest('https://agent.example/**'), other.click('#send')]);
    await other.fill('#body', '{"changed":true}');
    await other.waitForFunction(() => location.hash.includes('request='));
    release();
    await whenShown(other);
    assert.match(await copied(other, 'curl'), /"changed":true/);
    await other.context().close();
  });

  test('and a link that lacks a change says so', async () => {
    await visit(page, { case: 'task-not-found' });
    await page.fill('#body', 'x'.repeat(30_000));
    assert.doesNotMatch(await copied(page, 'link'), /request=/);
    assert.match(await page.textContent('#copied'), /without your changes: they are too long/);
    await page.click('#reset');
    await whenShown(page);
    await copied(page, 'link');
    assert.equal(await page.textContent('#copied'), 'Copied as Link.');
  });
});

describe('copied as curl it reaches the agent as it is', () => {
  test('whatever is in its address and headers', async (t) => {
    const agent = await startAgent((_, response) => response.end('{}'));
    t.after(agent.stop);
    await visit(page, { case: 'task-not-found', binding: 'HTTP+JSON', target: 'worker' });
    await page.fill('#path', '/tasks/[1-2]{a,b} ü?q=[1]{c} "x"');
    await page.fill('#headers', 'X-Empty:\nX-Own: a');
    const command = await copied(page, 'curl');
    await run('sh', ['-c', command.replace(site.url, agent.url)]);
    const [{ method, url, headers, body }, ...more] = agent.requests;
    assert.deepEqual([method, url, body, more], ['GET', '/tasks/[1-2]%7Ba,b%7D%20%C3%BC?q=[1]{c}%20%22x%22', '', []]);
    assert.deepEqual([headers['x-empty'], headers['x-own']], ['', 'a']);
  });

  test('a GET without the body that was left in the editor', async () => {
    await visit(page, { case: 'task-not-found', target: 'worker' });
    await page.selectOption('#method', 'GET');
    for (const kind of ['curl', 'javascript', 'rust']) assert.doesNotMatch(await copied(page, kind), /jsonrpc/, kind);
  });
});

/** But for how long it took. */
const timeless = (seen) => ({ ...seen, log: seen.log.replaceAll(/"durationMs":\d+/g, '') });

describe('a link shows the same', () => {
  const VIEWS = [
    { case: 'parse' },
    { case: 'overloaded', binding: 'HTTP+JSON', accept: 'application/problem+json' },
    { case: 'task-not-found', target: 'worker', binding: 'HTTP+JSON' },
    { case: 'wrong-id' },
  ];
  for (const parts of VIEWS) {
    test(Object.values(parts).join(', '), async () => {
      const seen = await visit(page, parts);
      const link = await copied(page, 'link');
      const other = await opened({}, new URL(link).hash);
      await whenShown(other);
      assert.deepEqual(timeless(await shown(other)), timeless(seen));
      const switches = (tab) => tab.locator('#switches').evaluate((form) => [...new FormData(form)]);
      assert.deepEqual(await switches(other), await switches(page));
      await other.context().close();
    });
  }

  test('but no method that the page cannot send', async () => {
    const request = Buffer.from(JSON.stringify({ method: 'TRACE', path: '/', headers: '', body: '' })).toString('base64url');
    const other = await opened({}, hashOf({ case: 'completed', target: 'page', request }));
    await whenShown(other);
    assert.equal(await other.inputValue('#method'), 'POST');
    await other.context().close();
  });

  test('what makes no sense in one is as if it were not there', async () => {
    const other = await opened({}, '#case=no-such&target=moon&binding=SOAP&accept=application/nonsense&request=%%%');
    await whenShown(other);
    assert.equal((await shown(other)).title, CASES.get('task-not-found').title);
    assert.deepEqual(await other.locator('#switches input:checked').evaluateAll((inputs) => inputs.map(({ value }) => value)), ['worker', 'JSONRPC']); // nobody is chosen, and the module was not there yet
    await other.context().close();
  });
});

test('the console had nothing to complain about', () => assert.deepEqual(complaints, []));
