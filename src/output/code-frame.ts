/** A piece of a text around a place, with a caret below it: for messages on a terminal. */
import stringWidth from 'string-width';
import { escapeInvisible, escapeInvisibleInCode } from './escape.ts';
import { truncate } from './truncate.ts';

const CONTEXT = 1;
const MIN_ROOM = 10;

interface Position {
  line: number;
  column: number;
}

/** Frames for places in a file of this name, none wider than `width`. Code has two more ends of a line than JSON. */
export function createFrameFormatter(file: string, text: string, width: number): (position: Position) => string {
  const isJson = file.endsWith('.json');
  const lines = text.split(isJson ? /\r\n|[\n\r]/ : /\r\n|[\n\r\u2028\u2029]/);
  // Tabs are two spaces, so that the caret stands where it should.
  const escapeText = (part: string) =>
    part
      .split('\t')
      .map(isJson ? escapeInvisible : escapeInvisibleInCode)
      .join('  ');
  return (place) => formatFrame(lines, place, width, escapeText);
}

/** Lines around line and column (from 1), numbered; long lines are shown around the column. */
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
  // What does not fit is cut at the left, so that the caret stands in the last third.
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

/** Where the end of a text begins that is at most so many cells wide; not in the middle of a surrogate pair. */
function findTailStart(text: string, width: number): number {
  let from = Math.max(0, text.length - width);
  while (stringWidth(text.slice(from)) > width || /^[\udc00-\udfff]/.test(text.slice(from))) from += 1;
  return from;
}
