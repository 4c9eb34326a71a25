/** Measures JSON in UTF-8 before it is parsed. Pure. */

export interface JsonSize {
  /** The maximum depth of nested objects and arrays. */
  depth: number;
  /** The number of opening brackets and separators; each value has up to two. */
  tokens: number;
}

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

/** Looks only at tokens outside of strings; does not validate the JSON. */
export function measureJson(json: Buffer): JsonSize {
  let [depth, maxDepth, tokens] = [0, 0, 0];
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] as number;
    if (byte === QUOTE) i = findStringEnd(json, i);
    const change = DEPTH_CHANGES[byte];
    if (change === undefined) continue;
    depth += change;
    if (change >= 0) tokens++;
    if (depth > maxDepth) maxDepth = depth;
  }
  return { depth: maxDepth, tokens };
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
