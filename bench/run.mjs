// npm run bench: what a request costs, next to the floors and to the JavaScript SDK's agent.
//
//   node bench/run.mjs [--rounds 25] [--requests 600] [--concurrency 8] [--only edge,floor-js,…] [--cases "unknown task,…"]
//                      [--sends 20000] [--starts 15] [--add name=main …] [--json file]
//
// --sends 0 leaves the memory out, --starts 0 the cold starts. --add compares one more worker with the same answers,
// given by its main module.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CANDIDATES, prepare } from './candidates.mjs';
import { CASES } from './cases.mjs';
import { coldStarts, memory } from './lib/footprint.mjs';
import { caseTable, memoryTable, startTable, summarise } from './lib/report.mjs';
import { measure } from './lib/throughput.mjs';

const COLD_START_BASE = 'constant-js';
const SEND_CASE = 'SendMessage';

const OPTIONS = {
  rounds: { type: 'string', default: '25' },
  requests: { type: 'string', default: '600' },
  concurrency: { type: 'string', default: '8' },
  only: { type: 'string' },
  cases: { type: 'string' },
  sends: { type: 'string', default: '20000' },
  starts: { type: 'string', default: '15' },
  add: { type: 'string', multiple: true, default: [] },
  json: { type: 'string' },
};

const say = (text) => process.stderr.write(`${text}\n`);
const print = (text) => process.stdout.write(`${text}\n`);

function count(values, name) {
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} ${values[name]}: not a whole number`);
  return value;
}

/** The entries of `all` whose names the comma-separated `wanted` lists; all of them when it is absent. */
function chosen(all, wanted, option) {
  if (wanted === undefined) return all;
  const names = wanted.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !all.some((entry) => entry.name === name));
  if (unknown.length > 0) throw new Error(`--${option}: there is no ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}`);
  return all.filter(({ name }) => names.includes(name));
}

function added(texts) {
  return texts.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw new Error(`--add ${text}: not name=main`);
    return { name: text.slice(0, at), main: text.slice(at + 1), vars: { TASK_STORE: 'memory', LOG_LEVEL: 'error' }, answers: 'protocol' };
  });
}

async function throughput(candidates, cases, settings) {
  const progress = (round, rounds) => { if (round % 10 === 0) say(`round ${round} of ${rounds}`); };
  const { samples, notes } = await measure(candidates, cases, { ...settings, progress });
  for (const [name, byCandidate] of samples) print(`\n${caseTable(name, byCandidate)}`);
  for (const note of notes) print(`\nNote: ${note}`);
  return Object.fromEntries([...samples].map(([name, byCandidate]) => [name, Object.fromEntries(summarise(byCandidate))]));
}

async function resident(candidates, sends) {
  const results = new Map();
  for (const candidate of candidates) {
    say(`memory: ${sends} sends to ${candidate.name}`);
    results.set(candidate.name, await memory(candidate, sendText(), sends));
  }
  print(`\n${memoryTable(sends, results)}`);
  return Object.fromEntries(results);
}

async function starts(candidates, count) {
  say(`cold starts: ${count} of each`);
  const base = candidates.find(({ name }) => name === COLD_START_BASE);
  const others = candidates.filter((candidate) => candidate !== base);
  const results = await coldStarts(others, base, CASES[0].text, count);
  print(`\n${startTable(COLD_START_BASE, results)}`);
  return Object.fromEntries(results);
}

const sendText = () => CASES.find(({ name }) => name === SEND_CASE).text;

async function main() {
  const { values } = parseArgs({ options: OPTIONS });
  const settings = { rounds: count(values, 'rounds'), requests: count(values, 'requests'), concurrency: count(values, 'concurrency') };
  const wanted = chosen([...CANDIDATES, ...added(values.add)], values.only, 'only');
  const cases = chosen(CASES, values.cases, 'cases');
  const folder = mkdtempSync(join(tmpdir(), 'a2a-bench-bundles-'));
  try {
    const candidates = await prepare(wanted, folder, (name, reason) => say(`skipped ${name}: ${reason}`));
    const machine = `${cpus().length} x ${cpus()[0].model}, load ${loadavg()[0].toFixed(1)}`;
    print(`${machine}; ${settings.rounds} rounds of ${settings.requests} requests, ${settings.concurrency} at a time`);
    const results = {};
    if (settings.rounds > 0) results.throughput = await throughput(candidates, cases, settings);
    const agents = candidates.filter(({ answers }) => answers === 'protocol');
    const sends = count(values, 'sends');
    if (sends > 0) results.memory = await resident(agents, sends);
    const repeats = count(values, 'starts');
    if (repeats > 0 && candidates.some(({ name }) => name === COLD_START_BASE)) results.starts = await starts(candidates, repeats);
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
