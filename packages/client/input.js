// What a developer gives, made fit for the module: data crosses as JSON, and numbers, functions and texts that JSON would
// change or drop are refused.
import { ValidationError } from './errors.js';

/** Half of a pair of surrogates, which no UTF-8 can hold. */
const HALF = /\p{Surrogate}/u;

export function object(name, value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError(`${name} must be an object`);
  return value;
}

function callable(name, value) {
  if (typeof value !== 'function') throw new TypeError(`${name} must be a function`);
  return value;
}

/** JSON of settings. `JSON.stringify` would make null of NaN, and nothing of a function. */
export function settings(name, value) {
  const json = JSON.stringify(value, (key, inner) => {
    if (!fits(inner)) throw new TypeError(key ? `${name} has a member "${key}" that JSON cannot hold` : `${name} must be an object`);
    return inner;
  });
  return json ?? 'null';
}

/** JSON of the params of a call. */
export function paramsJson(params) {
  const json = JSON.stringify(params) ?? 'null';
  const path = unfitIn(params, '');
  if (path === undefined) return json;
  const violation = { field: path || 'params', description: 'Must be what JSON in UTF-8 can hold' };
  throw new ValidationError({
    message: `Invalid parameters: ${violation.field} ${violation.description}`,
    kind: 'InvalidParams',
    code: -32602,
    metadata: {},
    details: [],
    fieldViolations: [violation],
    retryable: false,
    notSent: true,
    cause: 'invalid-request',
  });
}

/** Whether `JSON.stringify` writes the value as it is: not as null, not as nothing, and not with half a character. */
function fits(value) {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'string') return !HALF.test(value);
  return !/function|symbol|bigint/.test(typeof value);
}

/** The path of the first value, or name of a member, that does not fit. */
function unfitIn(value, path) {
  if (!fits(value)) return path;
  if (typeof value?.toJSON === 'function') return unfitIn(value.toJSON(), path);
  if (typeof value !== 'object') return undefined; // texts have entries, too
  for (const [key, inner] of Object.entries(value ?? {})) {
    const at = Array.isArray(value) ? `${path}[${key}]` : path ? `${path}.${key}` : key;
    const found = fits(key) ? unfitIn(inner, at) : path;
    if (found !== undefined) return found;
  }
}

/** The signals of a call: one, or none. */
export function signals(options) {
  const { signal, ...others } = object('options', options ?? {});
  for (const name of Object.keys(others)) throw new TypeError(`options has no member "${name}"`);
  if (signal === undefined || signal === null) return [];
  if (!(signal instanceof AbortSignal)) throw new TypeError('options.signal must be an AbortSignal');
  return [signal];
}

/** The options of a client apart: its functions, and its data as JSON. `read` makes a note of what the module tells. */
export function split(options, read) {
  const { fetch: send, onNote, headers, ...data } = object('options', options ?? {});
  const tell = onNote === undefined || onNote === null ? undefined : callable('options.onNote', onNote);
  // Headers, a Map, or an array of pairs.
  const plain = typeof headers === 'object' && headers?.[Symbol.iterator] ? Object.fromEntries(headers) : headers;
  return {
    send: callable('options.fetch', send ?? ((...args) => globalThis.fetch(...args))),
    tell: tell && ((note) => tell(read(JSON.parse(note)))),
    data: settings('options', { ...data, headers: plain }),
  };
}
