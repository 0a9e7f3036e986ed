// Who takes part. A candidate is a main module; esbuild bundles it as `wrangler deploy` would, WebAssembly apart.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { modulesOf } from './lib/workerd.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const project = resolve(here, '..');
const MAIN_MODULE = 'main.mjs';
const WORKER = 'js/worker.mjs';

/**
 * `main` is a path from the project's root. `answers: 'protocol'` has to get the answers of A2A right, `'constant'`
 * always answers "task not found". A candidate with a `crate` takes part once `npm run build -- <crate>` has built it.
 */
export const CANDIDATES = [
  // None of the others writes a log line for a refused request, so `edge` is told not to either; `edge-log` is the default.
  { name: 'edge', crate: '.', main: WORKER, vars: { TASK_STORE: 'memory', LOG_LEVEL: 'error' }, answers: 'protocol' },
  { name: 'edge-log', crate: '.', main: WORKER, vars: { TASK_STORE: 'memory' }, answers: 'protocol' },
  { name: 'edge-unguarded', crate: '.', main: 'bench/workers/unguarded.mjs', vars: { TASK_STORE: 'memory', LOG_LEVEL: 'error' }, answers: 'protocol' },
  { name: 'constant-js', main: 'bench/workers/constant-js.mjs', answers: 'constant' },
  { name: 'floor-js', main: 'bench/workers/floor-js.mjs', answers: 'constant' },
  { name: 'floor-rust', crate: 'bench/floor-rust', main: 'bench/floor-rust/build/worker/shim.mjs', answers: 'constant' },
  { name: 'sdk', main: 'bench/workers/sdk.mjs', answers: 'protocol' },
];

/** Bundles a main module into a folder of its own, with the .wasm files it imports beside it, and lists the modules. */
async function bundled(name, main, folder) {
  const outdir = join(folder, name);
  await build({
    entryPoints: { main }, outdir, outExtension: { '.js': '.mjs' }, bundle: true, format: 'esm', target: 'es2022', platform: 'neutral',
    mainFields: ['module', 'main'], conditions: ['workerd', 'worker', 'import'], external: ['cloudflare:*'],
    loader: { '.wasm': 'copy' }, logLevel: 'error',
  });
  return modulesOf(outdir, MAIN_MODULE);
}

/**
 * The candidates ready to start ({name, modules, vars, answers}); for those without a build, `skip(name, reason)` is
 * called instead.
 */
export async function prepare(candidates, folder, skip) {
  const ready = [];
  for (const { name, main, crate, vars, answers } of candidates) {
    if (crate !== undefined && !existsSync(join(project, crate, 'build/index.js'))) {
      skip(name, `it is not built; npm run build${crate === '.' ? '' : ` -- ${crate}`}`);
      continue;
    }
    ready.push({ name, vars, answers, modules: await bundled(name, resolve(project, main), folder) });
  }
  return ready;
}
