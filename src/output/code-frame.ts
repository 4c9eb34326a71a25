/** Code frames: the lines around a position, with a caret under its column. */
import stringWidth from 'string-width';
import type { Position } from '../text/source-position.ts';
import { escapeInvisible, escapeInvisibleInCode } from './escape.ts';
import { truncate } from './truncate.ts';

const CONTEXT = 1;
const MIN_ROOM = 10;

/** Formats frames of a file, at most `width` columns wide. In code, U+2028 and U+2029 end lines too. */
export function createFrameFormatter(file: string, text: string, width: number): (position: Position) => string {
  const isJson = file.endsWith('.json');
  const lines = text.split(isJson ? /\r\n|[\n\r]/ : /\r\n|[\n\r\u2028\u2029]/);
  // Tabs become two spaces, so that the caret is in the right column.
  const escapeText = (part: string) =>
    part
      .split('\t')
      .map(isJson ? escapeInvisible : escapeInvisibleInCode)
      .join('  ');
  return (position) => formatFrame(lines, position, width, escapeText);
}

/** The numbered lines around the position; long lines are truncated around the column. */
function formatFrame(
  lines: readonly string[],
  position: Position,
  width: number,
  escapeText: (part: string) => string,
): string {
  const from = Math.max(1, position.line - CONTEXT);
  const to = Math.min(lines.length, position.line + CONTEXT);
  const digits = String(to).length;
  const room = Math.max(MIN_ROOM, width - digits - 5);
  // Lines can be megabytes long.
  const start = Math.max(0, position.column - 4 * room);
  const before = escapeText((lines[position.line - 1] ?? '').slice(start, position.column - 1));
  // Long lines are truncated on the left so that the caret is at two thirds of the width.
  const skip = stringWidth(before) < room ? 0 : findTailStart(before, Math.floor((room * 2) / 3));
  const rows: string[] = [];
  for (let line = from; line <= to; line++) {
    const content = truncate(
      escapeText((lines[line - 1] ?? '').slice(start, position.column + 4 * room)).slice(skip),
      room,
    );
    rows.push(`${line === position.line ? '>' : ' '} ${String(line).padStart(digits)} | ${content}`.trimEnd());
    if (line === position.line) rows.push(`  ${' '.repeat(digits)} | ${' '.repeat(stringWidth(before.slice(skip)))}^`);
  }
  return rows.join('\n');
}

/** The start of the longest end of a text that fits in `width` cells; never inside a surrogate pair. */
function findTailStart(text: string, width: number): number {
  let from = Math.max(0, text.length - width);
  while (stringWidth(text.slice(from)) > width || /^[\udc00-\udfff]/.test(text.slice(from))) from += 1;
  return from;
}
