// Secrets, placed wherever something can fail, never come out: not in any answer, and not in the log where they must not.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { linesOf, linesUntilNow } from './support/logs.mjs';
import { PROBLEM_TYPE, JSON_TYPE, message, post, rest, rpc, send } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

const TOKEN = 'canary-token-a91c';
const ALICE = { Authorization: `Bearer ${TOKEN}` };
const CANARY = 'canary-7d2e4f';

const whole = (answer) => `${answer.status}\n${[...answer.headers].map((pair) => pair.join(': ')).join('\n')}\n${answer.text}`;

/** The same message on both bindings, in every form of error. */
const sendEverywhere = (worker, msg) => Promise.all([
  rpc(worker, 'SendMessage', { message: msg }, { headers: ALICE }),
  post(worker, [{ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: msg } }], { headers: ALICE }),
  ...[undefined, PROBLEM_TYPE, JSON_TYPE].map((accept) =>
    rest(worker, 'POST', '/message:send', { headers: { ...ALICE, ...(accept && { Accept: accept }) }, body: { message: msg } })),
]);

let worker;
before(async () => {
  worker = await startWorker({ vars: { AUTH_TOKENS: JSON.stringify({ [TOKEN]: 'alice', 't-2': 'canary-subject' }) } });
});
after(() => worker.stop());

describe('sources of errors', () => {
  for (const [text, marker] of [['error internal', /"code":-32603|"code":500|"status":500/], ['error junk', /"code":-32006|"code":500|"status":500/]]) {
    test(`${text}: what the log says of its sources is in no answer`, async () => {
      let answers;
      const lines = await linesOf(worker, async () => {
        answers = await sendEverywhere(worker, message(text));
      }, ALICE);
      const sources = lines.flatMap((line) => JSON.parse(line).sources ?? []);
      assert.equal(sources.length >= answers.length, true, 'the demo’s error has a source');
      // The demo's source quotes a password, a host and a scheme.
      const words = new Set(sources.flatMap((source) => [source, ...source.split(/[\s:/@]+/).filter((word) => word.length > 6)]));
      assert.ok(words.has('hunter2'), [...words].join(' '));
      for (const answer of answers) {
        assert.match(answer.text, marker);
        for (const word of words) assert.ok(!whole(answer).includes(word), `${word} in ${answer.text}`);
      }
    });
  }
});

describe('what a caller sent', () => {
  const part = { text: CANARY };
  const REQUESTS = [
    ['a message to an unknown task', () => sendEverywhere(worker, message(CANARY, { taskId: 'no-such-task' }))],
    ['a message with violations', () => sendEverywhere(worker, { parts: [part, { ...part, url: CANARY }, { text: [CANARY] }, { [CANARY]: 1 }], role: 'ROLE_USER', messageId: { [CANARY]: CANARY } })],
    ['a media type that is not taken', () => sendEverywhere(worker, message('', { parts: [{ ...part, mediaType: 'image/png' }] }))],
    ['metadata of the wrong type', () => sendEverywhere(worker, message(CANARY, { metadata: CANARY }))],
    ['malformed JSON', async () => [await post(worker, `{"params":"${CANARY}",}`, { headers: ALICE }), await post(worker, CANARY, { headers: ALICE }), await rest(worker, 'POST', '/message:send', { headers: ALICE, body: `{"message":{"parts":[{"text":"${CANARY}"` })]],
    ['nesting', async () => [await rpc(worker, 'SendMessage', { message: message(CANARY, { metadata: JSON.parse(`${'{"a":'.repeat(200)}"${CANARY}"${'}'.repeat(200)}`) }) }, { headers: ALICE })]],
    ['a body over the limit', async () => [await rpc(worker, 'SendMessage', { message: message(CANARY.repeat(100_000)) }, { headers: ALICE })]],
    ['a body of another type', async () => [await rest(worker, 'POST', '/message:send', { headers: { ...ALICE, 'Content-Type': 'text/plain' }, body: CANARY })]],
    ['an unknown method', async () => [await rpc(worker, 'NoSuchMethod', { message: message(CANARY) }, { headers: ALICE })]],
    ['credentials that are not known', async () => [await rpc(worker, 'ListTasks', {}, { headers: { Authorization: `Bearer ${CANARY}` } }), await rest(worker, 'GET', '/tasks', { headers: { Authorization: `Basic ${CANARY}` } })]],
    ['cookies and other headers', async () => [await rest(worker, 'GET', '/tasks/x', { headers: { ...ALICE, Cookie: CANARY, 'X-Api-Key': CANARY, 'Proxy-Authorization': CANARY } })]],
  ];
  for (const [name, make] of REQUESTS) {
    test(`${name}: no answer repeats it, no line of the log keeps it`, async () => {
      const lines = await linesOf(worker, async () => {
        for (const answer of await make()) {
          assert.ok(answer.json === undefined || /error|"status":4/.test(answer.text), `an error: ${answer.text}`);
          assert.ok(!whole(answer).includes(CANARY), whole(answer).slice(0, 2000));
        }
      }, ALICE);
      for (const line of lines) assert.ok(!line.includes(CANARY), line);
    });
  }

  test('the token of a caller and the names of others are in no line and no answer', async () => {
    const answers = [...(await sendEverywhere(worker, message('error internal'))), await rpc(worker, 'GetTask', { id: 'x' }, { headers: ALICE }), await rest(worker, 'GET', '/.well-known/agent-card.json')];
    const seen = [...answers.map(whole), ...(await linesUntilNow(worker, ALICE))].join('\n');
    for (const secret of [TOKEN, 't-2', 'canary-subject']) assert.ok(!seen.includes(secret), secret);
  });
});

// What a failing KV says is in kv.test.mjs.
describe('what KV holds', () => {
  let plain, kv;
  before(async () => {
    plain = await startWorker();
    kv = await plain.kv();
  });
  after(() => plain.stop());

  test('a value that is no task is an internal error, and is quoted nowhere', async () => {
    for (const junk of [CANARY, `{"${CANARY}":1}`, `{"revision":1,"task":"${CANARY}"}`, `{"revision":1,"task":{"id":"${CANARY}","status":{"state":"${CANARY}"}}}`, '', 'null', '\u0000']) {
      const { id } = await send(plain, 'work', { context: 'ctx-corrupt' });
      const keys = (await kv.list()).keys.filter(({ name }) => name.includes(id));
      assert.ok(keys.length > 0, 'the task has a key with its id');
      for (const { name, metadata } of keys) await kv.put(name, junk, { metadata });
      const answers = [
        await rpc(plain, 'GetTask', { id }), await rpc(plain, 'CancelTask', { id }), await rpc(plain, 'ListTasks', { contextId: 'ctx-corrupt' }),
        await rpc(plain, 'SendMessage', { message: message('more', { taskId: id }) }), await rest(plain, 'GET', `/tasks/${id}`),
      ];
      assert.match(answers[0].text, /"code":-32603/);
      assert.match(answers[4].text, /INTERNAL_ERROR/);
      for (const answer of answers) assert.ok(!whole(answer).includes(CANARY), answer.text);
      for (const { name } of keys) await kv.delete(name);
    }
    for (const line of await linesUntilNow(plain)) assert.ok(!line.includes(CANARY), line);
    assert.ok(await send(plain, 'hello'), 'others are served as before');
  });

  test('metadata that is none of the store’s is an internal error or no task, and is quoted nowhere', async () => {
    const { id } = await send(plain, 'work');
    const { name } = (await kv.list()).keys.find((key) => key.name.includes(id));
    for (const metadata of [null, CANARY, { [CANARY]: CANARY }, [CANARY]]) {
      await kv.put(name, await kv.get(name), { metadata });
      const answer = await rpc(plain, 'ListTasks', {});
      assert.equal(answer.status, 200);
      assert.ok(!whole(answer).includes(CANARY), answer.text);
    }
    for (const line of await linesUntilNow(plain)) assert.ok(!line.includes(CANARY), line);
  });
});
