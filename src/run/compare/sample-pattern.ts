/** Generates strings that a regular expression is likely to match. Pure. */
import type { Random } from '../../text/random.ts';

/** The source of a regular expression, and how far it was read. */
interface Reader {
  source: string;
  at: number;
  random: Random;
}

type Sample = () => string;

const CLASSES: Readonly<Record<string, string>> = {
  d: '0123456789',
  w: 'abcXYZ019_',
  s: ' ',
  D: 'aZ-',
  W: '- .',
  S: 'aZ0',
  n: '\n',
  t: '\t',
};
const ANY = 'aZ0- é';
const MAX_REPEATS = 40;

/** A string for the source of a regular expression; what is not known of its syntax counts as empty. */
export const samplePattern = (source: string, random: Random): string => readAlternatives({ source, at: 0, random })();

/** Advances over a match at the current position. */
function take(reader: Reader, pattern: RegExp): RegExpExecArray | undefined {
  const found = pattern.exec(reader.source.slice(reader.at)) ?? undefined;
  reader.at += found?.[0].length ?? 0;
  return found;
}

function readAlternatives(reader: Reader): Sample {
  const branches = [readSequence(reader)];
  while (take(reader, /^\|/)) branches.push(readSequence(reader));
  return () => reader.random.pick(branches)?.() ?? '';
}

function readSequence(reader: Reader): Sample {
  const items: Sample[] = [];
  while (/[^|)]/.test(reader.source[reader.at] ?? '')) items.push(readQuantified(reader));
  return () => items.map((item) => item()).join('');
}

function readQuantified(reader: Reader): Sample {
  const item = readAtom(reader);
  const [, sign, from, comma, to] = take(reader, /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/) ?? [];
  if (sign === undefined && from === undefined) return item;
  const min = Number(from ?? (sign === '+' ? 1 : 0));
  const isOpen = sign === '*' || sign === '+' || (comma && !to);
  const max = isOpen ? min + 5 : Number(to || (from ?? 1));
  const { integer } = reader.random;
  return () => Array.from({ length: Math.min(min + integer(max - min + 1), MAX_REPEATS) }, item).join('');
}

function readAtom(reader: Reader): Sample {
  const group = take(reader, /^\((\?(?::|[=!]|<[=!]|<\w+>))?/);
  if (group) {
    const inner = readAlternatives(reader);
    reader.at += 1;
    return /[=!]/.test(group[1] ?? '') ? () => '' : inner;
  }
  if (take(reader, /^[$^]/)) return () => '';
  const signs = take(reader, /^\[/) ? readClass(reader) : take(reader, /^\./) ? ANY : readCharacter(reader);
  return () => reader.random.pick([...signs]) ?? '';
}

/** The characters of a character or an escape. */
function readCharacter(reader: Reader): string {
  const [all = '', unicode, byte] = take(reader, /^(?:\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|[pP]\{[^}]*\}|.)|.)/is) ?? [];
  const code = unicode ?? byte;
  if (code) return String.fromCharCode(Number.parseInt(code, 16));
  if (all[0] !== '\\') return all;
  if (all.length > 2) return 'aé';
  return /[bB1-9]/.test(all) ? '' : (CLASSES[all.slice(1)] ?? all.slice(1));
}

function readClass(reader: Reader): string {
  const isNegated = take(reader, /^\^/);
  let signs = '';
  while (reader.at < reader.source.length && !take(reader, /^\]/)) {
    const range = take(reader, /^([^\\\]])-([^\\\]])/);
    signs += range ? listRange(range[1] ?? '', range[2] ?? '') : readCharacter(reader);
  }
  return isNegated ? [...ANY].filter((one) => !signs.includes(one)).join('') : signs;
}

function listRange(from: string, to: string): string {
  const start = from.charCodeAt(0);
  const length = Math.max(0, Math.min(to.charCodeAt(0) - start + 1, 100));
  return String.fromCharCode(...Array.from({ length }, (_, i) => start + i));
}
