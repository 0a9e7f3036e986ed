// A client for A2A 1.0 agents, in browsers and in Node 20 or later. Rust does the work; this makes JavaScript of it.
import init, { WasmClient, buildRequest as buildText, connect, decode as decodeExchange, fault } from './pkg/a2a_edge.js';
import { onAbort, run } from './cancel.js';
import { A2aError, JsonRpcError, RestError, TaskFailedError, TransportError, ValidationError, errorFrom, failed } from './errors.js';
import { object, paramsJson, settings, signals, split } from './input.js';

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
  const given = await (module ?? ownModule());
  // Node's fetch reads no files.
  const isFile = (typeof given === 'string' || given instanceof URL) && /^file:/.test(given);
  return init({ module_or_path: isFile ? await (await import('#fs')).readFile(new URL(given)) : given });
}

/** Where the module is beside this file, as bundlers understand it. Some leave a script without a place of its own. */
function ownModule() {
  try {
    return new URL('./pkg/a2a_edge_bg.wasm', import.meta.url);
  } catch (cause) {
    throw new Error('it is not known where the module is: pass it to load()', { cause });
  }
}

/** A note with its error as an object. */
const read = (note) => (note.error ? { ...note, error: errorFrom(JSON.stringify(note.error)) } : note);

export class A2aClient {
  #client;

  /** @private Use `connect` or `at`. */
  constructor(client) {
    this.#client = client;
  }

  static async connect(url, options = {}) {
    await load();
    const { signal, ...others } = object('options', options ?? {});
    const { send, tell, data } = split(others, read);
    return new A2aClient(await run(signals({ signal }), (cancelled) => connect(String(url), data, send, tell, cancelled)));
  }

  static async at(endpoint, options = {}) {
    await load();
    for (const name of ['binding', 'signal']) if ((options?.[name] ?? undefined) !== undefined) throw new TypeError(`options.${name} is for connect`);
    const { send, tell, data } = split(options, read);
    return new A2aClient(await run([], async () => new WasmClient(settings('endpoint', endpoint), data, send, tell)));
  }

  get card() {
    const card = this.#client?.card;
    return card && JSON.parse(card);
  }

  get breaker() {
    return this.#client?.breaker ?? 'closed';
  }

  get #open() {
    if (!this.#client) throw new TypeError('the client is closed');
    return this.#client;
  }

  async call(operation, params = {}, options) {
    return JSON.parse(await run(signals(options), (cancelled) => this.#open.call(String(operation), paramsJson(params), cancelled)));
  }

  stream(operation, params = {}, options) {
    const leaving = new AbortController();
    const events = this.#events(operation, params, options, leaving.signal);
    // A generator alone would have whoever leaves wait for the next event.
    for (const way of ['return', 'throw']) {
      const leave = events[way].bind(events);
      events[way] = (value) => {
        leaving.abort();
        return leave(value);
      };
    }
    return events;
  }

  async *#events(operation, params, options, leaving) {
    const given = [...signals(options), leaving];
    let close = () => {};
    try {
      const reader = await run(given, (cancelled) => this.#open.stream(String(operation), paramsJson(params), cancelled));
      const releases = given.map((signal) => onAbort(signal, () => close()));
      close = () => {
        close = () => {};
        for (const release of releases) release();
        reader.free(); // closes the connection
      };
      for (let event; (event = await run(given, (cancelled) => reader.next(cancelled))) !== undefined; ) yield JSON.parse(event);
    } catch (error) {
      if (!leaving.aborted) throw error;
    } finally {
      close();
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
  const built = orTypeError(() => buildText(settings('endpoint', endpoint), String(operation), paramsJson(params), typeof id === 'string' ? id : JSON.stringify(id)));
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
  return outcome(orTypeError(() => decodeExchange(settings('exchange', exchange), Date.now())));
}

/** What the client would say of an exchange without an answer. */
export async function decodeFault(binding, name) {
  await load();
  return outcome(fault(String(binding), String(name)));
}

function outcome(json) {
  const { error, ...rest } = JSON.parse(json);
  return error ? { ...rest, error: errorFrom(JSON.stringify(error)) } : rest;
}
