// Adds up what cargo test and node's test runner say about their tests.

const sum = (text, pattern) => [...text.matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0);

/** @returns {{passed: number, failed: number}} of all `test result:` lines of a `cargo test` */
export function cargoSummary(output) {
  return {
    passed: sum(output, /^test result: \S+ (\d+) passed/gm),
    failed: sum(output, /^test result: \S+ \d+ passed; (\d+) failed/gm),
  };
}

/** @returns {{passed: number, failed: number}} of a report in TAP; a cancelled test did not pass */
export function tapSummary(output) {
  return {
    passed: sum(output, /^# pass (\d+)$/gm),
    failed: sum(output, /^# fail (\d+)$/gm) + sum(output, /^# cancelled (\d+)$/gm),
  };
}

/** A stage that failed without naming a failed test (it did not compile, say) counts as one failure. */
export function settle({ passed, failed }, exitCode) {
  return { passed, failed: exitCode !== 0 && failed === 0 ? 1 : failed };
}
