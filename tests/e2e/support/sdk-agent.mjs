// An agent made with the official JavaScript SDK, served by its own express handlers on both bindings.
import express from 'express';
import { TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';

const cardAt = (url, capabilities) => ({
  name: 'Echo', description: 'Answers with what it was sent.', version: '1.0.0', documentationUrl: '',
  supportedInterfaces: [['JSONRPC', '/rpc'], ['HTTP+JSON', '']].map(([protocolBinding, path]) => ({ url: url + path, protocolBinding, protocolVersion: '1.0', tenant: '' })),
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [], ...capabilities },
  securitySchemes: {}, securityRequirements: [], defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
  skills: [], signatures: [],
});

/** Says that it works, and then completes the task with the message's parts. */
const echo = {
  async execute({ taskId, contextId, userMessage }, bus) {
    const status = (state) => ({ state, message: undefined, timestamp: new Date().toISOString() });
    bus.publish(AgentEvent.task({ id: taskId, contextId, history: [userMessage], metadata: undefined, status: status(TaskState.TASK_STATE_WORKING), artifacts: [] }));
    const artifact = { artifactId: 'echo', name: 'echo', description: '', parts: userMessage.parts, metadata: undefined, extensions: [] };
    bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, artifact, append: false, lastChunk: true, metadata: undefined }));
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(TaskState.TASK_STATE_COMPLETED), metadata: undefined }));
    bus.finished();
  },
  async cancelTask() {},
};

/**
 * Starts it on a free port of 127.0.0.1.
 *
 * @param {object} [options]
 * @param {object} [options.executor] what it does with a message
 * @param {object} [options.capabilities] what its card says beyond streaming
 */
export async function startSdkAgent({ executor = echo, capabilities = {} } = {}) {
  const app = express();
  const server = await new Promise((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  const url = `http://127.0.0.1:${server.address().port}`;
  const requestHandler = new DefaultRequestHandler(cardAt(url, capabilities), new InMemoryTaskStore(), executor);
  const userBuilder = UserBuilder.noAuthentication;
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
  app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder }));
  app.use('/', restHandler({ requestHandler, userBuilder }));
  return {
    url,
    stop: () => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
  };
}
