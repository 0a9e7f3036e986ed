// The JSON-RPC binding: JSON-RPC 2.0 in full, at all its paths, whatever is sent (specification 9; jsonrpc.org).
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EDGE_DOMAIN, assertKeys, assertRestError, assertRpcError, assertRpcErrorObject } from './support/expect.mjs';
import { JSON_TYPE, message, post, rawIdOf, rest, result, rpc, send } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

/** MAX_BODY_BYTES when it is unset. */
const MIB = 1024 * 1024;

let worker;
before(async () => {
  worker = await startWorker();
});
after(() => worker.stop());

const NOT_FOUND = { code: -32001, reason: 'TASK_NOT_FOUND', message: 'Task not found', metadata: { taskId: 'x' } };
const PARSE = { code: -32700, reason: 'PARSE_ERROR', message: 'Invalid JSON payload' };
const INVALID_REQUEST = { code: -32600, reason: 'INVALID_REQUEST', message: 'Request payload validation error' };

const getTask = (rawId, id = 'x') => `{"jsonrpc":"2.0","id":${rawId},"method":"GetTask","params":{"id":"${id}"}}`;
const notification = (method, params) => JSON.stringify({ jsonrpc: '2.0', method, params });

async function stillAnswers() {
  assertRpcError(await post(worker, getTask('"after"')), '"after"', NOT_FOUND);
}

describe('ids', () => {
  const kept = ['0', '1', '-1', '1.5', '1.50', '1e2', '1e400', '9007199254740993', '123456789012345678901234567890', '""', '"0"', '"é"', '"\\u00e9"', '"a\\"b\\\\c"', '"😀"', 'null'];
  for (const rawId of kept) {
    test(`${rawId} comes back to the letter`, async () => {
      assertRpcError(await post(worker, getTask(rawId)), rawId, NOT_FOUND);
      const found = await rpc(worker, 'ListTasks', { contextId: 'none' }, { rawId });
      assert.equal(rawIdOf(found.text), rawId);
    });
  }

  for (const rawId of ['{}', '{"a":1}', '[]', '[1]', '[[1]]', 'true', 'false']) {
    test(`${rawId} is no id`, async () => {
      assertRpcError(await post(worker, getTask(rawId)), 'null', INVALID_REQUEST);
    });
  }
});

describe('the envelope', () => {
  const invalid = [
    ['no object', '7', 'null'],
    ['a string', '"GetTask"', 'null'],
    ['null', 'null', 'null'],
    ['no jsonrpc', '{"id":1,"method":"GetTask"}', '1'],
    ['jsonrpc 1.0', '{"jsonrpc":"1.0","id":1,"method":"GetTask"}', '1'],
    ['jsonrpc as a number', '{"jsonrpc":2.0,"id":1,"method":"GetTask"}', '1'],
    ['no method', '{"jsonrpc":"2.0","id":"a"}', '"a"'],
    ['a method that is no string', '{"jsonrpc":"2.0","id":0,"method":1}', '0'],
    ['params that are a string', '{"jsonrpc":"2.0","id":2,"method":"GetTask","params":"x"}', '2'],
    ['params that are a number', '{"jsonrpc":"2.0","id":2,"method":"GetTask","params":7}', '2'],
  ];
  for (const [name, body, rawId] of invalid) {
    test(`${name} is an invalid request, under its id where that is readable`, async () => {
      assertRpcError(await post(worker, body), rawId, INVALID_REQUEST);
    });
  }

  test('params may be left out, and null is the same', async () => {
    for (const params of ['', ',"params":null', ',"params":{}']) {
      const answer = await post(worker, `{"jsonrpc":"2.0","id":1,"method":"ListTasks"${params}}`);
      assertKeys(answer.json, ['jsonrpc', 'id', 'result'], 'a success');
    }
  });

  test('positional params are invalid params', async () => {
    const answer = await post(worker, '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":["x"]}');
    assert.equal(answer.json.error.code, -32602);
    assert.equal(answer.json.id, 1);
  });

  test('unknown members are ignored, and the order of members does not matter', async () => {
    const body = '{"extra":{"id":9},"params":{"id":"x","future":1},"method":"GetTask","id":4,"jsonrpc":"2.0"}';
    assertRpcError(await post(worker, body), '4', NOT_FOUND);
  });

  test('methods are case-sensitive, and those of 0.3 are unknown', async () => {
    for (const method of ['getTask', 'GETTASK', 'tasks/get', 'message/send', '', 'toString', '__proto__', 'GetTask ']) {
      const expected = { code: -32601, reason: 'METHOD_NOT_FOUND', message: 'Method not found', metadata: { method } };
      assertRpcError(await rpc(worker, method, { id: 'x' }), '1', expected);
    }
  });
});

describe('notifications', () => {
  test('are carried out and answered with nothing', async () => {
    const answer = await post(worker, notification('SendMessage', { message: message('quiet', { contextId: 'ctx-quiet' }) }));
    assert.deepEqual([answer.status, answer.text], [204, '']);
    const { tasks } = await result(worker, 'ListTasks', { contextId: 'ctx-quiet' });
    assert.equal(tasks.length, 1);
  });

  test('are answered with nothing even when they fail', async () => {
    for (const [method, params] of [['GetTask', { id: 'x' }], ['NoSuchMethod', {}], ['GetTask', {}], ['SendMessage', { message: message('error internal') }]]) {
      const answer = await post(worker, notification(method, params));
      assert.deepEqual([answer.status, answer.text], [204, ''], method);
    }
  });
});

describe('batches', () => {
  const batch = (...members) => `[${members.join(',')}]`;

  test('are answered in their order, each member by itself', async () => {
    const slow = JSON.stringify({ jsonrpc: '2.0', id: 'slow', method: 'SendMessage', params: { message: message('slow 150') } });
    const answer = await post(worker, batch(slow, getTask('9007199254740993'), notification('GetTask', { id: 'x' }), '1', getTask('""'), '{"jsonrpc":"2.0","id":3}'));
    assert.deepEqual([answer.status, answer.contentType], [200, JSON_TYPE]);
    const [first, second, third, fourth, fifth, ...rest] = answer.json;
    assert.deepEqual(rest, []);
    assert.equal(first.id, 'slow');
    assert.equal(first.result.task.status.state, 'TASK_STATE_COMPLETED');
    assert.ok(answer.text.includes('"id":9007199254740993'));
    assertRpcErrorObject(second, NOT_FOUND);
    assert.equal(third.id, null);
    assertRpcErrorObject(third, INVALID_REQUEST);
    assert.equal(fourth.id, '');
    assertRpcErrorObject(fourth, NOT_FOUND);
    assert.equal(fifth.id, 3);
    assertRpcErrorObject(fifth, INVALID_REQUEST);
  });

  test('may hold the same id twice', async () => {
    const answer = await post(worker, batch(getTask('1', 'a'), getTask('1', 'b')));
    assert.deepEqual(answer.json.map(({ id, error }) => [id, error.data[0].metadata.taskId]), [[1, 'a'], [1, 'b']]);
  });

  test('of nothing are an invalid request', async () => {
    for (const body of ['[]', ' [ ] ']) assertRpcError(await post(worker, body), 'null', INVALID_REQUEST);
  });

  test('of one are answered with a list of one', async () => {
    const answer = await post(worker, batch(getTask('1')));
    assert.ok(Array.isArray(answer.json));
    assertRpcErrorObject(answer.json[0], NOT_FOUND);
  });

  test('within batches are invalid requests', async () => {
    const answer = await post(worker, batch('[]', batch(getTask('1'))));
    assert.equal(answer.json.length, 2);
    for (const member of answer.json) {
      assert.equal(member.id, null);
      assertRpcErrorObject(member, INVALID_REQUEST);
    }
  });

  test('of notifications alone are answered with nothing', async () => {
    const answer = await post(worker, batch(notification('GetTask', { id: 'x' }), notification('ListTasks', {})));
    assert.deepEqual([answer.status, answer.text], [204, '']);
  });

  test('have a cap, over which none of their calls is carried out', async () => {
    const calls = (count, contextId) => batch(...Array.from({ length: count }, (_, id) =>
      JSON.stringify({ jsonrpc: '2.0', id, method: 'SendMessage', params: { message: message('hello', { contextId }) } })));
    assert.equal((await post(worker, calls(10, 'ctx-batch'))).json.length, 10);
    assertRpcError(await post(worker, calls(1000, 'ctx-too-many')), 'null', INVALID_REQUEST);
    assert.equal((await result(worker, 'ListTasks', { contextId: 'ctx-batch' })).totalSize, 10);
    assert.equal((await result(worker, 'ListTasks', { contextId: 'ctx-too-many' })).totalSize, 0);
  });

  test('that break off are not JSON as a whole', async () => {
    assertRpcError(await post(worker, `[${getTask('1')},`), 'null', PARSE);
  });
});

describe('bodies that are not what they should be', () => {
  const bytes = (...parts) => Buffer.concat(parts.map((part) => Buffer.from(part)));
  const notJson = [
    ['nothing', ''],
    ['space', ' \n'],
    ['a text', 'hello'],
    ['markup', '<html></html>'],
    ['a form', 'method=GetTask&id=1'],
    ['truncated JSON', '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}'],
    ['a truncated string', '{"jsonrpc":"2.0","id":"1'],
    ['a trailing comma', '{"jsonrpc":"2.0","id":1,"method":"GetTask",}'],
    ['a second value', `${getTask('1')} {}`],
    ['single quotes', "{'jsonrpc':'2.0'}"],
    ['a comment', `/* hello */ ${getTask('1')}`],
    ['NaN', '{"jsonrpc":"2.0","id":NaN,"method":"GetTask"}'],
    ['a raw control character', '{"jsonrpc":"2.0","id":"a\u0001","method":"GetTask"}'],
    ['a byte-order mark', bytes([0xef, 0xbb, 0xbf], getTask('1'))],
    ['a byte-order mark of UTF-16', bytes([0xff, 0xfe], '{\0}\0')],
    ['invalid UTF-8 in a string', bytes('{"jsonrpc":"2.0","id":"', [0xff, 0xfe], '","method":"GetTask"}')],
    ['UTF-8 that the end cuts off', bytes('{"jsonrpc":"2.0","id":"', [0xe2, 0x82])],
    ['an overlong encoding', bytes('{"jsonrpc":"2.0","id":"', [0xc0, 0x80], '","method":"GetTask"}')],
    ['a NUL byte', bytes(getTask('1'), [0])],
  ];
  for (const [name, body] of notJson) {
    test(`${name}: -32700`, async () => {
      const answer = await post(worker, body);
      assertRpcError(answer, 'null', PARSE);
      await stillAnswers();
    });
  }

  const nested = [
    ['arrays in params', (open) => `{"jsonrpc":"2.0","id":5,"method":"GetTask","params":{"id":${open('[', ']')}}}`],
    ['objects in params', (open) => `{"jsonrpc":"2.0","id":5,"method":"GetTask","params":{"id":${open('{"a":', '}', '1')}}}`],
    ['arrays as the id', (open) => `{"jsonrpc":"2.0","id":${open('[', ']')},"method":"GetTask"}`],
    ['arrays as the body', (open) => open('[', ']')],
    ['arrays that are never closed', () => '['.repeat(100_000)],
    ['objects that are never closed', () => '{"a":'.repeat(100_000)],
  ];
  for (const [name, make] of nested) {
    test(`100,000 levels of nesting, ${name}: refused, and the next request is answered`, async () => {
      const open = (left, right, middle = '') => left.repeat(100_000) + middle + right.repeat(100_000);
      const answer = await post(worker, make(open));
      assert.equal(answer.status, 200);
      // An array is a batch; that it holds no call is told in its place.
      const { id, error } = Array.isArray(answer.json) ? answer.json[0] : answer.json;
      assert.ok([-32700, -32600, -32602].includes(error.code), answer.text.slice(0, 300));
      if (error.code === -32602) assert.equal(id, 5);
      assert.ok(answer.text.length < 10_000, 'the answer does not repeat it all');
      await stillAnswers();
    });
  }

  test('a body of the limit is read, one byte more is refused as too large', async () => {
    const sized = (length) => {
      const [head, tail] = ['{"jsonrpc":"2.0","id":"big","method":"GetTask","params":{"id":"x","future":"', '"}}'];
      return head + 'a'.repeat(length - head.length - tail.length) + tail;
    };
    assertRpcError(await post(worker, sized(MIB)), '"big"', NOT_FOUND);
    const expected = { code: -32000, reason: /^[A-Z_]+$/, domain: EDGE_DOMAIN, metadata: { maxBytes: String(MIB) } };
    const oneMore = await post(worker, sized(MIB + 1));
    // To know that there is more, one byte more is read: the body may end with it, and its id be readable.
    assertRpcError(oneMore, oneMore.json.id === 'big' ? '"big"' : 'null', expected);
    assertRpcError(await post(worker, sized(8 * MIB)), 'null', expected);
    await stillAnswers();
  });

  test('duplicate keys are refused wherever they are', async () => {
    const twice = [
      ['{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}', [-32600, -32700]],
      ['{"jsonrpc":"2.0","id":1,"id":2,"method":"GetTask","params":{"id":"x"}}', [-32600, -32700]],
      ['{"jsonrpc":"2.0","id":1,"method":"GetTask","method":"CancelTask","params":{"id":"x"}}', [-32600, -32700]],
      ['{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"},"params":{"id":"y"}}', [-32600, -32700]],
      ['{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x","id":"y"}}', [-32602, -32700]],
      ['{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x","\\u0069d":"y"}}', [-32602, -32700]],
    ];
    for (const [body, codes] of twice) {
      const answer = await post(worker, body);
      assert.ok(codes.includes(answer.json.error?.code), `${body}: ${answer.text}`);
      assert.equal(answer.status, 200);
    }
    const two = await post(worker, twice[1][0]);
    assert.equal(two.json.id, null, 'of two ids neither is the right one');
  });

  test('another content type is -32005, under the id', async () => {
    for (const type of ['text/plain', 'text/plain;charset=UTF-8', 'application/x-www-form-urlencoded', 'application/xml', 'application/jsonp', 'application/json; charset=utf-16']) {
      const expected = { code: -32005, reason: 'CONTENT_TYPE_NOT_SUPPORTED', message: 'Content type not supported', metadata: { contentType: type } };
      assertRpcError(await post(worker, getTask('"ct"'), { headers: { 'Content-Type': type } }), '"ct"', expected);
    }
    for (const type of ['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"', 'application/a2a+json']) {
      assertRpcError(await post(worker, getTask('"ct"'), { headers: { 'Content-Type': type } }), '"ct"', NOT_FOUND);
    }
  });
});

describe('parameters', () => {
  test('proto names, enum numbers, nulls and unknown fields are accepted', async () => {
    const { task } = await result(worker, 'SendMessage', {
      message: { message_id: 'm', role: 1, parts: [{ text: 'work', media_type: 'text/plain', metadata: null }], context_id: 'ctx-proto', task_id: null, future: [1] },
      tenant: null,
    });
    assert.equal(task.contextId, 'ctx-proto');
    assert.equal(task.status.state, 'TASK_STATE_WORKING');
    const listed = await result(worker, 'ListTasks', { context_id: 'ctx-proto', page_size: 1, include_artifacts: true, status: 2 });
    assert.deepEqual(listed.tasks.map(({ id }) => id), [task.id]);
  });

  test('every violation is reported, each with its path', async () => {
    const params = {
      message: { messageId: 7, role: 'ROLE_ROBOT', parts: [{ text: 'a', url: 'https://example.com' }, { text: 1 }, {}] },
      configuration: { historyLength: -1 },
    };
    const answer = await rpc(worker, 'SendMessage', params);
    const { code, data } = answer.json.error;
    assert.equal(code, -32602);
    const fields = data.find((detail) => detail.fieldViolations).fieldViolations.map(({ field }) => field);
    assert.deepEqual([...fields].sort(), ['configuration.historyLength', 'message.messageId', 'message.parts[0]', 'message.parts[1].text', 'message.parts[2]', 'message.role']);
    assert.equal(data[0].metadata.fields, fields.join(', '));
  });

  test('historyLength -1 is the caller’s fault, not the server’s', async () => {
    const { id } = await send(worker, 'hello');
    const expected = { code: -32602, reason: 'INVALID_PARAMS', message: 'Invalid parameters', metadata: { fields: 'historyLength' }, violations: ['historyLength'] };
    assertRpcError(await rpc(worker, 'GetTask', { id, historyLength: -1 }), '1', expected);
  });

  test('lists beyond reason make no answer beyond reason', async () => {
    const parts = Array.from({ length: 5000 }, () => ({}));
    const answer = await rpc(worker, 'SendMessage', { message: message('', { parts }) });
    assert.equal(answer.json.error.code, -32602);
    assert.ok(answer.text.length < 50_000, `${answer.text.length} bytes`);
  });
});

describe('paths and verbs', () => {
  test('JSON-RPC is spoken at /, /rpc and /rpc/', async () => {
    for (const path of ['/', '/rpc', '/rpc/', '/rpc?x=1', '/?x=1']) assertRpcError(await post(worker, getTask('1'), { path }), '1', NOT_FOUND);
  });

  test('other verbs are 405 with Allow, in the form that was asked for', async () => {
    const expected = { http: 405, reason: 'METHOD_NOT_FOUND', grpc: 'UNIMPLEMENTED', metadata: { method: /./ }, headers: { Allow: /^(?=.*\bPOST\b)(?!.*\b(GET|PUT|DELETE|PATCH)\b)/ } };
    for (const path of ['/', '/rpc', '/rpc/']) {
      for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
        assertRestError(await rest(worker, method, path), expected);
        assertRestError(await rest(worker, method, path, { headers: { Accept: JSON_TYPE } }), expected, 'status', JSON_TYPE);
      }
      const head = await rest(worker, 'HEAD', path);
      assert.deepEqual([head.status, head.text], [405, '']);
      assert.match(head.headers.get('allow'), /\bPOST\b/);
    }
  });

  test('OPTIONS tells the verbs', async () => {
    for (const path of ['/', '/rpc', '/rpc/']) {
      const answer = await rest(worker, 'OPTIONS', path);
      assert.deepEqual([answer.status, answer.text], [204, '']);
      assert.match(answer.headers.get('allow'), /\bPOST\b/);
      assert.match(answer.headers.get('allow'), /\bOPTIONS\b/);
    }
  });
});
