// The browser that the page is tested in: the one of the system, or Debian's.
import { capture, which } from './process.mjs';
import { aptInstall } from './rust.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Path of a Chromium, or undefined. `A2A_EDGE_CHROMIUM` names another. */
export const findChromium = () => process.env.A2A_EDGE_CHROMIUM ?? NAMES.map(which).find(Boolean);

/** Installs Chromium by apt-get where there is none. Elsewhere it is left to the user, and the test says so. */
export async function ensureChromium() {
  if (!findChromium() && capture('sh', ['-c', 'command -v apt-get'])) await aptInstall(['chromium', 'fonts-liberation', 'fonts-dejavu-core']);
}
