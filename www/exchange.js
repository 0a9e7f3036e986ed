// A request that is being looked at, and what comes of it.
import { client } from './module.js';
import { buildRequest, isStreaming } from './request.js';
import { CLIENTS_OWN } from './snippets.js';
import { PAGE_ORIGIN, idOf, networkFetch, pageFetch, playedFetch, thread } from './targets.js';

/** Most that is read of an answer, in bytes: as much as the client would. */
const MAX_BODY_BYTES = 1024 * 1024;
/** The same of a stream, of which the client limits each event. */
const MAX_STREAM_BYTES = 16 * MAX_BODY_BYTES;
/** How long an answer may take before the page gives it up. */
const TIMEOUT_MS = 30_000;

/** Where the agent is, for this state. */
export function originOf({ target, url }) {
  if (target === 'page') return PAGE_ORIGIN;
  if (target === 'worker') return location.origin;
  return agentUrl(url);
}

/** A URL as the client would take it: of HTTP, and without credentials, which would end up in logs. */
function agentUrl(text) {
  const url = URL.canParse(text) ? new URL(text) : {};
  if (!/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
  url.hash = ''; // is never sent
  return url.href;
}

/** What is asked over JSON-RPC; of a URL of somebody's own, that URL itself. */
export const endpointOf = (state) => {
  const origin = originOf(state) ?? PAGE_ORIGIN;
  return { url: state.binding === 'JSONRPC' && state.target !== 'url' ? `${origin}/rpc` : origin, binding: state.binding };
};

/** The request of a case, as text to be edited. */
export function draft(one, state) {
  const endpoint = endpointOf(state);
  const { origin, pathname, search } = new URL(endpoint.url);
  const built = buildRequest(endpoint, one.operation, one.params);
  const overrides = one[state.binding] ?? {};
  const headers = new Map(built.headers);
  const accept = state.binding === 'JSONRPC' ? '' : state.accept; // which has one form of errors
  if (accept === '') headers.delete('Accept');
  else if (accept !== 'client') headers.set('Accept', accept);
  for (const [name, value] of Object.entries(one.headers ?? {})) {
    if (value === null) headers.delete(name);
    else if (name !== 'Content-Type' || built.body !== undefined) headers.set(name, value);
  }
  const body = overrides.body ?? built.body ?? '';
  if (body === '') headers.delete('Content-Type');
  return {
    method: overrides.method ?? built.method,
    path: overrides.path ? pathname.replace(/\/+$/, '') + overrides.path + search : built.url.slice(origin.length),
    headers: [...headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
    body: pretty(body),
  };
}

/** JSON over several lines, unless it is none, or holds what JavaScript would change. */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Header lines as pairs; lines without a colon are left out. */
export const headerPairs = (text) =>
  text.split('\n').map((line) => /^([^:\s]+)\s*:\s*(.*)$/.exec(line.trim())).filter(Boolean).map(([, name, value]) => [name, value]);

/** Whether each line is a header that a browser would send. */
export function areHeaders(text) {
  const pairs = headerPairs(text);
  try {
    return Boolean(new Headers(pairs)) && pairs.length === text.split('\n').filter((line) => line.trim()).length;
  } catch {
    return false;
  }
}

/** The request of a text, whole, as a browser sends it: its address encoded, and a GET without a body. */
export function requestOf({ method, path, headers, body }, state) {
  const base = new URL(endpointOf(state).url).origin;
  const url = new URL(base + (path.startsWith('/') ? path : `/${path}`));
  url.hash = '';
  return { method, url: url.href, headers: headerPairs(headers), body: method === 'GET' ? '' : body };
}

export function fetchOf(one, state) {
  if (one.played) return playedFetch(one.played[state.binding] ?? one.played);
  if (state.target === 'page') return pageFetch({ vars: one.vars, script: one.script });
  return networkFetch;
}

/** Sends the text, with TASK_ID filled in; gives the request as sent and all that came. `onPiece` is told what is there so far. */
export async function send(one, state, text, onPiece) {
  const fetchFunction = fetchOf(one, state);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const task = needsTask(text) ? await makeTask(one, state, text, fetchFunction, signal) : undefined;
  const request = requestOf(task === undefined ? text : fill(text, task), state);
  const started = performance.now();
  let response, fault;
  try {
    const answer = await fetchFunction(request.url, { method: request.method, headers: request.headers, body: request.body || undefined, signal });
    response = { status: answer.status, headers: [...answer.headers], body: '' };
    fault = await readText(answer, response, () => onPiece(response));
  } catch (error) {
    // What came before it stays.
    fault = error.fault ?? (error.name === 'TimeoutError' ? 'timed-out' : response ? 'cut-short' : 'no-answer');
  }
  const ms = performance.now() - started;
  return { request, task, response: response && { ...response, ms }, fault, ms, log: !fault && needsModule(one, state) ? thread.log : [] };
}

/** Adds to `into.body` what comes. Gives a fault if that is too much. */
async function readText(answer, into, onPiece) {
  if (!answer.body) return undefined;
  const decoder = new TextDecoder();
  let room = isEvents(into) ? MAX_STREAM_BYTES : MAX_BODY_BYTES;
  for (const reader = answer.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    room -= done ? 0 : value.length;
    into.body += decoder.decode(room < 0 ? value.subarray(0, room) : value, { stream: !done });
    if (room < 0) {
      await reader.cancel();
      return 'too-large';
    }
    if (done) return undefined;
    onPiece();
  }
}

const isEvents = ({ headers }) => headers.some(([name, value]) => name === 'content-type' && value.startsWith('text/event-stream'));

const needsTask = (text) => `${text.path}${text.body}`.includes('TASK_ID');
const fillJson = (json, id) => json.replaceAll('TASK_ID', () => JSON.stringify(id).slice(1, -1));
const fill = (text, id) => ({ ...text, path: text.path.replaceAll('TASK_ID', () => encodeURIComponent(id)), body: fillJson(text.body, id) });

const SOME_TASK = 'task-123';

/** Has the target make a task, for cases that need one. Where none comes of it, the request itself shows why. */
async function makeTask(one, state, text, fetchFunction, signal) {
  const params = { message: { messageId: 'm-0', role: 'ROLE_USER', parts: [{ text: one.before ?? 'hello' }] } };
  const { method, url, headers, body } = buildRequest(endpointOf(state), 'SendMessage', params);
  const own = headerPairs(text.headers).filter(([name]) => /^authorization$/i.test(name));
  try {
    const response = await fetchFunction(url, { method, headers: [...headers, ...own], body, signal });
    const answer = await response.json();
    return answer?.result?.task?.id ?? answer?.task?.id ?? SOME_TASK;
  } catch {
    return SOME_TASK;
  }
}

/** Whether somebody answers who comes with the module. */
export const needsModule = (one, state) => state.target === 'page' && !one.played;

/** What the client makes of it, once there is one. */
export async function read(one, state, { request, response, fault }) {
  const { A2aClient, decode, decodeFault } = await client;
  const { binding } = state;
  if (!response) return decodeFault(binding, fault);
  const { status, headers, body } = response;
  const operation = binding === 'JSONRPC' ? (methodOf(request.body) ?? one.operation) : one.operation;
  const isStream = isStreaming(operation) && isEvents(response);
  if (fault && status < 300 && !isStream) return fault === 'too-large' ? tooLarge(A2aClient, binding, status) : decodeFault(binding, fault);
  // Of an error its status says enough, and of a stream its last event, if it is one that ends it.
  const outcome = await decode({ binding, operation, id: idOf(request.body), status, headers, body });
  return fault && outcome.error?.origin === 'transport' ? { ...outcome, ...(await decodeFault(binding, fault)) } : outcome;
}

/** What the client says of an answer that is too large, when it gets one. */
async function tooLarge(A2aClient, binding, status) {
  const fetch = async () => new Response('', { status, headers: { 'Content-Length': String(MAX_BODY_BYTES + 1) } });
  const agent = await A2aClient.at({ url: PAGE_ORIGIN, binding }, { fetch });
  return agent.getTask({ id: 'x' }).catch((error) => ({ error }));
}

/** The operation and params of a request, if the client would send it so, but for headers of one's own. */
export function callOf(one, state, request, task = 'TASK_ID') {
  const isRpc = state.binding === 'JSONRPC';
  const call = isRpc ? calledIn(request.body) : { operation: one.operation, params: JSON.parse(fillJson(JSON.stringify(one.params), task)) };
  if (!call) return undefined;
  const built = buildRequest(endpointOf(state), call.operation, call.params);
  const isSame = request.method === built.method && request.url === new URL(built.url).href && (isRpc || request.body === pretty(built.body ?? ''));
  // Whoever prefers no form of answer takes the client's.
  const fits = (name) => [valueOf(name, built.headers), name === 'accept' && ''].includes(valueOf(name, request.headers));
  return isSame && CLIENTS_OWN.every(fits) ? call : undefined;
}

const valueOf = (wanted, headers) => headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value).join();

function calledIn(body) {
  let isExact = true; // are its numbers those that JavaScript makes of them?
  try {
    const { jsonrpc, method, params } = JSON.parse(body, (_, value) => {
      if (typeof value === 'number') isExact &&= Number.isFinite(value) && (Number.isSafeInteger(value) || !Number.isInteger(value) || Math.abs(value) >= 1e21);
      return value;
    });
    return isExact && jsonrpc === '2.0' && OPERATIONS.test(method) && params !== undefined ? { operation: method, params } : undefined;
  } catch {
    return undefined;
  }
}

const OPERATIONS = /^(Send(Streaming)?Message|(Get|Cancel|SubscribeTo)Task|ListTasks|(Create|Get|Delete)TaskPushNotificationConfig|ListTaskPushNotificationConfigs|GetExtendedAgentCard)$/;

const methodOf = (body) => {
  try {
    const { method } = JSON.parse(body);
    return typeof method === 'string' ? method : undefined;
  } catch {
    return undefined;
  }
};
