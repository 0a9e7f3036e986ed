// node_modules: installed when missing or out of step with package-lock.json.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { logDir, root } from './project.mjs';
import { runLogged } from './process.mjs';

const packages = (file) => JSON.parse(readFileSync(path.join(root, file), 'utf8')).packages;

/** Compares what npm wrote down as installed with the lock file; packages for other platforms may be absent. */
function upToDate() {
  if (!existsSync(path.join(root, 'node_modules/.package-lock.json'))) return false;
  const wanted = packages('package-lock.json');
  const installed = packages('node_modules/.package-lock.json');
  return Object.entries(wanted).every(([name, { version, optional, link }]) => {
    if (name === '' || link) return true;
    return installed[name] ? installed[name].version === version : optional;
  });
}

export async function ensureNodeModules() {
  if (upToDate()) return;
  await runLogged('npm ci', 'npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, logFile: path.join(logDir, 'npm-ci.log') });
}
