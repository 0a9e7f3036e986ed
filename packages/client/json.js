// What a developer gives, as JSON has it. `JSON.stringify` would make null of NaN, an empty object of a Map, and nothing of
// a function; and a text with half a character cannot be sent at all.

/** Deepest nesting that the module reads. */
const MAX_DEPTH = 64;
/** Half of a pair of surrogates, which no UTF-8 can hold. */
const HALF = /\p{Surrogate}/u;
/** Kinds of objects that are what their members are, and those that JSON takes for the value within. */
const PLAIN = ['[object Object]', '[object Array]'];
const BOXED = ['[object Number]', '[object String]', '[object Boolean]'];

const tag = (value) => Object.prototype.toString.call(value);
const isFit = (text) => !HALF.test(text);

/** A value, or what within it, that JSON would change or drop. */
export class Unfit extends Error {
  constructor(path, rule) {
    super(rule);
    this.path = path;
  }
}

/** JSON of a value, to the letter. Members that are undefined are left out, as JSON has it. */
export function exactJson(value) {
  return JSON.stringify(plain(value, '', [])) ?? 'null';
}

/** A copy of plain objects, so that what is checked is what is sent. */
function plain(given, path, within) {
  const value = resolved(given);
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      if (isFit(value)) return value;
      break;
    case 'number':
      if (Number.isFinite(value)) return value;
      break;
    case 'object':
      if (value === null) return value;
      if (within.includes(value)) throw new Unfit(path, 'Must not hold itself');
      if (within.length >= MAX_DEPTH) throw new Unfit(path, `Must not be nested deeper than ${MAX_DEPTH} levels`);
      if (PLAIN.includes(tag(value))) return members(value, path, [...within, value]);
  }
  if (value === undefined && within.length === 0) return value;
  throw new Unfit(path, 'Must be what JSON in UTF-8 can hold');
}

/** What JSON takes an object for: what it says itself, once, or the value that it boxes. */
function resolved(value) {
  if (typeof value !== 'object' || value === null) return value;
  // Bytes say that they are an array, and a date that is none says null.
  if (ArrayBuffer.isView(value) || Number.isNaN(value instanceof Date && value.getTime())) return Symbol('unfit');
  const said = typeof value.toJSON === 'function' ? value.toJSON() : value;
  return BOXED.includes(tag(said)) ? said.valueOf() : said;
}

function members(value, path, within) {
  // By their number, since an array may have holes.
  if (Array.isArray(value)) return Array.from(value, (inner, index) => plain(inner, `${path}[${index}]`, within));
  const isSaid = ([name, inner]) => inner !== undefined && !(name === 'toJSON' && typeof inner === 'function');
  const given = Object.entries(value).filter(isSaid);
  return Object.fromEntries(given.map(([name, inner]) => [fitName(name, path), plain(inner, path ? `${path}.${name}` : name, within)]));
}

function fitName(name, path) {
  if (isFit(name)) return name;
  throw new Unfit(path, 'Must have members whose names JSON in UTF-8 can hold');
}
