// The error classes. What each member means is in index.d.ts.

/** Any failure of a call, but for one that its caller gave up (AbortError) or got wrong in code (TypeError). */
export class A2aError extends Error {
  constructor(told) {
    super(told.message, told.because ? { cause: new Error(told.because) } : undefined);
    const { kind, code, httpStatus, reason, domain, metadata, details, data, fieldViolations, retryable, notSent, retryAfterMs, challenge, cause } = told;
    const optional = { httpStatus, reason, domain, data, retryAfterMs, challenge };
    for (const name of Object.keys(optional)) optional[name] ??= undefined; // JSON has null only
    Object.assign(this, { kind, code, ...optional, metadata, details, fieldViolations, retryable, notSent, origin: cause });
  }

  /** What an Error has is not enumerable, so JSON would lack it. */
  toJSON() {
    return { name: this.name, message: this.message, ...this };
  }
}

/** The agent reported an error over JSON-RPC, or its answer breaks the rules of the binding. */
export class JsonRpcError extends A2aError {}

/** The agent reported an error over HTTP+JSON, or its answer breaks the rules of the binding. */
export class RestError extends A2aError {}

/** The request breaks the schema of its operation, or a URL is none. Nothing was sent. */
export class ValidationError extends A2aError {}

/** There is no answer, or not all of one. */
export class TransportError extends A2aError {}

/** A task that the agent could not or would not finish: an answer, and no error of the call. */
export class TaskFailedError extends Error {
  constructor(task) {
    const text = (task.status.message?.parts ?? []).map((part) => part.text ?? '').join('');
    super(text || `task ${task.id} ${isRejected(task) ? 'was rejected' : 'failed'}`);
    this.task = task;
  }
}

const isRejected = (task) => task.status.state === 'TASK_STATE_REJECTED';

/** Whether the agent failed at the task, or rejected it. */
export const failed = (task) => task.status.state === 'TASK_STATE_FAILED' || isRejected(task);

const CLASSES = { JsonRpcError, RestError, ValidationError, TransportError };

// Not by the constructors' own names, which a bundler may have made shorter.
for (const [name, { prototype }] of Object.entries({ A2aError, ...CLASSES, TaskFailedError })) {
  Object.defineProperty(prototype, 'name', { value: name, writable: true, configurable: true });
}

/** The error that the module told of in JSON. Anything else is passed through: it is a fault of this package. */
export function errorFrom(thrown, signal) {
  if (typeof thrown !== 'string') return thrown;
  const told = JSON.parse(thrown);
  if (told.name === 'AbortError') return signal ? signal.reason : new DOMException(told.message, 'AbortError');
  if (told.name === 'TypeError') return new TypeError(told.message);
  return new CLASSES[told.name](told);
}
