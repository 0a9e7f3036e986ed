// Puts on the page what came of an exchange.
import { advise, adviseState } from './advice.js';
import { showBody } from './json.js';

export const $ = (id) => document.getElementById(id);

/** An element with text or children. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

const said = {};

/**
 * Has a status read out, be it what was read out last: only a change is heard, so a space that nobody sees comes and goes.
 */
export function readOut(id, text) {
  said[id] = said[id] === text ? `${text}\u00a0` : text;
  $(id).textContent = said[id];
}

const PHRASES = { 200: 'OK', 204: 'No Content', 400: 'Bad Request', 401: 'Unauthorized', 404: 'Not Found', 405: 'Method Not Allowed', 413: 'Content Too Large', 415: 'Unsupported Media Type', 429: 'Too Many Requests', 500: 'Internal Server Error', 502: 'Bad Gateway', 503: 'Service Unavailable', 504: 'Gateway Timeout' };
const FAULTS = {
  unreachable: 'No answer: no connection came about',
  'timed-out': 'No answer: the deadline passed',
  'no-answer': 'No answer: nobody there, a broken connection, or no permission for this page (CORS)',
  'cut-short': 'No whole answer: the connection broke',
};
/** The same of an answer that had begun. */
const FAULTS_MIDWAY = { 'cut-short': 'then the connection broke', 'timed-out': 'then the deadline passed', 'too-large': 'and more than is read' };
/** Longest body that is shown, in characters. */
const MAX_SHOWN = 200_000;
const took = (ms) => (ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`);

export function showBusy() {
  $('response').setAttribute('aria-busy', 'true');
}

/** Nobody is there yet to be asked. */
export function showWaiting() {
  showNothing('Waiting for the agent inside the page, a WebAssembly module …');
  $('response').setAttribute('aria-busy', 'true');
}

/** Nobody is there yet to read the answer. */
export function showUnread() {
  $('status').classList.remove('good'); // it may be an error all the same
  $('seen').replaceChildren(el('p', { class: 'quiet' }, 'Waiting for the client, a WebAssembly module …'));
  $('advice').replaceChildren();
}

/** The module did not come: what is missing, and when it is tried for again. */
export function showAbsence(ms, tries) {
  $('module-state').textContent = 'The WebAssembly module did not load. It may still be being built, or there is no connection. '
    + 'Requests can be looked at, changed and sent to this worker or a URL. The agent inside the page, the reading of answers and the drawn retries start when it is there.';
  $('module-next').textContent = `Tried ${tries === 1 ? 'once' : `${tries} times`}. Next try in ${ms / 1000} s.`;
  $('module').classList.add('shown');
}

export function showPresence() {
  $('module-state').textContent = '';
  $('module').classList.remove('shown');
}

/** Sets the status line. It is read out when it changes, so not for every piece. */
function showStatus(text, tone = '') {
  if ($('status').textContent !== text) $('status').textContent = text;
  $('status').className = `status mono ${tone}`;
}

/** A response, or the part of it that is there. With a `fault` there will be no more. */
export function showResponse({ status, headers, body, ms }, fault) {
  const isDone = ms !== undefined;
  const contentType = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const text = `HTTP ${status} ${PHRASES[status] ?? ''}`.trim();
  showStatus(fault ? `${text}, ${FAULTS_MIDWAY[fault]}` : text, fault || status >= 500 ? 'bad' : status < 300 ? 'good' : 'warn');
  $('took').textContent = isDone ? took(ms) : 'receiving …';
  $('response-headers').replaceChildren(...headers.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
  $('response-headers').hidden = headers.length === 0;
  showBody($('response-body'), body.length > MAX_SHOWN ? `${body.slice(0, MAX_SHOWN)}…` : body, contentType);
  $('response').setAttribute('aria-busy', String(!isDone));
}

export function showFault(fault, ms) {
  showStatus(FAULTS[fault], 'bad');
  $('took').textContent = took(ms);
  $('response-headers').replaceChildren();
  $('response-headers').hidden = true;
  $('response-body').textContent = '';
  $('response').setAttribute('aria-busy', 'false');
}

export function showNothing(why = 'Not sent yet', tone = '') {
  showStatus(why, tone);
  $('took').textContent = '';
  for (const id of ['response-headers', 'response-body', 'seen', 'outcome', 'advice']) $(id).replaceChildren();
  $('response').setAttribute('aria-busy', 'false');
  $('response-headers').hidden = true;
  $('log').hidden = true;
}

/** What is in this field cannot be sent. */
export function showRefused(id, why) {
  showNothing(`Not sent: ${why}`, 'bad');
  $(id).focus();
}

export function showLog(lines) {
  $('log').hidden = lines.length === 0;
  $('log-lines').textContent = lines.join('\n');
}

const fact = (name, value, kind = 'mono') => (value === undefined || value === '' ? [] : [el('dt', {}, name), el('dd', { class: kind, 'data-fact': name }, value)]);

const list = (entries) => (entries.length === 0 ? undefined : el('ul', {}, ...entries.map((entry) => el('li', {}, entry))));

/** The decoded outcome. */
export function showSeen(outcome, isIdempotent) {
  const { error, result, events } = outcome;
  if (error) {
    // On JSON-RPC errors come under 200: green would be a lie.
    $('status').classList.replace('good', 'warn');
    showError(error, events);
    showAdvice(advise(error, isIdempotent), codeFor(error), error.kind === 'Custom' ? error.message : error.kind);
    return;
  }
  const state = stateOf(result) ?? stateOf(events?.at(-1)) ?? '';
  const message = messageOf(result) ?? messageOf(events?.at(-1));
  $('seen').replaceChildren(
    el('dl', { class: 'facts' },
      ...fact('class', 'no error: a result'),
      ...fact('state', state),
      ...fact('says', message, ''),
      ...fact('events', events && String(events.length))),
  );
  showAdvice(adviseState(state), state === 'TASK_STATE_FAILED' || state === 'TASK_STATE_REJECTED' ? TASK_CODE : undefined, state);
}

function showError(error, events) {
  const metadata = Object.entries(error.metadata).map(([name, value]) => `${name}: ${value}`);
  const violations = error.fieldViolations.map(({ field, description }) => `${field || '(all)'}: ${description}`);
  $('seen').replaceChildren(
    el('dl', { class: 'facts' },
      ...fact('class', `${error.name} extends A2aError`),
      ...fact('kind', error.kind),
      ...fact('message', error.message, ''),
      ...fact('code', String(error.code)),
      ...fact('httpStatus', error.httpStatus === undefined ? 'none' : String(error.httpStatus)),
      ...fact('reason', error.reason),
      ...fact('domain', error.domain),
      ...fact('metadata', list(metadata)),
      ...fact('fields', list(violations)),
      ...fact('data', error.data === undefined ? undefined : JSON.stringify(error.data)),
      ...fact('origin', error.origin),
      ...fact('retryable', String(error.retryable)),
      ...fact('notSent', error.notSent ? 'true' : undefined),
      ...fact('retryAfterMs', error.retryAfterMs === undefined ? undefined : String(error.retryAfterMs)),
      ...fact('challenge', error.challenge),
      ...fact('events', events?.length ? `${events.length} before it` : undefined)),
  );
}

/** `what` is what is read out before the verdict. */
function showAdvice({ tone, verdict, lines }, code, what) {
  readOut('outcome', `${what} ${verdict}`);
  $('advice').replaceChildren(
    el('p', { class: `verdict ${tone}` }, verdict),
    ...lines.map((line) => el('p', {}, line)),
    ...(code ? [el('pre', { class: 'mono', tabindex: '0', role: 'group', 'aria-label': 'In code' }, code)] : []),
  );
}

const stateOf = (value) => (value?.task ?? value?.statusUpdate ?? value)?.status?.state;
const messageOf = (value) => (value?.task ?? value?.statusUpdate ?? value)?.status?.message?.parts?.map((part) => part.text ?? '').join('');

const TASK_CODE = `const { task } = await client.sendMessage(params);
if (failed(task)) show(task.status.message);`;

const codeFor = (error) => {
  const test = error.kind === 'Custom' ? (error.reason ? `error.reason === '${error.reason}'` : `error.code === ${error.code}`) : `error.kind === '${error.kind}'`;
  return `catch (error) {
  if (error instanceof ${error.name}
      && ${test}) {
    …
  }
}`;
};
