// The least a worker can do: a constant answer, the request left unread.
import { ANSWER } from './answer.mjs';

export default {
  async fetch() {
    return new Response(ANSWER, { headers: { 'content-type': 'application/json' } });
  },
};
