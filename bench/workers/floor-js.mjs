// What any JSON-RPC worker has to do: read the body, parse it, answer. The answer is constant.
import { ANSWER } from './answer.mjs';

export default {
  async fetch(request) {
    const body = await request.text();
    try {
      JSON.parse(body);
    } catch {
      // A body that is not JSON gets the same answer: the case measures the parser's cost, not an error's.
    }
    return new Response(ANSWER, { headers: { 'content-type': 'application/json' } });
  },
};
