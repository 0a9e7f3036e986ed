// Who takes part. A candidate is a worker: JavaScript bundled here, or a folder that worker-build made.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { modulesOf } from './lib/workerd.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const MAIN_MODULE = 'shim.mjs';

/**
 * `answers: 'protocol'` has to get the answers of A2A right; `'constant'` always answers "task not found".
 * `crate` is built by `npm run build -- <crate>` and skipped while its build/worker is missing.
 */
export const CANDIDATES = [
  { name: 'edge', crate: '.', vars: { TASK_STORE: 'memory' }, answers: 'protocol' },
  { name: 'constant-js', script: 'constant-js.mjs', answers: 'constant' },
  { name: 'floor-js', script: 'floor-js.mjs', answers: 'constant' },
  { name: 'floor-rust', crate: 'bench/floor-rust', answers: 'constant' },
  { name: 'sdk', script: 'sdk.mjs', answers: 'protocol' },
];

async function bundled(script, folder) {
  const outfile = join(folder, script);
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(here, 'workers', script)], outfile, bundle: true, minify: true, format: 'esm', target: 'es2022',
    platform: 'neutral', mainFields: ['module', 'main'], conditions: ['workerd', 'worker', 'import'], logLevel: 'error',
  });
  return outfile;
}

/**
 * The candidates ready to start ({name, modules, vars, answers}); for those without a build, `skip(name, reason)` is
 * called instead. A crate given as `name=folder` in `extra` takes part as well.
 */
export async function prepare(candidates, folder, skip) {
  const ready = [];
  for (const { name, script, crate, build: built, vars, answers } of candidates) {
    const path = script ? await bundled(script, folder) : (built ?? join(here, '..', crate, 'build/worker'));
    if (existsSync(path)) ready.push({ name, vars, answers, modules: modulesOf(path, MAIN_MODULE) });
    else skip(name, `${path} is missing; npm run build${crate === '.' ? '' : ` -- ${crate}`} makes it`);
  }
  return ready;
}
