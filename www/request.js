// The requests of the cases, as the client would send them; made here so that they can be looked at, changed and sent
// before the client is loaded. A test holds both together.

/** The id of every JSON-RPC request that is made here. */
const ID = 7;
const VERSION = '1.0';

/** Verb and path of the operations that the cases ask for (specification 11.3). */
const ROUTES = {
  SendMessage: ['POST', '/message:send'],
  SendStreamingMessage: ['POST', '/message:stream'],
  GetTask: ['GET', '/tasks/{id}'],
  ListTasks: ['GET', '/tasks'],
  CancelTask: ['POST', '/tasks/{id}:cancel'],
  CreateTaskPushNotificationConfig: ['POST', '/tasks/{taskId}/pushNotificationConfigs'],
  GetTaskPushNotificationConfig: ['GET', '/tasks/{taskId}/pushNotificationConfigs/{id}'],
  GetExtendedAgentCard: ['GET', '/extendedAgentCard'],
};

const ACCEPT = { JSONRPC: 'application/json', 'HTTP+JSON': 'application/a2a+json, application/json, application/problem+json;q=0.5' };
const CONTENT_TYPE = { JSONRPC: 'application/json', 'HTTP+JSON': 'application/a2a+json' };

export const isStreaming = (operation) => /Streaming|Subscribe/.test(operation);

/** `method`, `url`, `headers` (pairs) and perhaps `body`. */
export function buildRequest({ url: endpoint, binding }, operation, params) {
  const { method, url, body } = binding === 'JSONRPC' ? envelope(endpoint, operation, params) : resource(endpoint, operation, params);
  const headers = [['Accept', isStreaming(operation) ? `text/event-stream, ${ACCEPT[binding]}` : ACCEPT[binding]], ['A2A-Version', VERSION]];
  if (body === undefined) return { method, url, headers };
  return { method, url, headers: [...headers, ['Content-Type', CONTENT_TYPE[binding]]], body: JSON.stringify(body) };
}

const envelope = (url, method, params) => ({ method: 'POST', url, body: { jsonrpc: '2.0', id: ID, method, params } });

/** Params go into the path where it names them; the rest into the query, behind that of the endpoint, or the body. */
function resource(endpoint, operation, params) {
  const [base, own] = endpoint.split(/\?(.*)/s);
  const [method, template] = ROUTES[operation];
  const rest = { ...params };
  const path = template.replace(/\{(\w+)\}/g, (_, name) => {
    delete rest[name];
    return encodeURIComponent(params[name]);
  });
  const isPost = method === 'POST';
  const query = [own, isPost ? '' : String(new URLSearchParams(rest))].filter(Boolean).join('&');
  const url = base.replace(/\/+$/, '') + path + (query && `?${query}`);
  return isPost ? { method, url, body: rest } : { method, url };
}
