// An agent that answers what a test says, piece by piece, to pages of any origin.
import { createServer } from 'node:http';
import { once } from 'node:events';

const CORS = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*', 'Access-Control-Allow-Methods': '*' };

/** Starts it; `answer` is given each request, with its `body`, and the response to be written. */
export async function startAgent(answer) {
  const requests = [];
  const server = createServer(async (request, response) => {
    for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value);
    if (request.method === 'OPTIONS') return response.end();
    let body = '';
    for await (const piece of request) body += piece;
    const seen = { method: request.method, url: request.url, headers: request.headers, body };
    requests.push(seen);
    return answer(seen, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
