/** Converts offsets to lines and columns. Pure. */

/** Line and column start at 1; the column counts UTF-16 units, like editors. */
export interface Position {
  line: number;
  column: number;
}

/** LF, CR LF, and CR end lines; in code also U+2028 and U+2029. */
const LINE_ENDS = { text: /\r\n|[\n\r]/g, code: /\r\n|[\n\r\u2028\u2029]/g };

/** Returns a function that converts offsets of `text`, fast for many offsets. */
export function createPositionLookup(text: string, kind: keyof typeof LINE_ENDS = 'text') {
  // Only the offsets are stored: the matches of a text of line feeds take 100 times its memory.
  const starts = [0];
  for (const end of text.matchAll(LINE_ENDS[kind])) starts.push(end.index + end[0].length);
  return (offset: number): Position => {
    const line = findLastStart(starts, offset);
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

/** The index of the last of ascending offsets that is not after another one; -1 if all are. */
export function findLastStart(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The position of a single offset. */
export const positionAt = (text: string, offset: number): Position => createPositionLookup(text)(offset);

/** The last code that was converted; usually many findings are in the same file. */
let lastLookup: { text: string; toPosition: (offset: number) => Position } | undefined;

/** The position of an offset in code. */
export function codePositionAt(text: string, offset: number): Position {
  if (lastLookup?.text !== text) lastLookup = { text, toPosition: createPositionLookup(text, 'code') };
  return lastLookup.toPosition(offset);
}
