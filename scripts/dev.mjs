// npm run dev [-- wrangler's arguments]: sets up, builds, and serves the worker locally. The first argument that
// names a folder with a wrangler.toml chooses another worker than the root's.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { buildWorker } from './lib/build.mjs';
import { buildPage } from './lib/page.mjs';
import { main, runVisible, say } from './lib/process.mjs';
import { root } from './lib/project.mjs';

const chooses = (arg) => arg && !arg.startsWith('-') && existsSync(path.resolve(root, arg, 'wrangler.toml'));

await main(async (args) => {
  const [crateDir, rest] = chooses(args[0]) ? [path.resolve(root, args[0]), args.slice(1)] : [root, args];
  await buildWorker(crateDir, { optimised: false });
  const address = rest.some((arg) => /^--ip(=|$)/.test(arg)) ? [] : ['--ip', '127.0.0.1'];
  const server = runVisible(path.join(root, 'node_modules/.bin/wrangler'), ['dev', ...address, '--var', 'ENVIRONMENT:development', ...rest], {
    cwd: crateDir,
    env: {
      // No call home: the worker does not read `request.cf`, and a machine without a way there would wait for it.
      WRANGLER_SEND_METRICS: 'false',
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      A2A_EDGE_PAGE: 'later', // what follows; wrangler's own build would wait for it
    },
  });
  let isBuilding = crateDir === root;
  if (isBuilding) {
    // The worker answers meanwhile. Whoever looks at its page sees what it can do without its module.
    const page = buildPage({ inBackground: true }).catch((error) => say(error.message));
    page.then(() => (isBuilding = false));
  }
  const code = await server;
  // What is still being compiled is wanted by nobody any more: the signal is passed on to it.
  if (isBuilding) process.kill(process.pid, 'SIGTERM');
  return code;
});
