// The page in a browser: opening it, going through its cases, and what it shows.

/** A fixture that opens tabs of the page at `site`. What their consoles complain about is in `complaints`. */
export function pageOf(site, browser) {
  const complaints = [];

  /** Opens a tab; `prepare` is called with it before it goes anywhere. */
  async function opened(options = {}, hash = '', prepare = undefined) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, permissions: ['clipboard-read', 'clipboard-write'], ...options });
    context.setDefaultTimeout(10_000);
    const tab = await context.newPage();
    tab.on('pageerror', (error) => complaints.push(error.stack));
    tab.on('console', (message) => {
      // Chromium's own line about any answer that is an error, which is what was asked for.
      const isAnswer = message.text().startsWith('Failed to load resource: the server responded with a status of');
      const isApi = !/\.(js|css|wasm|svg|html)$/.test(new URL(message.location().url || site.url).pathname);
      if (message.type() === 'error' && !(isAnswer && isApi)) complaints.push(`${message.text()} ${message.location().url}`);
    });
    await prepare?.(tab);
    await tab.goto(`${site.url}/${hash}`);
    return tab;
  }

  return { complaints, opened };
}

export const hashOf = (parts) => `#${new URLSearchParams(parts)}`;

/** Goes to an address as if it were new, without waiting for what comes of it. */
export async function go(tab, parts) {
  await tab.evaluate((next) => {
    history.replaceState(null, '', '#'); // or a visit to the same case would be none
    delete document.body.dataset.shown;
    location.hash = next;
  }, hashOf(parts));
}

/** Goes to a case and waits until it has been sent and read. */
export async function visit(tab, parts) {
  await go(tab, parts);
  await whenShown(tab, parts);
  return shown(tab);
}

export const whenShown = (tab, parts) =>
  tab.waitForFunction((hash) => (hash ? document.body.dataset.shown === hash : document.body.dataset.shown), parts && hashOf(parts), { timeout: 20_000 });

export const shown = (tab) =>
  tab.evaluate(() => ({
    title: document.getElementById('title').textContent,
    note: document.getElementById('note').hidden ? '' : document.getElementById('note').textContent,
    status: document.getElementById('status').textContent,
    headers: [...document.querySelectorAll('#response-headers dt')].map((dt) => [dt.textContent.toLowerCase(), dt.nextSibling.textContent]),
    body: document.getElementById('response-body').textContent,
    picked: [...document.querySelectorAll('#response-body .picked')].map((element) => element.textContent),
    facts: Object.fromEntries([...document.querySelectorAll('#seen [data-fact]')].map((element) => [element.dataset.fact, element.textContent])),
    verdict: document.querySelector('#advice .verdict')?.textContent,
    log: document.getElementById('log-lines').textContent,
  }));
