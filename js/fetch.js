// HTTP for src/worker/fetch.rs, with as few crossings as it takes: a string each way, and the body piece by piece.

// Sends a request. `headers` has a line for each, as `Name: value`; a request without a body has `undefined`.
export function send(method, url, headers, body) {
  const controller = new AbortController();
  const init = {
    method,
    headers: headers.split('\n').map(split),
    body,
    // Whoever asked decides where to go on.
    redirect: 'manual',
    cache: 'no-store',
    signal: controller.signal,
  };
  return new Exchange(controller, url, init);
}

function split(line) {
  const colon = line.indexOf(': ');
  return [line.slice(0, colon), line.slice(colon + 2)];
}

class Exchange {
  #controller;
  #response;
  #reader;

  constructor(controller, url, init) {
    this.#controller = controller;
    // A promise in any case: a URL that is none is thrown at once otherwise.
    this.#response = (async () => fetch(url, init))();
  }

  // Status and headers, a line for each.
  async head() {
    const response = await this.#response;
    this.#reader = response.body?.getReader();
    const lines = [response.status];
    for (const [name, value] of response.headers) lines.push(`${name}: ${value}`);
    return lines.join('\n');
  }

  // The next piece of the body; nothing after the last.
  async read() {
    return (await this.#reader?.read())?.value;
  }

  // Closes the connection, whatever is still to come.
  abort() {
    // Nobody waits for these any more, so nobody would take what they are rejected with.
    this.#response.catch(() => {});
    this.#reader?.cancel().catch(() => {});
    this.#controller.abort();
  }
}
