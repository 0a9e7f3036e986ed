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

async function cargoInstall(crate, bin, version, extraArgs) {
  const dir = toolDir(crate, version);
  const binary = path.join(dir, 'bin', bin);
  if (existsSync(binary)) return binary;
  const target = path.join(cacheDir, 'target', `${crate}-${version}`);
  const logFile = path.join(logDir, `${crate}-${version}.log`);
  const title = `${crate} ${version}`;
  const args = ['install', crate, '--version', `=${version}`, '--root', dir, '--bin', bin, ...extraArgs];
  const options = { cwd: root, logFile, env: { ...TOOL_PROFILE, ...NEUTRAL, ...nativeEnv(), CARGO_TARGET_DIR: target } };
  say(`${title}: compiling (once; kept in ${dir})`);
  try {
    await runLogged(title, 'cargo', [...args, '--locked'], options);
  } catch (error) {
    // A registry mirror may lag behind what the crate's own lock file names; its version ranges still resolve.
    if (!(error instanceof SetupError) || !readFileSync(logFile, 'utf8').includes('failed to select a version')) throw error;
    say(`${title}: the registry lacks a version its lock file names, resolving anew`);
    await runLogged(title, 'cargo', args, options);
  }
  rmSync(target, { recursive: true, force: true });
  return binary;
}

/** Installs the tools side by side and returns their paths. */
export async function ensureTools(wasmBindgen) {
  const [bindgen, workerBuild, wasmPack] = await Promise.all([
    // Its default features are TLS for the test runner, which is not built.
    cargoInstall('wasm-bindgen-cli', 'wasm-bindgen', wasmBindgen, ['--no-default-features']),
    cargoInstall('worker-build', 'worker-build', pins.workerBuild, []),
    cargoInstall('wasm-pack', 'wasm-pack', pins.wasmPack, []),
  ]);
  return { bindgen, workerBuild, wasmPack };
}
