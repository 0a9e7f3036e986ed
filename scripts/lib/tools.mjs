// worker-build, wasm-pack and the wasm-bindgen command line: compiled once per version, from crates.io, and kept in the cache.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cacheDir, logDir, pins, root } from './project.mjs';
import { SetupError, runLogged, say } from './process.mjs';
import { nativeEnv } from './rust.mjs';

// Tools are compiled once and run for under a second even so: what counts is how long they take to compile.
const TOOL_PROFILE = {
  CARGO_PROFILE_RELEASE_OPT_LEVEL: '0',
  CARGO_PROFILE_RELEASE_CODEGEN_UNITS: '16',
  CARGO_PROFILE_RELEASE_DEBUG: '0',
  CARGO_PROFILE_RELEASE_LTO: 'off',
  CARGO_INCREMENTAL: '0',
};

/** What a project's own build may have set must not leak into the tools. */
const NEUTRAL = { RUSTFLAGS: '', CARGO_BUILD_TARGET: undefined, RUSTC: undefined, RUSTC_BOOTSTRAP: undefined };

const toolDir = (name, version) => path.join(cacheDir, 'tools', `${name}-${version}`);

// One folder for all tools, since they have most of what they depend on in common. Cargo lets one in at a time, so they
// are compiled one after another, each on all cores.
const targetDir = path.join(cacheDir, 'target', 'tools');
let queue = Promise.resolve();

/** Compiles a tool unless it is there, after those asked for before it, and returns its path. */
function cargoInstall(crate, bin, version, extraArgs) {
  const binary = path.join(toolDir(crate, version), 'bin', bin);
  if (existsSync(binary)) return binary;
  queue = queue.then(() => compile(crate, bin, version, extraArgs));
  return queue.then(() => binary);
}

async function compile(crate, bin, version, extraArgs) {
  const dir = toolDir(crate, version);
  const logFile = path.join(logDir, `${crate}-${version}.log`);
  const title = `${crate} ${version}`;
  const args = ['install', crate, '--version', `=${version}`, '--root', dir, '--bin', bin, ...extraArgs];
  const options = { cwd: root, logFile, env: { ...TOOL_PROFILE, ...NEUTRAL, ...nativeEnv(), CARGO_TARGET_DIR: targetDir } };
  say(`${title}: compiling (once; kept in ${dir})`);
  try {
    await runLogged(title, 'cargo', [...args, '--locked'], options);
  } catch (error) {
    // A registry mirror may lag behind what the crate's own lock file names; its version ranges still resolve.
    if (!(error instanceof SetupError) || !readFileSync(logFile, 'utf8').includes('failed to select a version')) throw error;
    say(`${title}: the registry lacks a version its lock file names, resolving anew`);
    await runLogged(title, 'cargo', args, options);
  }
}

/** Installs what builds a worker and returns the paths. */
export async function ensureTools(wasmBindgen) {
  const [workerBuild, bindgen] = await Promise.all([
    cargoInstall('worker-build', 'worker-build', pins.workerBuild, []),
    // Its default features are TLS for the test runner, which is not built.
    cargoInstall('wasm-bindgen-cli', 'wasm-bindgen', wasmBindgen, ['--no-default-features']),
  ]);
  return { bindgen, workerBuild };
}

/** Installs wasm-pack, which only the page's module needs, and returns its path. */
export async function ensureWasmPack() {
  const wasmPack = await cargoInstall('wasm-pack', 'wasm-pack', pins.wasmPack, []);
  rmSync(targetDir, { recursive: true, force: true }); // the last of them
  return wasmPack;
}
