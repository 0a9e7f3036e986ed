// Turns samples into the tables that are printed.
import { median, quantile, spread } from './stats.mjs';

const cpu = (samples) => samples.map(({ cpuMicros }) => cpuMicros);

/** Ratios of two candidates within the same round, which what else the machine did in it cancels out of. */
const ratios = (samples, base) => samples.map(({ cpuMicros }, round) => cpuMicros / base[round].cpuMicros);

/** The numbers of one case: a map from candidate to its figures. */
export function summarise(byCandidate) {
  const summary = new Map();
  for (const [name, samples] of byCandidate) {
    const latencies = samples.flatMap((sample) => sample.latencies);
    const over = (base) => (byCandidate.has(base) ? ratios(samples, byCandidate.get(base)) : []);
    summary.set(name, {
      cpuMicros: median(cpu(samples)),
      toFloor: median(over('floor-js')),
      toFloorSpread: spread(over('floor-js')),
      toSdk: median(over('sdk')),
      perSecond: median(samples.map((sample) => sample.perSecond)),
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
    });
  }
  return summary;
}

/** A Markdown table; the first column is text, the others numbers. */
export function table(header, rows) {
  const widths = header.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? `${'-'.repeat(width + 2)}` : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(header), rule, ...rows.map(line)].join('\n');
}

const fixed = (value, digits) => (Number.isNaN(value) ? '-' : value.toFixed(digits));

/** The table of one case. */
export function caseTable(name, byCandidate) {
  const rows = [...summarise(byCandidate)].map(([candidate, figures]) => [
    candidate, fixed(figures.cpuMicros, 1), fixed(figures.toFloor, 3), fixed(figures.toFloorSpread, 3), fixed(figures.toSdk, 3),
    fixed(figures.perSecond, 0), fixed(figures.p50, 2), fixed(figures.p99, 2),
  ]);
  return table([name, 'CPU µs', 'x floor-js', '±', 'x sdk', 'req/s', 'p50 ms', 'p99 ms'], rows);
}

const mebibytes = (kibibytes) => fixed(kibibytes / 1024, 1);

/** The table of resident memory. */
export function memoryTable(sends, byCandidate) {
  const rows = [...byCandidate].map(([name, { before, after }]) => [name, mebibytes(before), mebibytes(after), fixed((after - before) / sends, 2)]);
  return table(['resident memory', 'first answer MiB', `${sends} sends MiB`, 'KiB/send'], rows);
}

/** The table of cold starts. */
export function startTable(base, starts) {
  const rows = [...starts].map(([name, { own, over }]) => [name, fixed(own, 1), fixed(over, 1)]);
  return table(['start to first answer', 'ms', `over ${base} ms`], rows);
}
