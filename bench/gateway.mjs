// node bench/gateway.mjs [--rounds 40] [--requests 200] [--json file]: what the gateway adds to the latency of its origin.
//
// The origin, a worker that only passes requests on, and the gateway run in one workerd. One request at a time, in rounds
// of all three in a random order: what is reported is how much longer a request takes than one to the origin alone.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare } from './candidates.mjs';
import { LoadGenerator } from './lib/load.mjs';
import { table } from './lib/report.mjs';
import { quantile, shuffled } from './lib/stats.mjs';
import { Workerd } from './lib/workerd.mjs';

const WARM_UP_ROUNDS = 5;
const ORIGIN = 'origin';
const originUrl = (ports) => ({ ORIGIN_URL: `http://127.0.0.1:${ports.get(ORIGIN)}` });
const gatewayVars = (binding) => (ports) => ({ ...originUrl(ports), ORIGIN_BINDING: binding, TASK_STORE: 'memory', LOG_LEVEL: 'error' });

const CANDIDATES = [
  { name: ORIGIN, main: 'bench/workers/origin-js.mjs' },
  { name: 'relay', main: 'bench/workers/relay-js.mjs', vars: originUrl },
  { name: 'gateway', crate: '.', main: 'js/worker.mjs', vars: gatewayVars('jsonrpc') },
  { name: 'gateway, REST behind', crate: '.', main: 'js/worker.mjs', vars: gatewayVars('rest') },
];

const HEADERS = 'host: 127.0.0.1\r\nA2A-Version: 1.0\r\ncontent-type: application/json\r\nauthorization: Bearer bench';
const post = (body) => `POST /rpc HTTP/1.1\r\n${HEADERS}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const call = (method, params) => post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
const message = { role: 'ROLE_USER', messageId: 'm-############', parts: [{ text: 'hello from the benchmark' }] };
const CASES = [
  { name: 'SendMessage', text: call('SendMessage', { message }) },
  { name: 'GetTask', text: call('GetTask', { id: 't' }) },
];

function assertAnswered(name, { status, body }) {
  const { result } = JSON.parse(body);
  if (status !== 200 || (result?.task ?? result)?.id !== 't') throw new Error(`${name}: ${status} ${body.slice(0, 300)}`);
}

async function measure(candidates, { rounds, requests }) {
  const latencies = new Map(CASES.flatMap((one) => candidates.map(({ name }) => [`${one.name}/${name}`, []])));
  const load = new LoadGenerator();
  const workerd = await Workerd.start(candidates);
  try {
    for (const { name } of candidates) for (const one of CASES) assertAnswered(name, await load.probe(workerd.ports.get(name), one.text));
    for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
      for (const one of CASES) {
        for (const { name } of shuffled(candidates)) {
          const result = await load.run(workerd.ports.get(name), one.text, { count: requests, concurrency: 1, status: 200 });
          if (round >= 0) latencies.get(`${one.name}/${name}`).push(...result.latencies);
        }
      }
    }
    return latencies;
  } finally {
    load.close();
    await workerd.stop();
  }
}

const { values } = parseArgs({ options: {
  rounds: { type: 'string', default: '40' }, requests: { type: 'string', default: '200' }, json: { type: 'string' },
} });
const folder = mkdtempSync(join(tmpdir(), 'a2a-bench-'));
try {
  const candidates = await prepare(CANDIDATES, folder, (name, reason) => process.stderr.write(`skipped ${name}: ${reason}\n`));
  const latencies = await measure(candidates, { rounds: Number(values.rounds), requests: Number(values.requests) });
  const results = {};
  for (const one of CASES) {
    const at = (name, q) => quantile(latencies.get(`${one.name}/${name}`), q);
    results[one.name] = Object.fromEntries(candidates.map(({ name }) => {
      const figures = { p50: at(name, 0.5), p99: at(name, 0.99) };
      return [name, { ...figures, addedP50: figures.p50 - at(ORIGIN, 0.5), addedP99: figures.p99 - at(ORIGIN, 0.99) }];
    }));
    const row = ([name, { p50, p99, addedP50, addedP99 }]) => [name, ...[p50, p99, addedP50, addedP99].map((ms) => ms.toFixed(2))];
    console.log(`\n${table([one.name, 'p50 ms', 'p99 ms', 'added p50', 'added p99'], Object.entries(results[one.name]).map(row))}`);
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
