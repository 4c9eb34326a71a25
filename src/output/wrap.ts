/** Texts broken into lines that fit a terminal: nothing is lost. Pure. */
import stringWidth from 'string-width';
import { escapeControls } from './escape.ts';
import { splitGraphemes } from './graphemes.ts';

/**
 * The lines of a text, at most `width` terminal cells wide; a word that is longer has a line of its own, or several
 * where `breaksWords`.
 */
export function wrap(text: string, width: number, breaksWords = false): string[] {
  const allWords = text.split(' ');
  const [first = '', ...words] = breaksWords ? allWords.flatMap((word) => splitWord(word, width)) : allWords;
  const lines = [first];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (stringWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  // What stood in the middle of a line may now begin one, where the runner of a CI acts on it.
  return lines.map((line, i) => (i === 0 ? line : escapeControls(line)));
}

/** A word in pieces that fit; what people see as one character stays whole. */
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

/** A text with spaces up to a width of cells. */
export const padToWidth = (text: string, width: number) =>
  `${text}${' '.repeat(Math.max(0, width - stringWidth(text)))}`;

/** The width of the widest text. */
export const measureWidest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => stringWidth(text)));

const MIN_TEXT_WIDTH = 20;

const fitsUnbroken = (text: string, width: number) => measureWidest(text.split(' ')) <= width;

/**
 * Lines of a label and a text, the texts under one another in what is left of `width`; where that is little, each below
 * its label, and so is a text with a word (an id, say) that stays whole only there. `paint` colours a label;
 * with `keepsWords` a word that has no room goes on beyond the width, whole.
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
