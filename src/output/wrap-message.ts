/** Wraps errors, hints, and notes for a terminal; in a pipe each stays on one line. Loads no package. */
import type { OutputStream } from '../host/host.ts';
import { escapeControls, escapeControlsByLine } from './escape.ts';

/** A narrower terminal wraps by itself. */
const MIN_COLUMNS = 40;

/** The text after a label is indented under itself. */
const LABEL = /^(?:error|hint|note|warning|next): /;

/** A line that ends with a command, or is one. */
const COMMAND = /^(.*?\brun:|next:(?= formulary )|(?= +formulary )) +(.*)$/;

/**
 * Wraps each line at words, with a hanging indent. Words, such as ids and URLs, are never broken, nor are commands: if
 * the line is too long, they get a line of their own, from which they can be copied. Escape the text first; lines with
 * colors are left as they are.
 */
export function wrapMessage(
  text: string,
  { isTerminal, columns }: Pick<OutputStream, 'isTerminal' | 'columns'>,
): string {
  if (!isTerminal || columns < MIN_COLUMNS) return text;
  return text
    .split('\n')
    .map((line) => (line.includes('\x1b') ? line : wrapLine(line, columns)))
    .join('\n');
}

function wrapLine(line: string, columns: number): string {
  if (countCharacters(line) <= columns) return line;
  const [, lead, command] = COMMAND.exec(line) ?? [];
  if (lead === '') return line;
  if (lead && command) {
    const indent = getIndent(line) + (/^(hint|note|warning|error): /.test(line) ? '  ' : '');
    return `${wrapWords(lead, columns)}\n${indent}${escapeControls(command)}`;
  }
  return wrapWords(line, columns);
}

const getIndent = (line: string) => (/^ */.exec(line)?.[0] ?? '') + ' '.repeat(LABEL.exec(line)?.[0].length ?? 2);

function wrapWords(line: string, columns: number): string {
  const [start = ''] = /^ */.exec(line) ?? [];
  const [first = '', ...words] = line.slice(start.length).split(' ');
  const fits = (longer: string) => countCharacters(longer) <= columns;
  return fillLines([start + first, ...words], fits, getIndent(line)).join('\n');
}

/** Joins words to lines that fit; all but the first begin with `indent`. */
export function fillLines(
  [first = '', ...words]: readonly string[],
  fits: (line: string) => boolean,
  indent = '',
): string[] {
  const lines = [first];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (fits(longer)) lines[lines.length - 1] = longer;
    // A CI acts on some texts at the start of a line.
    else lines.push(indent + escapeControls(word));
  }
  return lines;
}

const countCharacters = (text: string) => [...text].length;

/** A hint after `hint: `, with further lines indented. */
export const formatHint = (hint: string): string => escapeControlsByLine(hint).replaceAll('\n', '\n      ');
