/** Limits the depth of JSON for recursive parsers. */
import { createScanner } from './jsonc.ts';

/** The maximum depth of nested objects and arrays. */
export const MAX_DEPTH = 64;

/** Token kinds of jsonc-parser, whose enum does not exist at run time. */
const OPENING = [1, 3];
const CLOSING = [2, 4];
const END_OF_TEXT = 17;

/** Blanks out containers that are nested too deep for recursive parsers; offsets do not change. */
export function limitDepth(text: string): { shallow: string; tooDeepAt: number | undefined } {
  const cuts = findTooDeepRanges(text);
  const parts = cuts.map(([from, to], i) => {
    // Replaced with a value, so that the text is still JSON.
    const blank = text.slice(from + 1, to).replace(/[^\r\n]/g, ' ');
    return `${text.slice(cuts[i - 1]?.[1] ?? 0, from)}0${blank}`;
  });
  return { shallow: parts.join('') + text.slice(cuts.at(-1)?.[1] ?? 0), tooDeepAt: cuts[0]?.[0] };
}

/** The ranges of containers that are one level too deep. */
function findTooDeepRanges(text: string): [from: number, to: number][] {
  // Nearly all texts have fewer containers than that.
  if ((text.match(/[[{]/g)?.length ?? 0) <= MAX_DEPTH) return [];
  const scanner = createScanner(text, true);
  const ranges: [from: number, to: number][] = [];
  let depth = 0;
  let from = 0;
  for (let token: number = scanner.scan(); token !== END_OF_TEXT; token = scanner.scan()) {
    if (OPENING.includes(token) && ++depth === MAX_DEPTH + 1) from = scanner.getTokenOffset();
    if (CLOSING.includes(token) && depth-- === MAX_DEPTH + 1) ranges.push([from, scanner.getTokenOffset() + 1]);
  }
  return depth > MAX_DEPTH ? [...ranges, [from, text.length]] : ranges;
}
