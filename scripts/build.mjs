// npm run build [-- examples/own-agent ...]: builds the worker, or those named. Also the [build] command of wrangler.toml.
import path from 'node:path';
import { buildWorker } from './lib/build.mjs';
import { buildPage } from './lib/page.mjs';
import { main } from './lib/process.mjs';
import { root } from './lib/project.mjs';

// wrangler says which of its commands asks for the build. What is only served locally need not be small.
const optimised = process.env.WRANGLER_COMMAND !== 'dev';

await main(async (names) => {
  for (const name of names.length ? names : ['.']) {
    const crateDir = path.resolve(root, name);
    await buildWorker(crateDir, { optimised });
    // While somebody edits the worker, its page stays as it is; `npm run dev` sees to it by itself.
    if (crateDir === root && process.env.A2A_EDGE_PAGE !== 'later') await buildPage({ onlyIfMissing: !optimised });
  }
});
