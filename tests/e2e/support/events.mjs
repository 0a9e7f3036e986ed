// Reads event streams (WHATWG HTML, 9.2) the way the tests need it: frame by frame, every frame looked at.
import assert from 'node:assert/strict';
import { A2A_TYPE, JSON_TYPE } from './wire.mjs';

/** The frame's event name and data, parsed; `undefined` for a comment. */
function parseFrame(frame) {
  const lines = frame.split('\n').filter((line) => !line.startsWith(':'));
  if (lines.every((line) => line === '')) return undefined;
  const field = (name) => lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
  return { event: field('event')[0], data: JSON.parse(field('data').join('\n')) };
}

/** The frames of a response that must be an event stream, as they come. */
export async function* frames(response) {
  assert.equal(response.headers.get('content-type'), 'text/event-stream', response.status === 200 ? await peek(response) : String(response.status));
  assert.equal(response.status, 200);
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    rest += chunk;
    for (let end; (end = rest.indexOf('\n\n')) >= 0; rest = rest.slice(end + 2)) {
      const frame = parseFrame(rest.slice(0, end));
      if (frame) yield frame;
    }
  }
  assert.equal(rest, '', 'a stream ends with a whole frame');
}

const peek = (response) => (response.headers.get('content-type') === 'text/event-stream' ? 'a stream' : response.clone().text());

/** Opens a stream on JSON-RPC. */
export function openRpc(worker, method, params, { rawId = '1', headers, signal } = {}) {
  const body = `{"jsonrpc":"2.0","id":${rawId},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`;
  return worker.fetch('/rpc', { method: 'POST', headers: { 'Content-Type': JSON_TYPE, 'A2A-Version': '1.0', Accept: 'text/event-stream', ...headers }, body, signal });
}

/** Opens a stream on HTTP+JSON. */
export function openRest(worker, path, body = {}, { headers, signal, method = 'POST' } = {}) {
  const content = method === 'GET' ? {} : { body: JSON.stringify(body), type: A2A_TYPE };
  return worker.fetch(path, { method, headers: { ...(content.type && { 'Content-Type': content.type }), 'A2A-Version': '1.0', ...headers }, body: content.body, signal });
}

/** What is left of an iterator. */
export async function collect(iterable) {
  const items = [];
  for await (const item of iterable) items.push(item);
  return items;
}

/** All frames of a stream, to its end. */
export const all = (response) => collect(frames(response));

/** What an event tells, shortly: its kind and the state. */
export function outline({ event, data }) {
  const payload = data.jsonrpc ? data.result ?? { error: data.error } : data;
  const [kind] = Object.keys(payload);
  const state = payload[kind]?.status?.state?.replace('TASK_STATE_', '');
  return `${event === 'error' ? '!' : ''}${kind}${state ? ` ${state}` : ''}`;
}

/** The payloads of the frames without what their binding puts around them. */
export const payloads = (list) => list.map(({ data }) => (data.jsonrpc ? data.result : data));
