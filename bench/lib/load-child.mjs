// Load generator: runs in a process of its own, so that its CPU time is never counted.
// It speaks HTTP/1.1 over raw keep-alive sockets and understands just what workerd answers.
import { connect } from 'node:net';

const COUNTER_DIGITS = 12;
const COUNTER_MARK = '#'.repeat(COUNTER_DIGITS);
let counter = 0;

/** One keep-alive connection; `request` resolves with the raw status, head and body. */
class Connection {
  static open(port) {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => resolve(new Connection(socket)));
    });
  }

  constructor(socket) {
    this.socket = socket;
    this.pending = null;
    this.received = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('connection closed by the server')));
  }

  request(bytes) {
    return new Promise((resolve, reject) => {
      this.pending = { resolve, reject };
      if (this.socket.destroyed) this.#fail(new Error('connection already closed'));
      else this.socket.write(bytes);
    });
  }

  close() {
    this.socket.destroy();
  }

  #receive(chunk) {
    this.received += chunk;
    let answer;
    try {
      answer = parseAnswer(this.received);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (answer === null) return;
    this.received = '';
    const { resolve } = this.pending;
    this.pending = null;
    resolve(answer);
  }

  #fail(error) {
    this.pending?.reject(error);
    this.pending = null;
  }
}

/** A complete answer, or null when bytes are still missing. */
function parseAnswer(text) {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const head = text.slice(0, headEnd);
  const rest = headEnd + 4;
  const length = /^content-length: *(\d+)/im.exec(head);
  if (length !== null) {
    const end = rest + Number(length[1]);
    return text.length < end ? null : answerOf(head, text.slice(rest, end));
  }
  if (!/^transfer-encoding: *chunked/im.test(head)) throw new Error(`answer without a length: ${head}`);
  return text.endsWith('0\r\n\r\n') ? answerOf(head, unchunk(text.slice(rest))) : null;
}

function unchunk(text) {
  let body = '';
  for (let at = 0; ;) {
    const line = text.indexOf('\r\n', at);
    const size = parseInt(text.slice(at, line), 16);
    if (size === 0) return body;
    body += text.slice(line + 2, line + 2 + size);
    at = line + 2 + size + 2;
  }
}

const answerOf = (head, body) => ({ status: Number(head.slice(9, 12)), head, body });

/** The request's bytes; a run of # in the text becomes a number no other request has. */
function encoder(text) {
  const bytes = Buffer.from(text, 'latin1');
  const at = bytes.indexOf(COUNTER_MARK);
  if (at < 0) return () => bytes;
  return () => {
    counter += 1;
    const copy = Buffer.from(bytes);
    copy.write(String(counter).padStart(COUNTER_DIGITS, '0'), at, 'latin1');
    return copy;
  };
}

let connections = [];
let encode = null;

/**
 * Opens fresh connections and uses each once, so that the measured run that follows pays for
 * neither. Connections are not kept from run to run: workerd closes idle ones after five seconds.
 */
async function prepare({ port, text, concurrency }) {
  encode = encoder(text);
  connections = await Promise.all(Array.from({ length: concurrency }, () => Connection.open(port)));
  await Promise.all(connections.map((connection) => connection.request(encode())));
}

/** Sends `count` requests over the prepared connections; every answer must have `status`. */
async function run({ count, status }) {
  const latencies = new Float64Array(count);
  let next = 0;
  const started = performance.now();
  await Promise.all(connections.map(async (connection) => {
    while (next < count) {
      const index = next;
      next += 1;
      const sent = performance.now();
      const answer = await connection.request(encode());
      latencies[index] = performance.now() - sent;
      if (answer.status !== status) throw new Error(`status ${answer.status} instead of ${status}: ${answer.body.slice(0, 200)}`);
    }
  }));
  return { seconds: (performance.now() - started) / 1e3, latencies: Array.from(latencies) };
}

function finish() {
  for (const connection of connections) connection.close();
  connections = [];
}

async function probe({ port, text }) {
  const connection = await Connection.open(port);
  try {
    return await connection.request(encoder(text)());
  } finally {
    connection.close();
  }
}

const work = { probe, prepare, run, finish };

process.on('message', async ({ id, type, ...argument }) => {
  try {
    process.send({ id, value: await work[type](argument) });
  } catch (error) {
    process.send({ id, error: String(error?.message ?? error) });
  }
});
