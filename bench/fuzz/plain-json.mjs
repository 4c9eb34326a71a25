/** A second, simple reader of JSON (RFC 8259): returns the value and all positions, or where it fails. */

class Refused extends Error {
  constructor(at) {
    super(`no JSON from offset ${at}`);
    this.at = at;
  }
}

const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const STRING = /"([ !#-[\]-\uffff]|\\(["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const SPACE = /[ \t\n\r]*/y;
const WORDS = { t: ['true', true], f: ['false', false], n: ['null', null] };

/**
 * `{ value, places, keys, doubled, depth }`: places and keys by JSON.stringify(path), doubled the offsets of
 * duplicate keys; or `{ failsAt }`. The last value of a duplicate key counts.
 */
export function readPlainJson(text) {
  const reader = { text, at: 0, depth: 0, places: new Map(), keys: new Map(), doubled: [] };
  try {
    const value = valueAt(reader, [], 0);
    skip(reader);
    if (reader.at < text.length) throw new Refused(reader.at);
    return { value, ...reader };
  } catch (error) {
    if (error instanceof Refused) return { failsAt: error.at, depth: reader.depth };
    throw error;
  }
}

function take(reader, pattern) {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0];
  if (found === undefined) throw new Refused(reader.at);
  reader.at += found.length;
  return found;
}

const skip = (reader) => take(reader, SPACE);

function takeSign(reader, sign) {
  if (reader.text[reader.at] !== sign) throw new Refused(reader.at);
  reader.at += 1;
}

function valueAt(reader, path, depth) {
  skip(reader);
  const { text, at } = reader;
  reader.places.set(JSON.stringify(path), at);
  const sign = text[at];
  if (sign === '{' || sign === '[') {
    reader.depth = Math.max(reader.depth, depth + 1);
    return sign === '{' ? objectAt(reader, path, depth) : arrayAt(reader, path, depth);
  }
  if (sign === '"') return JSON.parse(take(reader, STRING));
  const [word, value] = WORDS[sign] ?? [];
  if (word === undefined) return Number(take(reader, NUMBER));
  if (!text.startsWith(word, at)) throw new Refused(at);
  reader.at += word.length;
  return value;
}

function arrayAt(reader, path, depth) {
  const items = [];
  reader.at += 1;
  skip(reader);
  while (reader.text[reader.at] !== ']' || items.length > 0) {
    items.push(valueAt(reader, [...path, items.length], depth + 1));
    skip(reader);
    if (reader.text[reader.at] === ']') break;
    takeSign(reader, ',');
  }
  reader.at += 1;
  return items;
}

function objectAt(reader, path, depth) {
  const entries = new Map();
  reader.at += 1;
  skip(reader);
  while (reader.text[reader.at] !== '}' || entries.size > 0) {
    skip(reader);
    const at = reader.at;
    const key = JSON.parse(take(reader, STRING));
    skip(reader);
    takeSign(reader, ':');
    if (entries.has(key)) {
      reader.doubled.push(at);
      for (const places of [reader.places, reader.keys]) forgetBelow(places, [...path, key]);
    }
    reader.keys.set(JSON.stringify([...path, key]), at);
    entries.set(key, valueAt(reader, [...path, key], depth + 1));
    skip(reader);
    if (reader.text[reader.at] === '}') break;
    takeSign(reader, ',');
  }
  reader.at += 1;
  // As JSON.parse does: `__proto__` is a key like others.
  return Object.fromEntries(entries);
}

function forgetBelow(places, path) {
  const start = JSON.stringify(path).slice(0, -1);
  for (const known of places.keys()) if (known === `${start}]` || known.startsWith(`${start},`)) places.delete(known);
}
