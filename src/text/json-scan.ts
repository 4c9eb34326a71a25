/** Looks through the text of JSON before it is parsed: its size, and what is nested too deep for recursive parsers. Pure. */

/** The maximum depth of nested objects and arrays in a manifest, and in a body that the service accepts. */
export const MAX_DEPTH = 64;
/** The same for other JSON: arguments, tests, responses. Printing deeper values overflows the stack. */
export const MAX_VALUE_DEPTH = 500;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** By character: how a token outside of strings changes the depth. */
const NONE = 2;
const DEPTH_CHANGES = new Int8Array(128).fill(NONE);
for (const [character, change] of Object.entries({ '{': 1, '[': 1, '}': -1, ']': -1, ',': 0, ':': 0 }))
  DEPTH_CHANGES[character.charCodeAt(0)] = change;

/**
 * Looks only at tokens outside of strings; does not validate the JSON. `tokens` is the number of opening brackets and
 * separators, of which each value has up to two, and `tooDeep` the ranges of the containers that are one level too deep.
 */
export function scanJson(text: string, maxDepth: number) {
  const tooDeep: [number, number][] = [];
  let [depth, tokens, from] = [0, 0, 0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = findStringEnd(text, i) - 1;
    const change = DEPTH_CHANGES[code] ?? NONE;
    if (change === NONE) continue;
    if (change === 1 && depth === maxDepth) from = i;
    if (change === -1 && depth === maxDepth + 1) tooDeep.push([from, i + 1]);
    depth += change;
    if (change >= 0) tokens++;
  }
  if (depth > maxDepth) tooDeep.push([from, text.length]);
  return { tokens, tooDeep };
}

/** The offset after the closing quote of a string; the length of the text without one. */
export function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = end;
    while (text.charCodeAt(slashes - 1) === BACKSLASH) slashes--;
    if ((end - slashes) % 2 === 0) return end + 1;
  }
  return text.length;
}

/** Blanks out containers that are nested too deep for recursive parsers; offsets do not change. */
export function limitDepth(text: string, maxDepth: number): { shallow: string; tooDeepAt: number | undefined } {
  const { tooDeep } = scanJson(text, maxDepth);
  const parts = tooDeep.map(([from, to], i) => {
    // Replaced with a value, so that the text is still JSON.
    const blank = text.slice(from + 1, to).replace(/[^\r\n]/g, ' ');
    return `${text.slice(tooDeep[i - 1]?.[1] ?? 0, from)}0${blank}`;
  });
  return { shallow: parts.join('') + text.slice(tooDeep.at(-1)?.[1] ?? 0), tooDeepAt: tooDeep[0]?.[0] };
}
