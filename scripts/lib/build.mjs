// Builds a worker crate with worker-build, unless its last build is still right.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { SetupError, runVisible, say, seconds } from './process.mjs';
import { inputsOf, isFresh, markFresh, markStale } from './fresh.mjs';
import { pins, root, wasmBindgenVersion } from './project.mjs';
import { WRAPPERS, wasmEnv } from './rust.mjs';
import { setup } from './setup.mjs';

const nodeBin = (name) => path.join(root, 'node_modules/.bin', name);

/** The worker crates of this project: the demo at the root, and each example with a wrangler.toml. */
export function workerCrates() {
  const examples = path.join(root, 'examples');
  const names = existsSync(examples) ? readdirSync(examples).sort() : [];
  const isWorker = (dir) => ['Cargo.toml', 'wrangler.toml'].every((file) => existsSync(path.join(dir, file)));
  return [root, ...names.map((name) => path.join(examples, name)).filter(isWorker)];
}

/**
 * Takes the library's own module out of the target folder. Cargo gives the demo's worker and the library that an example
 * depends on the same file name there, and would take one for the other; what is missing it links anew.
 */
function forgetLibraryModule(targetDir) {
  const release = path.join(targetDir, 'wasm32-unknown-unknown/release');
  for (const dir of [release, path.join(release, 'deps')]) rmSync(path.join(dir, 'a2a_edge.wasm'), { force: true });
}

/**
 * Sets up what is missing and builds the worker of one crate into its folder `build`.
 *
 * @param {string} crateDir absolute path of the crate
 * @param {object} [options]
 * @param {boolean} [options.optimised] run wasm-opt, which makes the upload smaller and takes longer than an edit's compilation
 */
export async function buildWorker(crateDir, { optimised = true } = {}) {
  const { toolchain, tools } = await setup(crateDir);
  const inputs = inputsOf(crateDir, { pins, rustc: toolchain.rustc, bindgen: wasmBindgenVersion(crateDir) });
  const name = path.relative(root, crateDir) || 'worker';
  if (isFresh(crateDir, inputs, optimised)) {
    say(`${name}: build is up to date`);
    return;
  }
  const started = Date.now();
  say(`${name}: building with ${toolchain.rustc}`);
  markStale(crateDir);
  // One folder for all worker crates: std and the dependencies are compiled once.
  const targetDir = process.env.CARGO_TARGET_DIR ?? path.join(root, 'target');
  forgetLibraryModule(targetDir);
  const code = await runVisible(tools.workerBuild, ['--release', '--panic-unwind', ...(optimised ? [] : ['--no-opt']), '--locked'], {
    cwd: crateDir,
    env: {
      ...wasmEnv(toolchain),
      CARGO_TARGET_DIR: targetDir,
      WASM_BINDGEN_BIN: tools.bindgen,
      A2A_EDGE_ESBUILD: nodeBin('esbuild'),
      ESBUILD_BIN: path.join(WRAPPERS, 'esbuild'),
      A2A_EDGE_WASM_OPT: nodeBin('wasm-opt'),
      WASM_OPT_BIN: path.join(WRAPPERS, 'wasm-opt'),
    },
  });
  if (code !== 0) throw new SetupError(`${name}: the build failed (exit ${code})`);
  markFresh(crateDir, inputs, optimised);
  say(`${name}: built in ${seconds(started)}`);
}
