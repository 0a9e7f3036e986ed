// Starts a built worker in a real workerd (through Miniflare) and gives tests what they need to talk to it.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Log, LogLevel, Miniflare } from 'miniflare';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');

/** How long `waitForLog` waits for a line before it fails. Logs come over a pipe, shortly after the answer. */
const LOG_WAIT_MS = 5_000;

/** Reads one top-level string setting from wrangler.toml, so that tests run under what is deployed. */
function wranglerSetting(name) {
  const text = readFileSync(path.join(root, 'wrangler.toml'), 'utf8');
  const match = text.match(new RegExp(`^${name}\\s*=\\s*"([^"]+)"`, 'm'));
  if (!match) throw new Error(`wrangler.toml has no ${name}`);
  return match[1];
}

/** Every console line of the worker, and a way to wait for one that is still on its way. */
class LogLines {
  lines = [];
  #waiting = new Set();

  push(line) {
    this.lines.push(line);
    for (const waiter of this.#waiting) waiter(line);
  }

  waitFor(predicate, timeoutMs = LOG_WAIT_MS) {
    const found = this.lines.find(predicate);
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve, reject) => {
      const done = (settle, value) => {
        clearTimeout(timer);
        this.#waiting.delete(waiter);
        settle(value);
      };
      const waiter = (line) => predicate(line) && done(resolve, line);
      const timer = setTimeout(
        () => done(reject, new Error(`no such log line within ${timeoutMs} ms; seen:\n${this.lines.join('\n')}`)),
        timeoutMs,
      );
      this.#waiting.add(waiter);
    });
  }
}

/** The Durable Object classes by their bindings, as in wrangler.toml; `of` is the worker that has the objects, if another. */
function durableObjects(of) {
  const bound = (className) => ({ className, useSQLite: true, ...(of && { scriptName: of }) });
  return { TASK_OBJECTS: bound('TaskObject'), OWNER_INDEX: bound('OwnerIndex') };
}

/** What Miniflare needs to know of one worker. */
function workerOptions({ vars, script, kv, durable, objectsOf }) {
  const scriptPath = path.resolve(root, script);
  if (!existsSync(scriptPath)) throw new Error(`${scriptPath} does not exist: run "npm run build" first`);
  return {
    modules: true,
    // An entry lies one folder below the modules it imports.
    modulesRoot: path.resolve(path.dirname(scriptPath), '..'),
    scriptPath,
    modulesRules: [
      { type: 'ESModule', include: ['**/*.js', '**/*.mjs'] },
      { type: 'CompiledWasm', include: ['**/*.wasm'] },
    ],
    compatibilityDate: wranglerSetting('compatibility_date'),
    bindings: vars,
    kvNamespaces: kv ? ['TASKS'] : [],
    durableObjects: durable ? durableObjects(objectsOf) : {},
  };
}

/**
 * Starts a worker on a free port of 127.0.0.1.
 *
 * @param {object} [options]
 * @param {Record<string, unknown>} [options.vars] plain-text vars and secrets, as in wrangler.toml
 * @param {string} [options.script] entry module, an absolute path or one relative to the project (default: what is deployed)
 * @param {boolean} [options.kv] bind the KV namespace TASKS
 * @param {boolean} [options.durable] bind the Durable Object classes (default: for what is deployed)
 * @param {string} [options.persist] directory in which KV and objects outlive the worker; kept in memory when absent
 * @param {{ host: string, vars: Record<string, unknown>, objectsOf?: string }[]} [options.variants] several workers in one
 *   process, in place of one with `vars`: the `Host` header chooses. Far quicker than a process for each. `objectsOf`
 *   names one whose Durable Objects this one uses.
 * @param {object} [options.miniflare] further Miniflare options, for example `outboundService`
 * @returns {Promise<{
 *   url: string,                                        base URL without a trailing slash
 *   fetch: (path?: string, init?: RequestInit) => Promise<Response>,
 *   stop: () => Promise<void>,
 *   logs: string[],                                     one entry per console call of the worker
 *   waitForLog: (predicate: (line: string) => boolean, timeoutMs?: number) => Promise<string>,
 *   kv: () => Promise<object>,                          the namespace TASKS, to look into or to break
 *   mf: Miniflare,
 * }>}
 */
export async function startWorker({
  vars = {},
  script = wranglerSetting('main'),
  kv = true,
  durable = script === wranglerSetting('main'),
  persist,
  variants,
  miniflare = {},
} = {}) {
  const log = new LogLines();
  const workers = variants?.map(({ host, vars: own, objectsOf }) => ({
    name: host,
    routes: [`${host}/*`],
    ...workerOptions({ vars: own, script, kv, durable, objectsOf }),
  }));
  const mf = new Miniflare({
    host: '127.0.0.1',
    port: 0,
    cf: false,
    log: new Log(LogLevel.NONE),
    handleStructuredLogs: ({ message }) => log.push(message),
    kvPersist: persist ?? false,
    durableObjectsPersist: persist ?? false,
    ...(workers ? { workers } : { name: 'worker', ...workerOptions({ vars, script, kv, durable }) }),
    ...miniflare,
  });
  const url = (await mf.ready).origin;
  return {
    url,
    fetch: (target = '/', init = {}) => fetch(new URL(target, url), init),
    stop: () => mf.dispose(),
    logs: log.lines,
    waitForLog: (predicate, timeoutMs) => log.waitFor(predicate, timeoutMs),
    kv: () => mf.getKVNamespace('TASKS'),
    mf,
  };
}
