// The Worker's main module: what worker-build generated, without its class behind a proxy, which costs an eighth of a
// small request, and without a call into WebAssembly that only comes back (docs/performance.md). With this default
// export nothing but `fetch` can be called from outside.
import Entry from '../build/index.js';

export * from '../build/index.js'; // Durable Object classes

export default { fetch: Entry.prototype.handler() };
