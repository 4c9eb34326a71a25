/** Parts of patterns that find a secret in its encodings. Pure. */

/** The names of character references. */
export const ENTITIES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};

export const escapePattern = (text: string): string => text.replace(/[\\^$.|?+*()[\]{}/-]/g, '\\$&');

/** Hexadecimal digits in either case. */
export const toHexPattern = (value: number, digits: number): string =>
  value
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
