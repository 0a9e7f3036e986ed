// Resident memory after many sends, and the time from process start to the first answer.
import { residentKiB } from './cpu.mjs';
import { LoadGenerator } from './load.mjs';
import { median } from './stats.mjs';
import { Workerd } from './workerd.mjs';

const CONCURRENCY = 8;

/** VmRSS in KiB of a workerd of its own, after the first answer and after `sends` messages. */
export async function memory(candidate, text, sends) {
  const load = new LoadGenerator();
  const workerd = await Workerd.start([candidate]);
  try {
    const port = workerd.ports.get(candidate.name);
    await load.probe(port, text);
    const before = residentKiB(workerd.pid);
    await load.run(port, text, { count: sends, concurrency: CONCURRENCY, status: 200 });
    return { before, after: residentKiB(workerd.pid) };
  } finally {
    load.close();
    await workerd.stop();
  }
}

/** Milliseconds from spawning workerd to the candidate's first answer. */
async function start(load, candidate, text) {
  const started = performance.now();
  const workerd = await Workerd.start([candidate]);
  try {
    await load.probe(workerd.ports.get(candidate.name), text);
    return performance.now() - started;
  } finally {
    await workerd.stop();
  }
}

/**
 * Starts each candidate `starts` times, in turn with `base`, and gives per candidate the median start and the median
 * of the differences to the start of `base` just before it.
 */
export async function coldStarts(candidates, base, text, starts) {
  const load = new LoadGenerator();
  const times = new Map(candidates.map(({ name }) => [name, { own: [], over: [] }]));
  try {
    for (let round = 0; round < starts; round += 1) {
      for (const candidate of candidates) {
        const floor = await start(load, base, text);
        const own = await start(load, candidate, text);
        times.get(candidate.name).own.push(own);
        times.get(candidate.name).over.push(own - floor);
      }
    }
  } finally {
    load.close();
  }
  return new Map([...times].map(([name, { own, over }]) => [name, { own: median(own), over: median(over) }]));
}
