// CPU, latency and throughput per candidate and case, all candidates in one workerd process.
import { cpuNanos } from './cpu.mjs';
import { LoadGenerator } from './load.mjs';
import { shuffled } from './stats.mjs';
import { Workerd } from './workerd.mjs';
import { faultOf } from '../cases.mjs';

const WARM_UP_ROUNDS = 3;

/** Asks every candidate every case once. A wrong answer stops the run, but the SDK's are its own: they are returned. */
export async function verify(load, workerd, candidates, cases) {
  const notes = [];
  for (const { name, answers } of candidates) {
    for (const testCase of cases) {
      const answer = await load.probe(workerd.ports.get(name), testCase.text);
      const fault = faultOf(testCase, answers, answer);
      if (fault === null) continue;
      if (faultOf(testCase, answers, answer, true) !== null || name !== 'sdk') throw new Error(`${name}, ${testCase.name}: ${fault}`);
      notes.push(`${name}, ${testCase.name}: ${fault}`);
    }
  }
  return notes;
}

/**
 * Measures in small rounds: each round takes every case and every candidate once, in a new random order, so that
 * whatever else the machine does meets all of them alike. CPU time of the load generator is not in it.
 *
 * Gives `samples`, a map from case to candidate to one {cpuMicros, perSecond, latencies} per round, and `notes`.
 */
export async function measure(candidates, cases, { rounds, requests, concurrency, progress }) {
  const load = new LoadGenerator();
  const workerd = await Workerd.start(candidates);
  try {
    const notes = await verify(load, workerd, candidates, cases);
    const samples = new Map(cases.map(({ name }) => [name, new Map(candidates.map((candidate) => [candidate.name, []]))]));
    for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
      progress(round, rounds);
      for (const testCase of shuffled(cases)) {
        for (const { name } of shuffled(candidates)) {
          const sample = await once(load, workerd, name, testCase.text, requests, concurrency);
          if (round >= 0) samples.get(testCase.name).get(name).push(sample);
        }
      }
    }
    return { samples, notes };
  } finally {
    load.close();
    await workerd.stop();
  }
}

async function once(load, workerd, name, text, requests, concurrency) {
  let start = 0;
  let end = 0;
  const { seconds, latencies } = await load.run(workerd.ports.get(name), text, { count: requests, concurrency, status: 200 },
    () => { start = cpuNanos(workerd.pid); },
    () => { end = cpuNanos(workerd.pid); });
  return { cpuMicros: (end - start) / requests / 1e3, perSecond: requests / seconds, latencies };
}
