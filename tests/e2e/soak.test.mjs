// Thousands of requests, one in twenty of which panics and one in a hundred of which traps: not one is left without an answer, and
// every answer is right.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, openRest, openRpc, outline } from './support/events.mjs';
import { linesUntilNow } from './support/logs.mjs';
import { seeded } from './support/seeded.mjs';
import { message, rest, rpc } from './support/wire.mjs';
import { startWorker } from './support/worker.mjs';

const REQUESTS = 3_000;
const IN_FLIGHT = 16;
/** Of memory there is too little on a test machine to use it up thirty times. */
const TRAPS = ['trap abort', 'trap late', 'trap overflow', 'trap unreachable'];
/** What the demo panics with. */
const SECRET = 'hunter2';

const isReset = (details) => details?.[0]?.reason === 'INSTANCE_RESET';

/** What a request may be answered with: what it asked for, or that it died, or that another's death took it along. */
function outcome({ text, fails }, result, error, details) {
  if (error) {
    assert.equal(error.message, 'Internal error');
    assert.ok(fails || isReset(details), `${text}: ${JSON.stringify(error)}`);
    return isReset(details) ? 'reset' : 'failed';
  }
  assert.ok(!fails, `${text} was answered with ${JSON.stringify(result)}`);
  return 'done';
}

const KINDS = {
  async rpc(worker, job, index) {
    const rawId = String(9_007_199_254_740_993n + BigInt(index));
    const answer = await rpc(worker, 'SendMessage', { message: message(job.text) }, { rawId });
    assert.equal(answer.status, 200);
    assert.ok(answer.text.startsWith(`{"jsonrpc":"2.0","id":${rawId},`), answer.text);
    assert.ok(!answer.text.includes(SECRET));
    const kind = outcome(job, answer.json.result, answer.json.error, answer.json.error?.data);
    if (kind === 'done') assert.equal(answer.json.result.task.history[0].parts[0].text, job.text);
    else assert.equal(answer.json.error.code, -32603);
    return kind;
  },
  async rest(worker, job) {
    const answer = await rest(worker, 'POST', '/message:send', { body: { message: message(job.text) } });
    assert.ok(!answer.text.includes(SECRET));
    const kind = outcome(job, answer.json, answer.json.error, answer.json.error?.details);
    assert.equal(answer.status, kind === 'done' ? 200 : 500);
    if (kind === 'done') assert.equal(answer.json.task.history[0].parts[0].text, job.text);
    return kind;
  },
  async stream(worker, job, index) {
    const overRpc = index % 2 === 0;
    const response = overRpc
      ? await openRpc(worker, 'SendStreamingMessage', { message: message(job.text) }, { rawId: `"s-${index}"` })
      : await openRest(worker, '/message:stream', { message: message(job.text) });
    if (response.headers.get('content-type') !== 'text/event-stream') {
      const { error } = await response.json();
      return outcome(job, undefined, error, overRpc ? error.data : error.details);
    }
    const events = await all(response);
    assert.ok(!JSON.stringify(events).includes(SECRET));
    if (overRpc) for (const { data } of events) assert.equal(data.id, `s-${index}`);
    const { data } = events.at(-1);
    if (data.error) return outcome(job, undefined, data.error, overRpc ? data.error.data : data.error.details);
    assert.equal(outline(events[0]), 'task SUBMITTED');
    assert.equal(outline(events.at(-1)), 'statusUpdate COMPLETED', JSON.stringify(events));
    return outcome(job, events);
  },
  async read(worker, _, index) {
    const answer = await rpc(worker, 'GetTask', { id: `none-${index}` }, { rawId: `"${index}"` });
    assert.deepEqual([answer.json.id, answer.json.error.code, answer.json.error.data[0].metadata], [String(index), -32001, { taskId: `none-${index}` }], answer.text);
    return 'done';
  },
};

test(`${REQUESTS} requests, ${IN_FLIGHT} at a time`, async () => {
  const worker = await startWorker({ vars: { DEMO_FAULTS: 'on', TASK_STORE: 'memory' } });
  const next = seeded(20_261_130);
  const pick = (list) => list[Math.floor(next() * list.length)];
  const jobs = Array.from({ length: REQUESTS }, (_, index) => {
    const dice = next();
    if (dice < 0.01) return { index, kind: pick(['rpc', 'rest', 'stream']), text: pick(TRAPS), fails: true };
    if (dice < 0.06) return { index, kind: pick(['rpc', 'rest', 'stream']), text: pick(['panic', 'panic late']), fails: true };
    return { index, kind: pick(['rpc', 'rest', 'stream', 'read']), text: pick(['hello', `slow ${Math.floor(next() * 40)}`, 'stream 3']), fails: false };
  });
  const counts = { done: 0, failed: 0, reset: 0 };
  try {
    const queue = [...jobs];
    const serve = async () => {
      for (let job; (job = queue.shift()); ) counts[await KINDS[job.kind](worker, job, job.index)] += 1;
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, serve));
    assert.equal(counts.done + counts.failed + counts.reset, REQUESTS);
    const doomed = jobs.filter(({ fails }) => fails).length;
    assert.ok(doomed > REQUESTS * 0.04, 'there was something to survive');
    assert.ok(counts.failed + counts.reset >= doomed);
    assert.ok(counts.done > REQUESTS * 0.8, JSON.stringify(counts));
    for (const line of await linesUntilNow(worker)) assert.ok(!line.includes(SECRET), line);
  } finally {
    await worker.stop();
  }
});
