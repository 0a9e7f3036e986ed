// Starts workerd with one service and one socket per candidate, all in one process.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, relative } from 'node:path';

const COMPATIBILITY_DATE = '2026-04-01';
const START_TIMEOUT_MS = 30_000;
const MODULE_KINDS = { '.mjs': 'esModule', '.wasm': 'wasm' };

const { default: workerdBinary } = createRequire(import.meta.url)('workerd');

/** The modules in a folder, the one named `main` first: workerd starts that one. */
export function modulesOf(folder, main) {
  const files = readdirSync(folder).filter((file) => extname(file) in MODULE_KINDS);
  const modules = files.map((name) => ({ name, file: join(folder, name), kind: MODULE_KINDS[extname(name)] }));
  return modules.sort((a, b) => Number(b.name === main) - Number(a.name === main));
}

/** A free TCP port on the loopback interface. */
export function freePort() {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

const quote = (text) => JSON.stringify(text);

function serviceText({ name, modules, vars = {} }, folder) {
  const list = modules.map(({ name: module, file, kind }) => `(name = ${quote(module)}, ${kind} = embed ${quote(relative(folder, file))})`);
  const bindings = Object.entries(vars).map(([key, value]) => `(name = ${quote(key)}, text = ${quote(value)})`);
  return `(name = ${quote(name)}, worker = (
    modules = [${list.join(', ')}],
    bindings = [${bindings.join(', ')}],
    compatibilityDate = ${quote(COMPATIBILITY_DATE)}))`;
}

/** What `fetch` in a worker reaches: also other workers here, by their sockets. */
const INTERNET = '(name = "internet", network = (allow = ["public", "private"]))';

function configText(candidates, folder) {
  const services = candidates.map((candidate) => serviceText(candidate, folder));
  const sockets = candidates.map(({ name, port }) => `(name = ${quote(name)}, address = "127.0.0.1:${port}", http = (), service = ${quote(name)})`);
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [${[...services, INTERNET].join(',\n')}],
  sockets = [${sockets.join(',\n')}],
);
`;
}

/** A running workerd; `ports` maps a candidate's name to its port. */
export class Workerd {
  /**
   * Starts the candidates ({name, modules, vars}), whose vars may depend on the ports of all, and waits until every socket listens.
   * `output` is a file descriptor or 'ignore'; what workers log goes there.
   */
  static async start(candidates, { output = 'ignore', args = [] } = {}) {
    const placed = [];
    for (const candidate of candidates) placed.push({ ...candidate, port: await freePort() });
    const ports = new Map(placed.map(({ name, port }) => [name, port]));
    for (const candidate of placed) if (typeof candidate.vars === 'function') candidate.vars = candidate.vars(ports);
    const folder = mkdtempSync(join(tmpdir(), 'a2a-bench-'));
    const config = join(folder, 'config.capnp');
    writeFileSync(config, configText(placed, folder));
    const child = spawn(workerdBinary, ['serve', '--control-fd=3', ...args, config], { stdio: ['ignore', output, output, 'pipe'] });
    const workerd = new Workerd(child, folder, ports);
    try {
      await workerd.#listening(placed.length);
    } catch (error) {
      await workerd.stop();
      throw error;
    }
    return workerd;
  }

  constructor(child, folder, ports) {
    this.child = child;
    this.folder = folder;
    this.ports = ports;
  }

  get pid() {
    return this.child.pid;
  }

  /** workerd writes one line of JSON to the control descriptor for each socket it opens. */
  #listening(sockets) {
    return new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error('workerd did not start in time')), START_TIMEOUT_MS);
      let text = '';
      this.child.stdio[3].setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
        if (text.split('"event":"listen"').length > sockets) {
          clearTimeout(timer);
          done();
        }
      });
      this.child.once('exit', (code) => {
        clearTimeout(timer);
        fail(new Error(`workerd exited with ${code} before it listened`));
      });
    });
  }

  async stop() {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const gone = new Promise((done) => this.child.once('exit', done));
      this.child.kill();
      await gone;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
