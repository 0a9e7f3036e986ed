// The JavaScript side of the Durable Objects, on both ends of a request to one. The logic of an object is in Rust and keeps
// nothing; what must outlive a WebAssembly instance is here: who listens. So an instance that dies takes no listener along,
// and the object goes on with the next instance.

import { instanceLost } from './boundary.js';
import * as glue from '../../../index.js';

// The caller's end.

export const ask = (namespace, names, request) => Promise.all(names.map((name) => askOne(namespace, name, request)));

async function askOne(namespace, name, body) {
  const response = await namespace.get(namespace.idFromName(name)).fetch('http://object/', { method: 'POST', body });
  if (response.ok && response.headers.get('content-type') === STREAM) return linesOf(response.body);
  const text = await response.text();
  if (!response.ok) throw text;
  return text;
}

// Who reads the lines of a body: the first one now.
async function linesOf(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let lines = [];
  let rest = '';
  const next = async () => {
    while (lines.length === 0) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      const text = decoder.decode(value, { stream: true });
      lines = (rest + text).split('\n');
      rest = lines.pop();
    }
    return lines.shift();
  };
  const hangUp = async () => {
    try {
      await reader.cancel();
    } catch {
      // It has hung up, or its request is over.
    }
  };
  return { first: (await next()) ?? '', next, hangUp };
}

// The object's end.

// As src/worker/durable/messages.rs says it.
const SUBSCRIBERS = 'subscribers';

const STREAM = 'application/x-ndjson';

// How many bytes may wait for a listener who does not read. It is cut off then, and learns what it missed when it
// listens anew.
const MAX_WAITING = 4 * 1024 * 1024;

// How long after a failed attempt an index is told again, in milliseconds.
const TELL_AGAIN = 60_000;

// By the object's context, which stays the same as long as the object is in memory; what is made of it does not.
const listenersOf = new WeakMap();

export function durableObject(isTask, ctx, env) {
  const { storage } = ctx;
  if (!listenersOf.has(ctx)) listenersOf.set(ctx, new Set());
  const listeners = listenersOf.get(ctx);
  const run = (statement, params) => storage.sql.exec(statement, ...params).raw().toArray().flat().join('\n');

  // All or nothing, whatever happens in Rust.
  const answer = (text) => {
    try {
      glue.wake();
      return storage.transactionSync(() => glue.objectAnswer(isTask, run, Date.now(), text));
    } catch (error) {
      instanceLost(error);
      throw error;
    }
  };

  return {
    async fetch(request) {
      const text = await request.text();
      if (text === SUBSCRIBERS) return new Response(String(listeners.size));
      try {
        const [said, line, alarm, listens] = answer(text);
        if (line !== null) publish(listeners, line);
        // Before anything is awaited: nobody may write between the snapshot and the listening.
        const response = listens ? stream(listeners, said) : new Response(said);
        if (alarm !== null) await storage.setAlarm(alarm);
        return response;
      } catch (error) {
        // Rust throws text, for the log. What else there is may quote the request.
        return new Response(typeof error === 'string' ? error : 'the object failed', { status: 500 });
      }
    },

    async alarm() {
      const [said, , alarm] = answer('alarm');
      if (alarm === null) return storage.deleteAll();
      await storage.setAlarm(alarm);
      if (said === '') return;
      const end = said.indexOf('\n');
      try {
        await ask(env.OWNER_INDEX, [said.slice(0, end)], said.slice(end + 1));
      } catch {
        await storage.setAlarm(Math.min(alarm, Date.now() + TELL_AGAIN));
      }
    },
  };
}

const encoder = new TextEncoder();

function publish(listeners, line) {
  if (listeners.size === 0) return;
  const bytes = encoder.encode(`${line}\n`);
  for (const controller of listeners) {
    try {
      if (controller.desiredSize > 0) {
        controller.enqueue(bytes);
        continue;
      }
      controller.error(new Error('the subscriber reads too slowly'));
    } catch {
      // It has gone. The others must hear all the same.
    }
    listeners.delete(controller);
  }
}

function stream(listeners, first) {
  let mine;
  const bytes = encoder.encode(`${first}\n`);
  const body = new ReadableStream(
    {
      start(controller) {
        mine = controller;
        listeners.add(controller);
        controller.enqueue(bytes);
      },
      cancel() {
        listeners.delete(mine);
      },
    },
    { highWaterMark: bytes.length + MAX_WAITING, size: (chunk) => chunk.length },
  );
  return new Response(body, { headers: { 'Content-Type': STREAM } });
}
