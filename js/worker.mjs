// The Worker's main module: what worker-build generated, without its class behind a proxy, which costs an eighth of a
// small request (docs/performance.md). The generated wrapper of `fetch` re-creates a dead instance by itself, and with
// this default export nothing but `fetch` can be called from outside.
import Entry from '../build/index.js';

export * from '../build/index.js'; // Durable Object classes

const { fetch } = Entry.prototype;

export default {
  fetch(request, env, ctx) {
    return fetch.call({ env, ctx }, request);
  },
};
