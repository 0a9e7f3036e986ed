// Builds the WebAssembly module for browsers and Node with wasm-pack, and puts it where the page and the package load it.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inputsOf } from './fresh.mjs';
import { SetupError, runLogged, runVisible, say, seconds } from './process.mjs';
import { logDir, pins, root, wasmBindgenVersion } from './project.mjs';
import { wasmEnv } from './rust.mjs';
import { setup } from './setup.mjs';
import { ensureWasmPack } from './tools.mjs';

const CLIENT = path.join(root, 'packages/client');
/** Where wasm-pack writes, and the page's copy: only what a server may hand out. */
const OUT = path.join(CLIENT, 'pkg');
const SERVED = path.join(root, 'www/pkg');
const STAMP = path.join(OUT, '.inputs');
/** All of the package and what is the page's own, for the page in one file. */
const BUNDLE = 'client.js';
const BUNDLED = "export * from './index.js'; export { PageAgent, refuse } from './pkg/a2a_edge.js';";
const MODULE = 'a2a_edge_bg.wasm';

// A visitor waits for the size, not for the speed.
const SMALL = ['--config', 'profile.release.package.a2a-edge.opt-level="z"'];
// Panics are traps here: the page replaces the thread of the agent that met one, and the module is a fifth smaller. Nothing
// that is printed by `Debug` is seen here, either.
const CARGO_ARGS = ['-Zbuild-std=std,panic_abort', '--locked', '--no-default-features', '--features', 'browser', ...SMALL];
// Without the passes of Cargo.toml: they make the module smaller, and what is left of it after gzip larger. These do neither.
const OPT_ARGS = ['-O1', '--dae-optimizing', '--dae-optimizing', '--vacuum', '--strip-debug', '--strip-producers', '--enable-bulk-memory', '--enable-multivalue',
  '--enable-mutable-globals', '--enable-nontrapping-float-to-int', '--enable-reference-types', '--enable-sign-ext'];
const PACK_ARGS = ['--release', '--target', 'web', '--mode', 'no-install', '--no-pack', '--no-opt'];
const RUSTFLAGS = '-Zunstable-options -Cpanic=immediate-abort -Zfmt-debug=none -Zlocation-detail=none';

/** Writes a file, unless it is the same: wrangler watches the page and asks for a build when it changes. */
function write(to, content) {
  if (existsSync(to) && readFileSync(to).equals(content)) return;
  mkdirSync(path.dirname(to), { recursive: true });
  writeFileSync(to, content);
}

/** The package's JavaScript in one file, without what only a reader needs: one request instead of a chain of four. */
async function bundle() {
  const { build } = await import('esbuild'); // installed by the set-up
  const stdin = { contents: BUNDLED, resolveDir: CLIENT };
  const { outputFiles } = await build({ stdin, bundle: true, write: false, minify: true, format: 'esm', target: 'es2022', external: ['node:*'] });
  return Buffer.from(outputFiles[0].contents);
}

/** Puts the module and its JavaScript where the page finds them; the module where the package looks for it. */
async function serve() {
  const files = { [path.join('pkg', MODULE)]: readFileSync(path.join(OUT, MODULE)), [BUNDLE]: await bundle() };
  for (const [name, content] of Object.entries(files)) write(path.join(SERVED, name), content);
  for (const name of readdirSync(SERVED, { recursive: true })) {
    const isServed = Object.keys(files).some((served) => served === name || served.startsWith(name + path.sep));
    if (!isServed) rmSync(path.join(SERVED, name), { recursive: true, force: true });
  }
}

/** Runs a step of the build; one in the background leaves the terminal to others. */
async function step(name, inBackground, command, args, options = {}) {
  if (inBackground) return runLogged(`page: ${name}`, command, args, { ...options, logFile: path.join(logDir, `page-${name}.log`) });
  const code = await runVisible(command, args, options);
  if (code !== 0) throw new SetupError(`page: ${name} failed (exit ${code})`);
}

const isFresh = (inputs) => existsSync(STAMP) && existsSync(path.join(OUT, MODULE)) && readFileSync(STAMP, 'utf8') === inputs;

/**
 * Sets up what is missing and builds the module, unless the last one is still right.
 *
 * @param {object} [options]
 * @param {boolean} [options.onlyIfMissing] take any module that is there, of whatever sources
 * @param {boolean} [options.inBackground] say how far it is, and no more
 */
export async function buildPage({ onlyIfMissing = false, inBackground = false } = {}) {
  if (onlyIfMissing && existsSync(STAMP)) return serve();
  const { toolchain, tools } = await setup(root);
  const inputs = inputsOf(root, { pins, rustc: toolchain.rustc, bindgen: wasmBindgenVersion(root), args: [PACK_ARGS, CARGO_ARGS, OPT_ARGS, RUSTFLAGS] });
  if (isFresh(inputs)) {
    say('page: build is up to date');
    return serve();
  }
  const wasmPack = await ensureWasmPack();
  const started = Date.now();
  say(`page: building with ${toolchain.rustc}`);
  rmSync(OUT, { recursive: true, force: true });
  // Apart from the worker's: std itself is another.
  const targetDir = path.join(process.env.CARGO_TARGET_DIR ?? path.join(root, 'target'), 'page');
  const env = wasmEnv(toolchain);
  const bins = [env.PATH.split(path.delimiter)[0], path.dirname(tools.bindgen)];
  const args = ['build', ...PACK_ARGS, '--out-dir', OUT, root, '--', ...CARGO_ARGS];
  await step('wasm-pack', inBackground, wasmPack, args, {
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
  const module = path.join(OUT, MODULE);
  await step('wasm-opt', inBackground, path.join(root, 'node_modules/.bin/wasm-opt'), [...OPT_ARGS, module, '-o', module]);
  rmSync(path.join(OUT, '.gitignore'), { force: true });
  writeFileSync(STAMP, inputs);
  await serve();
  say(`page: built in ${seconds(started)}`);
}
