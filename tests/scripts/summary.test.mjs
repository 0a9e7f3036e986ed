// The closing line of `npm test` is only worth something if it counts what the runners said.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cargoSummary, settle, tapSummary } from '../../scripts/lib/summary.mjs';

test('cargo: the results of all test binaries and of the doc tests are added up', () => {
  const output = [
    'running 2 tests',
    'test a ... ok',
    'test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s',
    'test result: FAILED. 5 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.10s',
    '   Doc-tests a2a_edge',
    'test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 2.00s',
  ].join('\n');
  assert.deepEqual(cargoSummary(output), { passed: 11, failed: 3 });
});

test('cargo: a test that prints such words is not counted', () => {
  assert.deepEqual(cargoSummary('it said: test result: ok. 9 passed; 9 failed'), { passed: 0, failed: 0 });
});

test('node: failed and cancelled tests count as failed', () => {
  assert.deepEqual(tapSummary('# tests 9\n# pass 6\n# fail 2\n# cancelled 1\n# skipped 0\n'), { passed: 6, failed: 3 });
});

test('a stage that failed without a failed test is a failure', () => {
  assert.deepEqual(settle({ passed: 0, failed: 0 }, 101), { passed: 0, failed: 1 });
  assert.deepEqual(settle({ passed: 7, failed: 2 }, 101), { passed: 7, failed: 2 });
  assert.deepEqual(settle({ passed: 7, failed: 0 }, 0), { passed: 7, failed: 0 });
});
