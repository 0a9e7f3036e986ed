// Compiled and not run: what TypeScript users may write, and what they must be kept from.
import {
  A2aClient, A2aError, JsonRpcError, TransportError, ValidationError, buildRequest, decode, failed, load, unwrap,
  type ErrorKind, type Note, type StreamEvent, type Task,
} from '../../packages/client/index.js';

export async function use(signal: AbortSignal): Promise<string> {
  const client = await A2aClient.connect('https://agent.example', {
    binding: 'HTTP+JSON',
    retry: { maxRetries: 2 },
    fallbacks: [{ url: 'https://b.example', binding: 'JSONRPC' }],
    onNote: (note: Note) => (note.type === 'retry' ? note.waitMs : note.time),
    signal,
  });
  try {
    const result = unwrap(await client.sendMessage({ message: { role: 'ROLE_USER', parts: [{ text: 'hello' }] } }, { signal }));
    if (result.task) return result.task.status.state;
    const words: string | undefined = result.message.parts[0]?.text;
    for await (const event of client.subscribeToTask({ id: 't' })) {
      const seen: StreamEvent = event;
      if (seen.task && failed(seen.task)) break;
    }
    const task: Task = await client.getTask({ id: 't', historyLength: 1 });
    return words ?? task.id;
  } catch (error) {
    if (error instanceof ValidationError) return error.fieldViolations.map(({ field }) => field).join();
    if (error instanceof TransportError) return error.reason ?? '';
    if (error instanceof JsonRpcError || error instanceof A2aError) {
      const kind: ErrorKind = error.kind;
      const wait: number | undefined = error.retryAfterMs;
      return `${kind} ${error.code} ${wait} ${error.metadata['taskId']}`;
    }
    throw error;
  }
}

export async function misuse(client: A2aClient): Promise<void> {
  // @ts-expect-error: no such binding
  await A2aClient.at({ url: 'https://a.example', binding: 'SOAP' });
  // @ts-expect-error: an endpoint has its own binding
  await A2aClient.at({ url: 'https://a.example', binding: 'JSONRPC' }, { binding: 'JSONRPC' });
  // @ts-expect-error: answered with a stream
  await client.call('SubscribeToTask', { id: 't' });
  // @ts-expect-error: answered once
  client.stream('GetTask', { id: 't' });
  // @ts-expect-error: a task has an id
  await client.getTask({});
  // @ts-expect-error: clients are made by connect or at
  new A2aClient();
  // @ts-expect-error: no such option
  await client.getTask({ id: 't' }, { timeout: 5 });
  // @ts-expect-error: errors are read-only
  (null as unknown as A2aError).code = 1;
  const { error } = await decode({ binding: 'JSONRPC', operation: 'GetTask', id: '1', status: 200, headers: [], body: '' });
  error?.retryable.valueOf();
  const { body } = await buildRequest({ url: 'https://a.example', binding: 'JSONRPC' }, 'GetTask', { id: 't' });
  body?.length.toFixed();
  await load(new URL('https://a.example/a2a_edge_bg.wasm'));
}
