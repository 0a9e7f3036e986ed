// npm test: native tests, the build, then the tests against real workerd. Ends with the line "N passed, N failed".
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildWorker, workerCrates } from './lib/build.mjs';
import { ensureChromium } from './lib/chromium.mjs';
import { buildPage } from './lib/page.mjs';
import { main, runVisible, say, seconds } from './lib/process.mjs';
import { root } from './lib/project.mjs';
import { ensurePython } from './lib/python.mjs';
import { nativeEnv } from './lib/rust.mjs';
import { cargoSummary, settle, tapSummary } from './lib/summary.mjs';

const NODE_TESTS = ['tests/scripts', 'tests/e2e', 'tests/e2e/gateway'].map((dir) => path.join(root, dir));

const testFiles = (dir) =>
  existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith('.test.mjs')).sort().map((name) => path.join(dir, name)) : [];

async function native() {
  let output = '';
  const code = await runVisible('cargo', ['test', '--locked', '--no-fail-fast', '--features', 'browser,native'], {
    cwd: root,
    env: nativeEnv(),
    onStdout: (text) => (output += text),
  });
  return settle(cargoSummary(output), code);
}

async function build() {
  for (const crateDir of workerCrates()) await buildWorker(crateDir);
  await buildPage();
  await ensureChromium();
  await ensurePython();
  return { passed: 0, failed: 0 };
}

async function node() {
  const files = NODE_TESTS.flatMap(testFiles);
  const dir = mkdtempSync(path.join(tmpdir(), 'a2a-edge-'));
  const tap = path.join(dir, 'report.tap');
  try {
    const reporters = ['spec', 'stdout', 'tap', tap];
    const args = reporters.map((value, i) => `--test-reporter${i % 2 ? '-destination' : ''}=${value}`);
    const code = await runVisible(process.execPath, ['--test', ...args, ...files], { cwd: root });
    return settle(tapSummary(existsSync(tap) ? readFileSync(tap, 'utf8') : ''), code);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const STAGES = [
  ['native tests', native],
  ['build', build],
  ['end-to-end tests', node],
];

await main(async () => {
  const total = { passed: 0, failed: 0 };
  for (const [title, run] of STAGES) {
    const started = Date.now();
    say(`${title} …`);
    const { passed, failed } = await run().catch((error) => {
      say(error.message);
      return { passed: 0, failed: 1 };
    });
    say(`${title}: ${passed} passed, ${failed} failed, ${seconds(started)}`);
    total.passed += passed;
    total.failed += failed;
    if (title === 'build' && failed) break; // what is in build/ is not what the sources say
  }
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed === 0 ? 0 : 1;
});
