// node bench/operations.mjs [--rounds 40] [--requests 100] [--inspector]: what single operations of a worker cost.
//
// Each operation is done many times within a request, and the difference to a worker that does it not at all is divided
// by that number: what costs half a microsecond cannot be seen otherwise. docs/performance.md has the results.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CASES } from './cases.mjs';
import { cpuNanos } from './lib/cpu.mjs';
import { LoadGenerator } from './lib/load.mjs';
import { table } from './lib/report.mjs';
import { median, shuffled } from './lib/stats.mjs';
import { Workerd, modulesOf } from './lib/workerd.mjs';

const REPEATS = 20;
const CONCURRENCY = 8;
const WARM_UP_ROUNDS = 4;
const BASE = 'nothing';

const LOG_LINE = JSON.stringify({ level: 'warn', event: 'request_failed', method: 'GetTask', code: -32001, reason: 'TASK_NOT_FOUND', pad: 'x'.repeat(150) });

/** Name to statement; `r` is the request, `p` the parsed body, `c` the context, `use` keeps a value alive. */
const OPERATIONS = {
  [BASE]: '',
  'console.log of a 250-byte string': 'console.log(LOG)',
  'console.log of an object': 'console.log({ level: "warn", method: p.method, code: -32001 })',
  'headers.get, present': 'use(r.headers.get("a2a-version"))',
  'headers.get, absent': 'use(r.headers.get("a2a-extensions"))',
  'iterating over six headers': 'for (const [name, value] of r.headers) use(name, value)',
  'Object.fromEntries(headers)': 'use(Object.fromEntries(r.headers))',
  'request.url': 'use(r.url)',
  'new URL(request.url)': 'use(new URL(r.url).pathname)',
  'new Response, literal headers': 'use(new Response(TEXT, { status: 200, headers: { "content-type": "application/json" } }))',
  'new Response, shared Headers': 'use(new Response(TEXT, SHARED_HEADERS))',
  'new Response, shared object': 'use(new Response(TEXT, SHARED_OBJECT))',
  'new Response, shared pairs': 'use(new Response(TEXT, SHARED_PAIRS))',
  'new Response, new Headers': 'use(new Response(TEXT, { status: 200, headers: new Headers({ "content-type": "application/json" }) }))',
  'new Response, bytes': 'use(new Response(BYTES, SHARED_HEADERS))',
  'new Response and text()': 'use(await new Response(TEXT, SHARED_HEADERS).text())',
  'new Response and arrayBuffer()': 'use(await new Response(TEXT, SHARED_HEADERS).arrayBuffer())',
  'ctx.waitUntil': 'c.waitUntil(Promise.resolve())',
  'Promise.race of two': 'await Promise.race([Promise.resolve(), Promise.withResolvers().promise])',
  'setTimeout and clearTimeout': 'clearTimeout(setTimeout(() => {}, 1000))',
  'crypto.randomUUID': 'use(crypto.randomUUID())',
  'TextEncoder.encode, 190 bytes': 'use(ENCODER.encode(TEXT))',
  'JSON.parse, 75 bytes': 'use(JSON.parse(body))',
};

const workerText = (statement) => `
const LOG = ${JSON.stringify(LOG_LINE)};
const TEXT = ${JSON.stringify('x'.repeat(190))};
const ENCODER = new TextEncoder();
const BYTES = ENCODER.encode(TEXT);
const PAIRS = [['content-type', 'application/json']];
const SHARED_HEADERS = { status: 200, headers: new Headers(PAIRS) };
const SHARED_OBJECT = { status: 200, headers: { 'content-type': 'application/json' } };
const SHARED_PAIRS = { status: 200, headers: PAIRS };
let kept;
const use = (value) => { kept = value; };
export default {
  async fetch(r, env, c) {
    const body = await r.text();
    const p = JSON.parse(body);
    for (let i = 0; i < ${REPEATS}; i += 1) { ${statement}; }
    return new Response(kept === 0 ? 'never' : TEXT, SHARED_HEADERS);
  },
};`;

function written(folder) {
  return Object.entries(OPERATIONS).map(([name, statement], index) => {
    const own = join(folder, String(index));
    mkdirSync(own);
    writeFileSync(join(own, 'main.mjs'), workerText(statement));
    return { name: `operation-${index}`, label: name, modules: modulesOf(own, 'main.mjs') };
  });
}

/** CPU µs per request of each worker, one value per round. */
async function samples(workers, { rounds, requests, inspector }) {
  const load = new LoadGenerator();
  const args = inspector ? ['--experimental', '--inspector-addr=127.0.0.1:0'] : [];
  const workerd = await Workerd.start(workers, { args });
  const micros = new Map(workers.map(({ label }) => [label, []]));
  try {
    for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
      for (const { name, label } of shuffled(workers)) {
        let start = 0;
        let end = 0;
        await load.run(workerd.ports.get(name), CASES[0].text, { count: requests, concurrency: CONCURRENCY, status: 200 },
          () => { start = cpuNanos(workerd.pid); },
          () => { end = cpuNanos(workerd.pid); });
        if (round >= 0) micros.get(label).push((end - start) / requests / 1e3);
      }
    }
    return micros;
  } finally {
    load.close();
    await workerd.stop();
  }
}

const { values } = parseArgs({ options: {
  rounds: { type: 'string', default: '40' }, requests: { type: 'string', default: '100' }, inspector: { type: 'boolean', default: false },
} });
const folder = mkdtempSync(join(tmpdir(), 'a2a-bench-'));
try {
  const settings = { rounds: Number(values.rounds), requests: Number(values.requests), inspector: values.inspector };
  const micros = await samples(written(folder), settings);
  const base = median(micros.get(BASE));
  const rows = [...micros].filter(([label]) => label !== BASE).map(([label, own]) => {
    const each = (median(own) - base) / REPEATS;
    return [label, each.toFixed(1), ((each / base) * 100).toFixed(1)];
  });
  console.log(`A worker that does none of it: ${base.toFixed(1)} µs of CPU per request.\n`);
  console.log(table(['operation', 'CPU µs', '% of that'], rows));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
