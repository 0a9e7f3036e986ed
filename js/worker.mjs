// The Worker's main module: what worker-build generated, without its class behind a proxy, which costs an eighth of a
// small request, and without a call into WebAssembly that only comes back (docs/performance.md). With this default
// export nothing but `fetch` can be called from outside.
import Entry from '../build/index.js';

export * from '../build/index.js'; // Durable Object classes

const serve = Entry.prototype.handler();

// Who reads `/` wants the page, where there is one ([assets] in wrangler.toml); who posts to it speaks JSON-RPC.
const wantsPage = ({ method, url }) => (method === 'GET' || method === 'HEAD') && new URL(url).pathname === '/';

export default {
  fetch: (request, env, ctx) => (env.ASSETS !== undefined && wantsPage(request) ? env.ASSETS.fetch(request) : serve(request, env, ctx)),
};
