/** Finds a secret in its encodings. Pure. */
import { ENTITIES, escapePattern, toHexPattern } from '../../text/encodings.ts';

/** Percent and form encoding, escapes of JSON (once or more), character references, UTF-8 read as Latin-1, base64. */
export const toSecretPattern = (secret: string): RegExp =>
  new RegExp([[...secret].map(toCharacterPattern).join(''), ...listBase64Cores(secret)].join('|'), 'g');

const ESCAPES: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' };

function toCharacterPattern(character: string): string {
  const literal = escapePattern(character);
  const point = character.codePointAt(0) ?? 0;
  const bytes = [...Buffer.from(character)];
  const units = [...Array(character.length).keys()].map((i) => character.charCodeAt(i));
  const letter = ESCAPES[character];
  const entity = ENTITIES[character];
  const forms = [
    character === '\\' ? '\\\\+' : /["'/]/.test(character) ? `\\\\*${literal}` : literal,
    bytes.map((byte) => `%(?:25)*${toHexPattern(byte, 2)}`).join(''),
    units.map((unit) => `\\\\+u${toHexPattern(unit, 4)}`).join(''),
    `&(?:amp;)*#(?:0*${point}|[xX]0*${toHexPattern(point, 1)});`,
    ...(entity ? [`\\\\*&(?:amp;)*${entity};`] : []),
    ...(character === ' ' ? ['\\+'] : []),
    ...(letter ? [`\\\\+${letter}`] : []),
    ...(point > 127 ? [escapePattern(Buffer.from(character).toString('latin1'))] : []),
  ];
  // A key in PEM format is sent with and without its line breaks, and is often written with `\n`.
  return `(?:${forms.join('|')})${/[\r\n]/.test(character) ? '*' : ''}`;
}

/** The characters that the secret has in base64 at each alignment, without those that depend on its neighbors. */
function listBase64Cores(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const core = encoded.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + bytes.length) * 8) / 6));
    return core.length < 8
      ? []
      : [core.replace(/[+/]/g, (mark) => (mark === '+' ? '(?:[+-]|%(?:25)*2[bB])' : '(?:\\\\*/|_|%(?:25)*2[fF])'))];
  });
}

const MAX_DECODED = 50;

/** Whether a string contains a secret after up to three decodings, each of another kind. */
export function isHidden(secret: string, text: string): boolean {
  const forms = new Set([text]);
  // A set can grow while it is read.
  for (const form of forms) {
    if (form.includes(secret)) return true;
    for (const decode of DECODERS) if (forms.size < MAX_DECODED) forms.add(decode(form));
  }
  return false;
}

const DECODERS: readonly ((text: string) => string)[] = [
  (text) => text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString()),
  (text) => text.replaceAll('+', ' '),
  (text) => text.replace(/\\u([0-9a-f]{4})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
  (text) => text.replace(/\\([nrtbf])/g, (_, letter: string) => UNESCAPED[letter] ?? '').replace(/\\(.)/gs, '$1'),
  (text) =>
    text.replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/gi, (_, hex, decimal) =>
      toCharacter(Number(hex ? `0x${hex}` : decimal)),
    ),
  (text) => Object.entries(ENTITIES).reduce((decoded, [mark, name]) => decoded.replaceAll(`&${name};`, mark), text),
  (text) => text.replace(/[A-Za-z0-9+/_-]{8,}={0,2}/g, (word) => Buffer.from(word, 'base64').toString()),
  (text) => text.replace(/(?:[0-9a-f]{2}){6,}/gi, (digits) => Buffer.from(digits, 'hex').toString()),
  // Bytes are redacted as Latin-1.
  (text) => (/^[\0-\xff]*$/.test(text) ? Buffer.from(text, 'latin1').toString() : text),
];

const UNESCAPED = Object.fromEntries(Object.entries(ESCAPES).map(([character, letter]) => [letter, character]));

const toCharacter = (point: number): string => (point <= 0x10ffff ? String.fromCodePoint(point) : '');
