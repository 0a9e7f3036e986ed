// The deployed worker with a KV namespace that fails as it is told, as KV does: with an error that names things of the inside.
import path from 'node:path';
import { root, startWorker } from './worker.mjs';

/** Stands in what a failing KV says. It must never reach a caller. */
export const SECRET = 'kv-secret-5e77ab';

/**
 * @param {Partial<Record<'get'|'put'|'list', 'fail'|'twice'>>} faults `fail`: every time; `twice`: 429 the first two times for each key
 */
export const startFaultyKv = (faults, options = {}) =>
  startWorker({
    ...options,
    vars: { ...options.vars, TEST_KV_FAULTS: JSON.stringify(faults), TEST_KV_SECRET: SECRET },
    script: 'tests/e2e/support/faulty-kv-entry.mjs',
    miniflare: { modulesRoot: path.resolve(root), ...options.miniflare },
  });
