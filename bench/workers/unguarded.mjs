// This worker without its trap boundary: the same WebAssembly, the same reading of the request, and nothing that would
// answer for an instance that dies. What `edge` takes longer than this is what the boundary costs.
import Entry from '../../build/index.js';

const { handler, answer } = Entry.prototype;
const guarded = handler();
const JSON_INIT = { status: 200, headers: new Headers([['Content-Type', 'application/json']]) };
let key = 0;

export default {
  async fetch(request, env, ctx) {
    // The first request hands over the environment.
    if (key === 0) {
      key = 2 ** 31;
      return guarded(request, env, ctx);
    }
    const { headers } = request;
    const get = (name) => headers.get(name) ?? '';
    const head = `${request.method}\n${request.url}\n${get('accept')}\n${get('content-type')}\n${get('a2a-version')}\n${get('a2a-extensions')}\n${get('authorization')}\n${get('origin')}\n${get('cf-ray')}`;
    // `TASK_STORE=memory` waits for nothing, so there is never a promise.
    return new Response(answer((key += 1), head, await request.text(), 0), JSON_INIT);
  },
};
