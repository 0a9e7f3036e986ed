// Agents that others' SDKs make, each on a port of its own.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { TaskState } from '@a2a-js/sdk';
import { AgentEvent } from '@a2a-js/sdk/server';
import { ensurePython } from '../../../scripts/lib/python.mjs';
import { startSdkAgent } from '../support/sdk-agent.mjs';
import { root } from '../support/worker.mjs';
import { unusedPort } from './origin.mjs';

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

/** Tasks that work until they are cancelled. */
const working = new Map();

/** What the JavaScript agent does, by the first words of a message. */
const obedient = {
  async execute({ taskId, contextId, userMessage }, bus) {
    const text = userMessage.parts[0].content.value;
    if (text.startsWith('crash')) throw new Error('database at postgres://agent:hunter2@db.internal is gone');
    const status = (state) => ({ state, message: undefined, timestamp: new Date().toISOString() });
    const update = (state) => bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(state), metadata: undefined }));
    bus.publish(AgentEvent.task({ id: taskId, contextId, history: [userMessage], metadata: undefined, status: status(TaskState.TASK_STATE_WORKING), artifacts: [] }));
    // The SDK ends a stream when this returns.
    if (text.startsWith('work')) return new Promise((resolve) => working.set(taskId, { contextId, resolve }));
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
    const { contextId, resolve } = working.get(taskId);
    working.delete(taskId);
    const status = { state: TaskState.TASK_STATE_CANCELED, message: undefined, timestamp: new Date().toISOString() };
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
    bus.finished();
    resolve();
  },
};

/** An agent made with `@a2a-js/sdk`. */
export const startJavaScriptAgent = () => startSdkAgent({ executor: obedient, capabilities: { pushNotifications: true } });
