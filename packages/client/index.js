// A client for A2A 1.0 agents, in browsers and in Node 20 or later. Rust does the work; this makes JavaScript of it.
import init, { WasmClient, buildRequest as buildText, connect, decode as decodeExchange, fault } from './pkg/a2a_edge.js';
import { A2aError, JsonRpcError, RestError, TaskFailedError, TransportError, ValidationError, errorFrom, failed } from './errors.js';

export { A2aError, JsonRpcError, RestError, TaskFailedError, TransportError, ValidationError, failed };

let loading;

/** Loads the module, once. Every function here does so by itself; call it to have it done early, or from elsewhere. */
export function load(module) {
  loading ??= loadModule(module).catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function loadModule(module) {
  if (module !== undefined) return init({ module_or_path: module });
  const url = new URL('./pkg/a2a_edge_bg.wasm', import.meta.url);
  if (url.protocol !== 'file:') return init({ module_or_path: url });
  // Node's fetch reads no files.
  const { readFile } = await import('node:fs/promises');
  return init({ module_or_path: await readFile(url) });
}

/** A promise that settles when the signal is aborted, or at the latest by `release`: the module keeps what waits for it. */
function cancellation(signal) {
  let settle;
  const cancelled = new Promise((resolve) => (settle = resolve));
  signal?.addEventListener('abort', settle);
  const release = () => {
    signal?.removeEventListener('abort', settle);
    settle();
  };
  return { cancelled, release };
}

/** Runs a call of the module, with its errors as objects. */
async function run(signal, work) {
  signal?.throwIfAborted();
  const { cancelled, release } = cancellation(signal);
  try {
    return await work(cancelled);
  } catch (error) {
    throw errorFrom(error, signal);
  } finally {
    release();
  }
}

/** Options apart: what is data crosses as JSON. */
function split({ fetch: send = (...args) => globalThis.fetch(...args), onNote, signal, ...data }) {
  const tell = onNote && ((note) => onNote(read(JSON.parse(note))));
  return { send, tell, signal, data: JSON.stringify(data) };
}

const read = (note) => (note.error ? { ...note, error: errorFrom(JSON.stringify(note.error)) } : note);

export class A2aClient {
  #client;

  /** @private Use `connect` or `at`. */
  constructor(client) {
    this.#client = client;
  }

  static async connect(url, options = {}) {
    await load();
    const { send, tell, signal, data } = split(options);
    return new A2aClient(await run(signal, (cancelled) => connect(String(url), data, send, tell, cancelled)));
  }

  static async at(endpoint, options = {}) {
    await load();
    const { send, tell, data } = split(options);
    return new A2aClient(await run(undefined, async () => new WasmClient(JSON.stringify(endpoint), data, send, tell)));
  }

  get card() {
    const card = this.#client?.card;
    return card && JSON.parse(card);
  }

  get breaker() {
    return this.#client?.breaker ?? 'closed';
  }

  async call(operation, params = {}, { signal } = {}) {
    return JSON.parse(await run(signal, (cancelled) => this.#client.call(String(operation), JSON.stringify(params) ?? 'null', cancelled)));
  }

  async *stream(operation, params = {}, { signal } = {}) {
    const reader = await run(signal, (cancelled) => this.#client.stream(operation, JSON.stringify(params), cancelled));
    try {
      for (;;) {
        const event = await run(signal, (cancelled) => reader.next(cancelled));
        if (event === undefined) return;
        yield JSON.parse(event);
      }
    } finally {
      reader.free(); // closes the connection
    }
  }

  sendMessage(params, options) {
    return this.call('SendMessage', params, options);
  }

  sendStreamingMessage(params, options) {
    return this.stream('SendStreamingMessage', params, options);
  }

  getTask(params, options) {
    return this.call('GetTask', params, options);
  }

  listTasks(params, options) {
    return this.call('ListTasks', params, options);
  }

  cancelTask(params, options) {
    return this.call('CancelTask', params, options);
  }

  subscribeToTask(params, options) {
    return this.stream('SubscribeToTask', params, options);
  }

  createPushConfig(params, options) {
    return this.call('CreateTaskPushNotificationConfig', params, options);
  }

  getPushConfig(params, options) {
    return this.call('GetTaskPushNotificationConfig', params, options);
  }

  listPushConfigs(params, options) {
    return this.call('ListTaskPushNotificationConfigs', params, options);
  }

  async deletePushConfig(params, options) {
    await this.call('DeleteTaskPushNotificationConfig', params, options);
  }

  getExtendedAgentCard(params, options) {
    return this.call('GetExtendedAgentCard', params, options);
  }

  /** Frees the module's memory of this client. What is under way goes on. */
  close() {
    this.#client?.free();
    this.#client = undefined;
  }
}

/** The result, unless it is a task that failed. */
export function unwrap(result) {
  const task = result.task ?? (result.status ? result : undefined);
  if (task && failed(task)) throw new TaskFailedError(task);
  return result;
}

/** The request that the client would send, without a check of its params. */
export async function buildRequest(endpoint, operation, params = {}, id = '1') {
  await load();
  const built = orTypeError(() => buildText(JSON.stringify(endpoint), String(operation), JSON.stringify(params) ?? 'null', typeof id === 'string' ? id : JSON.stringify(id)));
  const { headers, body, ...rest } = JSON.parse(built);
  return { ...rest, headers, ...(body === null ? {} : { body }) };
}

/** The module says in a text what a developer got wrong. */
function orTypeError(work) {
  try {
    return work();
  } catch (error) {
    throw typeof error === 'string' ? new TypeError(error) : error;
  }
}

/** Reads an exchange that somebody else had, as the client would. */
export async function decode(exchange) {
  await load();
  return outcome(orTypeError(() => decodeExchange(JSON.stringify(exchange), Date.now())));
}

/** What the client would say of an exchange without an answer. */
export async function decodeFault(binding, name) {
  await load();
  return outcome(fault(binding, name));
}

function outcome(json) {
  const { error, ...rest } = JSON.parse(json);
  return error ? { ...rest, error: errorFrom(JSON.stringify(error)) } : rest;
}
