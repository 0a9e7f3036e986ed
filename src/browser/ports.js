// What the Rust side needs of a platform that has fetch and timers: a browser, Node, a worker.

/** A wait that can be given up, so that no timer keeps a process alive. */
export class Timer {
  #id;
  #settle;

  constructor(milliseconds) {
    this.done = new Promise((resolve) => (this.#settle = resolve));
    this.#id = setTimeout(this.#settle, milliseconds);
  }

  cancel() {
    clearTimeout(this.#id);
    this.#settle(); // what waits for a promise is kept until it settles
  }
}

// Faults, by the first word of what is thrown; the rest is for a log.
const UNREACHABLE = 'unreachable';
const TIMED_OUT = 'timed-out';
const CUT_SHORT = 'cut-short';

// Node tells by its cause that there was no connection: by what it was doing, since a host can become unreachable later as
// well, or by a code. A browser tells nobody, so there the request may have arrived.
const CONNECTING = /^(connect|getaddrinfo)$/;
const NO_CONNECTION = /^(UND_ERR_CONNECT_TIMEOUT|ERR_INVALID_URL|ERR_TLS_CERT_\w+|ERR_TLS_HANDSHAKE_TIMEOUT|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_\w*HANDSHAKE\w*|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/;
const NO_CONNECTION_SAID = /^bad port$|before secure TLS connection was established/;
const isUnconnected = (cause) => CONNECTING.test(cause?.syscall) || NO_CONNECTION.test(cause?.code) || NO_CONNECTION_SAID.test(cause?.message);

// Node has time limits of its own, of 300 s.
const TOO_SLOW = /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/;

function faultOf(error) {
  const causes = error?.cause?.errors ?? [error?.cause ?? error]; // Node tries several addresses
  const [cause] = causes;
  if (error?.name === 'TimeoutError' || TOO_SLOW.test(cause?.code)) return TIMED_OUT;
  return `${causes.every(isUnconnected) ? UNREACHABLE : CUT_SHORT} ${cause?.message || cause}`;
}

// Older workers throw at what they do not know; they have neither cookies nor a cache of their own.
const KNOWN = Object.fromEntries(Object.entries({ credentials: 'omit', cache: 'no-store' }).filter(([name]) => name in (globalThis.Request?.prototype ?? {})));

/** One request, and its answer piece by piece. */
export class Exchange {
  #controller = new AbortController();
  #answer;
  #reader;

  /** `send` is a fetch function; `headers` holds names and values by turns. */
  constructor(send, method, url, headers, body) {
    const pairs = [];
    for (let i = 0; i < headers.length; i += 2) pairs.push([headers[i], headers[i + 1]]);
    // No cookies, no cache, no redirects: what an answer means is decided above.
    const init = { method, headers: pairs, body, redirect: 'manual', signal: this.#controller.signal, ...KNOWN };
    this.#answer = Promise.resolve().then(() => send(url, init));
    this.#answer.catch(() => {}); // an exchange that is dropped is asked by nobody
  }

  /** Status and headers, a line each. */
  async open() {
    try {
      const response = await this.#answer;
      // Of a fetch function that does not pass the signal on: nobody waits for it any more.
      if (this.#controller.signal.aborted) return await response.body?.cancel();
      this.#reader = response.body?.getReader();
      // A browser hides the redirect that it does not follow.
      const status = response.type === 'opaqueredirect' ? 302 : response.status;
      return [status, ...[...response.headers].map(([name, value]) => `${name}: ${value}`)].join('\n');
    } catch (error) {
      throw faultOf(error);
    }
  }

  /** The next bytes of the body; nothing after the last. */
  async read() {
    try {
      const piece = await this.#reader?.read();
      if (piece === undefined || piece.done) return undefined;
      if (!(piece.value instanceof Uint8Array)) throw new TypeError('the body of an answer must come in bytes');
      return piece.value.slice(); // throws if somebody took away what holds them
    } catch (error) {
      throw faultOf(error);
    }
  }

  close() {
    this.#controller.abort();
    // For a fetch function that does not pass the signal on. What a reader of its own does here is its affair.
    (async () => this.#reader?.cancel())().catch(() => {});
  }
}
