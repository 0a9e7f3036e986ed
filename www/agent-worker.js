// The demo agent in a thread of its own: whatever a trap leaves behind goes with it.
import { PageAgent, load, refuse } from './pkg/client.js';

const ready = load();
/** One agent for each configuration, so that tasks stay as long as the thread does. */
const agents = new Map();
/** Keys of the requests that are under way. */
const open = new Set();

// A trap after an await has no caller that could catch it.
addEventListener('error', (event) => {
  event.preventDefault();
  died();
});
addEventListener('unhandledrejection', (event) => event.preventDefault());

addEventListener('message', async ({ data }) => {
  open.add(data.key);
  try {
    await ready;
    await (data.refuse ? answer(data, refuse(data.request)) : serve(data));
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) died();
    else postMessage({ key: data.key, failure: String(error?.message ?? error) });
  } finally {
    open.delete(data.key);
  }
});

async function serve(data) {
  const configuration = `${data.vars}\n${data.script ?? ''}`;
  // A script is played from its beginning.
  if (data.script || !agents.has(configuration)) agents.set(configuration, new PageAgent(data.vars, data.script));
  const agent = agents.get(configuration);
  await answer(data, await agent.handle(data.request), agent);
}

async function answer({ key }, response, agent) {
  const { head, body, isStream } = response;
  if (isStream) {
    postMessage({ key, head, body, isStream });
    for (let piece; (piece = await response.next()) !== undefined; ) postMessage({ key, piece });
  }
  const log = agent ? JSON.parse(agent.takeLog()) : [];
  postMessage(isStream ? { key, end: true, log } : { key, head, body, end: true, log });
  response.free();
}

function died() {
  postMessage({ died: [...open] });
  open.clear();
}
