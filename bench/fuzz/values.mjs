/** Responses by number of values: what is parsed is what JSON.parse reads, and what would not fit into memory is refused before. */
import assert from 'node:assert/strict';
import { anyValue } from './any-value.mjs';

/** Units of which a body has many; `#` becomes a number of its own. */
const UNITS = [
  '[],',
  '{},',
  '0,',
  '1.5,',
  '"",',
  '"#",',
  '[[[0]]],',
  '{"k#":1},',
  '{"#":1},',
  '{"k#":{},"l#":[]},',
  '"k#":1,',
  '"k#":{"a":[]},',
  '"[{,:\\"",',
  '"\\\\",',
  ' ',
  '[',
  '{"a":',
  '"\\u005b",',
];

export function make(random) {
  const count = Math.floor(10 ** (random.int(700) / 100));
  return {
    units: [random.pick(UNITS), random.pick(UNITS)],
    count,
    seed: anyValue(random, 2),
    isCut: random.chance(0.2),
  };
}

/** More than this many brackets and separators are refused; strings count for none. */
const MAX_TOKENS = 2_000_000;
const MAX_BYTES = 128 * 1024 * 1024;

export function start({ tool }) {
  return { check: (input) => checkBody(bodyOf(input), tool) };
}

function bodyOf({ units: [unit, other], count, seed, isCut }) {
  const many = Array.from({ length: Math.min(count, MAX_BYTES / unit.length) }, (_, i) =>
    unit.replaceAll('#', i.toString(36)),
  );
  const [open, close] = unit.startsWith('"k') ? ['{', '"end":0}'] : ['[', '0]'];
  const text = `${open}${many.join('')}${other.replaceAll('#', 'x')}${close}`;
  return isCut ? `${text}${JSON.stringify(seed) ?? ''}` : text;
}

function checkBody(text, { parseBody }) {
  const parsed = parseBody(Buffer.from(text));
  const tokens = text.length < 1e6 ? plainTokens(text) : undefined;
  if ('value' in parsed) {
    assert.ok(tokens === undefined || tokens <= MAX_TOKENS, 'parsed more than may be');
    if (text.length < 1e6) assert.deepEqual(parsed.value, JSON.parse(text));
    return;
  }
  if (/too many values|does not fit|nested deeper/.test(parsed.problem)) return;
  assert.throws(() => JSON.parse(text), 'refuses JSON');
}

/** Another count than the tool's: by one regular expression that skips strings. */
const plainTokens = (text) =>
  text.match(/"(?:[^"\\]|\\.)*"?|[[{,:]/gs)?.filter((found) => found.length === 1 && found !== '"').length ?? 0;
