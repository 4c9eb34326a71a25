/** Escapes foreign text, so that it cannot control a terminal or a CI log. */
import { replaceInvisible, replaceUnneededInvisible } from '../text/invisible.ts';

/** Control and C1 characters, line and paragraph separators, bidirectional marks, and unpaired surrogates. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu;

/** Commands that some CI runners detect anywhere in a line: `##[group]`, `##vso[…]`, `##teamcity[…]`. */
const COMMAND_MARK = /#(?=#\w*\[)/g;

const toEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escapes a text to a single line, with every unsafe character as `\uXXXX`. */
export function escapeControls(text: string): string {
  // GitHub's runner detects `::` at the start of a line.
  return escapeUnsafe(text).replace(/^(\s*):(?=:)/, (_, space: string) => `${space}${toEscape(':')}`);
}

const toCodePointEscape = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/** The same for text under review: also escapes invisible characters, except those in emoji and scripts, as `\u{200b}`. */
export const escapeInvisible = (text: string): string =>
  replaceUnneededInvisible(escapeControls(text), toCodePointEscape);

/** The same for a line of code: escapes all invisible characters. */
export const escapeInvisibleInCode = (line: string): string =>
  replaceInvisible(escapeControls(line), toCodePointEscape);

/** The same as `escapeControls` for several lines: keeps line feeds and tabs. */
export function escapeControlsByLine(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(escapeControls).join('\t'))
    .join('\n');
}

/** JSON with unsafe and invisible characters and CI commands escaped; it parses to the same value. */
export function stringifySafely(value: unknown, indent?: number): string {
  // Line feeds are part of the indentation: JSON escapes those in strings.
  const text = escapeUnsafe(JSON.stringify(value, null, indent), '\n');
  return replaceUnneededInvisible(text, (character) => character.split('').map(toEscape).join(''));
}

/** The same as `escapeUnsafe` for text under review: also escapes invisible characters. */
export const escapeInvisiblePart = (text: string, allowed = ''): string =>
  replaceUnneededInvisible(escapeUnsafe(text, allowed), toCodePointEscape);

/** Escapes a text for the middle of a line: every unsafe character, except those in `allowed`, as `\uXXXX`. */
function escapeUnsafe(text: string, allowed = ''): string {
  return text
    .replace(UNSAFE, (found) => (allowed.includes(found) ? found : toEscape(found)))
    .replace(COMMAND_MARK, toEscape);
}
