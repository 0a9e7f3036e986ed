// A URL of one's own as the target: which are asked, and how.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startAgent } from './support/agent.mjs';
import { launchChromium } from './support/chromium.mjs';
import { go, hashOf, pageOf, shown, whenShown } from './support/page.mjs';
import { startSite } from './support/site.mjs';

let site, browser, opened, complaints, agent, page;
before(async () => {
  browser = await launchChromium();
  site = await startSite();
  ({ opened, complaints } = pageOf(site, browser));
  agent = await startAgent((_, response) => response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":{"code":404,"message":"gone"}}'));
  page = await opened({}, hashOf({ case: 'completed' }));
  await whenShown(page);
});
after(async () => {
  await browser?.close();
  await site?.stop();
  agent?.stop();
});

const says = (words) => page.waitForFunction((text) => document.getElementById('status').textContent.startsWith(text), words);
async function choose(parts) {
  await go(page, { target: 'url', case: 'task-not-found', ...parts });
  await says('Not sent yet');
}

describe('what cannot be asked is refused, and nothing is sent', () => {
  const URLS = ['', 'nonsense', 'ftp://agent.example', 'data:text/plain,a', 'about:blank', 'http://user@agent.example/', 'https://user:hunter2@agent.example/base', 'http://:hunter2@agent.example'];
  for (const binding of ['JSONRPC', 'HTTP+JSON']) {
    for (const url of URLS) {
      test(`${url || 'nothing'}, ${binding}`, async () => {
        const requests = [];
        const listen = (request) => request.resourceType() === 'fetch' && requests.push(request.url()); // the icon may come late
        await choose({ binding, url });
        page.on('request', listen);
        await page.click('#send');
        await says('Not sent: the agent’s URL');
        assert.equal(await page.evaluate(() => document.activeElement.id), 'url');
        await page.focus('#path');
        await page.keyboard.press('Control+Enter');
        await page.waitForFunction(() => document.activeElement.id === 'url');
        page.off('request', listen);
        assert.deepEqual(requests, []);
        assert.doesNotMatch(await page.inputValue('#path'), /hunter2|null/);
      });
    }
  }
});

describe('what no browser sends is refused as well, and not told as no answer', () => {
  for (const line of ['Ünï: x', 'X-Own: ü€', 'A(b): c', 'X-Own', 'X Own: a', ': a']) {
    test(line, async () => {
      await choose({ url: agent.url });
      await page.fill('#headers', line);
      const before = agent.requests.length;
      await page.click('#send');
      await says('Not sent: no browser sends such headers');
      assert.equal(await page.evaluate(() => document.activeElement.id), 'headers');
      assert.equal(agent.requests.length, before);
    });
  }
});

test('a password that is typed is not put into the address', async () => {
  await choose({ url: agent.url });
  await page.fill('#url', 'https://user:hunter2@agent.example/a');
  await page.press('#url', 'Tab');
  await page.click('#send');
  await says('Not sent: the agent’s URL');
  assert.doesNotMatch(page.url(), /hunter2/);
  await page.fill('#url', 'https://agent.example/a@b');
  await page.press('#url', 'Tab');
  await page.waitForFunction(() => location.hash.includes(encodeURIComponent('a@b')));
});

test('the URL that is typed is asked by Ctrl and Enter, too', async () => {
  await choose({ binding: 'HTTP+JSON', url: `${agent.url}/old` });
  await page.fill('#url', `${agent.url}/new`);
  await page.evaluate(() => delete document.body.dataset.shown);
  await page.press('#url', 'Control+Enter');
  await whenShown(page);
  assert.equal(agent.requests.at(-1).url, '/new/tasks/task-123');
  await page.press('#url', 'Tab');
  assert.match((await shown(page)).status, /^HTTP 404/, 'to leave it changes nothing');
});

test('the task of a case is made with the token that is in the editor', async () => {
  await choose({ case: 'task-not-cancelable', binding: 'JSONRPC', url: agent.url });
  await page.fill('#headers', `${await page.inputValue('#headers')}\nAuthorization: Bearer mine`);
  const before = agent.requests.length;
  await page.evaluate(() => delete document.body.dataset.shown);
  await page.click('#send');
  await whenShown(page);
  assert.deepEqual(agent.requests.slice(before).map(({ headers }) => headers.authorization), ['Bearer mine', 'Bearer mine']);
});

describe('what can be is asked at its own path, with its own query', () => {
  const ROWS = [
    ['JSONRPC', '', '/'],
    ['JSONRPC', '/rpc/', '/rpc/'],
    ['JSONRPC', '/rpc?key=1#top', '/rpc?key=1'],
    ['HTTP+JSON', '/', '/tasks/task-123'],
    ['HTTP+JSON', '/base/', '/base/tasks/task-123'],
    ['HTTP+JSON', '/base?key=1&a=b%20c#top', '/base/tasks/task-123?key=1&a=b%20c'],
    ['HTTP+JSON', '/base/?key=/', '/base/tasks/task-123?key=/'],
    ['HTTP+JSON', '/base?key=1', '/base/tasks?key=1&pageSize=150&historyLength=-5', 'invalid-params'],
    ['HTTP+JSON', '/base?key=1', '/base/v1/message:send/now?key=1', 'method-not-found'],
  ];
  for (const [binding, own, expected, id = 'task-not-found'] of ROWS) {
    test(`${own || 'no path'}, ${binding}, ${id}`, async () => {
      await choose({ case: id, binding, url: agent.url + own });
      assert.equal(await page.inputValue('#path'), expected);
      await page.click('#send');
      await whenShown(page);
      assert.match((await shown(page)).status, /^HTTP 404/);
      assert.equal(agent.requests.at(-1).url, expected);
    });
  }
});

test('the console had nothing to complain about', () => assert.deepEqual(complaints, []));
