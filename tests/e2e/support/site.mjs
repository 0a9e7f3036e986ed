// The worker with its page, by wrangler itself: which requests are for the page's files is decided there, and headers of
// the files too.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import wrangler from 'wrangler';
import { root } from './worker.mjs';

process.env.WRANGLER_SEND_METRICS = 'false';
process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false';

/** wrangler.toml with absolute paths, and without its build: what is tested is built already. */
function configIn(dir, assets) {
  const text = readFileSync(path.join(root, 'wrangler.toml'), 'utf8')
    .replace(/^\[build\]\n(?:(?!\[).*\n)*/m, '')
    .replace(/^(directory) = "(.*)"$/m, (whole, name, own) => `${name} = "${assets ?? own}"`)
    .replace(/^(main|directory) = "(.*)"$/gm, (_, name, file) => `${name} = ${JSON.stringify(path.resolve(root, file))}`);
  const file = path.join(dir, 'wrangler.toml');
  writeFileSync(file, text);
  return file;
}

/** Starts it on a free port of 127.0.0.1. `vars` are plain-text variables, `assets` another folder in the page's place. */
export async function startSite({ vars = {}, assets } = {}) {
  const dir = mkdtempSync(path.join(tmpdir(), 'a2a-edge-site-'));
  const bindings = Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, { type: 'plain_text', value }]));
  const worker = await wrangler.unstable_startWorker({
    config: configIn(dir, assets),
    bindings,
    dev: { server: { hostname: '127.0.0.1', port: 0 }, inspector: false, logLevel: 'none', watch: false, persist: false },
  });
  const url = (await worker.url).origin;
  return {
    url,
    fetch: (target = '/', init = {}) => fetch(new URL(target, url), init),
    stop: async () => {
      await worker.dispose();
      rmSync(dir, { recursive: true });
    },
  };
}
