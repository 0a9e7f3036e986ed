// Python with the packages of tests/e2e/python/requirements.txt: the tests talk to the Python SDK.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { capture, runLogged, say } from './process.mjs';
import { cacheDir, logDir, root } from './project.mjs';
import { aptInstall } from './rust.mjs';

const REQUIREMENTS = path.join(root, 'tests/e2e/python/requirements.txt');

/** What Debian splits off: `python3` alone can make no environment. */
const PACKAGES = ['python3', 'python3-venv'];

/** Installs what is missing. Returns the path of an interpreter that has the packages. */
export async function ensurePython() {
  const version = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12);
  const dir = path.join(cacheDir, `python-${version}`);
  const python = path.join(dir, 'bin/python');
  if (existsSync(python)) return python;
  say('installing the Python SDK …');
  if (!capture('python3', ['-c', 'import ensurepip'])) await aptInstall(PACKAGES);
  // Several may be at it at once: each makes its own, and the first that is whole stays.
  const own = `${dir}.${process.pid}`;
  mkdirSync(path.dirname(dir), { recursive: true });
  const log = { logFile: path.join(logDir, 'python.log') };
  await runLogged('python3 -m venv', 'python3', ['-m', 'venv', '--clear', own], log);
  const install = ['-m', 'pip', 'install', '--no-deps', '--disable-pip-version-check', '-r', REQUIREMENTS];
  await runLogged('pip install', path.join(own, 'bin/python'), install, log);
  if (existsSync(python)) rmSync(own, { recursive: true });
  else renameSync(own, dir);
  return python;
}
