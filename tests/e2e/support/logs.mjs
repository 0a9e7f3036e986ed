// Reads the worker's log. Lines come over a pipe, in their order but after the answers, so that "there is no line" can
// be seen only by a later line that is sure to come.
import { rpc } from './wire.mjs';

let marks = 0;

/** Every line that was written until now: makes a request that must leave a line, and waits for that one. */
export async function linesUntilNow(worker, headers) {
  const mark = `mark-${(marks += 1)}`;
  await rpc(worker, 'NoSuchMethod', {}, { rawId: `"${mark}"`, headers });
  await worker.waitForLog((line) => line.includes(mark));
  return worker.logs.slice(0, worker.logs.findIndex((line) => line.includes(mark)));
}

/** The lines that were written during `work`. */
export async function linesOf(worker, work, headers) {
  const from = (await linesUntilNow(worker, headers)).length + 1;
  await work();
  return (await linesUntilNow(worker, headers)).slice(from);
}
