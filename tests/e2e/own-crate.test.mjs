// A crate of one's own, made outside of this repository by the commands of the README.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { send } from './support/wire.mjs';
import { root, startWorker } from './support/worker.mjs';

const dir = mkdtempSync(path.join(tmpdir(), 'a2a-edge-own-'));
after(() => rmSync(dir, { recursive: true }));
const crate = path.join(dir, 'my-agent');

/** The README's commands, for a clone and a crate that lie elsewhere. */
function commands() {
  const block = readFileSync(path.join(root, 'README.md'), 'utf8').match(/```sh\n(cp -r examples\/own-agent [^`]*)```/);
  assert.ok(block, 'README.md has no commands that begin with cp -r examples/own-agent');
  const lines = block[1].trim().replaceAll('../my-agent', crate).replaceAll('../a2a-edge', root).split('\n');
  assert.equal(lines.pop(), `npm run dev -- ${crate}`);
  return lines;
}

test('a copy of the example is built and answers', async (t) => {
  execFileSync('sh', ['-ec', commands().join('\n')], { cwd: root });
  rmSync(path.join(crate, 'build'), { recursive: true, force: true }); // of the example
  const build = readFileSync(path.join(crate, 'wrangler.toml'), 'utf8').match(/^command = '(.*)'$/m)[1];
  execFileSync('sh', ['-ec', build], { cwd: crate, stdio: 'pipe' });
  const worker = await startWorker({ script: path.join(crate, 'build/worker/shim.mjs') });
  t.after(() => worker.stop());
  const task = await send(worker, 'one two three');
  assert.deepEqual(task.artifacts[0].parts, [{ text: '3' }]);
});
