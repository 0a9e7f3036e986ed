// The page: a list of failures, and the exchange that shows the chosen one.
import { CASES, GROUPS, labelOf } from './cases.js';
import { areHeaders, callOf, draft, endpointOf, needsModule, originOf, read, requestOf, send } from './exchange.js';
import { client, isLoaded, loadModule, tryNow } from './module.js';
import { curl, javascript, rust } from './snippets.js';
import { readState, writeState } from './state.js';
import { SCENARIOS, showScenario } from './timeline.js';
import { $, el, readOut, showAbsence, showBusy, showFault, showLog, showNothing, showPresence, showRefused, showResponse, showSeen, showUnread, showWaiting } from './view.js';

/** Operations that may be done twice (specification 3.3.1). */
const IDEMPOTENT = /^(Get|List|Cancel|Subscribe|Delete)/;

let state = readState(location.hash);
let original; // the request of the case, before anybody changed it
let sent; // what was sent last, and of which text
let run = 0; // number of the last send: what comes late from one before it is not shown

const EDITORS = ['method', 'path', 'headers', 'body'];
const edited = () => Object.fromEntries(EDITORS.map((name) => [name, $(name).value]));
const isEdited = () => EDITORS.some((name) => $(name).value !== original?.[name]);

function fillEditors(text) {
  for (const name of EDITORS) $(name).value = text[name];
  $('headers').rows = Math.max(3, text.headers.split('\n').length);
  $('body').rows = Math.min(22, Math.max(8, text.body.split('\n').length));
  $('reset').hidden = !isEdited();
  showBodyEditor();
}

/** A GET has no body to be edited. */
function showBodyEditor() {
  $('body').parentElement.hidden = $('method').value === 'GET' && $('body').value === '';
}

/** Whom to ask if nobody says: the agent inside the page, and until it is there this worker, if it can show the case as well. */
const targetFor = ({ vars, script, played }) => (isLoaded() || vars || script || played || state.edited ? 'page' : 'worker');

/** Shows the state; sends the request if that is safe to do unasked, or if it was asked for. */
function show({ mayStart, mustStart }) {
  const scenario = SCENARIOS.get(state.scenario);
  $('exchange').hidden = Boolean(scenario);
  $('timeline').hidden = !scenario;
  const one = CASES.get(state.case) ?? CASES.get('task-not-found');
  if (!state.isChosen) state.target = targetFor(one);
  showSwitches();
  markCurrent();
  if (scenario) {
    document.title = `${scenario.title} · a2a-edge`;
    return showScenario(scenario, $('timeline'), { binding: state.binding, start: mayStart });
  }
  document.title = `${one.title} · a2a-edge`;
  $('group').textContent = one.group;
  $('title').textContent = one.title;
  $('when').textContent = one.when;
  showNote(one);
  run += 1;
  original = draft(one, state);
  fillEditors(state.edited ?? original);
  sent = undefined;
  // A link must not make anybody send what somebody else wrote.
  const isOurs = state.target !== 'url' && !(state.edited && state.target !== 'page');
  if (mustStart || (mayStart && isOurs)) return sendNow(one);
  showNothing();
  return undefined;
}

function showNote(one) {
  const notes = [];
  if (one.only && one.only !== state.binding) notes.push(`There is no such thing on ${state.binding}: this is what JSON-RPC’s looks like to it.`);
  if (one.played) notes.push('No agent does this on purpose, so the page plays a broken one, whatever the target.');
  else if (one.script && state.target !== 'page') notes.push('Needs a worker with ORIGIN_URL, in front of an agent that does this. Inside the page it is set up for you.');
  else if (one.vars && state.target !== 'page') notes.push(`Needs a worker with ${Object.entries(one.vars).map(([name, value]) => `${name}=${value}`).join(', ')}. Inside the page it is set up for you.`);
  if (one.before) notes.push(`TASK_ID is that of a task that a message “${one.before}” makes first.`);
  $('note').textContent = notes.join(' ');
  $('note').hidden = notes.length === 0;
}

function showSwitches() {
  const form = $('switches');
  for (const name of ['target', 'binding', 'accept']) form.elements[name].value = state[name];
  $('url').value = state.url;
  // A drawn call has an origin of its own.
  const isDrawn = SCENARIOS.has(state.scenario);
  $('target').hidden = isDrawn;
  $('accept-field').hidden = isDrawn || state.binding === 'JSONRPC'; // which has one form of errors
  $('url-field').hidden = isDrawn || state.target !== 'url';
}

async function sendNow(one = CASES.get(state.case)) {
  if (!originOf(state)) return showRefused('url', 'the agent’s URL must be of http or https, without a password');
  if (!areHeaders($('headers').value)) return showRefused('headers', 'no browser sends such headers');
  const turn = ++run;
  const isCurrent = () => turn === run;
  const at = { ...state };
  const address = location.hash;
  showBusy();
  if (needsModule(one, at) && !isLoaded()) {
    showWaiting();
    await client;
    if (!isCurrent()) return;
  }
  const text = edited();
  const exchange = await send(one, at, text, (part) => isCurrent() && showResponse(part));
  if (!isCurrent()) return;
  sent = { ...exchange, text };
  if (exchange.response) showResponse(exchange.response, exchange.fault);
  else showFault(exchange.fault, exchange.ms);
  showLog(exchange.log);
  if (!isLoaded()) showUnread();
  const outcome = await read(one, at, exchange);
  if (!isCurrent()) return;
  showSeen(outcome, IDEMPOTENT.test(one.operation));
  performance.mark('answered');
  document.body.dataset.shown = address; // for whoever waits until all of it is there
}

/** Takes a change of state over into the address. */
function go(change) {
  const next = writeState({ ...state, ...change });
  if (next === location.hash) {
    state = readState(next);
    show({ mayStart: true });
  } else location.hash = next;
}

// The list.

const hrefOf = (change) => writeState({ ...state, scenario: '', edited: undefined, ...change });

function showList(words) {
  const asked = words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (...texts) => asked.every((word) => texts.some((text) => text && String(text).toLowerCase().includes(word)));
  const groups = GROUPS.map(({ title, cases }) => [title, cases.filter((one) => fits(one.title, one.when, one.words, one.id.replaceAll('-', '_'), labelOf(one), title))
    .map((one) => ({ key: `case:${one.id}`, title: one.title, label: labelOf(one), change: { case: one.id } }))]);
  groups.push(['Retries, drawn', [...SCENARIOS.values()].filter(({ title, when }) => fits(title, when, 'retries retry timeline breaker'))
    .map(({ id, title }) => ({ key: `scenario:${id}`, title, label: '', change: { scenario: id } }))]);
  const shown = groups.filter(([, entries]) => entries.length > 0);
  $('list').replaceChildren(...shown.flatMap(([title, entries]) => [
    el('h2', {}, title),
    el('ul', {}, ...entries.map(({ key, title: name, label, change }) => el('li', {}, el('a', { href: hrefOf(change), 'data-key': key }, el('span', {}, name), el('code', {}, label))))),
  ]));
  const count = shown.reduce((total, [, entries]) => total + entries.length, 0);
  if (count === 0) $('list').append(el('p', { class: 'none' }, 'Nothing of that name. Codes and reasons work, too: -32602, ORIGIN_TIMEOUT.'));
  $('found').textContent = asked.length ? `${count} found` : '';
  markCurrent();
}

function markCurrent() {
  const current = state.scenario ? `scenario:${state.scenario}` : `case:${state.case}`;
  for (const link of $('list').querySelectorAll('a')) {
    const [kind, id] = link.dataset.key.split(':');
    link.setAttribute('href', hrefOf(kind === 'case' ? { case: id } : { scenario: id }));
    if (link.dataset.key === current) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

// What a user does.

$('list').addEventListener('click', (event) => {
  const link = event.target.closest('a');
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
  if (matchMedia('(max-width: 720px)').matches) {
    $('menu').open = false;
    $('main').focus();
  }
  if (link.getAttribute('href') === location.hash) show({ mayStart: true }); // a second click sends it again
});
$('search').addEventListener('input', () => showList($('search').value));
$('search').addEventListener('keydown', (event) => {
  if (event.key === 'Enter') $('list').querySelector('a')?.click();
});
let mustStart = false;
$('switches').addEventListener('submit', (event) => {
  event.preventDefault();
  if (state.target !== 'url') return;
  // Enter tells of the change first, and the address follows later.
  if (state.url === $('url').value) sendNow();
  else mustStart = true;
});
$('switches').addEventListener('change', (event) => {
  const { name, value } = event.target;
  go({ [name]: value, edited: undefined, isChosen: state.isChosen || name === 'target' });
});
$('send').addEventListener('click', () => sendNow());
$('reset').addEventListener('click', () => {
  $('send').focus(); // the button goes
  go({ edited: undefined });
});
for (const name of EDITORS) {
  $(name).addEventListener('input', () => {
    state.edited = isEdited() ? edited() : undefined;
    history.replaceState(null, '', writeState(state));
    $('reset').hidden = !state.edited;
    if (name === 'method') showBodyEditor();
  });
}
document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === '/' && !isTyping) {
    event.preventDefault();
    $('menu').open = true;
    $('search').focus();
  } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !state.scenario) {
    event.preventDefault();
    if (event.target.id !== 'url') return sendNow();
    // It tells of its change when it is left.
    event.target.blur();
    event.target.focus();
    $('switches').requestSubmit();
  }
});

const COPIES = { curl, javascript, rust, link: () => location.origin + location.pathname + writeState({ ...state, isChosen: true }) };

document.querySelector('.copies').addEventListener('click', async ({ target }) => {
  const kind = target.dataset.copy;
  if (!kind) return;
  // As it was sent, with the id of its task; unless it has been changed since.
  const isSent = sent && EDITORS.every((name) => sent.text[name] === $(name).value);
  const { request, task } = isSent ? sent : { request: requestOf(edited(), state) };
  const text = COPIES[kind]({ ...request, call: callOf(CASES.get(state.case), state, request, task), endpoint: endpointOf(state) });
  const isShort = kind === 'link' && state.edited && !text.includes('&request=');
  try {
    await navigator.clipboard.writeText(text);
    readOut('copied', `Copied as ${target.textContent}${isShort ? ', without your changes: they are too long for one' : ''}.`);
  } catch {
    readOut('copied', 'The browser does not allow copying here.');
  }
  $('copied').dataset.text = text;
});

addEventListener('hashchange', () => {
  state = readState(location.hash);
  $('copied').textContent = '';
  show({ mayStart: true, mustStart });
  mustStart = false;
});

if (matchMedia('(max-width: 720px)').matches) $('menu').open = false;
showList('');
$('module-retry').addEventListener('click', tryNow);
show({ mayStart: true });
performance.mark('interactive');
loadModule(showAbsence).then(showPresence);
