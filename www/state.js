// What is looked at, as the part of the address after the #: a link shows the same. `isChosen` is whether somebody said who
// is to be asked.

const DEFAULTS = { case: 'task-not-found', scenario: '', target: 'page', binding: 'JSONRPC', accept: '', url: '' };
const CHOICES = {
  target: ['page', 'worker', 'url'],
  binding: ['JSONRPC', 'HTTP+JSON'],
  // Not any text: it becomes a header of a request that is sent unasked.
  accept: ['', 'application/json', 'application/a2a+json', 'application/problem+json', 'client'],
};

/** Longest changed request that a link carries, in characters. */
const MAX_EDITED = 20_000;

const METHODS = /^(POST|GET|DELETE|PUT|PATCH)$/;

const encode = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text))).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
const decode = (text) => new TextDecoder().decode(Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0)));

/** Reads the state of an address; what makes no sense is as if it were not there. */
export function readState(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const state = { ...DEFAULTS, edited: undefined, isChosen: CHOICES.target.includes(given.get('target')) };
  for (const name of Object.keys(DEFAULTS)) {
    const value = given.get(name);
    if (value !== null && (CHOICES[name]?.includes(value) ?? true)) state[name] = value;
  }
  try {
    const edited = JSON.parse(decode(given.get('request') ?? ''));
    const isWhole = METHODS.test(edited.method) && ['method', 'path', 'headers', 'body'].every((name) => typeof edited[name] === 'string');
    if (isWhole) state.edited = edited;
  } catch {
    // no changed request
  }
  return state;
}

/** Whether the URL belongs into an address: a password in it would stay in the browser's history. */
const isFit = ({ target, url }) => target === 'url' && !/^[^/?#]*\/*[^/?#]*@/.test(url);

/** The part after the # for a state. */
export function writeState(state) {
  const out = new URLSearchParams();
  if (state.scenario) out.set('scenario', state.scenario);
  else out.set('case', state.case);
  for (const name of ['target', 'binding', 'accept', 'url']) {
    const isSaid = name === 'target' ? state.isChosen : state[name] !== DEFAULTS[name] && (name !== 'url' || isFit(state));
    if (isSaid) out.set(name, state[name]);
  }
  const edited = state.edited && JSON.stringify(state.edited);
  // What is too long for a link is too long to be put into one's form.
  const packed = edited && edited.length <= MAX_EDITED && encode(edited);
  if (packed && packed.length <= MAX_EDITED) out.set('request', packed);
  return `#${out}`;
}
