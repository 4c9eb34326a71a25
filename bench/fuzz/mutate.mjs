/** Changes texts and bytes at random: cut, doubled, spliced, with pieces put in that mean something, or a byte off. */

/** Characters that readers stumble over. */
const ODD = [
  '\0',
  '\x1b',
  '\x7f',
  '\x85',
  '\u009b',
  '\u00a0',
  '\u200b',
  '\u202e',
  '\u2028',
  '\u2029',
  '\ufeff',
  '\uffff',
  '\ud800',
  '\udc00',
  '😀',
  'é',
  '\u0301',
  '\r',
  '\n',
  '\r\n',
  '\t',
  ' ',
  '"',
  "'",
  '`',
  '\\',
  '/',
  '*',
  '#',
  '<',
  '\u017f',
  '\u212a',
];

const span = (random, text) => {
  const from = random.int(text.length + 1);
  const most = random.pick([1, 2, 8, 40, text.length]);
  return [from, Math.min(text.length, from + random.int(most + 1))];
};

const STEPS = [
  (random, text) => {
    const [from, to] = span(random, text);
    return text.slice(0, from) + text.slice(to);
  },
  (random, text) => {
    const [from, to] = span(random, text);
    return text.slice(0, to) + text.slice(from);
  },
  (random, text) => {
    const [from, to] = span(random, text);
    const repeated = text.slice(from, Math.min(to, from + 20)).repeat(random.pick([2, 3, 50, 300]));
    return text.slice(0, from) + repeated + text.slice(to);
  },
  (random, text) => {
    const at = random.int(text.length + 1);
    return text.slice(0, at) + random.pick(ODD) + text.slice(at + random.int(2));
  },
  (random, text, { words }) => {
    const [from, to] = span(random, text);
    return text.slice(0, from) + random.pick(words) + text.slice(random.chance(0.5) ? from : Math.min(to, from + 8));
  },
  (random, text, { corpus }) => {
    const other = random.pick(corpus);
    const [from, to] = span(random, other);
    const at = random.int(text.length + 1);
    return text.slice(0, at) + other.slice(from, to) + text.slice(random.chance(0.5) ? at : at + to - from);
  },
  (random, text) => text.slice(0, random.int(text.length + 1)),
  (random, text) => {
    const [a, b] = span(random, text);
    const [c, d] = span(random, text.slice(b));
    return text.slice(0, a) + text.slice(b + c, b + d) + text.slice(b, b + c) + text.slice(a, b) + text.slice(b + d);
  },
  (random, text) => {
    if (text === '') return text;
    const at = random.int(text.length);
    const code = text.charCodeAt(at) ^ (1 << random.int(8));
    return text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
  },
  // A number a little off.
  (random, text) => {
    const numbers = [...text.matchAll(/\d+/g)];
    if (numbers.length === 0) return text;
    const { index, 0: digits } = random.pick(numbers);
    const other = random.pick(['0', '-1', '1e400', '9007199254740993', '00', String(Number(digits) + 1), '65536', '']);
    return text.slice(0, index) + other + text.slice(index + digits.length);
  },
];

/** A text of the corpus after one to six changes; `words` are pieces that mean something to what reads it. */
export function mutated(random, { corpus, words }) {
  let text = random.pick(corpus);
  const count = 1 + random.int(random.pick([1, 2, 6]));
  for (let i = 0; i < count && text.length < 400_000; i++) text = random.pick(STEPS)(random, text, { corpus, words });
  return text;
}

/** The same for bytes. */
export function mutatedBytes(random, { corpus, words = [''] }) {
  const latin1 = (list) => list.map((bytes) => Buffer.from(bytes).toString('latin1'));
  return Buffer.from(mutated(random, { corpus: latin1(corpus), words: latin1(words) }), 'latin1');
}
