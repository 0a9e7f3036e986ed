// A folder in which `@a2a-edge/client` is installed, and scripts that run there as somebody's own would.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { root } from './worker.mjs';

const run = promisify(execFile);

export function installedPackage() {
  const folder = mkdtempSync(path.join(tmpdir(), 'a2a-edge-package-'));
  mkdirSync(path.join(folder, 'node_modules/@a2a-edge'), { recursive: true });
  symlinkSync(path.join(root, 'packages/client'), path.join(folder, 'node_modules/@a2a-edge/client'));
  return {
    /** Runs a module; gives what it prints. */
    run: async (name, code) => {
      const file = path.join(folder, `${name}.mjs`);
      writeFileSync(file, code);
      return run(process.execPath, [file]);
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
