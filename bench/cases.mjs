// The requests that are measured, and what the A2A 1.0.1 specification says about their answers.
const HEADERS = ['host: 127.0.0.1', 'A2A-Version: 1.0', 'content-type: application/json', 'accept: application/json', 'user-agent: a2a-edge-bench'];

/** A whole HTTP/1.1 request with this body. */
const post = (body) => `POST / HTTP/1.1\r\n${HEADERS.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const call = (method, params) => post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));

// The load generator replaces the run of # by a number, so that no message is sent twice.
const MESSAGE = { role: 'ROLE_USER', messageId: 'message-############', parts: [{ text: 'hello from the benchmark' }] };

/** `code` is the error code that is right for the case; without one, a completed task is. */
export const CASES = [
  { name: 'unknown task', code: -32001, text: call('GetTask', { id: 'no-such-task' }) },
  { name: 'malformed JSON', code: -32700, text: post('{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"no-such-task"') },
  { name: 'unknown method', code: -32601, text: call('tasks/frobnicate', { id: 'no-such-task' }) },
  { name: 'missing params', code: -32602, text: call('SendMessage', { message: { role: 'ROLE_USER', parts: [] } }) },
  { name: 'SendMessage', text: call('SendMessage', { message: MESSAGE }) },
];

const CONSTANT_CODE = -32001;

/** What is wrong with a candidate's answer to a case, or null. `tolerant` lets any error code pass for an expected error. */
export function faultOf({ code }, answers, { status, body }, tolerant) {
  if (status !== 200) return `HTTP status ${status}`;
  let json;
  try {
    json = JSON.parse(body);
  } catch {
    return `no JSON: ${body.slice(0, 80)}`;
  }
  if (answers === 'constant') return json.error?.code === CONSTANT_CODE ? null : 'not the constant answer';
  if (code !== undefined) {
    if (json.error?.code === code || (tolerant && json.error !== undefined)) return null;
    return `error code ${json.error?.code} instead of ${code}`;
  }
  const task = json.result?.task;
  if (task?.status?.state !== 'TASK_STATE_COMPLETED') return `no completed task: ${body.slice(0, 120)}`;
  return task.artifacts?.length === 1 ? null : `${task.artifacts?.length} artifacts instead of 1`;
}
