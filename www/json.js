// JSON for people: laid out and coloured without being parsed into numbers, which would lose digits.

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]|\s+/gy;

/** Deepest nesting that is laid out. */
const MAX_DEPTH = 500;

/** A tree that keeps every scalar as its text; undefined if the text is no JSON, or too deep. */
export function parse(text) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (!match) return undefined;
    if (match[0].trim() !== '') tokens.push(match[0]);
  }
  let at = 0;
  const value = (depth) => {
    const token = tokens[at++];
    if (token !== '{' && token !== '[') return token;
    if (depth > MAX_DEPTH) throw new RangeError('too deep');
    const end = token === '{' ? '}' : ']';
    const members = [];
    while (tokens[at] !== end) {
      if (at >= tokens.length) return undefined;
      const name = token === '{' ? tokens[at++] : undefined;
      if (name !== undefined) at += 1; // the colon
      members.push([name, value(depth + 1)]);
      if (tokens[at] === ',') at += 1;
    }
    at += 1;
    return { open: token, end, members };
  };
  try {
    JSON.parse(text);
    return value(1);
  } catch {
    return undefined;
  }
}

const span = (kind, text) => {
  const element = document.createElement('span');
  element.className = kind;
  element.textContent = text;
  return element;
};

const kindOf = (token) => (token.startsWith('"') ? 'string' : /^[-\d]/.test(token) ? 'number' : 'literal');

const isErrorInfo = ({ members }) => members?.some(([name, value]) => name === '"@type"' && String(value).endsWith('google.rpc.ErrorInfo"'));

function write(into, node, indent) {
  if (typeof node === 'string') return into.append(span(kindOf(node), node));
  const { open, end, members } = node;
  if (members.length === 0) return into.append(span('punct', open + end));
  const inner = `${indent}  `;
  into.append(span('punct', open), '\n');
  members.forEach(([name, value], index) => {
    const comma = index < members.length - 1 ? ',' : '';
    const picked = typeof value === 'object' && isErrorInfo(value);
    const line = picked ? span('picked', '') : into;
    line.append(inner);
    if (name !== undefined) line.append(span('key', name), span('punct', ': '));
    write(line, value, inner);
    if (comma) line.append(span('punct', comma));
    if (picked) into.append(line);
    else into.append('\n');
  });
  into.append(indent, span('punct', end));
}

/** Shows a body: JSON laid out with its ErrorInfo marked, anything else as it is. */
export function showBody(element, text, contentType = '') {
  element.replaceChildren();
  if (contentType.includes('event-stream')) return showEvents(element, text);
  const tree = parse(text);
  if (tree === undefined) element.textContent = text === '' ? '' : text;
  else write(element, tree, '');
  return undefined;
}

function showEvents(element, text) {
  for (const line of text.split(/\r?\n/)) {
    const [, field, rest] = /^(\w+): ?(.*)$/s.exec(line) ?? [];
    const tree = field === 'data' ? parse(rest) : undefined;
    if (tree === undefined) {
      element.append(span('comment', line), '\n');
      continue;
    }
    element.append(span('comment', 'data: '));
    write(element, tree, '');
    element.append('\n');
  }
}
