// Compiled and not run: what TypeScript users may write who have the types of Node and no DOM.
import { readFile } from 'node:fs/promises';
import { A2aClient, load } from '../../packages/client/index.js';

interface Origin {
  system: string;
  rows?: number[];
}

export async function use(origin: Origin): Promise<string | undefined> {
  await load(await readFile('a2a_edge_bg.wasm'));
  await load(new URL('file:///a2a_edge_bg.wasm'));
  const client = await A2aClient.connect(new URL('https://agent.example'), {
    headers: new Headers({ 'X-Key': 'k' }),
    fetch: (url, init) => fetch(url, init),
    signal: AbortSignal.timeout(5),
  });
  await client.cancelTask({ id: 't', metadata: origin });
  const { task } = await client.sendMessage({
    message: { role: 'ROLE_USER', parts: [{ data: origin, metadata: origin }], metadata: origin },
    metadata: origin,
  });
  return task?.status.state;
}
