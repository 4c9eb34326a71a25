/** Patterns of a key in a text: unchanged, escaped, in hex, in base64. Pure. */
import { ENTITIES, escapePattern, toHexPattern } from '../text/encodings.ts';

/** Matches every encoding of a key of printable ASCII. */
export function buildKeyPattern(key: string): RegExp {
  return buildPattern(key, (text) => encodeCharacters(text, BACKSLASHES, listEncodings));
}

/** For texts without escapes (`mayBeEscaped`), which most are; compiles in a fraction of the time. */
export function buildPlainKeyPattern(key: string): RegExp {
  return buildPattern(key, (text) => encodeCharacters(text, '', listPlainEncodings));
}

/** Whether a text may contain escaped characters. */
export const mayBeEscaped = (text: string): boolean => /[\\%&]|u00|x[0-9a-f]{2}/i.test(text);

function buildPattern(key: string, encode: (text: string) => string): RegExp {
  const cases = [...new Set([key, key.toUpperCase(), key.toLowerCase()])];
  const forms = [...cases.map(encode), toBytePatterns(key), ...toBase64Patterns(key)];
  return new RegExp(forms.join('|'), 'g');
}

const encodeCharacters = (text: string, between: string, encode: (character: string) => string[]) =>
  [...text].map((character, i) => (i === 0 ? '' : between) + toAlternatives(encode(character))).join('');

const toAlternatives = (forms: string[]) => (forms.length === 1 ? forms.join() : `(?:${forms.join('|')})`);

/**
 * Backslashes between two characters, also URL-encoded; JSON in JSON in JSON has seven. Bounded, and none before the first
 * character, because a long run of them would take quadratic time.
 */
const BACKSLASHES = '(?:\\\\|%(?:25){0,3}5[Cc]){0,15}';

/** The encodings of a character that `mayBeEscaped` does not find. */
function listPlainEncodings(character: string): string[] {
  if (character === '"') return [escapePattern(character), '""'];
  // A quoted quote of a shell; the other way has a backslash.
  if (character === "'") return [escapePattern(character), `'"'"'`];
  return character === ' ' ? [character, '\\+'] : [escapePattern(character)];
}

/** The encodings of a character: for JSON and shells, URLs (also twice), HTML, CSV. */
function listEncodings(character: string): string[] {
  const code = character.charCodeAt(0);
  const hex = toHexPattern(code, 2);
  const entity = `&(?:amp;)*(?:#(?:x0*${hex}|0*${code})${ENTITIES[character] ? `|${ENTITIES[character]}` : ''});`;
  const forms = [...listPlainEncodings(character), `%(?:25)*${hex}`, entity, `\\\\?(?:u00|x)${hex}`];
  return character === "'" ? [...forms, "'\\\\''"] : forms;
}

/** The bytes in hex, also with separators. */
const toBytePatterns = (key: string) => [...Buffer.from(key)].map((byte) => toHexPattern(byte, 2)).join('[\\s:-]?');

/** The base64 (and base64url) characters that depend on the key only, at each of the three offsets. */
function toBase64Patterns(key: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.from(' '.repeat(offset) + key)
      .toString('base64')
      .replace(/=+$/, '');
    const invariant = encoded.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + key.length) * 4) / 3));
    return [escapePattern(invariant), escapePattern(invariant.replaceAll('+', '-').replaceAll('/', '_'))];
  });
}
