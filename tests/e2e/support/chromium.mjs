// A Chromium without a window. Nothing that it does by itself goes out.
import { chromium } from 'playwright-core';
import { findChromium } from '../../../scripts/lib/chromium.mjs';

const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];

export function launchChromium() {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('no Chromium: install it, or name it in A2A_EDGE_CHROMIUM');
  return chromium.launch({ executablePath, args: ARGS });
}
