// Entry of a worker for tests: the deployed one, on a KV namespace that fails (see faulty-kv.mjs). Runs in workerd.
import worker from '../../../js/worker.mjs';

const METHODS = { get: 'GET', getWithMetadata: 'GET', put: 'PUT', list: 'GET' };
const FAULT_OF = { get: 'get', getWithMetadata: 'get', put: 'put', list: 'list' };

function faulty(namespace, faults, secret) {
  const refusals = new Map();
  const attempt = (name, run) => (...args) => {
    const fault = faults[FAULT_OF[name]];
    const key = `${name} ${args[0]}`;
    if (fault === 'fail') return Promise.reject(new Error(`KV ${METHODS[name]} failed: 500 Internal Server Error (${secret})`));
    const refused = refusals.get(key) ?? 0;
    if (fault === 'twice' && refused < 2) {
      refusals.set(key, refused + 1);
      return Promise.reject(new Error(`KV ${METHODS[name]} failed: 429 Too Many Requests (${secret})`));
    }
    return run(...args);
  };
  const wrapped = {};
  for (const name of ['get', 'getWithMetadata', 'put', 'list', 'delete']) {
    const run = namespace[name].bind(namespace);
    wrapped[name] = name in METHODS ? attempt(name, run) : run;
  }
  return wrapped;
}

let inner;

export default {
  fetch(request, env, ctx) {
    inner ??= { ...env, TASKS: faulty(env.TASKS, JSON.parse(env.TEST_KV_FAULTS), env.TEST_KV_SECRET) };
    return worker.fetch(request, inner, ctx);
  },
};
