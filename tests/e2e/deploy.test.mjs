// What `wrangler deploy` would upload, by wrangler.toml alone.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { before, test } from 'node:test';
import { root } from './support/worker.mjs';

/** The upload's budget as wrangler counts it; its size is what a cold start pays for (docs/decisions.md). */
const MAX_GZIP_KIB = 402;

let output;

before(() => {
  const wrangler = path.join(root, 'node_modules/.bin/wrangler');
  const run = spawnSync(wrangler, ['deploy', '--dry-run'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', WRANGLER_SEND_METRICS: 'false' },
  });
  output = `${run.stdout}${run.stderr}`;
  assert.equal(run.status, 0, output);
});

test('wrangler.toml calls the build, which has nothing to do after a build', () => {
  assert.match(output, /npm run build/);
  assert.match(output, /build is up to date/);
});

test('the KV namespace is bound without an id', () => {
  assert.match(output, /env\.TASKS\s+KV Namespace/);
});

test('the Durable Object classes are bound and exported', () => {
  assert.match(output, /env\.TASK_OBJECTS \(TaskObject\)\s+Durable Object/);
  assert.match(output, /env\.OWNER_INDEX \(OwnerIndex\)\s+Durable Object/);
  assert.doesNotMatch(output, /not exported/);
});

test(`the upload is at most ${MAX_GZIP_KIB} KiB gzipped`, () => {
  const size = output.match(/Total Upload: .* \/ gzip: ([\d.]+) KiB/);
  assert.ok(size, output);
  assert.ok(Number(size[1]) > 0);
  assert.ok(Number(size[1]) <= MAX_GZIP_KIB, `${size[1]} KiB`);
});
