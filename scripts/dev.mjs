// npm run dev [-- wrangler's arguments]: sets up, builds, and serves the worker locally. The first argument that
// names a folder with a wrangler.toml chooses another worker than the root's.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { buildWorker } from './lib/build.mjs';
import { buildPage } from './lib/page.mjs';
import { main, runVisible } from './lib/process.mjs';
import { root } from './lib/project.mjs';

const chooses = (arg) => arg && !arg.startsWith('-') && existsSync(path.join(root, arg, 'wrangler.toml'));

await main(async (args) => {
  const [crateDir, rest] = chooses(args[0]) ? [path.join(root, args[0]), args.slice(1)] : [root, args];
  await buildWorker(crateDir, { optimised: false });
  if (crateDir === root) await buildPage();
  const address = rest.some((arg) => /^--ip(=|$)/.test(arg)) ? [] : ['--ip', '127.0.0.1'];
  return runVisible(path.join(root, 'node_modules/.bin/wrangler'), ['dev', ...address, '--var', 'ENVIRONMENT:development', ...rest], {
    cwd: crateDir,
    // No call home: the worker does not read `request.cf`, and a machine without a way there would wait for it.
    env: { WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false' },
  });
});
