// What an origin can do wrong, and what its caller is to be told. Bodies are those met in the wild; values are invented.
import { gzipSync } from 'node:zlib';

const INFO_TYPE = 'type.googleapis.com/google.rpc.ErrorInfo';
const A2A = 'a2a-protocol.org';
const EDGE = 'a2a-edge';
export const SECRET = 'hunter2';
const LIMIT = 1 << 20;

// What the caller is told.
const JUNK = { code: -32006, http: 500, reason: 'INVALID_AGENT_RESPONSE', message: 'Invalid agent response' };
const LATE = { code: -32603, http: 504, reason: 'ORIGIN_TIMEOUT', domain: EDGE };
const AWAY = { code: -32603, http: 502, reason: 'ORIGIN_UNAVAILABLE', domain: EDGE };
const CUT = { code: -32603, http: 502, reason: 'ORIGIN_INTERRUPTED', domain: EDGE };
const INTERNAL = { code: -32603, http: 500, reason: 'INTERNAL_ERROR', message: 'Internal error' };
const gone = (message, metadata) => ({ code: -32001, http: 404, reason: 'TASK_NOT_FOUND', message, ...(metadata && { metadata }) });
const DONE = { code: -32002, http: 400, reason: 'TASK_NOT_CANCELABLE', message: 'done' };
/** An error that the protocol does not name, by its HTTP status. */
const unnamed = (http, reason, message, more = {}) => ({ code: -32000, http, reason, domain: EDGE, message, ...more });

// How it is done.
const send = (status, type, body, headers = {}) => ({ response }) => {
  response.writeHead(status, { ...(type && { 'Content-Type': type }), ...headers });
  response.end(body);
};
const info = (reason, metadata, domain = A2A) => ({ '@type': INFO_TYPE, reason, domain, ...(metadata && { metadata }) });
const envelope = (more) => (call) => send(200, 'application/json', JSON.stringify({ jsonrpc: '2.0', id: call.id, ...more(call) }))(call);
const rpcError = (error, status = 200) => (call) => send(status, 'application/json', JSON.stringify({ jsonrpc: '2.0', id: call.id, error }))(call);
const result = (value) => ({ binding, id }) => JSON.stringify(binding === 'jsonrpc' ? { jsonrpc: '2.0', id, result: value } : value);
const task = { id: 't1', status: { state: 'TASK_STATE_WORKING' } };
/** The task that was asked for. */
const good = (call) => result({ ...task, id: call.asked })(call);
/** 64 MB of spaces: JSON as far as anybody reads. */
const BOMB = gzipSync(Buffer.alloc(64 * LIMIT, ' '));

/** Answers of an operation that is answered once. `only` is the binding in which the fault exists. */
const UNARY = {
  // JSON-RPC: forms of `error.data`
  'data-array': { only: 'jsonrpc', play: rpcError({ code: -32001, message: 'gone', data: [info('TASK_NOT_FOUND', { taskId: 't9' })] }), expect: gone('gone', { taskId: 't9' }) },
  'data-info-last': { only: 'jsonrpc', play: rpcError({ code: -32001, message: 'gone', data: [7, info('TASK_NOT_FOUND', { taskId: 't9' })] }), expect: gone('gone', { taskId: 't9' }) },
  'data-object': { only: 'jsonrpc', play: rpcError({ code: -32001, message: 'gone', data: { taskId: 't9' } }), expect: gone('gone', { taskId: 't9' }) },
  'data-string': { only: 'jsonrpc', play: rpcError({ code: -32001, message: 'gone', data: 'no field named foo' }), expect: gone('gone', { data: 'no field named foo' }) },
  'data-null': { only: 'jsonrpc', play: rpcError({ code: -32001, message: 'gone', data: null }), expect: gone('gone') },
  'data-no-text': { only: 'jsonrpc', play: rpcError({ code: -32001, message: 'gone', data: [info('TASK_NOT_FOUND', { n: 3, list: [1] })] }), expect: gone('gone', { n: '3', list: '[1]' }) },
  'data-bad-request': { only: 'jsonrpc', play: rpcError({ code: -32602, message: 'bad', data: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field: 'id', description: 'odd' }] }] }),
    expect: { code: -32602, http: 400, reason: 'INVALID_PARAMS', message: 'bad', metadata: { fields: 'id' }, violations: ['id'] } },
  'data-ruby-params': { only: 'jsonrpc', play: rpcError({ code: -32602, message: 'bad', data: [info('INVALID_PARAMS', { fields: 'a, b' })] }),
    expect: { code: -32602, http: 400, reason: 'INVALID_PARAMS', message: 'bad', metadata: { fields: 'a, b' } } },
  // JSON-RPC: codes, reasons, ids, statuses
  'code-unknown': { only: 'jsonrpc', play: rpcError({ code: -31401, message: 'Not yours' }), expect: { code: -31401, http: 500, reason: /./, domain: EDGE, message: 'Not yours' } },
  'reason-alias': { only: 'jsonrpc', play: rpcError({ code: -32603, message: 'm', data: [info('UNSUPPORTED_CONTENT_TYPE')] }), expect: { code: -32005, http: 400, reason: 'CONTENT_TYPE_NOT_SUPPORTED', message: 'm' } },
  'reason-own': { only: 'jsonrpc', play: rpcError({ code: -32060, message: 'Out of credit', data: [info('NO_CREDIT', { left: '0' }, 'bank.example')] }),
    expect: { code: -32060, http: 500, reason: 'NO_CREDIT', domain: 'bank.example', message: 'Out of credit', metadata: { left: '0' } } },
  'error-id-null': { only: 'jsonrpc', play: send(200, 'application/json', '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"gone"}}'), expect: gone('gone') },
  'error-id-text': { only: 'jsonrpc', play: (call) => send(200, 'application/json', JSON.stringify({ jsonrpc: '2.0', id: String(call.id), error: { code: -32001, message: 'gone' } }))(call), expect: gone('gone') },
  'error-in-400': { only: 'jsonrpc', play: rpcError({ code: -32001, message: 'gone' }, 400), expect: gone('gone') },
  'error-in-500': { only: 'jsonrpc', play: rpcError({ code: -32002, message: 'done' }, 500), expect: DONE },
  'error-without-id': { only: 'jsonrpc', play: send(200, 'application/json', '{"error":{"code":-32001,"message":"gone"}}'), expect: gone('gone') },
  'error-of-another': { only: 'jsonrpc', play: send(200, 'application/json', '{"jsonrpc":"2.0","id":"another","error":{"code":-32001,"message":"gone"}}'), expect: JUNK, log: /id of the answer/ },
  'code-as-text': { only: 'jsonrpc', play: rpcError({ code: '-32001', message: 'gone' }), expect: gone('gone') },
  'status-object-on-rpc': { only: 'jsonrpc', play: send(404, 'application/json', JSON.stringify({ error: { code: 404, status: 'NOT_FOUND', message: 'x', details: [info('TASK_NOT_FOUND', { taskId: 't9' })] } })), expect: gone('x', { taskId: 't9' }) },
  'no-such-endpoint': { only: 'jsonrpc', play: send(404, 'application/json', '{"detail":"Not Found"}'), expect: { code: -32601, http: 404, reason: 'METHOD_NOT_FOUND', message: 'Not Found' } },
  'retry-info': { only: 'jsonrpc', play: rpcError({ code: -32000, message: 'busy', data: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2s' }] }),
    expect: { code: -32000, http: 500, reason: /./, domain: EDGE, message: 'busy', retry: true, headers: { 'retry-after': '2' } } },
  'sql-in-message': { only: 'jsonrpc', play: rpcError({ code: -32603, message: `(psycopg2.errors.UndefinedTable) [SQL: SELECT secret FROM tasks] ${SECRET}` }), expect: INTERNAL },
  'credential-in-message': { only: 'jsonrpc', play: ({ request, ...call }) => rpcError({ code: -32000, message: `no such token: ${request.headers.authorization}` })(call),
    expect: { code: -32000, http: 500, reason: /./, domain: EDGE, message: 'Error' } },
  'credential-as-names': { only: 'jsonrpc', play: ({ request, ...call }) => {
    const secret = request.headers.authorization.slice('Bearer '.length);
    return rpcError({ code: -32050, message: 'm', data: [info(secret, { [secret]: 'v' }, `${secret}.example`)] })(call);
  }, expect: { code: -32050, http: 500, reason: /./, domain: EDGE, message: 'm', metadata: undefined } },
  // JSON-RPC: envelopes that are none
  'both-result-and-error': { only: 'jsonrpc', play: envelope(() => ({ result: task, error: { code: 1, message: 'm' } })), expect: JUNK, log: /both a result and an error/ },
  'neither-result-nor-error': { only: 'jsonrpc', play: envelope(() => ({})), expect: JUNK, log: /neither/ },
  'no-jsonrpc': { only: 'jsonrpc', play: (call) => send(200, 'application/json', JSON.stringify({ id: call.id, result: task }))(call), expect: JUNK, log: /jsonrpc/ },
  'wrong-id': { only: 'jsonrpc', play: send(200, 'application/json', JSON.stringify({ jsonrpc: '2.0', id: 'another', result: task })), expect: JUNK, log: /id of the answer/ },
  'a-batch': { only: 'jsonrpc', play: (call) => send(200, 'application/json', `[${good(call)}]`)(call), expect: JUNK },
  // HTTP+JSON: bodies of errors
  'status-object': { only: 'rest', play: send(404, 'application/json', JSON.stringify({ error: { code: 404, status: 'NOT_FOUND', message: 'x', details: [info('TASK_NOT_FOUND', { taskId: 't9' })] } })), expect: gone('x', { taskId: 't9' }) },
  'status-object-bare': { only: 'rest', play: send(404, 'application/a2a+json', '{"error":{"code":404,"message":"not found"}}'), expect: gone('not found') },
  'problem-type': { only: 'rest', play: send(404, 'application/problem+json', '{"type":"https://a2a-protocol.org/errors/task-not-found","title":"Task Not Found","status":404,"detail":"gone"}'), expect: gone('gone') },
  'problem-ruby': { only: 'rest', play: send(404, 'application/problem+json', JSON.stringify({ type: 'error', title: 'gone', status: 404, detail: [info('TASK_NOT_FOUND', { taskId: 't9' })] })), expect: gone('gone', { taskId: 't9' }) },
  'problem-errors': { only: 'rest', play: send(400, 'application/problem+json', '{"status":400,"detail":"bad","errors":[{"field":"id","message":"empty"}]}'),
    expect: { code: -32602, http: 400, reason: 'INVALID_PARAMS', message: 'bad', metadata: { fields: 'id' }, violations: ['id'] } },
  'flat-0-3': { only: 'rest', play: send(404, 'application/json', '{"code":-32001,"message":"gone"}'), expect: gone('gone') },
  'class-name': { only: 'rest', play: send(500, 'application/json', '{"error":"org.example.spec.TaskNotFoundError","message":"gone"}'), expect: gone('gone') },
  'flat-under-200': { only: 'rest', play: send(200, 'application/json', '{"code":-32002,"message":"done"}'), expect: DONE },
  'phrase': { only: 'rest', play: send(500, 'application/json', '{"error":"Failed to load the task"}'), expect: { ...INTERNAL, message: 'Failed to load the task' } },
  'grpc-name': { only: 'rest', play: send(503, 'application/json', '{"error":{"code":503,"status":"UNAVAILABLE","message":"busy"}}'), expect: unnamed(503, /./, 'busy') },
  'drifted-status': { only: 'rest', play: send(422, 'application/json', JSON.stringify({ error: { code: 422, message: 'm', details: [info('CONTENT_TYPE_NOT_SUPPORTED')] } })), expect: { code: -32005, http: 400, reason: 'CONTENT_TYPE_NOT_SUPPORTED', message: 'm' } },
  'fastapi-text': { only: 'rest', play: send(404, 'application/json', '{"detail":"Not Found"}'), expect: gone('Not Found') },
  'fastapi-list': { only: 'rest', play: send(422, 'application/json', '{"detail":[{"loc":["path","id"],"msg":"Too short","type":"x"}]}'),
    expect: { code: -32602, http: 400, reason: 'INVALID_PARAMS', message: 'Invalid parameters', metadata: { fields: 'id' }, violations: ['id'] } },
  'text-404': { only: 'rest', play: send(404, 'text/plain', '404 page not found\n'), expect: gone('404 page not found') },
  // Either: what stands between
  'html-502': { play: send(502, 'text/html', `<html><title>502 Bad Gateway ${SECRET}</title></html>`), expect: unnamed(502, /./, 'Bad gateway') },
  'html-413': { play: send(413, 'text/html', '<html>too large</html>'), expect: unnamed(413, /./, 'Request too large') },
  'html-500-stack': { play: send(500, 'text/html', `<pre>Error: ${SECRET}\n    at /app/server.js:3:9</pre>`), expect: INTERNAL },
  'empty-500': { play: send(500, '', ''), expect: INTERNAL },
  'empty-503': { play: send(503, '', ''), expect: unnamed(503, /./, 'Service unavailable') },
  'retry-after-1': { play: send(503, '', '', { 'Retry-After': '1' }), expect: unnamed(503, /./, 'Service unavailable', { retry: true, headers: { 'retry-after': '1' } }) },
  'retry-after-date': { play: (call) => send(503, '', '', { 'Retry-After': new Date(Date.now() + 2_000).toUTCString() })(call), expect: unnamed(503, /./, 'Service unavailable', { retry: true, headers: { 'retry-after': /^[12]$/ } }) },
  'busy-503': { play: send(503, 'application/json', '{"error":"busy"}', { 'Retry-After': '3' }), expect: unnamed(503, /./, 'busy', { retry: true, headers: { 'retry-after': '3' } }) },
  'busy-429-date': { play: (call) => send(429, 'text/plain', 'slow down', { 'Retry-After': new Date(Date.now() + 60_000).toUTCString() })(call), expect: unnamed(429, /./, 'slow down', { retry: true, headers: { 'retry-after': /^(5\d|60)$/ } }) },
  'unauthorised': { play: send(401, 'application/json', '{"message":"who are you"}', { 'WWW-Authenticate': 'Bearer realm="origin"' }), expect: unnamed(401, /./, 'who are you', { headers: { 'www-authenticate': 'Bearer realm="origin"' } }) },
  'credential-in-challenge': { play: ({ request, response }) => send(401, '', '', { 'WWW-Authenticate': `Own said="${request.headers.authorization.slice('Bearer '.length)}"` })({ response }),
    expect: unnamed(401, /./, 'Authentication required', { headers: { 'www-authenticate': 'Bearer' } }) },
  // Either: statuses that HTTP clients act on by themselves, and that are true of one connection alone
  'proxy-407': { play: send(407, '', '', { 'Proxy-Authenticate': 'Basic' }), expect: unnamed(502, /./, 'Bad gateway') },
  'misdirected-421': { play: send(421, '', ''), expect: unnamed(502, /./, 'Bad gateway') },
  'early-425': { play: send(425, '', ''), expect: unnamed(503, /./, 'Service unavailable') },
  'too-slow-408': { play: send(408, '', ''), expect: unnamed(504, /./, 'Gateway timeout') },
  'cloudflare-520': { play: send(520, 'text/html', '<html>Web server is returning an unknown error</html>'), expect: unnamed(502, /./, 'Bad gateway') },
  'cloudflare-522': { play: send(522, 'text/html', '<html>Connection timed out</html>'), expect: unnamed(504, /./, 'Gateway timeout') },
  'forbidden': { play: send(403, '', ''), expect: unnamed(403, /./, 'Permission denied') },
  // Either: successes that are none
  'html-200': { play: send(200, 'text/html', '<html>welcome</html>'), expect: JUNK, log: /not JSON/ },
  'wrong-type': { play: (call) => send(200, 'text/plain', good(call))(call), expect: JUNK, log: /content type/ },
  'half-json': { play: (call) => send(200, 'application/json', good(call).slice(0, 20))(call), expect: JUNK, log: /not JSON/ },
  'repeated-member': { play: ({ binding, id, response }) => send(200, 'application/json', binding === 'jsonrpc' ? `{"jsonrpc":"2.0","id":${id},"id":${id},"result":{}}` : '{"id":"a","id":"b"}')({ response }), expect: JUNK },
  'not-utf-8': { play: send(200, 'application/json', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])), expect: JUNK, log: /not JSON/ },
  'too-deep': { play: send(200, 'application/json', `${'['.repeat(5000)}${']'.repeat(5000)}`), expect: JUNK },
  'other-task': { play: (call) => send(200, 'application/json', result({ ...task, id: 'somebody-elses' })(call))(call), expect: JUNK, log: /another task/ },
  'no-status': { play: (call) => send(200, 'application/json', result({ id: 't1' })(call))(call), expect: JUNK, log: /schema at .*status/ },
  'unknown-state': { play: (call) => send(200, 'application/json', result({ id: 't1', status: { state: 'DONE' } })(call))(call), expect: JUNK, log: /status\.state/ },
  'null-result': { play: (call) => send(200, 'application/json', result(null)(call))(call), expect: JUNK },
  'empty-200': { play: send(200, 'application/json', ''), expect: JUNK },
  'no-content': { play: ({ response }) => response.writeHead(204).end(), expect: JUNK },
  // Either: size
  // Nothing of it need be sent for it to be refused.
  'large-announced': { play: ({ response }) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 20 * LIMIT });
    response.flushHeaders();
  }, expect: JUNK, log: /longer than 1048576/ },
  'large-in-pieces': { play: async (call) => {
    call.response.writeHead(200, { 'Content-Type': 'application/json' });
    call.response.on('error', () => {});
    for (let sent = 0; sent < 20 && !call.response.destroyed; sent += 1) {
      if (!call.response.write('x'.repeat(LIMIT))) await new Promise((resolve) => call.response.once('drain', resolve).once('close', resolve));
    }
    call.response.end();
  }, expect: JUNK, log: /longer than 1048576/ },
  'gzip-bomb': { play: (call) => send(200, 'application/json', BOMB, { 'Content-Encoding': 'gzip' })(call), expect: JUNK, log: /longer than 1048576/ },
  'bad-gzip': { play: send(200, 'application/json', Buffer.from('not gzip at all'), { 'Content-Encoding': 'gzip' }), expect: CUT },
  // Either: the connection
  'reset': { play: ({ response }) => response.socket.resetAndDestroy(), expect: AWAY },
  'closed': { play: ({ response }) => response.socket.destroy(), expect: AWAY },
  'no-http': { play: ({ response }) => response.socket.end('hello\r\n\r\n'), expect: AWAY },
  'cut-short': { play: (call) => {
    call.response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 1000 });
    call.response.write(good(call).slice(0, 20), () => call.response.socket.destroy());
  }, expect: CUT },
  'length-too-small': { play: (call) => call.response.socket.end(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\nConnection: close\r\n\r\n${good(call)}`), expect: JUNK, log: /not JSON/ },
  'hangs': { play: () => {}, expect: LATE },
  'only-headers': { play: ({ response }) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 1000 });
    response.flushHeaders();
  }, expect: LATE },
  'drips': { play: ({ response }) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(drip));
  }, expect: LATE },
  // Either: redirects
  'redirect-elsewhere': { play: send(307, '', '', { Location: 'http://127.0.0.1:1/rpc' }), expect: JUNK, log: /redirect/ },
  'redirect-loop': { play: ({ request, response }) => send(308, '', '', { Location: `${request.url}${request.url.includes('?') ? '&' : '?'}x=1` })({ response }), expect: JUNK, log: /redirect/ },
  'redirect-303': { only: 'jsonrpc', play: send(303, '', '', { Location: '/rpc' }), expect: JUNK, log: /redirect/ },
};

const event = (data, name) => `${name ? `event: ${name}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const wrapped = ({ binding, id }, payload) => (binding === 'jsonrpc' ? { jsonrpc: '2.0', id, result: payload } : payload);
const status = (state) => ({ statusUpdate: { taskId: 't1', contextId: 'c', status: { state } } });
const WORKING = status('TASK_STATE_WORKING');
const COMPLETED = status('TASK_STATE_COMPLETED');

/** Plays pieces of a stream; a function among them is called for its piece. */
const stream = (pieces, { end = (response) => response.end(), head = {} } = {}) => async (call) => {
  const { response } = call;
  response.on('error', () => {});
  response.writeHead(200, { 'Content-Type': 'text/event-stream', ...head });
  response.flushHeaders();
  for (const piece of pieces(call)) await new Promise((resolve) => response.write(piece, resolve));
  end(response, call);
};
const started = (call) => event(wrapped(call, { task: { ...task, contextId: 'c' } })) + event(wrapped(call, WORKING));
const errorEvent = (last) => stream((call) => [started(call), last(call)]);
const GONE = { code: -32001, message: 'gone' };

/**
 * Streams. `expect` is the error that the stream ends with after the two events that it begins with, `instead` the answer
 * in the place of a stream, `states` those that a good one shows.
 */
const STREAMS = {
  'stream-error-envelope': { play: errorEvent(({ id }) => event({ jsonrpc: '2.0', id, error: GONE }, 'error')), expect: gone('gone') },
  'stream-error-status': { play: errorEvent(() => event({ error: { code: 404, status: 'NOT_FOUND', message: 'gone', details: [info('TASK_NOT_FOUND')] } }, 'error')), expect: gone('gone') },
  'stream-error-unnamed': { play: errorEvent(({ id }) => event({ jsonrpc: '2.0', id, error: GONE })), expect: gone('gone') },
  'stream-error-member': { play: errorEvent(() => event({ error: GONE })), expect: gone('gone') },
  'stream-error-bare': { play: errorEvent(() => event({ code: -32603, message: 'x' })), expect: { ...INTERNAL, message: 'x' } },
  'stream-error-text': { play: errorEvent(() => event({ error: 'text' })), expect: { ...INTERNAL, message: 'text' } },
  'stream-error-secret': { play: errorEvent(() => event(`Traceback (most recent call last): ${SECRET}`, 'error')), expect: INTERNAL },
  'stream-junk': { play: errorEvent(() => event('<html>')), expect: JUNK },
  'stream-bad-event': { play: errorEvent((call) => event(wrapped(call, { statusUpdate: { taskId: 't1' } }))), expect: JUNK },
  'stream-large-event': { play: errorEvent((call) => event(wrapped(call, { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'x'.repeat(2 * LIMIT) }] } }))), expect: JUNK },
  'stream-other-task': { play: errorEvent((call) => event(wrapped(call, { statusUpdate: { taskId: 'other', contextId: 'c', status: { state: 'TASK_STATE_FAILED' } } }))), expect: JUNK },
  'stream-message-beside-task': { play: errorEvent((call) => event(wrapped(call, { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'x' }] } }))), expect: JUNK },
  'stream-without-task': { play: stream((call) => [event(wrapped(call, WORKING))]), instead: JUNK },
  'stream-comments-only': { play: stream(() => [': x\n\n'], { end: (response) => {
    const more = setInterval(() => response.write(': x\n\n'), 200);
    response.on('close', () => clearInterval(more));
  } }), instead: LATE },
  'stream-ends-early': { play: stream((call) => [started(call)]), expect: CUT },
  'stream-breaks': { play: stream((call) => [started(call)], { end: (response) => response.socket.destroy() }), expect: CUT },
  'stream-stalls': { play: stream((call) => [started(call)], { end: () => {} }), expect: LATE },
  'stream-first-is-error': { play: stream(({ id }) => [event({ jsonrpc: '2.0', id, error: GONE })]), instead: gone('gone') },
  'stream-not-begun': { play: stream(() => []), instead: CUT },
  'stream-is-json': { play: (call) => send(200, 'application/json', result({ task })(call))(call), instead: JUNK },
  'stream-is-json-error': { play: (call) => (call.binding === 'jsonrpc' ? rpcError({ code: -32004, message: 'no streams' })(call) : send(400, 'application/json', JSON.stringify({ error: { code: 400, message: 'no streams', details: [info('UNSUPPORTED_OPERATION')] } }))(call)),
    instead: { code: -32004, http: 400, reason: 'UNSUPPORTED_OPERATION', message: 'no streams' } },
  'stream-hangs': { play: () => {}, instead: LATE },
  'stream-unknown-payload': { play: stream((call) => [started(call), event(wrapped(call, { heartbeat: { n: 1 } })), event(wrapped(call, COMPLETED))]), states: ['WORKING', 'WORKING', 'COMPLETED'] },
  'stream-odd-lines': { play: stream((call) => {
    const text = `\uFEFF: hello\r\nretry: 10\r\nid: 1\r\n${started(call).replaceAll('\n', '\r')}${event(JSON.stringify(wrapped(call, COMPLETED), null, 1).replaceAll('\n', '\ndata: '))}`;
    return Array.from(Buffer.from(text), (byte) => Buffer.from([byte]));
  }), states: ['WORKING', 'WORKING', 'COMPLETED'] },
  'stream-fails-with-a-stack': { play: stream((call) => [started(call), event(wrapped(call, { statusUpdate: { taskId: 't1', contextId: 'c', status: { state: 'TASK_STATE_FAILED', message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: `File "/app/run.py", line 3: ${SECRET}` }] } } } }))]), states: ['WORKING', 'WORKING', 'FAILED'] },
  'stream-waits-for-credentials': { play: stream((call) => [started(call), event(wrapped(call, status('TASK_STATE_AUTH_REQUIRED'))), event(wrapped(call, WORKING)), event(wrapped(call, COMPLETED))]),
    states: ['WORKING', 'WORKING', 'AUTH_REQUIRED', 'WORKING', 'COMPLETED'] },
  'stream-goes-on': { play: stream((call) => [started(call), event(wrapped(call, COMPLETED)), event(wrapped(call, WORKING))], { end: () => {} }), states: ['WORKING', 'WORKING', 'COMPLETED'] },
};

/** Faults that pass unnoticed: the answer is as good as any. */
const HARMLESS = {
  'redirect-within': { play: (call) => (call.request.url.includes('again') ? call.succeed() : send(307, '', '', { Location: `${call.request.url}${call.request.url.includes('?') ? '&' : '?'}again=1` })(call)) },
  'slow': { play: (call) => setTimeout(call.succeed, 300) },
  'gzip': { play: (call) => send(200, 'application/json', gzipSync(good(call)), { 'Content-Encoding': 'gzip' })(call) },
  'no-type': { play: (call) => send(200, '', good(call))(call) },
  'charset': { play: (call) => send(200, 'Application/JSON; charset=utf-8', good(call))(call) },
  'unknown-members': { play: (call) => send(200, 'application/json', result({ ...task, id: call.asked, somethingNew: 1 })(call))(call) },
  'snake-case': { play: (call) => send(200, 'application/json', result({ id: call.asked, context_id: 'c', status: { state: 2 } })(call))(call) },
};

/** Streams that nobody sees the end of. */
const ENDLESS = {
  'stream-for-ever': { play: stream((call) => [started(call)], { end: (response, call) => {
    const more = setInterval(() => response.write(event(wrapped(call, WORKING))), 50);
    response.on('close', () => clearInterval(more));
  } }) },
};

export { HARMLESS, STREAMS, UNARY };
export const FAULTS = { ...UNARY, ...STREAMS, ...HARMLESS, ...ENDLESS };
