/** Wraps text to the width of a terminal. Pure. */
import stringWidth from 'string-width';
import { splitGraphemes } from './graphemes.ts';
import { fillLines } from './wrap-message.ts';

/**
 * Wraps a text at `width` terminal cells. A longer word gets its own line, or with `breaksWords` several lines.
 */
export function wrap(text: string, width: number, breaksWords = false): string[] {
  const words = text.split(' ').flatMap((word) => (breaksWords ? splitWord(word, width) : word));
  return fillLines(words, (line) => stringWidth(line) <= width);
}

/** Splits a word into parts that fit, between graphemes. */
function splitWord(word: string, width: number): string[] {
  if (stringWidth(word) <= width) return [word];
  const parts = [''];
  for (const character of splitGraphemes(word)) {
    const longer = `${parts.at(-1)}${character}`;
    if (stringWidth(longer) <= width || parts.at(-1) === '') parts[parts.length - 1] = longer;
    else parts.push(character);
  }
  return parts;
}

/** Pads a text with spaces to a width in terminal cells. */
export const padToWidth = (text: string, width: number) =>
  `${text}${' '.repeat(Math.max(0, width - stringWidth(text)))}`;

/** The width of the widest text, in terminal cells. */
export const measureWidest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => stringWidth(text)));

const MIN_TEXT_WIDTH = 20;

const fitsUnbroken = (text: string, width: number) => measureWidest(text.split(' ')) <= width;

/**
 * Labels with texts in an aligned column after them. Texts are on the lines after their labels if the column would be
 * too narrow, or if a word, such as an id, only fits there. `colorize` is applied to labels. With `keepsWords`, words
 * that are too long exceed the width instead of being split.
 */
export function formatDefinitionList(
  rows: readonly (readonly [label: string, text: string])[],
  {
    width,
    indent = 0,
    keepsWords = false,
    colorize = (label) => label,
  }: { width: number; indent?: number; keepsWords?: boolean; colorize?: (label: string) => string },
): string[] {
  const labelWidth = measureWidest(rows.map(([label]) => label));
  const room = width - indent - labelWidth - 2;
  const isBelow = room < MIN_TEXT_WIDTH && rows.some(([, text]) => stringWidth(text) > room);
  const below = Math.max(1, width - indent - 2);
  const start = ' '.repeat(indent);
  return rows.flatMap(([label, text]) => {
    if (text === '') return [`${start}${colorize(label.trimEnd())}`.trimEnd()];
    if (isBelow || (!fitsUnbroken(text, room) && (keepsWords || fitsUnbroken(text, below)))) {
      const lines = wrap(text, below, !keepsWords).map((line) => `${start}  ${line}`);
      return [`${start}${colorize(label)}`, ...lines];
    }
    const [first = '', ...others] = wrap(text, Math.max(1, room), !keepsWords);
    const under = ' '.repeat(indent + labelWidth + 2);
    return [`${start}${colorize(padToWidth(label, labelWidth))}  ${first}`, ...others.map((line) => `${under}${line}`)];
  });
}
