// Clippy on what is compiled for WebAssembly, warnings denied: the worker and the examples. Called by .ci/run.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { workerCrates } from './lib/build.mjs';
import { SetupError, capture, main, runLogged, runVisible, say } from './lib/process.mjs';
import { logDir, pins, root } from './lib/project.mjs';
import { aptInstall, ensureWasmToolchain, wasmEnv } from './lib/rust.mjs';

const DEBIAN_CLIPPY = '/usr/bin/cargo-clippy';

// What worker-build passes, so that the code is seen as it is built: std from source, with unwinding panics.
const ARGS = ['clippy', '--target', 'wasm32-unknown-unknown', '-Zbuild-std=std,panic_unwind', '--locked'];
const DENY = ['--', '-D', 'warnings'];
const FLAGS = { RUSTFLAGS: '-Cpanic=unwind', WASM_BINDGEN_USE_JS_SYS: '1' };

/** Installs the linter that belongs to the chosen compiler; returns the program that runs it and its environment. */
async function clippy(toolchain) {
  const env = { ...wasmEnv(toolchain), ...FLAGS };
  if (toolchain.way === 'rustup') {
    if (!capture('cargo', [`+${pins.nightly}`, 'clippy', '--version'])) {
      const args = ['component', 'add', 'clippy', '--toolchain', pins.nightly];
      await runLogged('rustup component clippy', 'rustup', args, { logFile: path.join(logDir, 'rustup-clippy.log') });
    }
    return { program: 'cargo', env };
  }
  if (!existsSync(DEBIAN_CLIPPY)) await aptInstall(['rust-web-clippy']);
  // By its path: the cargo-clippy on PATH would lint with rustup's compiler.
  return { program: DEBIAN_CLIPPY, env: { ...env, CARGO: env.A2A_EDGE_CARGO } };
}

await main(async () => {
  const { program, env } = await clippy(await ensureWasmToolchain());
  const worker = workerCrates().map((crateDir) => [path.relative(root, crateDir) || 'worker', crateDir, []]);
  const page = ['page', root, ['--no-default-features', '--features', 'browser']];
  for (const [name, crateDir, features] of [...worker, page]) {
    say(`clippy for WebAssembly: ${name}`);
    const code = await runVisible(program, [...ARGS, ...features, ...DENY], {
      cwd: crateDir,
      env: { ...env, CARGO_TARGET_DIR: process.env.CARGO_TARGET_DIR ?? path.join(root, 'target') },
    });
    if (code !== 0) throw new SetupError(`clippy for WebAssembly failed: ${name}`);
  }
});
