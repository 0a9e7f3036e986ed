// The WebAssembly module and its JavaScript: the client, and the agent inside the page. The page does not wait for it, and
// tries again when it does not come.

/** The first pause before another try, and the longest, in milliseconds. */
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 30_000;

const WASM = new URL('./pkg/pkg/a2a_edge_bg.wasm', import.meta.url);

let resolveClient;
let loaded; // what `client` resolves with
let endPause; // of a pause that is under way

/** What the package exports. It never rejects: there is always another try. */
export const client = new Promise((resolve) => (resolveClient = resolve));

export const isLoaded = () => loaded !== undefined;

/** Ends the pause before the next try. */
export const tryNow = () => endPause?.();

async function attempt(number) {
  const answer = fetch(WASM); // beside the script, and so that no try leaves the failed preload to the next
  answer.catch(() => {}); // if the script does not load, nobody asks
  // A browser may remember, by its address, that a script did not load.
  const exports = await import(`./pkg/client.js${number > 1 ? `?try=${number}` : ''}`);
  const wasm = await answer;
  if (!wasm.ok) throw new Error(`the module is answered ${wasm.status}`);
  await exports.load(wasm);
  return exports;
}

function pause(ms) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    endPause = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

/** Loads it. `onFailure` is told after each try that failed how long the pause is, and how many tries there were. */
export async function loadModule(onFailure) {
  for (let number = 1; loaded === undefined; number += 1) {
    try {
      loaded = await attempt(number);
    } catch {
      const ms = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (number - 1));
      onFailure(ms, number);
      await pause(ms);
      endPause = undefined;
    }
  }
  performance.mark('module');
  resolveClient(loaded);
}

addEventListener('online', tryNow);
