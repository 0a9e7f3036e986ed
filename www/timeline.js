// Retries, drawn: a client calls an origin that fails by a script, and what it does is shown as it does it.
import { client as loading, isLoaded } from './module.js';
import { idOf } from './targets.js';
import { el } from './view.js';

const DEFAULTS = { maxRetries: 3, baseMs: 300, capMs: 2000, failures: 5, openMs: 1200, headTimeoutMs: 500 };

const GET = ['GetTask', { id: 'task-123' }];
const SEND = ['SendMessage', { message: { role: 'ROLE_USER', parts: [{ text: 'hello' }] } }];

// What the origin answers, one after the other; the last again and again.
const busy = (more) => ({ status: 503, ...more });

export const SCENARIOS = new Map([
  { id: 'recovers', title: 'The origin recovers', when: 'Two failures, then an answer. Each wait is chance, up to a bound that doubles.', call: GET, script: [busy(), busy(), { ok: true }] },
  { id: 'retry-after', title: 'The origin names a time', when: 'A 429 with Retry-After: the client waits at least that long, whatever chance says.', call: GET, script: [{ status: 429, retryAfter: '1' }, { ok: true }] },
  { id: 'exhausted', title: 'Retries run out', when: 'The origin fails for good. After so many retries the client says so.', call: GET, script: [busy()] },
  { id: 'permanent', title: 'Not worth a retry', when: 'The task is not there, and will not be: one attempt.', call: GET, script: [{ error: [-32001, 'Task not found'] }] },
  { id: 'send', title: 'Not safe to retry', when: 'A message may have been taken although the answer says 503: it is not sent twice.', call: SEND, script: [busy()] },
  { id: 'timeout', title: 'The origin hangs', when: 'No answer within the limit of one attempt; the next one gets through.', call: GET, script: [{ hang: true }, { ok: true }] },
  { id: 'fallback', title: 'A fallback answers', when: 'The first agent fails for good, and the next in line is asked.', call: GET, script: [busy()], fallback: [{ ok: true }], settings: { maxRetries: 1 } },
  { id: 'breaker', title: 'The breaker opens', when: 'After three failures in a row the origin is left alone. Then one probe decides.', call: GET, script: [busy(), busy(), busy(), { ok: true }], settings: { maxRetries: 0, failures: 3 }, calls: 7, gapMs: 320 },
].map((one) => [one.id, one]));

/** Most of each setting: a minute, or far more calls than anybody looks at. */
const MAX_SETTING = 60_000;

const WAITING = 'Waiting for the client, a WebAssembly module …';

/** Of the drawing, in pixels; and what a time on its axis takes, or the word “refused”. */
const MIN_WIDTH = 280;
const LABEL_WIDTH = 64;
const REFUSED_WIDTH = 46;

const FIRST = 'https://origin.example/rpc';
const SECOND = 'https://fallback.example/rpc';
/** How long the origin thinks. */
const THINKS_MS = 120;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A fetch function that plays the script of whoever is asked. */
function scripted({ script, fallback = [] }, onAnswer) {
  const scripts = { [FIRST]: [...script], [SECOND]: [...fallback] };
  return async (url, { body, signal }) => {
    const origin = Object.keys(scripts).find((known) => url.startsWith(known.slice(0, -4)));
    const left = scripts[origin];
    const answer = left.length > 1 ? left.shift() : left[0];
    if (answer.hang) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    await sleep(THINKS_MS);
    onAnswer(answer.ok ? 'answered' : answer.error ? `answered ${answer.error[0]}` : `answered ${answer.status}`);
    return answered(answer, body);
  };
}

function answered({ ok, error, status, retryAfter }, body) {
  const headers = { 'Content-Type': 'application/json', ...(retryAfter && { 'Retry-After': retryAfter }) };
  if (status) return new Response('{"message":"overloaded"}', { status, headers });
  const task = '{"id":"task-123","contextId":"c-1","status":{"state":"TASK_STATE_COMPLETED"}}';
  const isRest = body === undefined || !body.includes('"jsonrpc"');
  if (error) {
    const [code, message] = error;
    const info = '{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{}}';
    return isRest
      ? new Response(`{"error":{"code":404,"status":"NOT_FOUND","message":"${message}","details":[${info}]}}`, { status: 404, headers })
      : new Response(`{"jsonrpc":"2.0","id":${idOf(body)},"error":{"code":${code},"message":"${message}","data":[${info}]}}`, { headers });
  }
  const result = isRest || !body.includes('"SendMessage"') ? task : `{"task":${task}}`;
  return new Response(isRest ? task : `{"jsonrpc":"2.0","id":${idOf(body)},"result":${result}}`, { headers });
}

let current; // what is being drawn

export function showScenario(scenario, into, { binding, start }) {
  current?.stop();
  const settings = { ...DEFAULTS, ...scenario.settings };
  const field = (name, label, step) => el('label', {}, label, el('input', { type: 'number', name, value: String(settings[name]), min: '0', max: String(MAX_SETTING), step }));
  const run = el('button', { type: 'button', class: 'primary', id: 'run' }, 'Run');
  const form = el('form', { class: 'settings' }, field('maxRetries', 'Retries', '1'), field('baseMs', 'First bound, ms', '50'), field('capMs', 'Cap, ms', '100'),
    field('failures', 'Breaker after', '1'), field('openMs', 'Open for, ms', '100'), field('headTimeoutMs', 'Attempt limit, ms', '50'), run);
  const chart = el('div', { class: 'chart', tabindex: '0', 'aria-label': 'Timeline, told in the list below it', role: 'group' });
  const events = el('ol', { class: 'events', id: 'events', 'aria-label': 'What happened' });
  const answer = el('p', { class: 'answer', id: 'answer', role: 'status' });
  into.replaceChildren(
    el('div', { class: 'heading' }, el('p', { class: 'group' }, 'Retries, drawn'), el('h2', { id: 'scenario-title' }, scenario.title), el('p', { class: 'when' }, scenario.when)),
    el('section', { class: 'panel timeline-panel' }, form, chart, legend(), answer, events),
  );
  const begin = () => {
    current?.stop();
    const chosen = Object.fromEntries([...form.elements].filter(({ name }) => name).map(({ name, value }) => [name, Math.min(MAX_SETTING, Math.max(0, Math.trunc(Number(value) || 0)))]));
    current = new Timeline(scenario, binding, chosen, { chart, events, answer });
    return current.run();
  };
  run.addEventListener('click', begin);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    begin();
  });
  return start ? begin() : undefined;
}

const legend = () => el('p', { class: 'legend', 'aria-hidden': 'true' },
  el('span', { class: 'l-ok' }, 'answered'), el('span', { class: 'l-failed' }, 'failed, or breaker open'), el('span', { class: 'l-wait' }, 'wait, by chance'), el('span', { class: 'l-bound' }, 'its bound'), el('span', { class: 'l-half' }, 'breaker half-open'));

class Timeline {
  #marks = []; // attempts and waits, in the order of their beginning
  #breaker = []; // states, each with the time since when
  #stopped = false;
  #abort = new AbortController();

  constructor(scenario, binding, settings, parts) {
    Object.assign(this, { scenario, binding, settings, parts });
  }

  stop() {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#abort.abort();
    clearInterval(this.timer);
    this.client?.then((client) => client.close(), () => {});
  }

  get now() {
    return performance.now() - this.started;
  }

  async run() {
    const { scenario, binding, settings } = this;
    this.parts.events.replaceChildren();
    this.parts.answer.textContent = '';
    this.parts.answer.className = 'answer';
    delete this.parts.answer.dataset.done;
    const endpoint = (url) => ({ url: binding === 'JSONRPC' ? url : url.slice(0, -4), binding });
    const { maxRetries, baseMs, capMs, failures, openMs, headTimeoutMs } = settings;
    const options = {
      fetch: scripted(scenario, (text) => this.#answered(text)),
      onNote: (note) => this.#note(note),
      retry: { maxRetries, baseMs, capMs },
      breaker: { failures, openMs },
      headTimeoutMs: Math.max(50, headTimeoutMs),
      fallbacks: scenario.fallback ? [endpoint(SECOND)] : [],
    };
    if (!isLoaded()) this.parts.answer.textContent = WAITING;
    this.client = loading.then(({ A2aClient }) => A2aClient.at(endpoint(FIRST), options));
    const client = await this.client;
    if (this.#stopped) return;
    this.parts.answer.textContent = '';
    this.started = performance.now();
    this.#breaker = [['closed', 0]];
    this.#say(`Breaker closed, and the client calls ${scenario.call[0]}.`);
    this.timer = setInterval(() => this.#tick(client), 40);
    for (let call = 0; call < (scenario.calls ?? 1) && !this.#stopped; call += 1) {
      if (call > 0) await sleep(scenario.gapMs);
      await this.#call(client);
    }
    if (this.#stopped) return;
    this.#tick(client);
    clearInterval(this.timer);
    this.parts.answer.dataset.done = 'true';
  }

  async #call(client) {
    try {
      await client.call(...this.scenario.call, { signal: this.#abort.signal });
      this.#end('ok');
      this.#finish('good', 'Answer: the task, TASK_STATE_COMPLETED');
    } catch (error) {
      if (this.#stopped) return;
      this.#end('failed');
      this.#finish('bad', `Answer: ${error.name}, ${error.reason ?? (error.kind === 'Custom' ? `HTTP ${error.httpStatus}` : error.kind)}: ${error.message}`);
    }
    this.#tick(client);
  }

  #finish(tone, text) {
    if (this.#stopped) return;
    this.parts.answer.textContent = text;
    this.parts.answer.className = `answer ${tone}`;
    this.#say(text);
  }

  #note(note) {
    if (this.#stopped) return;
    const who = note.agent === 0 ? '' : ' to the fallback';
    if (note.type === 'attempt') {
      this.#endWait();
      this.#marks.push({ kind: 'attempt', agent: note.agent, number: note.attempt, from: this.now, to: undefined, how: 'running' });
      this.#say(`Attempt ${note.attempt}${who}.`);
    } else if (note.type === 'retry') {
      this.#end('failed');
      const bound = Math.min(this.settings.capMs, this.settings.baseMs * 2 ** (this.#marks.filter(({ kind, agent }) => kind === 'attempt' && agent === note.agent).length - 1));
      this.#marks.push({ kind: 'wait', agent: note.agent, from: this.now, to: this.now + note.waitMs, bound, asked: note.error.retryAfterMs });
      const why = note.error.retryAfterMs ? `at least the ${note.error.retryAfterMs} ms that were asked for` : `chance, of at most ${bound} ms`;
      this.#say(`${failure(note.error)} Wait ${note.waitMs} ms: ${why}.`);
    } else if (note.type === 'gave-up') {
      this.#end('failed');
      this.#say(`${failure(note.error)} Not sent again${who ? ' to the fallback' : ''}: ${WHY[note.why]}.`);
    } else {
      this.#marks.push({ kind: 'refused', agent: note.agent, from: this.now, to: this.now });
      this.#say(`The breaker is open: nothing is sent, for ${note.retryAfterMs} ms more.`);
    }
    this.#draw();
  }

  #answered(text) {
    if (!this.#stopped) this.#say(`The origin has ${text}.`);
  }

  #end(how) {
    const mark = this.#marks.findLast(({ kind, to }) => kind === 'attempt' && to === undefined);
    if (mark) Object.assign(mark, { to: this.now, how });
  }

  #endWait() {
    const wait = this.#marks.at(-1);
    if (wait?.kind === 'wait') wait.to = this.now;
  }

  #say(text) {
    const time = this.started === undefined ? 0 : this.now;
    this.parts.events.append(el('li', {}, el('time', { class: 'mono' }, `${Math.round(time)} ms`), el('span', {}, text)));
  }

  #tick(client) {
    if (this.#stopped) return;
    const state = client.breaker;
    if (state !== this.#breaker.at(-1)[0]) {
      this.#breaker.push([state, this.now]);
      this.#say(BREAKER[state]);
    }
    this.#draw();
  }

  #draw() {
    const agents = this.scenario.fallback ? ['Origin', 'Fallback'] : ['Origin'];
    const end = Math.max(this.now, ...this.#marks.map(({ to, from, bound }) => Math.max(to ?? 0, from + (bound ?? 0))), 1000) * 1.04;
    const width = Math.max(MIN_WIDTH, this.parts.chart.clientWidth), left = 64, lane = 54, top = 26;
    const x = (ms) => left + (ms / end) * (width - left - 16);
    const height = top + agents.length * lane + 40;
    const parts = [];
    const step = [100, 200, 500, 1000, 2000, 5000, 10000].find((size) => end / size <= (width - left) / LABEL_WIDTH) ?? 20000;
    for (let ms = 0; ms <= end; ms += step) {
      parts.push(svg('line', { x1: x(ms), x2: x(ms), y1: top - 6, y2: height - 8, class: 'grid' }));
      parts.push(svg('text', { x: x(ms), y: 13, 'text-anchor': 'middle' }, ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`));
    }
    agents.forEach((name, index) => parts.push(svg('text', { x: 0, y: top + index * lane + 25, class: 'strong' }, name)));
    this.free = 0; // from where on there is room for a word
    for (const mark of this.#marks) parts.push(...this.#mark(mark, x, top + mark.agent * lane + 4));
    const y = top + agents.length * lane + 6;
    parts.push(svg('text', { x: 0, y: y + 12, class: 'strong' }, 'Breaker'));
    this.#breaker.forEach(([state, from], index) => {
      const to = this.#breaker[index + 1]?.[1] ?? this.now;
      parts.push(svg('rect', { x: x(from), y, width: Math.max(1, x(to) - x(from)), height: 16, class: state, rx: 2 }));
      if (x(to) - x(from) > 52) parts.push(svg('text', { x: x(from) + 6, y: y + 12, class: 'strong' }, state));
    });
    const root = svg('svg', { viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' });
    root.append(...parts);
    this.parts.chart.replaceChildren(root);
  }

  #mark({ kind, from, to, bound, number, how }, x, y) {
    const end = to ?? this.now;
    if (kind === 'refused') {
      const line = svg('line', { x1: x(from), x2: x(from), y1: y + 4, y2: y + 30, class: 'wait' });
      if (x(from) < this.free) return [line];
      this.free = x(from) + REFUSED_WIDTH;
      return [line, svg('text', { x: x(from), y: y + 44, 'text-anchor': 'middle' }, 'refused')];
    }
    if (kind === 'wait') {
      return [
        svg('rect', { x: x(from), y: y + 4, width: Math.max(1, x(from + bound) - x(from)), height: 26, class: 'bound', rx: 2 }),
        svg('line', { x1: x(from), x2: x(end), y1: y + 17, y2: y + 17, class: 'wait' }),
        svg('line', { x1: x(end), x2: x(end), y1: y + 11, y2: y + 23, class: 'wait' }),
      ];
    }
    const width = Math.max(4, x(end) - x(from));
    const bar = svg('rect', { x: x(from), y, width, height: 34, class: how, rx: 3 });
    return width > 18 ? [bar, svg('text', { x: x(from) + width / 2, y: y + 21, 'text-anchor': 'middle', class: 'on' }, String(number))] : [bar];
  }
}

const failure = (error) => (error.origin === 'transport' ? `Failed: ${error.message}.` : `Failed: ${error.kind === 'Custom' ? `HTTP ${error.httpStatus}` : error.kind}.`);

const WHY = {
  permanent: 'the answer would be the same',
  'not-idempotent': 'it might be done twice',
  exhausted: 'it was sent often enough',
  deadline: 'the wait would outlast the deadline',
  budget: 'too many requests are retries already',
  'asked-to-wait': 'it asks for time, and another can be asked meanwhile',
};
const BREAKER = {
  closed: 'The breaker closes: everything passes again.',
  open: 'The breaker opens: nothing passes.',
  'half-open': 'The breaker is half-open: one probe passes, and decides.',
};

function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, typeof value === 'number' ? String(Math.round(value * 10) / 10) : value);
  element.append(...children);
  return element;
}
