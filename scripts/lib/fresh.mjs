// Is the last build still right? Decided by content, so that a checkout or a touched file does not cost a build.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './project.mjs';

const SOURCES = ['src', 'js', 'Cargo.toml', 'Cargo.lock', '.cargo/config.toml', 'build.rs'];
const OUTPUTS = ['index.js', 'index_bg.wasm', 'worker/shim.mjs'];
const STAMP = '.inputs';

function* filesUnder(entry) {
  if (!existsSync(entry)) return;
  if (!statSync(entry).isDirectory()) return yield entry;
  for (const name of readdirSync(entry).sort()) yield* filesUnder(path.join(entry, name));
}

/** A hash of all that goes into a crate's build: its sources, those of the library it uses, and the tools. */
export function inputsOf(crateDir, tools, library = root) {
  const hash = createHash('sha256').update(JSON.stringify(tools));
  const recipe = ['scripts/lib', 'scripts/wrappers'].flatMap((dir) => [...filesUnder(path.join(root, dir))]);
  for (const file of recipe) hash.update(readFileSync(file)); // flags and environment
  for (const dir of new Set([library, crateDir])) {
    for (const file of SOURCES.flatMap((entry) => [...filesUnder(path.join(dir, entry))])) {
      hash.update(`\0${path.relative(library, file)}\0`).update(readFileSync(file));
    }
  }
  return hash.digest('hex');
}

/** Whether the folder `build` is what these inputs give. An optimised build also serves who asks for none. */
export function isFresh(crateDir, inputs, optimised) {
  const out = path.join(crateDir, 'build');
  const stamp = path.join(out, STAMP);
  if (![...OUTPUTS, STAMP].every((name) => existsSync(path.join(out, name)))) return false;
  const [built, how] = readFileSync(stamp, 'utf8').split(' ');
  return built === inputs && (how === 'optimised' || !optimised);
}

export function markFresh(crateDir, inputs, optimised) {
  writeFileSync(path.join(crateDir, 'build', STAMP), `${inputs} ${optimised ? 'optimised' : 'plain'}`);
}

export function markStale(crateDir) {
  rmSync(path.join(crateDir, 'build', STAMP), { force: true });
}
