// The JavaScript client as a package: for bundlers, for TypeScript with and without the DOM, and wherever its module may be
// loaded from.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { startAgent } from './support/agent.mjs';
import { launchChromium } from './support/chromium.mjs';
import { root, startWorker } from './support/worker.mjs';

const wasm = path.join(root, 'packages/client/pkg/a2a_edge_bg.wasm');

let worker;
before(async () => {
  worker = await startWorker();
});
after(() => worker?.stop());

async function bundle(contents, options) {
  const stdin = { contents, resolveDir: root };
  const { outputFiles, warnings } = await build({ stdin, bundle: true, write: false, logLevel: 'silent', ...options });
  return { text: outputFiles[0].text, warnings };
}

/** Runs a program of Node in a process of its own, and gives what it prints. */
const node = (...args) => execFileSync(process.execPath, args, { encoding: 'utf8', cwd: root, stdio: 'pipe' });

test('a bundler for browsers, Node or neither takes the package', async () => {
  for (const platform of ['browser', 'node', 'neutral']) {
    const { text, warnings } = await bundle("export * from './packages/client/index.js';", { minify: true, format: 'esm', platform });
    assert.deepEqual(warnings, []);
    assert.equal(text.includes('fs/promises'), platform === 'node', platform);
  }
});

test('the types are those of the code, with the DOM and with those of Node alone', () => {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  for (const project of ['tests/types', 'tests/types/node.json']) {
    // Not `assert.doesNotThrow`: what tsc prints is what somebody needs to read.
    try {
      node(tsc, '-p', path.join(root, project));
    } catch (error) {
      assert.fail(error.stdout);
    }
  }
});

test('the module may be named by where its file is', () => {
  const ask = (given) => `import { load, buildRequest } from './packages/client/index.js';
    await load(${given});
    console.log((await buildRequest({ url: 'https://a.example', binding: 'JSONRPC' }, 'GetTask', { id: 't' })).method);`;
  const url = JSON.stringify(pathToFileURL(wasm));
  for (const given of ['', url, `new URL(${url})`, `Promise.resolve(new URL(${url}))`]) {
    assert.equal(node('--input-type=module', '--eval', ask(given)), 'POST\n', given);
  }
});

test('a script without a place of its own says that it needs to be told where the module is', async () => {
  const { text } = await bundle("import { buildRequest } from './packages/client/index.js'; buildRequest({}, 'GetTask').catch((error) => console.log(error.message));", { format: 'iife', platform: 'node' });
  assert.equal(node('--eval', text), 'it is not known where the module is: pass it to load()\n');
});

test('a worker of any age calls an agent', async () => {
  const { text } = await bundle(
    `import { A2aClient, load } from './packages/client/index.js';
    import module from './a2a_edge_bg.wasm';
    export default {
      async fetch(request) {
        await load(module);
        const client = await A2aClient.connect(await request.text());
        const { task } = await client.sendMessage({ message: { role: 'ROLE_USER', parts: [{ text: 'hello' }] } });
        return new Response(task.status.state);
      },
    };`,
    { format: 'esm', external: ['./a2a_edge_bg.wasm'] },
  );
  for (const compatibilityDate of ['2022-01-01', '2024-09-01', '2026-01-01']) {
    const modules = [
      { type: 'ESModule', path: 'main.mjs', contents: text },
      { type: 'CompiledWasm', path: 'a2a_edge_bg.wasm', contents: readFileSync(wasm) },
    ];
    const caller = new Miniflare({ modules, compatibilityDate });
    try {
      const answer = await caller.dispatchFetch('http://caller.example', { method: 'POST', body: worker.url });
      assert.equal(await answer.text(), 'TASK_STATE_COMPLETED', compatibilityDate);
    } finally {
      await caller.dispose();
    }
  }
});

test('a browser takes the package as it is, under a policy without inline script', async (t) => {
  const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
  const files = await startAgent(({ url }, response) => {
    const policy = { 'Content-Security-Policy': "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src *" };
    if (url === '/') return response.writeHead(200, { 'Content-Type': 'text/html', ...policy }).end('<!doctype html><title>x</title>');
    const file = path.join(root, 'packages/client', url);
    return response.writeHead(200, { 'Content-Type': TYPES[path.extname(file)] }).end(readFileSync(file));
  });
  t.after(() => files.stop());
  const browser = await launchChromium();
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`${files.url}/`);
  for (const binding of ['JSONRPC', 'HTTP+JSON']) {
    const seen = await page.evaluate(askEverything, { url: worker.url, binding });
    assert.deepEqual(seen, {
      state: 'TASK_STATE_COMPLETED',
      events: ['task', 'artifactUpdate', 'artifactUpdate', 'statusUpdate'],
      missing: [binding === 'JSONRPC' ? 'JsonRpcError' : 'RestError', 'TaskNotFound', 'nope'],
      unsound: ['ValidationError', 'metadata.map'],
      // A browser does not tell why, so the request may have been sent.
      nobody: ['TransportError', 'ORIGIN_UNAVAILABLE', false],
      aborted: 'enough',
    });
  }
});

/** Runs in the browser. */
async function askEverything({ url, binding }) {
  const { A2aClient } = await import('/index.js');
  const thrown = (promise) => promise.then(() => ({ name: 'nothing' }), (error) => error);
  const text = (words, more) => ({ message: { role: 'ROLE_USER', parts: [{ text: words }], ...more } });
  const client = await A2aClient.connect(url, { binding });
  const { task } = await client.sendMessage(text('hello'));
  const events = [];
  for await (const event of client.sendStreamingMessage(text('stream 2'))) events.push(Object.keys(event)[0]);
  const missing = await thrown(client.getTask({ id: 'nope' }));
  const unsound = await thrown(client.sendMessage({ ...text('x'), metadata: { map: new Map() } }));
  const away = await A2aClient.at({ url: 'http://127.0.0.1:1', binding }, { retry: { maxRetries: 0 } });
  const nobody = await thrown(away.getTask({ id: 't' }));
  const leaving = new AbortController();
  const slow = thrown(client.sendMessage(text('slow 60000'), { signal: leaving.signal }));
  leaving.abort('enough');
  return {
    state: task.status.state,
    events,
    missing: [missing.name, missing.kind, missing.metadata.taskId],
    unsound: [unsound.name, unsound.fieldViolations[0].field],
    nobody: [nobody.name, nobody.reason, nobody.notSent],
    aborted: await slow,
  };
}
