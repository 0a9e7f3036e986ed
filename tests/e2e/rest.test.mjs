// The HTTP+JSON binding: routes, verbs, path and query parameters, bodies (specification 11).
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EDGE_DOMAIN, assertKeys, assertRestError } from './support/expect.mjs';
import { A2A_TYPE, JSON_TYPE, PROBLEM_TYPE, bare, message, rest, send } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

let worker;
before(async () => {
  worker = await startWorker({ vars: { MAX_BODY_BYTES: '100000', AGENT_STREAMING: 'off' } });
});
after(() => worker.stop());

const notFound = (taskId) => ({ http: 404, grpc: 'NOT_FOUND', reason: 'TASK_NOT_FOUND', message: 'Task not found', metadata: { taskId } });
const unsupported = (operation) => ({
  http: 400, grpc: 'FAILED_PRECONDITION', reason: 'UNSUPPORTED_OPERATION', message: `Operation not supported: ${operation}`, metadata: { operation },
});
const NO_PUSH = { http: 400, grpc: 'FAILED_PRECONDITION', reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED', message: 'Push notifications are not supported' };
const invalid = (...fields) => ({ http: 400, grpc: 'INVALID_ARGUMENT', reason: 'INVALID_PARAMS', message: 'Invalid parameters', metadata: { fields: fields.join(', ') }, violations: fields });
const INVALID_REQUEST = { http: 400, grpc: 'INVALID_ARGUMENT', reason: 'INVALID_REQUEST', message: 'Request payload validation error' };
const PARSE = { http: 400, grpc: 'INVALID_ARGUMENT', reason: 'PARSE_ERROR', message: 'Invalid JSON payload' };
const NO_ROUTE = { http: 404, grpc: 'UNIMPLEMENTED', reason: 'METHOD_NOT_FOUND', message: 'Method not found', metadata: { method: /./ } };

const sendBody = (text, more) => JSON.stringify({ message: message(text, more) });

/** The description of each violation in an answer of the combined form. */
const violations = (answer) =>
  Object.fromEntries(answer.json.error.details.find((detail) => detail.fieldViolations).fieldViolations.map(({ field, description }) => [field, description]));

describe('routes', () => {
  for (const tenant of ['', '/acme', '/acme%20inc', '/rpc', '/message:send']) {
    test(`each operation has its route under "${tenant}"`, async () => {
      const hook = '{"url":"https://example.com/hook"}';
      const sent = await rest(worker, 'POST', `${tenant}/message:send`, { body: sendBody('work') });
      assert.equal(sent.status, 200, sent.text);
      assertKeys(sent.json, ['task'], 'the answer');
      const { id } = sent.json.task;

      assert.equal((await rest(worker, 'GET', `${tenant}/tasks/${id}`)).json.id, id);
      assertKeys((await rest(worker, 'GET', `${tenant}/tasks`)).json, ['tasks', 'nextPageToken', 'pageSize', 'totalSize'], 'the list');
      assert.equal((await rest(worker, 'POST', `${tenant}/tasks/${id}:cancel`, { body: '{}' })).json.status.state, 'TASK_STATE_CANCELED');

      assertRestError(await rest(worker, 'POST', `${tenant}/message:stream`, { body: sendBody('hello') }), unsupported('SendStreamingMessage'));
      assertRestError(await rest(worker, 'POST', `${tenant}/tasks/${id}:subscribe`), unsupported('SubscribeToTask'));
      // The proto's form of the same route.
      assertRestError(await rest(worker, 'GET', `${tenant}/tasks/${id}:subscribe`), unsupported('SubscribeToTask'));
      assertRestError(await rest(worker, 'GET', `${tenant}/extendedAgentCard`), unsupported('GetExtendedAgentCard'));

      const configs = `${tenant}/tasks/${id}/pushNotificationConfigs`;
      assertRestError(await rest(worker, 'POST', configs, { body: hook }), NO_PUSH);
      assertRestError(await rest(worker, 'GET', configs), NO_PUSH);
      assertRestError(await rest(worker, 'GET', `${configs}/c1`), NO_PUSH);
      assertRestError(await rest(worker, 'DELETE', `${configs}/c1`), NO_PUSH);
    });
  }

  test('cancelling needs no body', async () => {
    const { id } = await send(worker, 'work');
    const answer = await rest(worker, 'POST', `/tasks/${id}:cancel`);
    assert.equal(answer.json?.status?.state, 'TASK_STATE_CANCELED', answer.text);
  });

  test('a task id may hold any character, encoded', async () => {
    for (const id of ['a b', 'a/b', 'a%b', 'é', 'a:b', 'a?b#c', ':cancel', 'x:cancel', '...', '100%']) {
      assertRestError(await rest(worker, 'GET', `/tasks/${encodeURIComponent(id)}`), notFound(id));
    }
  });

  test('only the last colon of a path is a verb’s', async () => {
    assertRestError(await rest(worker, 'POST', '/tasks/a:b:cancel'), notFound('a:b'));
    assertRestError(await rest(worker, 'GET', '/tasks/a:b'), notFound('a:b'));
    assertRestError(await rest(worker, 'POST', `/tasks/${encodeURIComponent('a:cancel')}:cancel`), notFound('a:cancel'));
  });

  test('what is not percent-encoded UTF-8 is refused, not a fault', async () => {
    for (const path of ['/tasks/%FF', '/tasks/%zz', '/tasks/%', '/%FF/tasks', '/tasks/%ED%A0%80']) {
      const answer = await bare(worker, 'GET', path, { headers: { 'A2A-Version': '1.0' } });
      assert.ok([400, 404].includes(answer.status), `${path}: ${answer.status}`);
      assert.equal(answer.contentType, PROBLEM_TYPE);
    }
  });

  test('unknown paths are 404, in the form that was asked for', async () => {
    for (const path of ['/no', '/no/such/path', '/tasks/', '/tasks/a/b', '/tasks/a/pushNotificationConfigs/b/c', '/acme/tasks/a/pushNotificationConfigs/b/c', '/message:sendX', '/v1/message:send/x', '/tasks//pushNotificationConfigs', '/acme//tasks', '/.well-known/agent.json', '/tasks/:cancel']) {
      assertRestError(await rest(worker, 'GET', path), NO_ROUTE);
      assertRestError(await rest(worker, 'GET', path, { headers: { Accept: JSON_TYPE } }), NO_ROUTE, 'status', JSON_TYPE);
      assertRestError(await rest(worker, 'POST', path, { headers: { Accept: PROBLEM_TYPE } }), NO_ROUTE, 'problem', PROBLEM_TYPE);
    }
  });
});

describe('verbs', () => {
  const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  const TABLE = [
    ['/message:send', ['POST']],
    ['/message:stream', ['POST']],
    ['/tasks', ['GET']],
    ['/tasks/t1', ['GET']],
    ['/tasks/t1:cancel', ['POST']],
    ['/tasks/t1:subscribe', ['GET', 'POST']],
    ['/tasks/t1/pushNotificationConfigs', ['GET', 'POST']],
    ['/tasks/t1/pushNotificationConfigs/c1', ['GET', 'DELETE']],
    ['/extendedAgentCard', ['GET']],
    ['/acme/tasks/t1', ['GET']],
    ['/.well-known/agent-card.json', ['GET']],
  ];
  for (const [path, served] of TABLE) {
    const all = [...served, ...(served.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort();

    test(`${path} allows ${all.join(', ')}`, async () => {
      const options = await rest(worker, 'OPTIONS', path);
      assert.deepEqual([options.status, options.text], [204, '']);
      assert.deepEqual(options.headers.get('allow').split(/, */).sort(), all);

      for (const verb of VERBS.filter((verb) => !served.includes(verb))) {
        const expected = { http: 405, grpc: 'UNIMPLEMENTED', reason: 'METHOD_NOT_FOUND', metadata: { method: /./ } };
        const answer = await rest(worker, verb, path);
        assertRestError(answer, expected);
        assert.deepEqual(answer.headers.get('allow').split(/, */).sort(), all, `${verb} ${path}`);
        assertRestError(await rest(worker, verb, path, { headers: { Accept: A2A_TYPE } }), expected, 'status', A2A_TYPE);
      }
    });
  }

  test('HEAD is GET without a body', async () => {
    const { id } = await send(worker, 'hello');
    for (const path of ['/tasks', `/tasks/${id}`, '/tasks/no-such-task', '/no/such/path', '/extendedAgentCard']) {
      const [get, head] = [await rest(worker, 'GET', path), await rest(worker, 'HEAD', path)];
      assert.deepEqual([head.status, head.contentType, head.text], [get.status, get.contentType, ''], path);
    }
  });
});

describe('query parameters', () => {
  test('the example of specification 6.5', async () => {
    const answer = await rest(worker, 'GET', '/tasks?pageSize=150&historyLength=-5&status=TASK_STATE_RUNNING');
    assert.equal(answer.status, 400);
    assert.equal(answer.contentType, PROBLEM_TYPE);
    assert.equal(answer.json.title, 'Invalid parameters');
    assert.deepEqual(violations(answer), {
      pageSize: 'Must be between 1 and 100 inclusive, got 150',
      historyLength: 'Must be non-negative integer, got -5',
      status: "Invalid status value 'TASK_STATE_RUNNING'. Must be one of: TASK_STATE_SUBMITTED, TASK_STATE_WORKING, TASK_STATE_COMPLETED, TASK_STATE_FAILED, TASK_STATE_CANCELED, TASK_STATE_REJECTED, TASK_STATE_INPUT_REQUIRED, TASK_STATE_AUTH_REQUIRED",
    });
  });

  const REFUSED = [
    ['pageSize=abc', 'pageSize'],
    ['pageSize=0', 'pageSize'],
    ['pageSize=101', 'pageSize'],
    ['pageSize=1.5', 'pageSize'],
    ['pageSize=99999999999999999999', 'pageSize'],
    ['page_size=150', 'pageSize'],
    ['historyLength=x', 'historyLength'],
    ['historyLength=2147483648', 'historyLength'],
    ['includeArtifacts=yes', 'includeArtifacts'],
    ['includeArtifacts=TRUE', 'includeArtifacts'],
    ['status=working', 'status'],
    ['statusTimestampAfter=yesterday', 'statusTimestampAfter'],
    ['statusTimestampAfter=2025-13-01T00:00:00Z', 'statusTimestampAfter'],
    ['pageToken=%21%21%21', 'pageToken'],
    ['contextId=%FF', 'contextId'],
  ];
  for (const [query, field] of REFUSED) {
    test(`${query} is a violation of ${field}`, async () => {
      const answer = await rest(worker, 'GET', `/tasks?${query}`);
      assert.equal(answer.status, 400, answer.text);
      assert.deepEqual(Object.keys(violations(answer)), [field]);
      assert.equal(answer.json.detail[0].reason, 'INVALID_PARAMS');
    });
  }

  const ACCEPTED = [
    'pageSize=100', 'page_size=1', 'historyLength=0', 'includeArtifacts=true', 'includeArtifacts=false', 'status=TASK_STATE_WORKING',
    'statusTimestampAfter=2025-11-09T10:30:00Z', 'statusTimestampAfter=2025-11-09T10:30:00.123456Z', 'contextId=a%20b%26c', 'contextId=', 'pageToken=', 'unknown=1', 'tenant=acme', '&&',
  ];
  for (const query of ACCEPTED) {
    test(`${query} is accepted`, async () => {
      const answer = await rest(worker, 'GET', `/tasks?${query}`);
      assert.equal(answer.status, 200, answer.text);
    });
  }

  test('values are decoded', async () => {
    const contextId = 'a b&c=d/é+%';
    const { id } = await send(worker, 'hello', { context: contextId });
    for (const encoded of [encodeURIComponent(contextId), new URLSearchParams({ contextId }).toString().slice('contextId='.length)]) {
      const answer = await rest(worker, 'GET', `/tasks?contextId=${encoded}`);
      assert.deepEqual(answer.json.tasks.map((task) => task.id), [id]);
    }
  });

  test('GetTask takes historyLength', async () => {
    const { id } = await send(worker, 'hello');
    assert.equal((await rest(worker, 'GET', `/tasks/${id}?historyLength=0`)).json.history, undefined);
    assertRestError(await rest(worker, 'GET', `/tasks/${id}?historyLength=-5`), invalid('historyLength'));
  });
});

describe('bodies', () => {
  test('proto names, enum numbers, nulls and unknown fields are accepted', async () => {
    const body = '{"message":{"message_id":"m","role":1,"parts":[{"text":"hello","media_type":"text/plain"}],"context_id":"ctx-snake","task_id":null},"future":{}}';
    const answer = await rest(worker, 'POST', '/message:send', { body });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.task.contextId, 'ctx-snake');
    assert.equal(answer.json.task.history[0].role, 'ROLE_USER');
  });

  test('a violation has a JSON path, whatever names were used', async () => {
    const answer = await rest(worker, 'POST', '/message:send', { body: '{"message":{"message_id":"m","role":"ROLE_USER","parts":[{"text":"a"},{"text":"b","media_type":7}]}}' });
    assertRestError(answer, invalid('message.parts[1].mediaType'));
  });

  test('a required message that is missing is a violation', async () => {
    for (const body of ['{}', '', '{"message":null}']) assertRestError(await rest(worker, 'POST', '/message:send', { body }), invalid('message'));
  });

  test('what is not JSON is a parse error, as JSON', async () => {
    for (const body of ['{', 'hello', '<html>', Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]), Buffer.from([0x22, 0xff, 0x22]), '{"message":{}} x']) {
      assertRestError(await rest(worker, 'POST', '/message:send', { body }), PARSE);
    }
  });

  test('JSON that is no object is an invalid request', async () => {
    for (const body of ['[]', '7', 'null', '"hello"']) assertRestError(await rest(worker, 'POST', '/message:send', { body }), INVALID_REQUEST);
  });

  test('duplicate keys and deep nesting are refused', async () => {
    for (const body of ['{"message":{"messageId":"a","messageId":"b"}}', `{"message":${'['.repeat(49_000)}${']'.repeat(49_000)}}`]) {
      const answer = await rest(worker, 'POST', '/message:send', { body });
      assert.equal(answer.status, 400, answer.text.slice(0, 300));
      assert.ok(['INVALID_PARAMS', 'PARSE_ERROR'].includes(answer.json.detail[0].reason));
    }
  });

  test('the id of the path is the one that counts, and another in the body is refused', async () => {
    const { id } = await send(worker, 'work');
    const other = await rest(worker, 'POST', `/tasks/${id}:cancel`, { body: '{"id":"another"}' });
    assertRestError(other, invalid('id'));
    const same = await rest(worker, 'POST', `/tasks/${id}:cancel`, { body: JSON.stringify({ id }) });
    assert.equal(same.json.status.state, 'TASK_STATE_CANCELED');
  });

  const chunked = (...chunks) => new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });

  test('a body may come in chunks', async () => {
    const text = sendBody('in pieces é');
    const bytes = [...text];
    const answer = await rest(worker, 'POST', '/message:send', { body: chunked(...bytes) });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.task.artifacts[0].parts[0].text, 'in pieces é');
  });

  test('a body over the limit is refused, whether it says so or not', async () => {
    const tooLarge = { http: 413, reason: /^[A-Z_]+$/, domain: EDGE_DOMAIN, metadata: { maxBytes: '100000' } };
    const text = sendBody('x'.repeat(100_000));
    assertRestError(await rest(worker, 'POST', '/message:send', { body: text }), tooLarge);
    const half = text.length / 2;
    assertRestError(await rest(worker, 'POST', '/message:send', { body: chunked(text.slice(0, half), text.slice(half)) }), tooLarge);
    assert.equal((await rest(worker, 'POST', '/message:send', { body: sendBody('after') })).status, 200);
  });

  test('another content type is 415', async () => {
    for (const type of ['text/plain', 'multipart/form-data', 'application/xml', 'application/problem+json']) {
      const expected = { http: 415, grpc: 'INVALID_ARGUMENT', reason: 'CONTENT_TYPE_NOT_SUPPORTED', message: 'Content type not supported', metadata: { contentType: type } };
      assertRestError(await rest(worker, 'POST', '/message:send', { body: sendBody('hello'), headers: { 'Content-Type': type } }), expected);
    }
    for (const type of ['application/json', 'application/a2a+json', 'APPLICATION/A2A+JSON; charset=utf-8']) {
      assert.equal((await rest(worker, 'POST', '/message:send', { body: sendBody('hello'), headers: { 'Content-Type': type } })).status, 200, type);
    }
  });
});

describe('successes', () => {
  test('are application/a2a+json, or application/json for who asks for that', async () => {
    const types = [[undefined, A2A_TYPE], ['*/*', A2A_TYPE], [A2A_TYPE, A2A_TYPE], [JSON_TYPE, JSON_TYPE], [`${A2A_TYPE}, ${JSON_TYPE}`, JSON_TYPE], [`${A2A_TYPE}, ${JSON_TYPE};q=0.5`, A2A_TYPE], [PROBLEM_TYPE, A2A_TYPE], ['text/html', A2A_TYPE]];
    for (const [accept, type] of types) {
      const headers = { 'A2A-Version': '1.0', ...(accept && { Accept: accept }) };
      const answer = await bare(worker, 'GET', '/tasks', { headers });
      assert.deepEqual([answer.status, answer.contentType], [200, type], `Accept: ${accept}`);
    }
  });
});
