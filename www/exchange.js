// A request that is being looked at, and what comes of it.
import { client } from './module.js';
import { buildRequest } from './request.js';
import { PAGE_ORIGIN, idOf, networkFetch, pageFetch, playedFetch, thread } from './targets.js';

/** Longest body that is shown, in characters. */
const MAX_SHOWN = 200_000;
/** How long an answer may take before the page gives it up. */
const TIMEOUT_MS = 30_000;

/** Where the agent is, for this state. */
export function originOf({ target, url }) {
  if (target === 'page') return PAGE_ORIGIN;
  if (target === 'worker') return location.origin;
  return URL.canParse(url) ? new URL(url).href.replace(/\/+$/, '') : undefined;
}

/** What is asked over JSON-RPC; of a URL of somebody's own, that URL itself. */
export const endpointOf = (state) => {
  const origin = originOf(state) ?? PAGE_ORIGIN;
  return { url: state.binding === 'JSONRPC' && state.target !== 'url' ? `${origin}/rpc` : origin, binding: state.binding };
};

/** The request of a case, as text to be edited. */
export function draft(one, state) {
  const endpoint = endpointOf(state);
  const built = buildRequest(endpoint, one.operation, one.params);
  const overrides = one[state.binding] ?? {};
  const headers = new Map(built.headers);
  if (state.accept === '') headers.delete('Accept');
  else if (state.accept !== 'client') headers.set('Accept', state.accept);
  for (const [name, value] of Object.entries(one.headers ?? {})) {
    if (value === null) headers.delete(name);
    else if (name !== 'Content-Type' || built.body !== undefined) headers.set(name, value);
  }
  const body = overrides.body ?? built.body ?? '';
  if (body === '') headers.delete('Content-Type');
  return {
    method: overrides.method ?? built.method,
    path: overrides.path ?? built.url.slice(new URL(endpoint.url).origin.length),
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

/** The request of a text, whole. */
export function requestOf(text, state) {
  const base = new URL(endpointOf(state).url).origin;
  return { method: text.method, url: base + (text.path.startsWith('/') ? text.path : `/${text.path}`), headers: headerPairs(text.headers), body: text.body };
}

export function fetchOf(one, state) {
  if (one.played) return playedFetch(one.played[state.binding] ?? one.played);
  if (state.target === 'page') return pageFetch({ vars: one.vars, script: one.script });
  return networkFetch;
}

/** Sends the text, with TASK_ID filled in; gives the request as sent and all that came. `onHead` is told when the head is there. */
export async function send(one, state, text, onPiece) {
  const fetchFunction = fetchOf(one, state);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const replaced = needsTask(text) ? fill(text, await makeTask(one, state, fetchFunction, signal)) : text;
  const request = requestOf(replaced, state);
  const started = performance.now();
  const isBodyless = request.method === 'GET' || request.method === 'HEAD';
  try {
    const response = await fetchFunction(request.url, { method: request.method, headers: request.headers, ...(isBodyless || request.body === '' ? {} : { body: request.body }), signal });
    const head = { status: response.status, headers: [...response.headers] };
    const body = await readText(response, (soFar) => onPiece?.({ ...head, body: soFar }));
    const ms = performance.now() - started;
    return { request, response: { ...head, body, ms }, log: state.target === 'page' && !one.played ? thread.log : [] };
  } catch (error) {
    return { request, fault: error.fault ?? (error.name === 'TimeoutError' ? 'timed-out' : 'no-answer'), message: error.message, ms: performance.now() - started, log: [] };
  }
}

async function readText(response, onPiece) {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  let text = '';
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    text += decoder.decode(value, { stream: !done });
    if (text.length > MAX_SHOWN) {
      await reader.cancel();
      return `${text.slice(0, MAX_SHOWN)}…`;
    }
    if (done) return text;
    onPiece(text);
  }
}

const needsTask = (text) => `${text.path}${text.body}`.includes('TASK_ID');
const fill = (text, id) => ({ ...text, path: text.path.replaceAll('TASK_ID', encodeURIComponent(id)), body: text.body.replaceAll('TASK_ID', id) });

const SOME_TASK = 'task-123';

/** Has the target make a task, for cases that need one. Where none comes of it, the request itself shows why. */
async function makeTask(one, state, fetchFunction, signal) {
  const params = { message: { messageId: 'm-0', role: 'ROLE_USER', parts: [{ text: one.before ?? 'hello' }] } };
  const { method, url, headers, body } = buildRequest(endpointOf(state), 'SendMessage', params);
  const own = headerPairs(`Authorization: ${one.headers?.Authorization ?? ''}`).filter(([, value]) => value);
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
  const { decode, decodeFault } = await client;
  if (fault) return decodeFault(state.binding, fault);
  const operation = state.binding === 'JSONRPC' ? (methodOf(request.body) ?? one.operation) : one.operation;
  const id = idOf(request.body);
  return decode({ binding: state.binding, operation, id, status: response.status, headers: response.headers, body: response.body });
}

/** The operation and params of a request, if it is one that the client could send. */
export function callOf(one, state, request) {
  if (state.binding === 'HTTP+JSON') return one['HTTP+JSON'] || state.edited ? {} : { operation: one.operation, params: one.params };
  try {
    const { jsonrpc, method, params } = JSON.parse(request.body);
    return jsonrpc === '2.0' && OPERATIONS.test(method) ? { operation: method, params } : {};
  } catch {
    return {};
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
