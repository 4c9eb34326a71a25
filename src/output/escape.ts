/** The one border for text that came from elsewhere: what it holds can be seen, but cannot drive a terminal or a CI log. */
import { replaceInvisible, replaceUnneededInvisible } from '../text/invisible.ts';

/** Control and C1 characters, line and paragraph separators, bidirectional marks, and halves of surrogate pairs. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu;

/** The mark of a command that some CI runners act on anywhere in a line: `##[group]`, `##vso[…]`, `##teamcity[…]`. */
const COMMAND_MARK = /#(?=#\w*\[)/g;

const toEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Foreign text on one line, with every unsafe character written as `\uXXXX`. */
export function escapeControls(text: string): string {
  // GitHub's runner acts on `::` where a line begins.
  return escapeUnsafe(text).replace(/^(\s*):(?=:)/, (_, space: string) => `${space}${toEscape(':')}`);
}

const toCodePointEscape = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/** The same for what is reviewed: also invisible characters that no emoji and no script needs, as `\u{200b}`. */
export const escapeInvisible = (text: string): string =>
  replaceUnneededInvisible(escapeControls(text), toCodePointEscape);

/** The same for a line of code, where all invisible characters are shown. */
export const escapeInvisibleInCode = (line: string): string =>
  replaceInvisible(escapeControls(line), toCodePointEscape);

/** The same as `visible` for text of several lines: its line feeds and tabs stay. */
export function escapeControlsByLine(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(escapeControls).join('\t'))
    .join('\n');
}

/** JSON whose text holds no unsafe or hidden character and no command of a CI runner; parsed again, it is the same value. */
export function stringifySafely(value: unknown, indent?: number): string {
  // Line feeds between the values are the indentation's own: inside texts JSON escapes them.
  const text = escapeUnsafe(JSON.stringify(value, null, indent), '\n');
  return replaceUnneededInvisible(text, (character) => character.split('').map(toEscape).join(''));
}

/** The same as `harmless` for what is reviewed. */
export const escapeInvisiblePart = (text: string, allowed = ''): string =>
  replaceUnneededInvisible(escapeUnsafe(text, allowed), toCodePointEscape);

/** Foreign text for the middle of a line, with every unsafe character but those of `kept` written as `\uXXXX`. */
export function escapeUnsafe(text: string, allowed = ''): string {
  return text
    .replace(UNSAFE, (found) => (allowed.includes(found) ? found : toEscape(found)))
    .replace(COMMAND_MARK, toEscape);
}
