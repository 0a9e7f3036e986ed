// The parent's handle on the load generator process.
import { fork } from 'node:child_process';

export class LoadGenerator {
  #child;
  #waiting = new Map();
  #next = 0;

  constructor() {
    this.#child = fork(new URL('./load-child.mjs', import.meta.url));
    this.#child.on('message', ({ id, value, error }) => {
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) resolve(value);
      else reject(new Error(error));
    });
    this.#child.on('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('load generator exited'));
    });
  }

  /** One request on a fresh connection; gives status, head and body. */
  probe(port, text) {
    return this.#ask({ type: 'probe', port, text });
  }

  /**
   * `count` requests over `concurrency` fresh connections; gives seconds and latencies in ms.
   * `before` and `after` are called around the measured part, when the connections are open.
   */
  async run(port, text, { count, concurrency, status }, before = () => {}, after = () => {}) {
    await this.#ask({ type: 'prepare', port, text, concurrency });
    before();
    const result = await this.#ask({ type: 'run', count, status });
    after();
    await this.#ask({ type: 'finish' });
    return result;
  }

  close() {
    this.#child.kill();
  }

  #ask(message) {
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, ...message });
    });
  }
}
