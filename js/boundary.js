// The JavaScript side of the door: what must outlive a WebAssembly instance.
//
// A trap (abort, out of memory, stack overflow) ends the instance and leaves the promises of its futures unsettled for
// ever. This module's memory is sound even then, so it keeps what is needed to answer: the requests that are open, and
// whose work was going on. Requests are settled with plain data and each builds its own Response, because workerd lets
// no request touch an I/O object of another's.

// The generated wrappers. A circular import, but bindings are live, and they always call the live instance.
import * as glue from '../../../index.js';

// What is going on, by its key: requests whose answer is not there yet, event streams, and work in the background. Only in
// the context of its own request may it be taken further, so whoever wakes it settles a promise of that request's.
const going = new Map();
let nextKey = 0;
let current = 0; // whose work is going on
let context; // of the request that it belongs to
let idempotent; // of the request whose call is going on: may it be sent again, even if it reached the agent?
let bindings; // the Worker's environment, the same for every request
let limit; // longest body to read, in bytes
let isDead = false; // has the instance died since it was last called?
let passesOn; // are requests passed on to another agent, with more of their headers than are read here?

addEventListener('error', ({ error }) => instanceDied(current, error));

// How work ends without an item: by its own doing, by another's, or since nobody wants it any more.
const CULPRIT = Symbol('culprit');
const BYSTANDER = Symbol('bystander');
const LEFT = Symbol('left');

export function reachedAgent(isIdempotent) {
  idempotent = isIdempotent;
}

export function environment() {
  return bindings;
}

export function wake(key) {
  going.get(key)?.wake?.();
}

// Makes room for work in the background of the request that is going on now, and sees it through.
export function spawn() {
  const key = newKey();
  const work = begin(key, context);
  const done = Promise.resolve().then(() => next(key, work)).finally(() => going.delete(key));
  context?.waitUntil(done);
  return key;
}

// For the main module: what WebAssembly only passes on should not pass through it.
export function handler() {
  return serve;
}

export async function serve(request, env, ctx) {
  bindings ??= env;
  passesOn ??= Boolean(env.ORIGIN_URL);
  limit ??= bodyLimit();
  if (streams.size > 0) sweep(ctx);
  const head = headOf(request);
  const announced = request.headers.get('content-length');
  const length = Number(announced);
  const isPlain = announced !== null && length <= limit;
  const body = isPlain ? checked(await request.text(), length) : await unusual(request.body, announced);
  return attempt({ head, body, ctx }, true);
}

// What is read of a body if the instance cannot even say how much it should be.
const FALLBACK_LIMIT = 1024 * 1024;

function bodyLimit() {
  try {
    return glue.bodyLimit();
  } catch {
    return FALLBACK_LIMIT;
  }
}

// The order of lines is that of `request` in src/worker/frame.rs.
function headOf(request) {
  const { headers } = request;
  const get = (name) => headers.get(name) ?? '';
  const always = `${request.method}\n${request.url}\n${get('accept')}\n${get('content-type')}\n${get('a2a-version')}\n${get('a2a-extensions')}\n${get('authorization')}\n${get('origin')}\n${get('cf-ray')}`;
  // Each header costs a call; these mean nothing in a POST.
  if (request.method === 'POST' && !passesOn) return always;
  const head = `${always}\n${get('if-none-match')}\n${get('if-modified-since')}\n${get('access-control-request-method')}`;
  return passesOn ? `${head}\n${allOf(headers)}` : head;
}

function allOf(headers) {
  const lines = [];
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  return lines.join('\n');
}

// Bodies that are no text, as src/worker/frame.rs numbers them.
const TOO_LARGE = 1;
const NOT_UTF8 = 2;

const BYTE_ORDER_MARK = '\uFEFF';
const REPLACEMENT = '\uFFFD';

// The text of a body of so many bytes, or why there is none. `text()` is the cheapest way to read a body by far, but it
// replaces what is not UTF-8 and drops a byte-order mark, both of which the length tells.
function checked(text, length) {
  // As many UTF-16 units as bytes: ASCII, unless a byte was replaced.
  if (text.length === length && !text.includes(REPLACEMENT)) return text;
  const missing = length - new TextEncoder().encode(text).length;
  if (missing === 0) return text;
  return missing === 3 && !text.includes(REPLACEMENT) ? BYTE_ORDER_MARK + text : NOT_UTF8;
}

// No body, one that is announced to be too long, or one of unknown length.
async function unusual(stream, announced) {
  if (stream === null) return '';
  if (announced === null) return readPieces(stream);
  await discardRest(stream.getReader());
  return TOO_LARGE;
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

function newKey() {
  return (nextKey = (nextKey + 1) >>> 0);
}

function begin(key, ctx) {
  const work = { ctx, wake: undefined, end: undefined };
  going.set(key, work);
  return work;
}

// The first try may be followed by a second, the second by none.
function attempt(request, mayRepeat) {
  const key = newKey();
  let answer;
  current = key;
  context = request.ctx;
  idempotent = true;
  try {
    if (isDead) revive();
    answer = call(glue.answer, request, key);
  } catch (error) {
    if (isTrap(error)) instanceDied(key, error);
    return failed(request, '');
  }
  return answer === undefined ? pending(request, key, mayRepeat && idempotent) : respond(answer, request, key);
}

function call(answer, { head, body }, key) {
  return typeof body === 'string' ? answer(key, head, body, 0) : answer(key, head, '', body);
}

// Waits for the agent's work, or for the instance to die over this request or another.
async function pending(request, key, mayRepeat) {
  const answer = await next(key, begin(key, request.ctx));
  going.delete(key);
  if (typeof answer === 'string') return respond(answer, request, key);
  if (answer === BYSTANDER) return mayRepeat ? attempt(request, false) : failed(request, 'INSTANCE_RESET');
  return failed(request, '');
}

// Takes work further until there is an item (a string, or null after the last), or it has ended without one.
async function next(key, work) {
  for (;;) {
    // Before the work goes on, or a wake-up in its course would be lost.
    const { promise, resolve } = Promise.withResolvers();
    work.wake = resolve;
    const item = work.end ?? poll(key, work);
    if (item !== undefined) return item;
    // workerd gives a request up as hung when no I/O of its own is pending, and to be woken by another request is none.
    const alive = setTimeout(() => {
      work.end = CULPRIT;
      resolve();
    }, LONGEST_WAIT_MS);
    await promise;
    clearTimeout(alive);
  }
}

// When work that nothing has woken is given up.
const LONGEST_WAIT_MS = 15 * 60 * 1000;

function poll(key, work) {
  current = key;
  context = work.ctx;
  try {
    return glue.poll(key);
  } catch (error) {
    if (isTrap(error)) instanceDied(key, error);
    return CULPRIT;
  }
}

// A trap is told from a panic, which unwinds and leaves the instance sound, by the kind of error.
function isTrap(error) {
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
}

// For work that is no request's: whose error this was is told there. Only a trap ends the instance.
export function instanceLost(error) {
  if (isTrap(error)) instanceDied(0, error);
}

// The generated wrappers re-create a dead instance, but only after they have copied their arguments into the old one's
// memory, so this one without arguments comes first.
function revive() {
  glue.wake();
  isDead = false;
}

// What ended an instance: V8's word for the trap. A RangeError is one when the stack has overflowed.
function causeOf(error) {
  if (error instanceof WebAssembly.RuntimeError) return error.message;
  return error instanceof RangeError ? 'stack overflow' : 'unknown';
}

function instanceDied(culprit, error) {
  isDead = true;
  // Rust can log nothing any more. What becomes of each request is logged with its answer.
  console.error(JSON.stringify({ level: 'error', event: 'instance_died', cause: causeOf(error) }));
  const victims = [...going];
  going.clear();
  for (const [key, work] of victims) {
    work.end = key === culprit ? CULPRIT : BYSTANDER;
    work.wake?.();
  }
}

const WORST = '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}';

// The fresh instance words the error. If even that traps, this module does, without an id.
function failed(request, reason) {
  const answer = worded(request, reason, false);
  return answer === undefined ? new Response(WORST, { headers: { 'Content-Type': 'application/json' } }) : respond(answer);
}

function worded({ head, body }, reason, asEvent) {
  try {
    revive();
    return typeof body === 'string' ? glue.fail(head, body, 0, reason, asEvent) : glue.fail(head, '', body, reason, asEvent);
  } catch {
    return undefined;
  }
}

const encoder = new TextEncoder();

const streams = new Map(); // key -> what is known of a response that is being streamed

// When a stream that nobody takes a piece of is given up. A live one gives a sign of life every fifteen seconds
// (KEEP_ALIVE in src/agent/events.rs).
const SILENCE_MS = 30_000;
const SWEEP_MS = 5_000;
let swept = 0;

// Not every caller who leaves is noticed: if it was just when the head of the answer was sent, workerd ends the request
// without another word to it, and nothing goes on there any more. So other requests look after what is left.
function sweep(ctx) {
  const now = Date.now();
  if (now - swept < SWEEP_MS || isDead) return;
  swept = now;
  for (const [key, stream] of streams) {
    if (now - stream.taken < SILENCE_MS) continue;
    stream.work.end = CULPRIT;
    leave(key, ctx);
  }
}

// Stops the work of a stream, and does what is left of it in the background of a request.
function leave(key, ctx) {
  streams.delete(key);
  going.delete(key);
  current = key;
  context = ctx;
  try {
    glue.leave(key);
  } catch (error) {
    if (isTrap(error)) instanceDied(key, error);
  }
}

// The body of a response whose pieces the work of this key makes, each when it is asked for.
function streamOf(key, request) {
  const work = begin(key, request.ctx);
  const stream = { work, taken: Date.now() };
  streams.set(key, stream);
  let closed;
  // Keeps the request alive when its caller has left, until the work has been stopped in an orderly way.
  request.ctx?.waitUntil(new Promise((resolve) => (closed = resolve)));
  const pull = async (controller) => {
    stream.taken = Date.now();
    const piece = await next(key, work);
    if (piece === LEFT) return;
    if (typeof piece === 'string') {
      controller.enqueue(encoder.encode(piece));
      return;
    }
    if (piece === CULPRIT || piece === BYSTANDER) {
      const reason = piece === BYSTANDER ? 'INSTANCE_RESET' : '';
      controller.enqueue(encoder.encode(worded(request, reason, true) ?? `event: error\ndata: ${WORST}\n\n`));
    }
    streams.delete(key);
    going.delete(key);
    controller.close();
    closed();
  };
  const cancel = () => {
    if (!streams.has(key)) return;
    work.end = LEFT;
    leave(key, request.ctx);
    work.wake?.();
    closed();
  };
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}

// A Response made with headers that exist already is cheaper than one that makes its own.
const inits = new Map();
const MAX_INITS = 64;
const plain = initOf('200\nContent-Type: application/json');

// Reads what `frame` in src/worker/frame.rs wrote.
function respond(frame, request, key) {
  if (frame[0] === '{') return new Response(frame, plain);
  const end = frame.indexOf('\n\n');
  const head = frame.slice(0, end);
  let init = inits.get(head);
  if (init === undefined) {
    if (inits.size === MAX_INITS) inits.clear();
    init = initOf(head);
    inits.set(head, init);
  }
  if (init.isStream) return new Response(streamOf(key, request), init);
  return new Response(frame.length === end + 2 ? null : frame.slice(end + 2), init);
}

function initOf(head) {
  const [status, ...lines] = head.split('\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(': ');
    return [line.slice(0, colon), line.slice(colon + 2)];
  });
  return { status: Number(status), headers: new Headers(headers), isStream: head.includes('\nContent-Type: text/event-stream') };
}
