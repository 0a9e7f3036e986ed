// How the tests speak A2A 1.0: one function for each binding, and every answer read whole.
import http from 'node:http';

export const JSON_TYPE = 'application/json';
export const A2A_TYPE = 'application/a2a+json';
export const PROBLEM_TYPE = 'application/problem+json';

const bytesOf = (body) => (typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body));

/** Reads JSON where there is any; `undefined` for an empty body, so that "no body" can be told from "null". */
export const parsed = (text) => (text === '' ? undefined : JSON.parse(text));

async function read(response) {
  const text = await response.text();
  const contentType = response.headers.get('content-type');
  return { status: response.status, headers: response.headers, contentType, text, json: /json/.test(contentType ?? '') ? parsed(text) : undefined };
}

/** Headers of a request: those given with the value `null` are left out, even if they are usual. */
const headersOf = (usual, given = {}) => Object.fromEntries(Object.entries({ ...usual, ...given }).filter(([, value]) => value !== null));

/** Posts a body, exactly as it is given, to the JSON-RPC endpoint. */
export async function post(worker, body, { path = '/rpc', headers } = {}) {
  const init = { method: 'POST', headers: headersOf({ 'Content-Type': JSON_TYPE, 'A2A-Version': '1.0' }, headers), body: bytesOf(body) };
  return read(await worker.fetch(path, init));
}

/** Makes one JSON-RPC call. `rawId` is the id's JSON text, for ids that JavaScript cannot hold. */
export function rpc(worker, method, params, { rawId = '1', ...options } = {}) {
  return post(worker, `{"jsonrpc":"2.0","id":${rawId},"method":${JSON.stringify(method)},"params":${JSON.stringify(params ?? {})}}`, options);
}

/** The result of a JSON-RPC call that must succeed. */
export async function result(worker, method, params, options) {
  const answer = await rpc(worker, method, params, options);
  if (answer.json?.result === undefined) throw new Error(`${method} failed: ${answer.status} ${answer.text}`);
  return answer.json.result;
}

/** Makes one request on the HTTP+JSON binding. */
export async function rest(worker, method, path, { body, headers, ...init } = {}) {
  const usual = { 'A2A-Version': '1.0', ...(body === undefined ? {} : { 'Content-Type': A2A_TYPE }) };
  const stream = body instanceof ReadableStream;
  const payload = body === undefined || stream ? body : bytesOf(body);
  return read(await worker.fetch(path, { method, headers: headersOf(usual, headers), body: payload, ...(stream ? { duplex: 'half' } : {}), ...init }));
}

/**
 * A request with these headers and no others, on a connection of its own. `fetch` cannot make it: it adds `Accept` and
 * `Content-Type`, and keeps `Host` to itself.
 */
export function bare(worker, method, path, { headers = {}, body } = {}) {
  const { hostname, port } = new URL(worker.url);
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, method, path, headers, agent: false }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const contentType = response.headers['content-type'] ?? null;
        const json = /json/.test(contentType ?? '') ? parsed(text) : undefined;
        resolve({ status: response.statusCode, headers: new Headers(response.headers), contentType, text, json });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

let messages = 0;

/** A user's message with one text part, and whatever else is given. */
export function message(text, more = {}) {
  messages += 1;
  return { messageId: `m-${messages}`, role: 'ROLE_USER', parts: [{ text }], ...more };
}

/** Sends a text over JSON-RPC and returns the task. */
export async function send(worker, text, { context, task, headers, configuration } = {}) {
  const more = { ...(context && { contextId: context }), ...(task && { taskId: task }) };
  const params = { message: message(text, more), ...(configuration && { configuration }) };
  return (await result(worker, 'SendMessage', params, { headers })).task;
}

/** The text of `"id"` in a JSON-RPC answer whose body has no other member of that name. */
export const rawIdOf = (text) => text.match(/"id":\s*("(?:[^"\\]|\\.)*"|[^,}\s]+)/)?.[1];
