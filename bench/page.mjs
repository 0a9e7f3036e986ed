// node bench/page.mjs [--rounds 25] [--json file]: how long the page takes until it can be used, next to an empty page that
// the same worker serves.
//
// Each load is in a new context of Chromium, so nothing is cached; both are loaded in turn, in a random order. An empty
// page can be used when it has loaded; this one when its list and its controls work, which it marks itself.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launchChromium } from '../tests/e2e/support/chromium.mjs';
import { startSite } from '../tests/e2e/support/site.mjs';
import { root } from '../tests/e2e/support/worker.mjs';
import { table } from './lib/report.mjs';
import { median, quantile, shuffled, spread } from './lib/stats.mjs';

const WARM_UP_ROUNDS = 3;
const EMPTY = 'empty.html';

/** Milliseconds since the navigation began until each of the page's moments. */
const MOMENTS = {
  empty: { path: EMPTY, read: () => {
    const usable = performance.getEntriesByType('navigation')[0].loadEventEnd;
    return usable && { usable };
  } },
  page: {
    path: '#case=task-not-found',
    read: () => {
      const at = (name) => performance.getEntriesByName(name)[0]?.startTime;
      const moments = { usable: at('interactive'), module: at('module'), answered: at('answered') };
      return !Object.values(moments).includes(undefined) && moments;
    },
  },
};

async function load(browser, site, { path, read }) {
  const context = await browser.newContext();
  try {
    const tab = await context.newPage();
    await tab.goto(`${site.url}/${path}`);
    return await (await tab.waitForFunction(read)).jsonValue();
  } finally {
    await context.close();
  }
}

async function measure(browser, site, rounds) {
  const samples = { empty: [], page: [] };
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const name of shuffled(Object.keys(MOMENTS))) {
      const moments = await load(browser, site, MOMENTS[name]);
      if (round >= 0) samples[name].push(moments);
    }
  }
  return samples;
}

function summary({ empty, page }) {
  const floor = empty.map(({ usable }) => usable);
  const figures = (values) => {
    const ratios = values.map((ms, round) => ms / floor[round]);
    return { p50: median(values), p90: quantile(values, 0.9), ratio: median(ratios), spread: spread(ratios) };
  };
  return {
    'an empty page, loaded': figures(floor),
    'usable': figures(page.map(({ usable }) => usable)),
    'its module is there': figures(page.map(({ module }) => module)),
    'the first answer is shown': figures(page.map(({ answered }) => answered)),
  };
}

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '25' }, json: { type: 'string' } } });
const assets = mkdtempSync(join(tmpdir(), 'a2a-bench-page-'));
let browser, site;
try {
  cpSync(join(root, 'www'), assets, { recursive: true });
  writeFileSync(join(assets, EMPTY), '<!doctype html><html lang="en"><title>Empty</title></html>\n');
  browser = await launchChromium();
  site = await startSite({ assets });
  const results = summary(await measure(browser, site, Number(values.rounds)));
  const row = ([name, { p50, p90, ratio, spread: half }]) => [name, p50.toFixed(0), p90.toFixed(0), ratio.toFixed(2), half.toFixed(2)];
  console.log(`\n${table(['the page', 'p50 ms', 'p90 ms', 'x empty', '±'], Object.entries(results).map(row))}`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
} finally {
  await browser?.close();
  await site?.stop();
  rmSync(assets, { recursive: true, force: true });
}
