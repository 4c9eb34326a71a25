/** Counts the values of JSON in UTF-8 before it is parsed. */

/** Printing deeper values overflows the stack. */
const MAX_DEPTH = 500;
/** Brackets and separators; each value has up to two. Enough for 10,000 formulas of 100 values. */
const MAX_TOKENS = 2_000_000;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** By byte: how a token outside of strings changes the depth; undefined for other bytes. */
const DEPTH_CHANGES: readonly (number | undefined)[] = Object.assign(new Array(256).fill(undefined), {
  [0x7b]: 1,
  [0x5b]: 1,
  [0x7d]: -1,
  [0x5d]: -1,
  [0x2c]: 0,
  [0x3a]: 0,
});

/** Counts opening brackets and separators outside of strings; does not validate the JSON. */
export function countTokens(json: Buffer): { tokens: number } | { problem: string } {
  let tokens = 0;
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] as number;
    if (byte === QUOTE) i = findStringEnd(json, i);
    const change = DEPTH_CHANGES[byte];
    if (change === undefined) continue;
    depth += change;
    if (change >= 0) tokens++;
    if (depth > MAX_DEPTH) return { problem: `the response is nested deeper than ${MAX_DEPTH} levels` };
    if (tokens > MAX_TOKENS) return { problem: 'the response has too many values' };
  }
  return { tokens };
}

/** The index of the closing quote of a string; the length of the text without one. */
function findStringEnd(json: Buffer, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); end !== -1; end = json.indexOf(QUOTE, end + 1)) {
    let slashes = end;
    while (json[slashes - 1] === BACKSLASH) slashes--;
    if ((end - slashes) % 2 === 0) return end;
  }
  return json.length;
}
