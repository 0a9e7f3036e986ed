// What a developer gives, made fit for the module: data crosses as JSON, and what JSON would change or drop is refused.
import { ValidationError } from './errors.js';
import { Unfit, exactJson } from './json.js';

export function object(name, value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError(`${name} must be an object`);
  return value;
}

function callable(name, value) {
  if (typeof value !== 'function') throw new TypeError(`${name} must be a function`);
  return value;
}

/** JSON of settings. */
export function settings(name, value) {
  try {
    return exactJson(value);
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    throw new TypeError(error.path ? `${name}.${error.path} must be what JSON in UTF-8 can hold` : `${name} must be an object`);
  }
}

/** JSON of the params of a call. */
export function paramsJson(params) {
  try {
    return exactJson(params);
  } catch (error) {
    throw error instanceof Unfit ? invalid({ field: error.path || 'params', description: error.message }) : error;
  }
}

function invalid(violation) {
  return new ValidationError({
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
  return {
    send: callable('options.fetch', send ?? ((...args) => globalThis.fetch(...args))),
    tell: tell && ((note) => tell(read(JSON.parse(note)))),
    data: settings('options', { ...data, headers: plainHeaders(headers) }),
  };
}

/** Headers as an object, of an object or of pairs, as Headers, a Map or an array has them. Two of a name become one, as in Headers. */
function plainHeaders(headers) {
  if (typeof headers !== 'object' || headers === null) return headers;
  const plain = Object.create(null);
  for (const pair of headers[Symbol.iterator] ? headers : Object.entries(headers)) {
    if (!Array.isArray(pair) || pair.length !== 2 || pair.some((text) => typeof text !== 'string')) {
      throw new TypeError('options.headers must be an object of strings, or pairs of them');
    }
    const [name, value] = pair;
    const known = Object.keys(plain).find((other) => other.toLowerCase() === name.toLowerCase());
    plain[known ?? name] = known === undefined ? value : `${plain[known]}, ${value}`;
  }
  return plain;
}
