// Agents that others' SDKs make, each on a port of its own.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Extensions, TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore, JsonRpcTransportHandler, UnauthenticatedUser, defaultServerCallContextBuilder, validateVersion } from '@a2a-js/sdk/server';
import { ensurePython } from '../../../scripts/lib/python.mjs';
import { root } from '../support/worker.mjs';
import { CARD_PATH, unusedPort } from './origin.mjs';

/** The agent of `tests/e2e/python/agent.py`. */
export async function startPythonAgent() {
  const [binary, port] = [await ensurePython(), await unusedPort()];
  const child = spawn(binary, [path.join(root, 'tests/e2e/python/agent.py'), String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const ready = new Promise((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the Python agent ended with ${code} before it listened`)));
  });
  await ready;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.kill();
      await gone;
    },
  };
}

/** What the JavaScript agent does, by the first words of a message. */
const obedient = {
  async execute({ taskId, contextId, userMessage }, bus) {
    const text = userMessage.parts[0].content.value;
    if (text.startsWith('crash')) throw new Error('database at postgres://agent:hunter2@db.internal is gone');
    const status = (state) => ({ state, message: undefined, timestamp: new Date().toISOString() });
    const update = (state) => bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(state), metadata: undefined }));
    bus.publish(AgentEvent.task({ id: taskId, contextId, history: [userMessage], metadata: undefined, status: status(TaskState.TASK_STATE_WORKING), artifacts: [] }));
    if (text.startsWith('work')) return;
    const part = (value) => ({ content: { $case: 'text', value }, filename: '', mediaType: '', metadata: undefined });
    const pieces = text.startsWith('stream') ? ['a', 'b', 'c'] : [text];
    pieces.forEach((piece, index) => bus.publish(AgentEvent.artifactUpdate({
      taskId, contextId, append: index > 0, lastChunk: index === pieces.length - 1, metadata: undefined,
      artifact: { artifactId: 'echo', name: 'echo', description: '', parts: [part(piece)], metadata: undefined, extensions: [] },
    })));
    update(TaskState.TASK_STATE_COMPLETED);
    bus.finished();
  },
  async cancelTask(taskId, bus) {
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId: '', status: { state: TaskState.TASK_STATE_CANCELED, message: undefined, timestamp: new Date().toISOString() }, metadata: undefined }));
    bus.finished();
  },
};

const cardOf = (url) => ({
  name: 'JavaScript echo', description: 'Echoes.', version: '1.0.0', documentationUrl: '',
  supportedInterfaces: [{ url: `${url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [] },
  securitySchemes: {}, securityRequirements: [], defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'Echo', description: 'Echoes.', tags: ['test'], examples: [], inputModes: [], outputModes: [], securityRequirements: [] }],
  signatures: [],
});

async function textOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The JavaScript SDK's JSON-RPC transport on Node's own server; its express handler does the same (SDK 1.3.0). */
async function answer(transport, handler, request, response) {
  const json = (body) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  const body = JSON.parse(await textOf(request));
  try {
    const context = defaultServerCallContextBuilder({
      extensions: Extensions.parseServiceParameter(request.headers['a2a-extensions']),
      user: new UnauthenticatedUser(), headers: request.headers, requestedVersion: request.headers['a2a-version'],
    });
    validateVersion(context.requestedVersion, await handler.getAgentCard(), 'JSONRPC');
    const result = await transport.handle(body, context);
    if (typeof result[Symbol.asyncIterator] !== 'function') return json(result);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for await (const event of result) response.write(`data: ${JSON.stringify(event)}\n\n`);
    return response.end();
  } catch (error) {
    return json({ jsonrpc: '2.0', id: body.id ?? null, error: JsonRpcTransportHandler.mapToJSONRPCError(error) });
  }
}

/** An agent made with `@a2a-js/sdk`. */
export async function startJavaScriptAgent() {
  let card, handler, transport;
  const server = http.createServer((request, response) => {
    if (request.url === CARD_PATH) return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(card));
    return answer(transport, handler, request, response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  card = cardOf(url);
  handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), obedient);
  transport = new JsonRpcTransportHandler(handler);
  return {
    url,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
