/** The forms in which a key can come back in a text: as it is, escaped in some way, in hex, in base64. Pure. */

/** Matches every form of a key of printable ASCII, whatever stands around it. */
export function buildKeyPattern(key: string): RegExp {
  return buildPattern(key, (text) => encodeCharacters(text, BACKSLASHES, listEncodings));
}

/** The same for texts in which `mayBeEscaped` finds nothing: for most, and made in a fraction of the time. */
export function buildPlainKeyPattern(key: string): RegExp {
  return buildPattern(key, (text) => encodeCharacters(text, '', listPlainEncodings));
}

/** Whether something that can stand for a character stands in a text. */
export const mayBeEscaped = (text: string): boolean => /[\\%&]|u00|x[0-9a-f]{2}/i.test(text);

function buildPattern(key: string, encode: (text: string) => string): RegExp {
  const cases = [...new Set([key, key.toUpperCase(), key.toLowerCase()])];
  const forms = [...cases.map(encode), toHexPattern(key), ...toBase64Patterns(key)];
  return new RegExp(forms.join('|'), 'g');
}

const encodeCharacters = (text: string, between: string, encode: (character: string) => string[]) =>
  [...text].map((character, i) => (i === 0 ? '' : between) + toAlternatives(encode(character))).join('');

const toAlternatives = (forms: string[]) => (forms.length === 1 ? forms.join() : `(?:${forms.join('|')})`);

/**
 * Backslashes between two characters, also as URLs write them: JSON in JSON in JSON has seven. Bounded, and none before the first, since a long
 * run of them would be looked through from each of its places.
 */
const BACKSLASHES = '(?:\\\\|%(?:25){0,3}5[Cc]){0,15}';

const HTML_ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** How one character can be written without anything that `mayBeEscaped` finds. */
function listPlainEncodings(character: string): string[] {
  if (character === '"') return [escapeRegExp(character), '""'];
  // A quote of a quote, as some quote for a shell; the other way has a backslash.
  if (character === "'") return [escapeRegExp(character), `'"'"'`];
  return character === ' ' ? [character, '\\+'] : [escapeRegExp(character)];
}

/** How one character can be written: escaped for JSON and shells, URLs (also twice), HTML, CSV. */
function listEncodings(character: string): string[] {
  const code = character.charCodeAt(0);
  const hex = toCaseInsensitive(code.toString(16).padStart(2, '0'));
  const entity = `&(?:amp;)*(?:#(?:x0*${hex}|0*${code})${HTML_ENTITIES[character] ? `|${HTML_ENTITIES[character]}` : ''});`;
  const forms = [...listPlainEncodings(character), `%(?:25)*${hex}`, entity, `\\\\?(?:u00|x)${hex}`];
  return character === "'" ? [...forms, "'\\\\''"] : forms;
}

/** The bytes in hex, also as a dump divides them. */
function toHexPattern(key: string): string {
  return [...Buffer.from(key)].map((byte) => toCaseInsensitive(byte.toString(16).padStart(2, '0'))).join('[\\s:-]?');
}

/** The characters of base64 that the key alone decides, wherever it stands in what was encoded; and of base64url. */
function toBase64Patterns(key: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.from(' '.repeat(offset) + key)
      .toString('base64')
      .replace(/=+$/, '');
    const invariant = encoded.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + key.length) * 4) / 3));
    return [escapeRegExp(invariant), escapeRegExp(invariant.replaceAll('+', '-').replaceAll('/', '_'))];
  });
}

/** Hex digits in either case. */
const toCaseInsensitive = (hex: string) => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
