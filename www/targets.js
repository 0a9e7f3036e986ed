// Who is asked: the agent inside the page, the worker that served it, or any URL. Each is a fetch function.
import { parse } from './json.js';

/** The host that the agent inside the page is asked under. Nothing is sent there. */
export const PAGE_ORIGIN = 'https://agent.example';

/** The agent in its thread. A thread that dies is replaced, and its requests are answered by the next one. */
class PageThread {
  #worker;
  #requests = new Map();
  #next = 1;
  /** What the agent logged while it answered the last request. */
  log = [];

  ask(message) {
    this.#worker ??= this.#start();
    const key = this.#next++;
    return new Promise((resolve, reject) => {
      this.#requests.set(key, { message, resolve, reject, controller: undefined });
      this.#worker.postMessage({ key, ...message });
    });
  }

  #start() {
    const worker = new Worker(new URL('./agent-worker.js', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }) => (data.died ? this.#died(data.died) : this.#take(data)));
    worker.addEventListener('error', () => this.#died([...this.#requests.keys()]));
    return worker;
  }

  #take({ key, head, body, isStream, piece, end, log, failure }) {
    const request = this.#requests.get(key);
    if (!request) return;
    if (end) this.log = log;
    if (head) {
      const { status, headers } = JSON.parse(head);
      const stream = isStream && new ReadableStream({ start: (controller) => void (request.controller = controller), cancel: () => void (request.controller = undefined) });
      const isEmpty = status === 204 || status === 304;
      request.resolve(new Response(isEmpty ? null : stream || body, { status, headers }));
    }
    if (piece !== undefined) request.controller?.enqueue(new TextEncoder().encode(piece));
    if (failure) this.#fail(request, failure);
    if (end) request.controller?.close();
    if (end || failure) this.#requests.delete(key);
  }

  #fail({ reject, controller }, why) {
    const error = new TypeError(why);
    reject(error);
    controller?.error(error);
  }

  #died(keys) {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const key of keys) {
      const request = this.#requests.get(key);
      this.#requests.delete(key);
      if (!request) continue;
      // An answer that has begun cannot become another.
      if (request.message.refuse || request.controller) this.#fail(request, 'the agent inside the page is gone');
      else this.ask({ request: request.message.request, refuse: true }).then((response) => {
        this.log = ['WebAssembly trapped: the instance is gone, and the next one has answered in its place'];
        request.resolve(response);
      }, request.reject);
    }
  }
}

export const thread = new PageThread();

/** A fetch function that asks the agent inside the page, configured by `vars`, or in front of a scripted origin. */
export function pageFetch({ vars = {}, script } = {}) {
  return async (url, { method = 'GET', headers = [], body = '' } = {}) => {
    const request = JSON.stringify({ method, url: new URL(url).href, headers: Object.fromEntries(headers), body: body ?? '' });
    return thread.ask({ request, vars: JSON.stringify({ DEMO_FAULTS: 'on', ...vars }), script: script && JSON.stringify(script) });
  };
}

/** A fetch function that plays a broken agent: it answers what it is told, whatever is asked. */
export function playedFetch(answer) {
  return async (_url, { body } = {}) => {
    if (answer.fault) throw Object.assign(new TypeError('no answer'), { fault: answer.fault });
    const text = answer.body.replaceAll('$ID', () => idOf(body ?? ''));
    return new Response(text, { status: answer.status, headers: answer.headers });
  };
}

/** The id of a JSON-RPC request as JSON text, to the letter; null if there is none to be read. */
export function idOf(body) {
  const id = parse(body)?.members?.findLast(([name]) => name && JSON.parse(name) === 'id')?.[1];
  return /^["\d-]/.test(id) ? id : 'null';
}

const NETWORK = { cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' };

/** A fetch function over the network. */
export const networkFetch = (url, init) => fetch(url, { ...init, ...NETWORK });
