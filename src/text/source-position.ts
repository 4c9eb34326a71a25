/** Offsets of a text as lines and columns. Pure. */

/** A place in a text: line and column count from 1, the column in UTF-16 units as editors count it. */
export interface Position {
  line: number;
  column: number;
}

/** What ends a line: LF, CR LF and a lone CR; in code two separators as well. */
const LINE_ENDS = { text: /\r\n|[\n\r]/g, code: /\r\n|[\n\r\u2028\u2029]/g };

/** Turns offsets of `text` into places. Made once, it is fast for many offsets. */
export function createPositionLookup(
  text: string,
  kind: keyof typeof LINE_ENDS = 'text',
): (offset: number) => Position {
  // Only numbers are kept: of the matches themselves, a text of line feeds would take 100 times its memory.
  const starts = [0];
  for (const end of text.matchAll(LINE_ENDS[kind])) starts.push(end.index + end[0].length);
  return (offset) => {
    let [line, after] = [0, starts.length];
    while (after - line > 1) {
      const middle = (line + after) >> 1;
      if ((starts[middle] ?? 0) <= offset) line = middle;
      else after = middle;
    }
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

/** The place of one offset. */
export const positionAt = (text: string, offset: number): Position => createPositionLookup(text)(offset);

/** The text whose code was last asked about: many findings stand in one. */
let lastLookup: { text: string; toPosition: (offset: number) => Position } | undefined;

/** The place of an offset of code. */
export function codePositionAt(text: string, offset: number): Position {
  if (lastLookup?.text !== text) lastLookup = { text, toPosition: createPositionLookup(text, 'code') };
  return lastLookup.toPosition(offset);
}
