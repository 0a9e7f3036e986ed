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
const MODULE = 'a2a_edge_bg.wasm';

// Panics are traps here: the page replaces the thread of the agent that met one, and the module is a fifth smaller. Nothing
// that is printed by `Debug` is seen here, either.
const CARGO_ARGS = ['-Zbuild-std=std,panic_abort', '--locked', '--no-default-features', '--features', 'browser'];
// Without the passes of Cargo.toml: they make the module smaller, and what is left of it after gzip larger. These do neither.
const OPT_ARGS = ['-O1', '--dae-optimizing', '--dae-optimizing', '--vacuum', '--strip-debug', '--strip-producers', '--enable-bulk-memory', '--enable-multivalue',
  '--enable-mutable-globals', '--enable-nontrapping-float-to-int', '--enable-reference-types', '--enable-sign-ext'];
const PACK_ARGS = ['--release', '--target', 'web', '--mode', 'no-install', '--no-pack', '--no-opt'];
const RUSTFLAGS = '-Zunstable-options -Cpanic=immediate-abort -Zfmt-debug=none -Zlocation-detail=none';

/** The page's copy of a file: JavaScript that wasm-bindgen generated without what only a reader needs. */
async function serveFile(from, to) {
  mkdirSync(path.dirname(to), { recursive: true });
  if (!from.endsWith('.js')) return cpSync(from, to);
  const { transform } = await import('esbuild'); // installed by the set-up
  const { code } = await transform(readFileSync(from, 'utf8'), { minify: true, format: 'esm', target: 'es2022', keepNames: true });
  return writeFileSync(to, code);
}

/** Copies the module and the package's hand-written part to where the page finds them. */
async function serve() {
  rmSync(SERVED, { recursive: true, force: true });
  const generated = readdirSync(OUT, { recursive: true }).filter((name) => /\.js$|_bg\.wasm$/.test(name));
  for (const name of [...HAND_WRITTEN, ...generated.map((name) => path.join('pkg', name))]) {
    await serveFile(path.join(CLIENT, name), path.join(SERVED, name));
  }
}

/** Runs wasm-opt on the module. */
async function optimise() {
  const module = path.join(OUT, MODULE);
  const code = await runVisible(path.join(root, 'node_modules/.bin/wasm-opt'), [...OPT_ARGS, module, '-o', module]);
  if (code !== 0) throw new SetupError(`page: wasm-opt failed (exit ${code})`);
}

const isFresh = (inputs) => existsSync(STAMP) && existsSync(path.join(OUT, MODULE)) && readFileSync(STAMP, 'utf8') === inputs;

/**
 * Sets up what is missing and builds the module, unless the last one is still right.
 *
 * @param {object} [options]
 * @param {boolean} [options.onlyIfMissing] take any module that is there, of whatever sources
 */
export async function buildPage({ onlyIfMissing = false } = {}) {
  if (onlyIfMissing && existsSync(STAMP)) return serve();
  const { toolchain, tools } = await setup(root);
  const inputs = inputsOf(root, { pins, rustc: toolchain.rustc, bindgen: wasmBindgenVersion(root), args: [PACK_ARGS, CARGO_ARGS, OPT_ARGS, RUSTFLAGS] });
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
  await optimise();
  rmSync(path.join(OUT, '.gitignore'), { force: true });
  writeFileSync(STAMP, inputs);
  await serve();
  say(`page: built in ${seconds(started)}`);
}
