// npm run build [-- examples/own-agent ...]: builds the worker, or those named. Also the [build] command of wrangler.toml.
import path from 'node:path';
import { buildWorker } from './lib/build.mjs';
import { main } from './lib/process.mjs';
import { root } from './lib/project.mjs';

// wrangler says which of its commands asks for the build. What is only served locally need not be small.
const optimised = process.env.WRANGLER_COMMAND !== 'dev';

await main(async (names) => {
  for (const name of names.length ? names : ['.']) await buildWorker(path.resolve(root, name), { optimised });
});
