/** The one border for text that came from elsewhere: what it holds can be seen, but cannot drive a terminal or a CI log. */

/** Control and C1 characters, line and paragraph separators, bidirectional marks, and halves of surrogate pairs. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|\p{Surrogate}/gu;

const asEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Foreign text on one line, with every unsafe character written as `\uXXXX`. */
export function visible(text: string): string {
  return defuse(text.replace(UNSAFE, asEscape));
}

/** The same for text of several lines: its line feeds and tabs stay. */
export function visibleLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(visible).join('\t'))
    .join('\n');
}

/** Keeps a line from being taken for a command of a CI runner (`::error::`, `##[group]`, `##vso[…]`). */
function defuse(line: string): string {
  return line.replace(/^(\s*)(::|##)/, (_, space: string, mark: string) => `${space}${asEscape(mark)}${mark.slice(1)}`);
}

/** JSON whose text holds no unsafe character; parsed again, it is the same value. */
export function safeJson(value: unknown, indent?: number): string {
  // Line feeds between the values are the indentation's own: inside texts JSON escapes them.
  return JSON.stringify(value, null, indent).replace(UNSAFE, (found) => (found === '\n' ? found : asEscape(found)));
}
