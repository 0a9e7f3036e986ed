// Which Rust compiles what. Native builds and tests use the pinned stable; the worker needs a compiler that can build
// the standard library with unwinding panics: a pinned nightly from rustup, or where rustup cannot download, Debian's.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cacheDir, logDir, nativeRust, pins, root } from './project.mjs';
import { SetupError, capture, runLogged, say, which } from './process.mjs';

const WASM = 'wasm32-unknown-unknown';
const PROBE_SECONDS = '8';
const REMEMBERED = path.join(cacheDir, 'toolchain.json');
const DEBIAN_RUSTC = '/usr/bin/rustc';
const DEBIAN_LIB = '/usr/lib/rustlib';
/** Programs that stand before those which the build tools call, and say what these cannot be told. */
export const WRAPPERS = path.join(root, 'scripts/wrappers');

let native;

/** Environment for native cargo: empty, unless only a `stable` of the pinned minor version is at hand. */
export function nativeEnv() {
  native ??= findNative();
  return native;
}

function findNative() {
  if (!which('cargo')) throw new SetupError(`cargo is not on PATH: install Rust ${nativeRust} (https://rustup.rs)`);
  if (capture('cargo', ['--version'], { cwd: root })) return {};
  const minor = nativeRust.split('.').slice(0, 2).join('.');
  if (capture('rustc', ['+stable', '--version'])?.startsWith(`rustc ${minor}.`)) return { RUSTUP_TOOLCHAIN: 'stable' };
  throw new SetupError(`Rust ${nativeRust} is not installed and could not be: rustup toolchain install ${nativeRust}`);
}

const ways = { rustup: { find: findNightly, install: installNightly }, debian: { find: findDebian, install: installDebian } };

/**
 * Finds or installs the compiler for the worker; the choice is remembered, so that a warm start asks nobody.
 * `A2A_EDGE_TOOLCHAIN=rustup|debian` forces one way.
 *
 * @returns {Promise<{way: 'rustup'|'debian', rustc: string, sysroot: string}>}
 */
export async function ensureWasmToolchain() {
  const forced = process.env.A2A_EDGE_TOOLCHAIN;
  if (forced && !ways[forced]) throw new SetupError(`A2A_EDGE_TOOLCHAIN must be rustup or debian, not ${forced}`);
  const known = remembered();
  if (known && (!forced || forced === known.way)) return known;
  for (const way of forced ? [forced] : ['rustup', 'debian']) {
    const found = ways[way].find() ?? (await ways[way].install());
    if (found) return forced ? { way, ...found } : remember({ way, ...found });
  }
  throw new SetupError(`the worker needs ${pins.nightly} from rustup, with rust-src and the target ${WASM}, or Debian's rustc-web and rust-web-src`);
}

function remembered() {
  if (!existsSync(REMEMBERED)) return undefined;
  const known = JSON.parse(readFileSync(REMEMBERED, 'utf8'));
  const usable = known.nightly === pins.nightly && complete(known.sysroot) && existsSync(known.linker ?? known.sysroot);
  return usable ? known : undefined;
}

function remember(toolchain) {
  mkdirSync(cacheDir, { recursive: true });
  writeFileSync(REMEMBERED, JSON.stringify({ ...toolchain, nightly: pins.nightly }));
  say(`the worker is compiled by ${toolchain.rustc} (${toolchain.way})`);
  return toolchain;
}

/** Has this sysroot the sources of std, and the folder that worker-build looks for? */
function complete(sysroot) {
  const lib = path.join(sysroot, 'lib/rustlib');
  return existsSync(path.join(lib, 'src/rust/library/Cargo.lock')) && existsSync(path.join(lib, WASM, 'lib'));
}

function findNightly() {
  const env = { ...process.env, RUSTUP_AUTO_INSTALL: '0' };
  const ask = (arg) => capture('rustc', [`+${pins.nightly}`, ...arg], { env });
  const sysroot = ask(['--print', 'sysroot']);
  return sysroot && complete(sysroot) ? { rustc: ask(['--version']), sysroot } : undefined;
}

async function installNightly() {
  if (!which('rustup') || !distServerAnswers()) return undefined;
  const args = ['toolchain', 'install', pins.nightly, '--profile', 'minimal', '-c', 'rust-src', '-t', WASM, '--no-self-update'];
  try {
    await runLogged(`rustup toolchain ${pins.nightly}`, 'rustup', args, { logFile: path.join(logDir, 'rustup.log') });
  } catch (error) {
    say(error.message);
    return undefined;
  }
  return findNightly();
}

/** rustup retries for minutes before it gives up; curl, which honours the same proxies, tells at once. */
function distServerAnswers() {
  if (!which('curl')) return true;
  const server = process.env.RUSTUP_DIST_SERVER ?? 'https://static.rust-lang.org';
  const url = `${server}/dist/channel-rust-stable.toml.sha256`;
  const answers = capture('curl', ['-sSfIL', '--max-time', PROBE_SECONDS, url]) !== undefined;
  if (!answers) say(`rustup cannot download here (${server} does not answer)`);
  return answers;
}

function findDebian() {
  if (!existsSync(DEBIAN_RUSTC) || !complete('/usr')) return undefined;
  const rustc = capture(DEBIAN_RUSTC, ['--version']);
  return rustc ? { rustc, sysroot: '/usr', linker: rustLld() } : undefined;
}

/** rust-lld finds its LLVM by a path relative to itself, so it is used where it is: in the native toolchain. */
function rustLld() {
  const ask = (...args) => capture('rustc', args, { cwd: root, env: { ...process.env, ...nativeEnv() } });
  const host = ask('-vV').match(/^host: (.+)$/m)[1];
  const linker = path.join(ask('--print', 'sysroot'), 'lib/rustlib', host, 'bin/rust-lld');
  if (!existsSync(linker)) throw new SetupError(`no linker for WebAssembly at ${linker}`);
  return linker;
}

async function installDebian() {
  if (!which('apt-get')) return undefined;
  say("taking Debian's compiler instead (packages rustc-web and rust-web-src)");
  await aptInstall(['rustc-web', 'rust-web-src']);
  // worker-build asks whether the target's folder exists; std itself is built from source.
  await asRoot('folder for the target', ['mkdir', '-p', `${DEBIAN_LIB}/${WASM}/lib`], 'mkdir');
  return findDebian();
}

export async function aptInstall(packages) {
  await asRoot('apt-get update', ['apt-get', 'update'], 'apt-update');
  await asRoot(`apt-get install ${packages.join(' ')}`, ['apt-get', 'install', '-y', '--no-install-recommends', ...packages], 'apt-install');
}

function asRoot(title, command, log) {
  const isRoot = process.getuid() === 0;
  if (!isRoot && !capture('sudo', ['-n', 'true'])) {
    throw new SetupError(`root is needed once; please run: sudo ${command.join(' ')}`);
  }
  const [program, ...args] = isRoot ? command : ['sudo', '-n', ...command];
  return runLogged(title, program, args, { env: { DEBIAN_FRONTEND: 'noninteractive' }, logFile: path.join(logDir, `${log}.log`) });
}

/** Environment in which `worker-build` and `cargo` compile for WebAssembly with the chosen toolchain. */
export function wasmEnv(toolchain) {
  const env = {
    A2A_EDGE_CARGO: which('cargo'),
    // In place of std's defaults: no backtraces, which a Worker cannot show, and the smaller of two algorithms.
    CARGO_UNSTABLE_BUILD_STD_FEATURES: 'panic-unwind,optimize_for_size',
    PATH: `${WRAPPERS}${path.delimiter}${process.env.PATH}`,
  };
  if (toolchain.way === 'rustup') {
    return { ...env, A2A_EDGE_RUSTC: which('rustc'), RUSTUP_TOOLCHAIN: pins.nightly };
  }
  return {
    ...env,
    ...nativeEnv(),
    A2A_EDGE_RUSTC: DEBIAN_RUSTC,
    RUSTC: DEBIAN_RUSTC,
    RUSTC_BOOTSTRAP: '1',
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: toolchain.linker,
  };
}
