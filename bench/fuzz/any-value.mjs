/** Values as JSON has them, drawn at random, with the texts and numbers that readers stumble over. */

const TEXTS = [
  '',
  ' ',
  'a',
  'name',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'a.b',
  '.',
  '..',
  '/',
  '~',
  '~1',
  '\0',
  '\x1b[2J',
  '\u009b31m',
  '\x07',
  '\r',
  '\n',
  '\t',
  '\u202e',
  '\u2028',
  '\ufeff',
  '\ud800',
  '\udc00',
  '😀',
  '👩‍👩‍👧',
  '漢字',
  'e\u0301',
  '=1+1',
  '"',
  '""',
  ',',
  ';',
  "'",
  '::error::x',
  '##[group]x',
  '##vso[x]',
  '<script>',
  '$&',
  '%s',
  '%00',
  'section_start:1:a',
  '\x1b]8;;http://x\x07y\x1b]8;;\x07',
  '\x1b]0;title\x07',
  '\x9b',
  '\x90q\x9c',
  '\x1bc',
  '\x0e',
  '\x08\x08',
];

/** Pieces that a pattern may try from each of many beginnings. */
const PIECES = [
  '<title',
  '<!-- x -->',
  '\\',
  '\\"',
  'data:a',
  ' ',
  '\t',
  '(:1',
  '::',
  '##',
  '%25',
  '&amp;',
  '"',
  'sk-',
  '[',
  '.',
  '-',
  '\u202e',
  '👧',
];

export function anyText(random) {
  if (random.chance(0.004)) return random.pick(PIECES).repeat(1 << random.int(18));
  if (random.chance(0.5)) return random.pick(TEXTS);
  if (random.chance(0.1)) return random.pick(TEXTS).repeat(random.int(200));
  return random
    .times(6, () => (random.chance(0.6) ? random.pick(TEXTS) : String.fromCodePoint(random.int(0x3000))))
    .join('');
}

const NUMBERS = [0, -0, 1, -1, 1.5, 1e21, 1e-7, 2 ** 53, -(2 ** 53) - 2, 1.7976931348623157e308, 5e-324, 200, 404];

/** Any value; containers get smaller the deeper they are. */
export function anyValue(random, depth = 3) {
  const kind = random.int(depth > 0 ? 8 : 4);
  if (kind === 0) return random.pick([null, true, false]);
  if (kind === 1) return random.pick(NUMBERS);
  if (kind <= 3) return anyText(random);
  if (kind <= 5) return random.times(depth + 1, () => anyValue(random, depth - 1));
  const entries = random.times(depth + 1, () => [anyText(random), anyValue(random, depth - 1)]);
  return Object.fromEntries(entries);
}

/** A value with one part of it, at any depth, replaced by any other, taken out or doubled. */
export function disturbed(random, value) {
  if (typeof value !== 'object' || value === null || random.chance(0.15)) return anyValue(random, 2);
  const keys = Object.keys(value);
  const copy = Array.isArray(value) ? [...value] : { ...value };
  const key = random.pick(keys);
  const what = random.int(8);
  if (key === undefined || what === 0) {
    if (Array.isArray(copy)) copy.push(anyValue(random, 2));
    else copy[anyText(random)] = anyValue(random, 2);
  } else if (what === 1) {
    if (Array.isArray(copy)) copy.splice(Number(key), 1);
    else delete copy[key];
  } else if (what === 2 && Array.isArray(copy)) copy.push(copy[key]);
  else copy[key] = disturbed(random, copy[key]);
  return copy;
}
