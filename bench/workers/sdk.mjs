// An agent made with the official JavaScript SDK, on its in-memory store. Its express handler does not run on workerd,
// so this does what that handler does (SDK 1.3.0, jsonRpcHandler): content type, parse, version, context, transport.
import { Extensions, TaskState } from '@a2a-js/sdk';
import {
  AgentEvent, DefaultRequestHandler, InMemoryTaskStore, JsonRpcTransportHandler, UnauthenticatedUser,
  defaultServerCallContextBuilder, validateVersion,
} from '@a2a-js/sdk/server';

const card = {
  name: 'Echo', description: 'Answers with what it was sent.', version: '1.0.0', documentationUrl: '',
  supportedInterfaces: [{ url: 'http://127.0.0.1/', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
  capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false, extensions: [] },
  securitySchemes: {}, securityRequirements: [], defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
  skills: [], signatures: [],
};

/** Completes every task at once, with one artifact that repeats the message's parts. */
const echo = {
  async execute({ taskId, contextId, userMessage }, bus) {
    const now = new Date().toISOString();
    bus.publish(AgentEvent.task({
      id: taskId, contextId, history: [userMessage], metadata: undefined,
      status: { state: TaskState.TASK_STATE_COMPLETED, message: undefined, timestamp: now },
      artifacts: [{ artifactId: crypto.randomUUID(), name: 'echo', description: '', parts: userMessage.parts, metadata: undefined, extensions: [] }],
    }));
    bus.finished();
  },
  async cancelTask() {},
};

const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), echo);
const transport = new JsonRpcTransportHandler(handler);
const user = new UnauthenticatedUser();
const HEADERS = { 'content-type': 'application/json' };

const answer = (body) => new Response(JSON.stringify(body), { headers: HEADERS });
const failure = (id, error) => answer({ jsonrpc: '2.0', id, error });

export default {
  async fetch(request) {
    const { headers } = request;
    const mediaType = headers.get('content-type')?.split(';', 1)[0].trim().toLowerCase();
    if (mediaType !== undefined && mediaType !== 'application/json') return failure(null, { code: -32005, message: 'Unsupported content type' });
    let body;
    try {
      body = JSON.parse(await request.text());
    } catch {
      return failure(null, { code: -32700, message: 'Invalid JSON payload.' });
    }
    try {
      const context = defaultServerCallContextBuilder({
        extensions: Extensions.parseServiceParameter(headers.get('a2a-extensions') ?? undefined),
        user,
        headers,
        requestedVersion: headers.get('a2a-version') ?? undefined,
      });
      validateVersion(context.requestedVersion, await handler.getAgentCard(), 'JSONRPC');
      return answer(await transport.handle(body, context));
    } catch (error) {
      return failure(body?.id ?? null, JsonRpcTransportHandler.mapToJSONRPCError(error));
    }
  },
};
