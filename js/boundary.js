// The JavaScript side of the door: what must outlive a WebAssembly instance.
//
// A trap (abort, out of memory, stack overflow) ends the instance and leaves the promises of its futures unsettled for
// ever. This module's memory is sound even then, so it keeps what is needed to answer: the requests that are open, and
// whose work was going on. Requests are settled with plain data and each builds its own Response, because workerd lets
// no request touch an I/O object of another's.

// The generated wrappers. A circular import, but bindings are live, and they always call the live instance.
import * as glue from '../../../index.js';

const open = new Map(); // key -> { settle, idempotent } of each request whose answer is a promise
let nextKey = 0;
let current = 0; // whose work is going on
let reached; // set by reachedAgent during a call of answer: may the request be sent again all the same?
let limit; // longest body to read, in bytes

addEventListener('error', () => instanceDied(current));

export function resume(key) {
  current = key;
}

export function reachedAgent(idempotent) {
  reached = idempotent;
}

export async function serve(request, env, ctx) {
  const head = headOf(request);
  limit ??= glue.bodyLimit(env);
  const body = await bodyOf(request);
  return attempt(head, body, env, true);
}

// The order of lines is that of `request` in src/worker/entry.rs.
function headOf(request) {
  const { headers } = request;
  const get = (name) => headers.get(name) ?? '';
  return `${request.method}\n${request.url}\n${get('accept')}\n${get('content-type')}\n${get('a2a-version')}\n${get('a2a-extensions')}\n${get('authorization')}\n${get('origin')}\n${get('if-none-match')}\n${get('if-modified-since')}\n${get('access-control-request-method')}\n${get('cf-ray')}`;
}

const NO_BODY = new Uint8Array(0);

// At most one byte more than the limit is read, which is how the Rust side sees that there was more.
async function bodyOf(request) {
  if (request.body === null) return NO_BODY;
  const announced = request.headers.get('content-length');
  if (announced !== null && Number(announced) <= limit) return new Uint8Array(await request.arrayBuffer());
  const reader = request.body.getReader();
  const body = new Uint8Array(limit + 1);
  let length = 0;
  while (length <= limit) {
    const { done, value } = await reader.read();
    if (done) return body.subarray(0, length);
    const piece = value.subarray(0, body.length - length);
    body.set(piece, length);
    length += piece.length;
  }
  await reader.cancel();
  return body;
}

function attempt(head, body, env, mayRepeat) {
  const key = nextKey = (nextKey + 1) >>> 0;
  let answer;
  current = key;
  reached = true;
  try {
    if (!mayRepeat) glue.wake();
    answer = glue.answer(key, head, body, env);
  } catch (error) {
    if (isTrap(error)) instanceDied(key);
    return failed(head, body, '');
  }
  return typeof answer === 'string' ? respond(answer) : settled(answer, { key, head, body, env, mayRepeat, idempotent: reached });
}

// Waits for the agent's work, or for the instance to die over this request or another.
async function settled(answer, { key, head, body, env, mayRepeat, idempotent }) {
  const { promise, resolve } = Promise.withResolvers();
  open.set(key, resolve);
  try {
    const outcome = await Promise.race([answer, promise]);
    if (typeof outcome === 'string') return respond(outcome);
    if (outcome.culprit) return failed(head, body, '');
    if (idempotent && mayRepeat) return attempt(head, body, env, false);
    return failed(head, body, 'INSTANCE_RESET');
  } catch {
    return failed(head, body, '');
  } finally {
    open.delete(key);
  }
}

// A trap is told from a panic, which unwinds and leaves the instance sound, by the kind of error.
function isTrap(error) {
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
}

function instanceDied(culprit) {
  const waiting = [...open];
  open.clear();
  for (const [key, settle] of waiting) settle({ culprit: key === culprit });
}

// The fresh instance words the error. If even that traps, this module does, without an id.
function failed(head, body, reason) {
  try {
    glue.wake();
    return respond(glue.fail(head, body, reason));
  } catch {
    return new Response('{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}', {
      headers: { 'Content-Type': 'application/json' },
    });
  }
}

// Reads what `frame` in src/worker/entry.rs wrote.
function respond(frame) {
  const end = frame.indexOf('\n\n');
  const [status, ...lines] = frame.slice(0, end).split('\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
  const body = frame.length === end + 2 ? null : frame.slice(end + 2);
  return new Response(body, { status: Number(status), headers });
}
