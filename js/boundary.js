// The JavaScript side of the door: what must outlive a WebAssembly instance.
//
// A trap (abort, out of memory, stack overflow) ends the instance and leaves the promises of its futures unsettled for
// ever. This module's memory is sound even then, so it keeps what is needed to answer: the requests that are open, and
// whose work was going on. Requests are settled with plain data and each builds its own Response, because workerd lets
// no request touch an I/O object of another's.

// The generated wrappers. A circular import, but bindings are live, and they always call the live instance.
import * as glue from '../../../index.js';

const open = new Map(); // key -> settle, of each request whose answer is a promise
let nextKey = 0;
let current = 0; // whose work is going on
let idempotent; // of the request whose call is going on: may it be sent again, even if it reached the agent?
let limit; // longest body to read, in bytes

addEventListener('error', () => instanceDied(current));

export function resume(key) {
  current = key;
}

export function reachedAgent(isIdempotent) {
  idempotent = isIdempotent;
}

export async function serve(request, env) {
  const head = headOf(request);
  limit ??= glue.bodyLimit(env);
  const body = request.body === null ? '' : await bodyOf(request);
  return attempt({ head, body, env }, true);
}

// The order of lines is that of `request` in src/worker/frame.rs.
function headOf(request) {
  const { headers } = request;
  const get = (name) => headers.get(name) ?? '';
  const always = `${request.method}\n${request.url}\n${get('accept')}\n${get('content-type')}\n${get('a2a-version')}\n${get('a2a-extensions')}\n${get('authorization')}\n${get('origin')}\n${get('cf-ray')}`;
  // Each header costs a call; these mean nothing in a POST.
  if (request.method === 'POST') return always;
  return `${always}\n${get('if-none-match')}\n${get('if-modified-since')}\n${get('access-control-request-method')}`;
}

// Bodies that are no text, as src/worker/frame.rs numbers them.
const TOO_LARGE = 1;
const NOT_UTF8 = 2;

const BYTE_ORDER_MARK = '\uFEFF';
const REPLACEMENT = '\uFFFD';

// The body's text, or why there is none. `text()` is the cheapest way to read a body by far, but it replaces what is
// not UTF-8 and drops a byte-order mark, both of which the length tells.
async function bodyOf(request) {
  const announced = request.headers.get('content-length');
  if (announced === null) return readPieces(request.body);
  const length = Number(announced);
  if (length > limit) {
    await discardRest(request.body.getReader());
    return TOO_LARGE;
  }
  const text = await request.text();
  // As many UTF-16 units as bytes: ASCII, unless a byte was replaced.
  if (text.length === length && !text.includes(REPLACEMENT)) return text;
  const missing = length - new TextEncoder().encode(text).length;
  if (missing === 0) return text;
  return missing === 3 && !text.includes(REPLACEMENT) ? BYTE_ORDER_MARK + text : NOT_UTF8;
}

// A body of unknown length.
async function readPieces(stream) {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const reader = stream.getReader();
  let text = '';
  for (let length = 0; ; ) {
    const { done, value } = await reader.read();
    try {
      text += decoder.decode(value, { stream: !done });
    } catch {
      await discardRest(reader);
      return NOT_UTF8;
    }
    if (done) return text;
    length += value.length;
    if (length > limit) {
      await discardRest(reader);
      return TOO_LARGE;
    }
  }
}

// As much as MAX_BODY_BYTES may be at most. Who sends more has to live with a connection that breaks.
const MOST_DISCARDED = 16 * 1024 * 1024;

// Reads what is still to come of a body that is refused. A connection that is closed while its caller is sending takes
// the answer along, and the caller's next request too.
async function discardRest(reader) {
  for (let length = 0; length <= MOST_DISCARDED; ) {
    const { done, value } = await reader.read();
    if (done) return;
    length += value.length;
  }
  await reader.cancel();
}

// The first try may be followed by a second, the second by none.
function attempt(request, mayRepeat) {
  const key = (nextKey = (nextKey + 1) >>> 0);
  let answer;
  current = key;
  idempotent = true;
  try {
    if (!mayRepeat) glue.wake();
    answer = call(glue.answer, request, key);
  } catch (error) {
    if (isTrap(error)) instanceDied(key);
    return failed(request, '');
  }
  return typeof answer === 'string' ? respond(answer) : settled(answer, request, key, mayRepeat && idempotent);
}

function call(answer, { head, body, env }, key) {
  return typeof body === 'string' ? answer(key, head, body, 0, env) : answer(key, head, '', body, env);
}

// Waits for the agent's work, or for the instance to die over this request or another.
async function settled(answer, request, key, mayRepeat) {
  const { promise, resolve } = Promise.withResolvers();
  open.set(key, resolve);
  try {
    const outcome = await Promise.race([answer, promise]);
    if (typeof outcome === 'string') return respond(outcome);
    if (outcome.culprit) return failed(request, '');
    return mayRepeat ? attempt(request, false) : failed(request, 'INSTANCE_RESET');
  } catch {
    return failed(request, '');
  } finally {
    open.delete(key);
  }
}

// A trap is told from a panic, which unwinds and leaves the instance sound, by the kind of error.
function isTrap(error) {
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
}

// For work that is no request's: whose error this was is told there. Only a trap ends the instance.
export function instanceLost(error) {
  if (isTrap(error)) instanceDied(0);
}

function instanceDied(culprit) {
  const waiting = [...open];
  open.clear();
  for (const [key, settle] of waiting) settle({ culprit: key === culprit });
}

// The fresh instance words the error. If even that traps, this module does, without an id.
function failed({ head, body }, reason) {
  try {
    glue.wake();
    return respond(typeof body === 'string' ? glue.fail(head, body, 0, reason) : glue.fail(head, '', body, reason));
  } catch {
    return new Response('{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}', {
      headers: { 'Content-Type': 'application/json' },
    });
  }
}

// A Response made with headers that exist already is cheaper than one that makes its own.
const inits = new Map();
const MAX_INITS = 64;

// Reads what `frame` in src/worker/frame.rs wrote.
function respond(frame) {
  const end = frame.indexOf('\n\n');
  const head = frame.slice(0, end);
  let init = inits.get(head);
  if (init === undefined) {
    if (inits.size === MAX_INITS) inits.clear();
    init = initOf(head);
    inits.set(head, init);
  }
  return new Response(frame.length === end + 2 ? null : frame.slice(end + 2), init);
}

function initOf(head) {
  const [status, ...lines] = head.split('\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
  return { status: Number(status), headers: new Headers(headers) };
}
