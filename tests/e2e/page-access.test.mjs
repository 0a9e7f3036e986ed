// The page for whoever has no mouse, or does not see it: axe-core's rules, the accessibility tree, the keyboard.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { launchChromium } from './support/chromium.mjs';
import { pageOf, visit, whenShown } from './support/page.mjs';
import { startSite } from './support/site.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** More stops of Tab than the page has. */
const MAX_STOPS = 200;

let site, browser, opened, complaints;
before(async () => {
  browser = await launchChromium();
  site = await startSite({ vars: { DEMO_FAULTS: 'on' } });
  ({ opened, complaints } = pageOf(site, browser));
});
after(async () => {
  await browser?.close();
  await site?.stop();
});

/** What axe-core finds wrong, as lines; rules of WCAG 2.2 up to AA, and its best practices. */
async function violations(tab) {
  // As the browser's own: the page's policy lets nobody add a script.
  const session = await tab.context().newCDPSession(tab);
  await session.send('Runtime.evaluate', { expression: AXE });
  const result = await tab.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return result.violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`));
}

const noModule = (tab) => tab.route('**/pkg/**', (route) => route.fulfill({ status: 404, body: '' }));

describe('axe-core finds nothing', () => {
  const VIEWS = [
    ['an error', '#case=invalid-params&binding=HTTP%2BJSON', (tab) => whenShown(tab)],
    ['a panic, with its log', '#case=panic', (tab) => whenShown(tab)],
    ['a result', '#case=completed', (tab) => whenShown(tab)],
    ['a note, and a stream', '#case=stream-cut-short&binding=JSONRPC', (tab) => whenShown(tab)],
    ['no answer yet', '#target=url&url=https%3A%2F%2Fagent.example', (tab) => tab.waitForFunction(() => document.getElementById('status').textContent === 'Not sent yet')],
    ['no module', '#case=task-not-found', (tab) => tab.waitForSelector('.module.shown'), noModule],
    ['retries', '#scenario=fallback', (tab) => tab.waitForSelector('#answer[data-done]')],
    ['the breaker', '#scenario=breaker', (tab) => tab.waitForSelector('#answer[data-done]', { timeout: 20_000 })],
    ['nothing found', '#case=parse', (tab) => tab.fill('#search', 'no such thing')],
  ];
  for (const colorScheme of ['light', 'dark']) {
    for (const [name, width] of [['phone', 390], ['desk', 1440]]) {
      test(`${name}, ${colorScheme}`, async () => {
        for (const [view, hash, ready, prepare] of VIEWS) {
          const tab = await opened({ viewport: { width, height: 900 }, colorScheme }, hash, prepare);
          if (width < 720) await tab.locator('#menu').evaluate((menu) => (menu.open = true));
          await ready(tab);
          assert.deepEqual(await violations(tab), [], view);
          await tab.context().close();
        }
      });
    }
  }
});

describe('the accessibility tree', () => {
  test('has landmarks, headings in order, and a name for every control', async () => {
    const tab = await opened({}, '#case=invalid-params');
    await whenShown(tab);
    const tree = await tab.locator('body').ariaSnapshot();
    for (const landmark of [/^- banner/m, /^- navigation "Failures"/m, /^- main/m, /^- contentinfo/m]) assert.match(`${tree}`.replace(/^ +/gm, ''), landmark);
    const headings = await tab.locator('h1, h2, h3, h4').evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => Number(one.tagName[1])));
    assert.equal(headings.filter((level) => level === 1).length, 1);
    assert.equal(headings[0], 1);
    headings.reduce((before, level) => (assert.ok(level <= before + 1, `h${level} after h${before}`), level));
    assert.doesNotMatch(tree, /- (button|textbox|combobox|searchbox|radio|link)(?! ")/, 'a control without a name');
    for (const name of ['Inside the page', 'This worker', 'A URL', 'JSON-RPC', 'HTTP+JSON']) assert.match(tree, new RegExp(`radio "${name.replace('+', '\\+')}"`));
    await tab.context().close();
  });

  test('the answer is announced, and so is what was found and copied', async () => {
    const tab = await opened({}, '#case=completed');
    await whenShown(tab);
    // Announced is what changes in a live region that was there before.
    await tab.evaluate(() => {
      globalThis.announced = [];
      const live = document.querySelectorAll('[role=status], [aria-live]');
      const observer = new MutationObserver((changes) => changes.forEach(({ target }) => globalThis.announced.push((target.closest?.('[role=status]') ?? target.parentElement.closest('[role=status]')).textContent)));
      for (const region of live) observer.observe(region, { childList: true, characterData: true, subtree: true });
    });
    const announced = () => tab.evaluate(() => globalThis.announced.splice(0));
    await visit(tab, { case: 'invalid-params', binding: 'HTTP+JSON' });
    assert.ok((await announced()).some((words) => words.startsWith('HTTP 400 Bad Request')));
    await tab.fill('#search', 'timeout');
    assert.ok((await announced()).some((words) => /^\d+ found$/.test(words)));
    await tab.click('[data-copy=curl]');
    await tab.waitForFunction(() => globalThis.announced.includes('Copied as curl.'));
    await tab.click('[data-copy=curl]');
    await tab.waitForFunction(() => globalThis.announced.includes('Copied as curl.\u00a0'));
    await tab.context().close();
  });

  test('the outcome is told once, each time that it is sent', async () => {
    const tab = await opened({}, '#case=streamed');
    await whenShown(tab);
    await tab.evaluate(() => {
      globalThis.announced = [];
      for (const region of document.querySelectorAll('[role=status]')) {
        let before = region.textContent;
        // What is replaced by the same is not read out (Orca 43 with Chromium).
        const changed = () => region.textContent !== before && globalThis.announced.push((before = region.textContent));
        new MutationObserver(changed).observe(region, { childList: true, characterData: true, subtree: true });
      }
    });
    const announced = async () => (await tab.evaluate(() => globalThis.announced.splice(0))).map((words) => words.trim());
    await visit(tab, { case: 'streamed' }); // in pieces
    assert.deepEqual(await announced(), ['TASK_STATE_COMPLETED Done']);
    await visit(tab, { case: 'streamed' });
    assert.deepEqual(await announced(), ['TASK_STATE_COMPLETED Done']);
    await visit(tab, { case: 'task-not-found' });
    assert.deepEqual(await announced(), ['TaskNotFound Not retryable'], 'an error that comes under 200 as well');
    await visit(tab, { case: 'unreachable' });
    assert.deepEqual((await announced()).length, 2);
    await tab.context().close();
  });

  test('nothing is busy when what was under way is left', async () => {
    const url = 'https://agent.example';
    const tab = await opened({}, `#${new URLSearchParams({ case: 'task-not-found', target: 'url', url })}`, (page) => page.route(`${url}/**`, () => {}));
    await Promise.all([tab.waitForRequest(`${url}/**`), tab.click('#send')]);
    assert.equal(await tab.getAttribute('#response', 'aria-busy'), 'true');
    await tab.click('a[data-key="case:parse"]');
    await tab.waitForFunction(() => document.getElementById('title').textContent === 'Parse error');
    assert.equal(await tab.getAttribute('#response', 'aria-busy'), 'false');
    await tab.context().close();
  });

  test('a retrying call is told in words as well as drawn', async () => {
    const tab = await opened({}, '#scenario=recovers');
    await tab.waitForSelector('#answer[data-done]');
    const tree = await tab.locator('#timeline').ariaSnapshot();
    assert.match(tree, /list "What happened"/);
    assert.match(tree, /status: .*TASK_STATE_COMPLETED/);
    assert.doesNotMatch(tree, /- img/, 'the drawing itself is not read out');
    await tab.context().close();
  });
});

describe('by keyboard alone', () => {
  /** Goes through the page by Tab; gives each stop's name and whether its focus can be seen. */
  async function stops(tab) {
    const found = [];
    for (let count = 0; count < MAX_STOPS; count += 1) {
      await tab.keyboard.press('Tab');
      const stop = await tab.evaluate(() => {
        const element = document.activeElement;
        if (element === document.body) return undefined;
        // A radio button is invisible: its label shows the focus.
        const shower = element.type === 'radio' ? element.nextElementSibling : element;
        const style = getComputedStyle(shower);
        const { width, height } = shower.getBoundingClientRect();
        return {
          name: element.id || element.dataset.copy || element.dataset.key || element.name || element.textContent.trim(),
          isSeen: element.matches(':focus-visible') && style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 && width > 0 && height > 0,
        };
      });
      if (stop === undefined) return found;
      found.push(stop);
    }
    throw new Error('the focus is caught');
  }

  for (const [view, hash, expected] of [
    ['an exchange', '#case=internal', ['target', 'binding', 'search', 'case:parse', 'case:internal', 'scenario:breaker', 'curl', 'rust', 'javascript', 'link', 'method', 'path', 'headers', 'body', 'send', 'response-body']],
    ['retries', '#scenario=permanent', ['binding', 'search', 'maxRetries', 'baseMs', 'capMs', 'failures', 'openMs', 'headTimeoutMs', 'run']],
  ]) {
    test(`${view}: every control is reached, in reading order, and its focus is seen`, async () => {
      const tab = await opened({}, hash);
      await (view === 'retries' ? tab.waitForSelector('#answer[data-done]') : whenShown(tab));
      const found = await stops(tab);
      assert.deepEqual(found.filter(({ isSeen }) => !isSeen), []);
      const names = found.map(({ name }) => name);
      assert.equal(names[0], 'Skip to the exchange');
      const places = expected.map((name) => names.indexOf(name));
      assert.ok(!places.includes(-1), `${expected.filter((name) => !names.includes(name))} not in ${names}`);
      assert.deepEqual(places, [...places].sort((a, b) => a - b));
      // Nothing that can be clicked is left out, but the other buttons of a radio group.
      const all = await tab.locator('a[href], button, input:not([type=radio]), select, textarea, summary').evaluateAll((elements) => elements.filter((one) => one.checkVisibility()).length);
      assert.ok(names.length >= all, `${names.length} stops for ${all} controls`);
      await tab.context().close();
    });
  }

  test('a failure is found, sent, changed, sent again and copied', async () => {
    const tab = await opened({}, '#case=completed');
    await whenShown(tab);
    const press = async (...keys) => {
      for (const key of keys) await tab.keyboard.press(key);
    };
    await press('Tab', 'Enter'); // skips to the exchange
    assert.equal(await tab.evaluate(() => document.activeElement.id), 'main');
    await press('/');
    await tab.keyboard.type('task not found');
    await press('Enter');
    await whenShown(tab, { case: 'task-not-found' });
    await press('Shift+Tab', 'ArrowRight'); // to the bindings
    await whenShown(tab, { case: 'task-not-found', binding: 'HTTP+JSON' });
    await tab.focus('#path');
    await press('End');
    await tab.keyboard.type('-4');
    await press('Control+Enter');
    await tab.waitForFunction(() => document.querySelector('[data-fact=metadata]')?.textContent.includes('task-123-4'));
    await tab.focus('[data-copy=curl]');
    await press('Enter');
    await tab.waitForFunction(() => document.getElementById('copied').textContent === 'Copied as curl.');
    assert.match(await tab.evaluate(() => navigator.clipboard.readText()), /tasks\/task-123-4/);
    await tab.context().close();
  });

  test('the focus stays where the button was that undoes changes', async () => {
    const tab = await opened({}, '#case=completed');
    await whenShown(tab);
    await tab.fill('#path', '/elsewhere');
    await tab.focus('#reset');
    await tab.keyboard.press('Enter');
    await tab.waitForFunction(() => document.getElementById('path').value === '/rpc');
    assert.equal(await tab.evaluate(() => document.activeElement.id), 'send');
    await tab.context().close();
  });

  test('on a phone the list opens, and closes when a failure is chosen', async () => {
    const tab = await opened({ viewport: { width: 390, height: 844 } }, '#case=completed');
    await whenShown(tab);
    await tab.focus('#menu summary');
    await tab.keyboard.press('Enter');
    await tab.focus('a[data-key="case:parse"]');
    await tab.keyboard.press('Enter');
    await whenShown(tab, { case: 'parse' });
    assert.equal(await tab.evaluate(() => document.getElementById('menu').open), false);
    assert.equal(await tab.evaluate(() => document.activeElement.id), 'main');
    await tab.context().close();
  });
});

test('at twice the size nothing is wider than the screen', async () => {
  const tab = await opened({ viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 }, '#case=invalid-params');
  await whenShown(tab);
  assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await tab.context().close();
});

describe('on the narrowest screen', () => {
  const open = (hash) => opened({ viewport: { width: 320, height: 640 } }, hash);

  for (const hash of ['#case=invalid-params&binding=HTTP%2BJSON', '#case=completed&target=url']) {
    test(`nothing is wider than it, ${hash}`, async () => {
      const tab = await open(hash);
      await tab.waitForFunction(() => document.body.dataset.shown || document.getElementById('status').textContent === 'Not sent yet');
      assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      await tab.context().close();
    });
  }

  test('no word of a drawing covers another', async () => {
    const tab = await open('#scenario=breaker');
    await tab.waitForSelector('#answer[data-done]', { timeout: 20_000 });
    const words = await tab.locator('.chart text').evaluateAll((all) => all.map((one) => {
      const { left, right, top, bottom } = one.getBoundingClientRect();
      return { word: one.textContent, left, right, top: top + 2, bottom: bottom - 2 };
    }));
    const covers = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    assert.ok(words.some(({ word }) => word === 'refused'));
    assert.deepEqual(words.filter((one, index) => words.slice(index + 1).some((other) => covers(one, other))), []);
    await tab.context().close();
  });
});

/** What axe-core does not look at. Runs in the page: the lowest ratio of each kind (WCAG 2.2, 1.4.3 and 1.4.11). */
function contrasts() {
  const rgb = (color) => color.match(/[\d.]+/g).map(Number);
  const over = ([r, g, b], alpha, below) => [r, g, b].map((value, index) => value * alpha + below[index] * (1 - alpha));
  const luminance = (color) => color.map((value) => value / 255).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)).reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const ratio = (...colors) => {
    const [dark, light] = colors.map((color) => luminance(color.slice(0, 3))).sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const lowest = (selector, of) => Math.min(...[...document.querySelectorAll(selector)].filter((one) => one.checkVisibility()).map((one) => of(one, getComputedStyle(one))));
  const panel = rgb(getComputedStyle(document.querySelector('.timeline-panel') ?? document.querySelector('.panel')).backgroundColor);
  const text = document.querySelector('.chart text.strong');
  return {
    placeholders: lowest('[placeholder]', (one, style) => ratio(rgb(getComputedStyle(one, '::placeholder').color), rgb(style.backgroundColor))),
    fields: lowest('input:not([type=radio]), textarea, select', (_, style) => ratio(rgb(style.borderTopColor), panel)),
    breaker: lowest('.chart .closed, .chart .open, .chart .half-open', (_, style) => ratio(rgb(getComputedStyle(text).fill), over(rgb(style.fill), Number(style.opacity), panel))),
    attempts: lowest('.chart text.on', (one, style) => ratio(rgb(style.fill), rgb(getComputedStyle(one.previousSibling).fill))),
  };
}

for (const colorScheme of ['light', 'dark']) {
  test(`what axe-core does not look at can be told from what is behind it, ${colorScheme}`, async () => {
    for (const [hash, ready] of [['#case=invalid-params&target=url', '#send'], ['#scenario=breaker', '#answer[data-done]']]) {
      const tab = await opened({ colorScheme }, hash);
      await tab.waitForSelector(ready, { timeout: 20_000 });
      for (const [kind, ratio] of Object.entries(await tab.evaluate(contrasts))) assert.ok(ratio >= (kind === 'fields' ? 3 : 4.5), `${hash} ${kind}: ${ratio}`);
      await tab.context().close();
    }
  });
}

test('the console had nothing to complain about but what was taken away', () =>
  assert.deepEqual(complaints.filter((complaint) => !/\/pkg\//.test(complaint)), []));
