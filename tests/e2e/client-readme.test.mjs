// The code in the package's README runs as it stands there.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { installedPackage } from './support/package.mjs';
import { root, startWorker } from './support/worker.mjs';

const README = readFileSync(path.join(root, 'packages/client/README.md'), 'utf8');
const [first, streams, options, ...others] = [...README.matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code);

let worker, installed;
before(async () => {
  installed = installedPackage();
  worker = await startWorker();
});
after(async () => {
  await worker?.stop();
  installed?.remove();
});

const here = (code) => code.replaceAll('https://agent.example', worker.url);
/** What the reader of a fragment has already. */
const CONNECTED = () => `import { A2aClient } from '@a2a-edge/client';\nconst url = ${JSON.stringify(worker.url)};\nconst client = await A2aClient.connect(url);\n`;

test('a first call', async () => {
  const { stdout, stderr } = await installed.run('first', here(first));
  assert.deepEqual([stdout, stderr], ['TASK_STATE_COMPLETED\n', '']);
});

test('a first call, and no agent there', async () => {
  const { stdout, stderr } = await installed.run('nobody', first.replace('https://agent.example', 'http://127.0.0.1:1').replace(/(const client = .*;)\ntry \{/, 'try {\n$1'));
  assert.deepEqual([stdout, stderr], ['', 'no answer: ORIGIN_UNAVAILABLE\n']);
});

test('a stream', async () => {
  const given = `${CONNECTED()}const signal = undefined;
const params = { message: { role: 'ROLE_USER', parts: [{ text: 'stream 2' }] } };
const show = ({ parts }) => console.log(parts[0].text.trim());\n`;
  const { stdout } = await installed.run('streams', given + streams);
  assert.equal(stdout, 'chunk 1 of 2\nchunk 2 of 2\n');
});

test('all options', async () => {
  const { stdout, stderr } = await installed.run('options', `${CONNECTED()}const other = ${options}console.log(other.card.name);\n`);
  assert.deepEqual([stdout, stderr], ['a2a-edge demo\n', '']);
});

test('there is no other code', () => assert.deepEqual(others, []));
