// Child processes with visible progress: nothing that takes longer than a few seconds runs in silence.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';

const HEARTBEAT_MS = 10_000;
const EXCERPT_LINES = 30;
const INTERRUPTED = 130; // as a shell says it

/** A failure whose message is all the user needs; it is printed without a stack. */
export class SetupError extends Error {}

export const say = (text) => console.error(`[a2a-edge] ${text}`);

export const seconds = (sinceMs) => `${Math.round((Date.now() - sinceMs) / 1000)} s`;

/** Standard output of a command, trimmed; `undefined` when it cannot be run or fails. */
export function capture(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], ...options });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/** Absolute path of a program on PATH, or `undefined`. */
export const which = (program) => capture('sh', ['-c', 'command -v "$0"', program]);

/** Passes the user's interrupt on to the child, waits for it, and then ends as well: no later step may follow. */
function exitOf(child) {
  let interrupted = false;
  const pass = (signal) => {
    interrupted = true;
    child.kill(signal);
  };
  process.on('SIGINT', pass).on('SIGTERM', pass);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      process.off('SIGINT', pass).off('SIGTERM', pass);
      if (interrupted) process.exit(INTERRUPTED);
      resolve(code ?? (signal ? INTERRUPTED : 1));
    });
  });
}

/** Runs a command on the user's terminal and returns its exit code. `onStdout` sees what it prints as well. */
export async function runVisible(command, args, { env = {}, cwd, onStdout } = {}) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['inherit', onStdout ? 'pipe' : 'inherit', 'inherit'],
  });
  child.stdout?.on('data', (chunk) => {
    process.stdout.write(chunk);
    onStdout(chunk.toString());
  });
  return exitOf(child);
}

/**
 * Runs a command with its output in a log file, and says every few seconds how far it is.
 * Throws a `SetupError` with the end of the log when it fails.
 */
export async function runLogged(title, command, args, { env = {}, cwd, logFile }) {
  const started = Date.now();
  mkdirSync(path.dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'w');
  let last = '';
  const heartbeat = setInterval(() => say(`${title}: ${seconds(started)} … ${last}`), HEARTBEAT_MS);
  try {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        writeSync(log, chunk);
        last = chunk.toString().trim().split('\n').at(-1).trim() || last;
      });
    }
    const code = await exitOf(child);
    if (code !== 0) throw new SetupError(`${title} failed (exit ${code}), the end of ${logFile}:\n${excerpt(logFile)}`);
  } finally {
    clearInterval(heartbeat);
    closeSync(log);
  }
  say(`${title}: done in ${seconds(started)}`);
}

function excerpt(logFile) {
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-EXCERPT_LINES).map((line) => `    ${line}`).join('\n');
}

/** Runs a script's main function; a `SetupError` ends it with its message alone. */
export async function main(run) {
  try {
    process.exitCode = (await run(process.argv.slice(2))) ?? 0;
  } catch (error) {
    say(error instanceof SetupError ? error.message : error.stack);
    process.exitCode = 1;
  }
}
