// What every error must look like on the wire, whichever error it is (specification 9.5 and 11.6).
import assert from 'node:assert/strict';
import { A2A_TYPE, JSON_TYPE, PROBLEM_TYPE, rawIdOf } from './wire.mjs';

export const A2A_DOMAIN = 'a2a-protocol.org';
/** Of errors that neither A2A nor JSON-RPC defines. */
export const EDGE_DOMAIN = 'a2a-edge';

export const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';
export const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest';
export const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo';

/** The names of google.rpc.Code. */
const GRPC_STATUSES = new Set([
  'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS', 'PERMISSION_DENIED', 'UNAUTHENTICATED',
  'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS',
]);

const keys = (value) => Object.keys(value).sort();

/** Exactly these keys, in any order. */
export function assertKeys(value, expected, what) {
  assert.deepEqual(keys(value), [...expected].sort(), `keys of ${what}`);
}

/** A text that is the same, or that matches, or, where nothing is expected of it, that says anything at all. */
function assertText(actual, expected, what) {
  assert.equal(typeof actual, 'string', what);
  if (expected instanceof RegExp) assert.match(actual, expected, what);
  else if (expected === undefined) assert.notEqual(actual.trim(), '', what);
  else assert.equal(actual, expected, what);
}

function assertErrorInfo(details, expected) {
  assert.ok(Array.isArray(details), 'details are an array');
  for (const detail of details) assert.equal(typeof detail['@type'], 'string', 'every detail has an @type');
  const infos = details.filter((detail) => detail['@type'] === ERROR_INFO);
  assert.equal(infos.length, 1, 'exactly one ErrorInfo');
  const [info] = infos;
  assertKeys(info, ['@type', 'reason', 'domain', ...(expected.metadata ? ['metadata'] : [])], 'ErrorInfo');
  assertText(info.reason, expected.reason, 'reason');
  assert.equal(info.domain, expected.domain ?? A2A_DOMAIN, 'domain');
  if (expected.metadata) {
    assertKeys(info.metadata, keys(expected.metadata), 'metadata');
    for (const [key, value] of Object.entries(expected.metadata)) assertText(info.metadata[key], value, `metadata.${key}`);
  }
}

function assertBadRequest(details, violations) {
  const found = details.filter((detail) => detail['@type'] === BAD_REQUEST);
  if (violations === undefined) return;
  assert.equal(found.length, 1, 'one BadRequest');
  assertKeys(found[0], ['@type', 'fieldViolations'], 'BadRequest');
  for (const violation of found[0].fieldViolations) {
    assertKeys(violation, ['field', 'description'], 'a field violation');
    assertText(violation.description, undefined, `description of ${violation.field}`);
  }
  assert.deepEqual(found[0].fieldViolations.map(({ field }) => field).sort(), [...violations].sort(), 'fields at fault');
}

function assertRetryInfo(details, expected) {
  const found = details.filter((detail) => detail['@type'] === RETRY_INFO);
  assert.equal(found.length, expected ? 1 : 0, 'RetryInfo exactly where a retry makes sense');
  if (!expected) return;
  assertKeys(found[0], ['@type', 'retryDelay'], 'RetryInfo');
  assert.match(found[0].retryDelay, /^\d+(\.\d{3}|\.\d{6}|\.\d{9})?s$/, 'a ProtoJSON duration');
}

function assertDetails(details, expected) {
  assertErrorInfo(details, expected);
  assertBadRequest(details, expected.violations);
  assertRetryInfo(details, expected.retry);
}

function assertHeaders(answer, expected) {
  for (const [name, value] of Object.entries(expected.headers ?? {})) assertText(answer.headers.get(name), value, `header ${name}`);
}

/**
 * A JSON-RPC error, over HTTP 200 whatever it is, with the id to the letter.
 *
 * @param {{ code: number, message?: string|RegExp, reason: string|RegExp, domain?: string, metadata?: object, violations?: string[],
 *   retry?: boolean, headers?: object }} expected
 */
export function assertRpcError(answer, rawId, expected) {
  assert.equal(answer.status, 200, `HTTP status: ${answer.text}`);
  assert.equal(answer.contentType, JSON_TYPE);
  assertRpcErrorObject(answer.json, expected);
  assert.equal(rawIdOf(answer.text), rawId, 'id to the letter');
  assertHeaders(answer, expected);
}

/** The same for one member of a batch's answer, without its id. */
export function assertRpcErrorObject(envelope, expected) {
  assertKeys(envelope, ['jsonrpc', 'id', 'error'], 'the envelope');
  assert.equal(envelope.jsonrpc, '2.0');
  const { error } = envelope;
  assertKeys(error, ['code', 'message', 'data'], 'the error object');
  assert.equal(error.code, expected.code, `code: ${JSON.stringify(error)}`);
  assertText(error.message, expected.message, 'message');
  assertDetails(error.data, expected);
}

/** The body that the Ruby library sends. */
function assertProblem(body, expected) {
  assert.equal(body.type, 'error');
  assertText(body.title, expected.message, 'title');
  assert.equal(body.status, expected.http);
  assertDetails(body.detail, expected);
}

/** `google.rpc.Status` of specification 11.6. */
function assertStatus(body, expected) {
  assertKeys(body.error, ['code', 'status', 'message', 'details'], 'error');
  assert.equal(body.error.code, expected.http);
  assert.ok(GRPC_STATUSES.has(body.error.status), body.error.status);
  if (expected.grpc) assert.equal(body.error.status, expected.grpc);
  assertText(body.error.message, expected.message, 'message');
  assertDetails(body.error.details, expected);
}

const PROBLEM_KEYS = ['type', 'title', 'status', 'detail'];
const FORMS = {
  both: { type: PROBLEM_TYPE, keys: [...PROBLEM_KEYS, 'error'], checks: [assertProblem, assertStatus] },
  problem: { type: PROBLEM_TYPE, keys: PROBLEM_KEYS, checks: [assertProblem] },
  status: { type: A2A_TYPE, keys: ['error'], checks: [assertStatus] },
};

/**
 * An error of the HTTP+JSON binding in one of its forms.
 *
 * @param {{ http: number, grpc?: string }} expected and all that `assertRpcError` takes
 * @param {'both'|'problem'|'status'} form
 * @param {string} [type] media type, where it is not the usual one of the form
 */
export function assertRestError(answer, expected, form = 'both', type = FORMS[form].type) {
  assert.equal(answer.status, expected.http, `HTTP status: ${answer.text}`);
  assert.equal(answer.contentType, type);
  assertKeys(answer.json, FORMS[form].keys, 'the body');
  for (const check of FORMS[form].checks) check(answer.json, expected);
  assertHeaders(answer, expected);
}

/** The ErrorInfo of an answer of either binding. */
export function errorInfo(answer) {
  const { json } = answer;
  const details = json?.error?.data ?? json?.error?.details ?? json?.detail ?? [];
  return details.find((detail) => detail['@type'] === ERROR_INFO);
}
