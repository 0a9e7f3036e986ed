// Calls that their caller gives up.
import { errorFrom } from './errors.js';

/** Who is to be told when a signal is aborted. One listener for each signal: Node warns of more than ten. */
const told = new WeakMap();

/** Has `tell` called when the signal is aborted; gives what takes that back. */
export function onAbort(signal, tell) {
  let all = told.get(signal);
  if (!all) {
    all = new Set();
    told.set(signal, all);
    signal.addEventListener('abort', () => all.forEach((tell) => tell()));
  }
  all.add(tell);
  return () => all.delete(tell);
}

/** Runs a call of the module until one of the signals is aborted, with its errors as objects. */
export async function run(signals, work) {
  // What is given up in the same breath is not sent.
  if (signals.length) await undefined;
  for (const signal of signals) signal.throwIfAborted();
  let settle;
  const cancelled = new Promise((resolve) => (settle = resolve));
  const releases = signals.map((signal) => onAbort(signal, settle));
  try {
    return await work(cancelled);
  } catch (error) {
    throw errorFrom(error, signals.find(({ aborted }) => aborted));
  } finally {
    for (const release of releases) release();
    settle(); // the module keeps what waits for it
  }
}
