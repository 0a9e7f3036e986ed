// An origin that fails as it is told, request by request: the fault is named by the task that is asked for
// (`fault-<name>-<n>`), or by the text of the message. Speaks both bindings, and answers well where no fault is named.
import http from 'node:http';
import net from 'node:net';
import { FAULTS } from './faults.mjs';

export const CARD_PATH = '/.well-known/agent-card.json';
const NAMED = /fault-([a-z0-9-]+?)(?:-\d+)?$/;

export const STATES = { working: 'TASK_STATE_WORKING', completed: 'TASK_STATE_COMPLETED' };

/** A task as the origin has it: its id says in which state it is. */
export function taskOf(id) {
  const state = id.startsWith('done') ? STATES.completed : STATES.working;
  return { id, contextId: 'ctx', status: { state, timestamp: '2026-01-01T00:00:00Z' } };
}

export function cardOf(url, more = {}) {
  return {
    name: 'Faulty', description: 'Fails as it is told.', version: '1.0.0',
    supportedInterfaces: [
      { url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${url}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    ],
    capabilities: { streaming: true, pushNotifications: false },
    defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
    skills: [{ id: 'fail', name: 'Fail', description: 'Fails.', tags: ['test'] }],
    ...more,
  };
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** What is asked for, in either binding. */
function callOf(request, body) {
  if (request.url.startsWith('/rpc')) {
    const { id, method, params } = JSON.parse(body);
    return { binding: 'jsonrpc', id, operation: method, params };
  }
  // The tenant, if there is one, comes first.
  const path = new URL(request.url, 'http://origin').pathname.replace(/^\/rest(\/acme)?/, '');
  const params = body === '' ? {} : JSON.parse(body);
  const fixed = { '/message:send': 'SendMessage', '/message:stream': 'SendStreamingMessage', '/tasks': 'ListTasks', '/extendedAgentCard': 'GetExtendedAgentCard' };
  const config = path.match(/^\/tasks\/[^/:]+\/pushNotificationConfigs(\/.+)?$/);
  const onConfig = { POST: 'Create', GET: config?.[1] ? 'Get' : 'List', DELETE: 'Delete' };
  if (config) return { binding: 'rest', operation: `${onConfig[request.method]}TaskPushNotificationConfig${onConfig[request.method] === 'List' ? 's' : ''}`, params };
  const task = path.match(/^\/tasks\/([^/:]+)(:\w+)?$/);
  if (task) params.id = decodeURIComponent(task[1]);
  const operations = { ':cancel': 'CancelTask', ':subscribe': 'SubscribeToTask' };
  const operation = task ? operations[task[2]] ?? 'GetTask' : fixed[path];
  return { binding: 'rest', operation, params };
}

const textOf = ({ params }) => params.message?.parts?.[0]?.text ?? params.id ?? '';

const isStream = ({ operation }) => operation === 'SendStreamingMessage' || operation === 'SubscribeToTask';

/** Answers with a result, whatever it is. */
function respond(response, call, result) {
  const { binding, id } = call;
  const body = JSON.stringify(binding === 'jsonrpc' ? { jsonrpc: '2.0', id, result } : result);
  response.writeHead(200, { 'Content-Type': isStream(call) ? 'text/event-stream' : 'application/json' });
  response.end(isStream(call) ? `data: ${body}\n\n` : body);
}

function succeed(response, call) {
  const { binding, id, operation } = call;
  const wrap = (result) => JSON.stringify(binding === 'jsonrpc' ? { jsonrpc: '2.0', id, result } : result);
  const text = textOf(call);
  if (isStream(call)) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const status = (state) => ({ statusUpdate: { taskId: 't-stream', contextId: 'ctx', status: { state } } });
    const events = [{ task: taskOf('t-stream') }, { artifactUpdate: { taskId: 't-stream', contextId: 'ctx', artifact: { artifactId: 'a', parts: [{ text }] } } }, status(STATES.completed)];
    response.end(events.map((event) => `data: ${wrap(event)}\n\n`).join(''));
    return;
  }
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(wrap(operation === 'SendMessage' ? { task: taskOf(text.startsWith('done') ? text : `t-${text}`) } : taskOf(text)));
}

/**
 * Starts an origin on a free port.
 *
 * @param {object} [options]
 * @param {object} [options.card] members of the card that differ
 * @param {(call: object, n: number) => string | undefined} [options.choose] names the fault of a request whose text does not
 * @param {(call: object) => unknown} [options.answer] the result of every request, in the binding it came in; in a stream, the
 *   first event
 * @param {number} [options.port]
 */
export async function startOrigin({ card = {}, choose, answer, port = 0 } = {}) {
  const seen = [];
  const origin = { seen, cardHeaders: {}, cardMode: 'good', cards: 0, closed: 0 };
  const server = http.createServer({ keepAliveTimeout: 30_000 }, async (request, response) => {
    const body = await bodyOf(request).catch(() => '');
    if (request.url === CARD_PATH) return serveCard(origin, card, request, response);
    const call = callOf(request, body);
    response.on('close', () => (origin.closed += 1));
    seen.push({ at: Date.now(), method: request.method, url: request.url, headers: request.headers, body, call });
    if (answer) return respond(response, call, answer(call));
    const name = textOf(call).match(NAMED)?.[1] ?? choose?.(call, seen.length);
    if (name === undefined) return succeed(response, call);
    const fault = FAULTS[name];
    if (!fault) throw new Error(`there is no fault ${name}`);
    await fault.play({ ...call, asked: textOf(call), request, response, succeed: () => succeed(response, call), origin });
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  origin.port = server.address().port;
  origin.url = `http://127.0.0.1:${origin.port}`;
  origin.stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return origin;
}

function serveCard(origin, card, request, response) {
  origin.cards += 1;
  origin.cardRequest = request.headers;
  if (origin.cardMode === 'down') return response.socket.destroy();
  if (origin.cardMode === 'junk') return response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"name":"no card"}');
  if (origin.cardHeaders.ETag && request.headers['if-none-match'] === origin.cardHeaders.ETag) return response.writeHead(304, origin.cardHeaders).end();
  response.writeHead(200, { 'Content-Type': 'application/json', ...origin.cardHeaders });
  return response.end(JSON.stringify(cardOf(origin.url, typeof card === 'function' ? card() : card)));
}

/** A port that nobody listens on. */
export async function unusedPort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
