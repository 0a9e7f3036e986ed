// Where things are, and which versions are pinned.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from './process.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Tools are kept outside the project: several clones share them, and `git clean` does not cost minutes. */
export const cacheDir =
  process.env.A2A_EDGE_CACHE ?? path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'a2a-edge');

export const logDir = path.join(cacheDir, 'log');

const read = (file) => readFileSync(path.join(root, file), 'utf8');

/** `nightly` and `workerBuild`, from the key "a2aEdge" of package.json. */
export const pins = JSON.parse(read('package.json')).a2aEdge;

/** The Rust that builds and tests natively, from rust-toolchain.toml. */
export const nativeRust = read('rust-toolchain.toml').match(/^channel\s*=\s*"([^"]+)"/m)[1];

/** wasm-bindgen's command line and library must be of the very same version, so the lock file decides. */
export function wasmBindgenVersion(crateDir) {
  const file = path.join(crateDir, 'Cargo.lock');
  if (!existsSync(file)) throw new SetupError(`${file} is missing: run "cargo generate-lockfile" there and commit it`);
  const version = readFileSync(file, 'utf8').match(/^name = "wasm-bindgen"\nversion = "([^"]+)"/m)?.[1];
  if (!version) throw new SetupError(`${file} names no wasm-bindgen`);
  return version;
}
