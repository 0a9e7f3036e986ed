// An origin for the gateway's benchmark: a card, and one answer, in both bindings. It does as little as an agent can.
const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } };
const answer = (body) => new Response(body, { headers: { 'content-type': 'application/json' } });

const card = (origin) => ({
  name: 'Constant', description: 'Answers a constant.', version: '1.0.0',
  supportedInterfaces: [
    { url: `${origin}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: `${origin}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
  ],
  capabilities: { streaming: false }, defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 's', description: 's', tags: ['s'] }],
});

export default {
  async fetch(request) {
    const { origin, pathname } = new URL(request.url);
    if (pathname.startsWith('/.well-known/')) return answer(JSON.stringify(card(origin)));
    const text = await request.text();
    if (pathname.startsWith('/rest')) return answer(JSON.stringify(pathname === '/rest/message:send' ? { task } : task));
    const { id, method } = JSON.parse(text);
    return answer(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'SendMessage' ? { task } : task }));
  },
};
