// CPU time and memory of another process, from Linux's /proc.
import { readdirSync, readFileSync } from 'node:fs';

/**
 * CPU time the process has used so far, in nanoseconds, summed over its threads.
 *
 * schedstat counts nanoseconds where /proc/<pid>/stat counts clock ticks of 10 ms, which is
 * as long as two hundred requests. /proc/<pid>/schedstat itself covers the main thread only.
 */
export function cpuNanos(pid) {
  let total = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    total += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ', 1)[0]);
  }
  return total;
}

/** Resident memory of the process in KiB (VmRSS). */
export function residentKiB(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)[1]);
}
