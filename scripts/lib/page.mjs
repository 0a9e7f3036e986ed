// Builds the WebAssembly module for browsers and Node with wasm-pack, and puts it where the page and the package load it.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inputsOf } from './fresh.mjs';
import { SetupError, runVisible, say, seconds } from './process.mjs';
import { pins, root, wasmBindgenVersion } from './project.mjs';
import { wasmEnv } from './rust.mjs';
import { setup } from './setup.mjs';

const CLIENT = path.join(root, 'packages/client');
/** Where wasm-pack writes, and the page's copy: only what a server may hand out. */
const OUT = path.join(CLIENT, 'pkg');
const SERVED = path.join(root, 'www/pkg');
const STAMP = path.join(OUT, '.inputs');
const HAND_WRITTEN = ['index.js', 'errors.js'];

// Panics are traps here: the page replaces the thread of the agent that met one, and the module is a fifth smaller. Nothing
// that is printed by `Debug` is seen here, either.
const CARGO_ARGS = ['-Zbuild-std=std,panic_abort', '--locked', '--no-default-features', '--features', 'browser'];
// Without wasm-opt: it makes the module smaller, and what is left of it after gzip larger by a tenth.
const PACK_ARGS = ['--release', '--target', 'web', '--mode', 'no-install', '--no-pack', '--no-opt'];
const RUSTFLAGS = '-Zunstable-options -Cpanic=immediate-abort -Zfmt-debug=none -Zlocation-detail=none';

/** Copies the module and the hand-written part of the package to where the page finds them. */
function serve() {
  rmSync(SERVED, { recursive: true, force: true });
  mkdirSync(SERVED, { recursive: true });
  for (const name of HAND_WRITTEN) cpSync(path.join(CLIENT, name), path.join(SERVED, name));
  mkdirSync(path.join(SERVED, 'pkg'));
  for (const name of readdirSync(OUT)) {
    if (/\.js$|_bg\.wasm$|^snippets$/.test(name)) cpSync(path.join(OUT, name), path.join(SERVED, 'pkg', name), { recursive: true });
  }
}

const isFresh = (inputs) => existsSync(STAMP) && existsSync(path.join(OUT, 'a2a_edge_bg.wasm')) && readFileSync(STAMP, 'utf8') === inputs;

/**
 * Sets up what is missing and builds the module, unless the last one is still right.
 *
 * @param {object} [options]
 * @param {boolean} [options.onlyIfMissing] take any module that is there, of whatever sources
 */
export async function buildPage({ onlyIfMissing = false } = {}) {
  if (onlyIfMissing && existsSync(STAMP)) return serve();
  const { toolchain, tools } = await setup(root);
  const inputs = inputsOf(root, { pins, rustc: toolchain.rustc, bindgen: wasmBindgenVersion(root), args: [PACK_ARGS, CARGO_ARGS, RUSTFLAGS] });
  if (isFresh(inputs)) {
    say('page: build is up to date');
    return serve();
  }
  const started = Date.now();
  say(`page: building with ${toolchain.rustc}`);
  rmSync(OUT, { recursive: true, force: true });
  // Apart from the worker's: std itself is another.
  const targetDir = path.join(process.env.CARGO_TARGET_DIR ?? path.join(root, 'target'), 'page');
  const env = wasmEnv(toolchain);
  const bins = [env.PATH.split(path.delimiter)[0], path.dirname(tools.bindgen)];
  const args = ['build', ...PACK_ARGS, '--out-dir', OUT, root, '--', ...CARGO_ARGS];
  const code = await runVisible(tools.wasmPack, args, {
    cwd: root,
    env: {
      ...env,
      PATH: [...bins, env.PATH].join(path.delimiter),
      CARGO_TARGET_DIR: targetDir,
      RUSTFLAGS,
      CARGO_UNSTABLE_BUILD_STD_FEATURES: 'optimize_for_size',
      WASM_BINDGEN_USE_JS_SYS: '1',
    },
  });
  if (code !== 0) throw new SetupError(`page: the build failed (exit ${code})`);
  rmSync(path.join(OUT, '.gitignore'), { force: true });
  writeFileSync(STAMP, inputs);
  serve();
  say(`page: built in ${seconds(started)}`);
}
