// The Python SDK's client (a2a-sdk 1.3.0) streams, subscribes, cancels and raises typed errors, on both bindings.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { ensurePython } from '../../scripts/lib/python.mjs';
import { root, startWorker } from './support/worker.mjs';

const TASK = (state) => ['task', `TASK_STATE_${state}`];
const STATUS = (state) => ['status_update', `TASK_STATE_${state}`];
const CHUNK = ['artifact_update', null];

let worker, python;
before(async () => {
  [worker, python] = await Promise.all([startWorker({ vars: { DEMO_FAULTS: 'on', TASK_STORE: 'memory' } }), ensurePython()]);
});
after(() => worker.stop());

for (const binding of ['JSONRPC', 'HTTP+JSON']) {
  describe(binding, () => {
    let seen;
    before(async () => {
      const script = path.join(root, 'tests/e2e/python/client.py');
      const { stdout } = await promisify(execFile)(python, [script, worker.url, binding], { timeout: 60_000 });
      seen = JSON.parse(stdout);
    });

    test('streams a task from its beginning to its end, and reads it again', () => {
      assert.deepEqual(seen.streamed, [TASK('SUBMITTED'), CHUNK, CHUNK, CHUNK, STATUS('COMPLETED')]);
      assert.deepEqual(seen.got, [true, 'TASK_STATE_COMPLETED', 3]);
      assert.equal(seen.listed, 1);
    });

    test('subscribes to a task and cancels it, which ends both streams', () => {
      assert.deepEqual(seen.subscribed, [TASK('WORKING'), STATUS('CANCELED')]);
      assert.deepEqual(seen.watched, [TASK('SUBMITTED'), STATUS('WORKING'), STATUS('CANCELED')]);
    });

    test('answers the question of a task', () => {
      assert.deepEqual(seen.asked, [STATUS('INPUT_REQUIRED'), STATUS('COMPLETED')]);
    });

    test('raises the class that each error has, also in the middle of a stream', () => {
      assert.deepEqual(seen.errors, {
        TaskNotFound: ['TaskNotFoundError', 'Task not found'],
        TaskNotCancelable: ['TaskNotCancelableError', 'Task is not cancelable'],
        UnsupportedOperation: ['UnsupportedOperationError', 'The demo was asked to refuse this'],
        TerminalTask: ['UnsupportedOperationError', 'Task is in a terminal state'],
        Internal: ['InternalError', 'Internal error'],
        InvalidAgentResponse: ['InvalidAgentResponseError', 'Invalid agent response'],
        PanicInAStream: ['InternalError', 'Internal error'],
      });
    });
  });
}
