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

/** `method`, `url`, `headers` (pairs) and perhaps `body`. */
export function buildRequest({ url, binding }, operation, params) {
  const { method, path, body } = binding === 'JSONRPC' ? envelope(operation, params) : resource(operation, params);
  const isStream = operation === 'SendStreamingMessage';
  const headers = [['Accept', isStream ? `text/event-stream, ${ACCEPT[binding]}` : ACCEPT[binding]], ['A2A-Version', VERSION]];
  if (body === undefined) return { method, url: url + path, headers };
  return { method, url: url + path, headers: [...headers, ['Content-Type', CONTENT_TYPE[binding]]], body: JSON.stringify(body) };
}

const envelope = (method, params) => ({ method: 'POST', path: '', body: { jsonrpc: '2.0', id: ID, method, params } });

/** Params go into the path where it names them; the rest into the query or the body. */
function resource(operation, params) {
  const [method, template] = ROUTES[operation];
  const rest = { ...params };
  const path = template.replace(/\{(\w+)\}/g, (_, name) => {
    delete rest[name];
    return encodeURIComponent(params[name]);
  });
  if (method === 'POST') return { method, path, body: rest };
  const query = new URLSearchParams(rest).toString();
  return { method, path: query ? `${path}?${query}` : path };
}
