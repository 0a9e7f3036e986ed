// Clippy on what is compiled for WebAssembly, warnings denied: the worker and the examples. Called by .ci/run.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { workerCrates } from './lib/build.mjs';
import { SetupError, capture, main, runLogged, runVisible, say } from './lib/process.mjs';
import { logDir, pins, root } from './lib/project.mjs';
import { aptInstall, ensureWasmToolchain, wasmEnv } from './lib/rust.mjs';

const DEBIAN_CLIPPY = '/usr/bin/cargo-clippy';
const TARGET = ['--target', 'wasm32-unknown-unknown'];

/** Installs the linter that belongs to the chosen compiler; returns the command that runs it. */
async function clippy(toolchain) {
  if (toolchain.way === 'rustup') {
    if (!capture('cargo', [`+${pins.nightly}`, 'clippy', '--version'])) {
      const args = ['component', 'add', 'clippy', '--toolchain', pins.nightly];
      await runLogged('rustup component clippy', 'rustup', args, { logFile: path.join(logDir, 'rustup-clippy.log') });
    }
    return { program: 'cargo', args: ['clippy', ...TARGET], env: wasmEnv(toolchain) };
  }
  if (!existsSync(DEBIAN_CLIPPY)) await aptInstall(['rust-web-clippy']);
  const env = wasmEnv(toolchain);
  // Debian's cargo-clippy by its path: the one on PATH would lint with rustup's compiler. It has no std for the target.
  return {
    program: DEBIAN_CLIPPY,
    args: ['clippy', ...TARGET, '-Zbuild-std=std,panic_unwind'],
    env: { ...env, CARGO: env.A2A_EDGE_CARGO },
  };
}

await main(async () => {
  const { program, args, env } = await clippy(await ensureWasmToolchain());
  for (const crateDir of workerCrates()) {
    say(`clippy for WebAssembly: ${path.relative(root, crateDir) || 'worker'}`);
    const code = await runVisible(program, [...args, '--locked', '--', '-D', 'warnings'], {
      cwd: crateDir,
      env: { ...env, CARGO_TARGET_DIR: process.env.CARGO_TARGET_DIR ?? path.join(root, 'target') },
    });
    if (code !== 0) throw new SetupError(`clippy for WebAssembly failed in ${crateDir}`);
  }
});
