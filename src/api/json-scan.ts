/** One pass over a JSON text in UTF-8: how much is in it, and which parts of it can be parsed on their own. */

/** Deeper values overflow the stack when they are printed. */
const MAX_DEPTH = 500;
/** Brackets and separators, of which each value has up to two. A list of 10,000 formulas with 100 values each is within it. */
export const MAX_TOKENS = 2_000_000;

/** A value in a text: an element of an array in the object, or a text, number, or word in the object itself. */
export interface Span {
  start: number;
  end: number;
}

export interface Scanned {
  tokens: number;
  spans: Span[];
}

const [QUOTE, BACKSLASH, OPEN_OBJECT, OPEN_ARRAY] = [0x22, 0x5c, 0x7b, 0x5b];
type Sign = 'open' | 'close' | 'comma' | 'colon';
const SIGNS: readonly (Sign | undefined)[] = Object.assign(new Array(256).fill(undefined), {
  [OPEN_OBJECT]: 'open',
  [OPEN_ARRAY]: 'open',
  [0x7d]: 'close',
  [0x5d]: 'close',
  [0x2c]: 'comma',
  [0x3a]: 'colon',
});

/** Looks at what is outside of strings; does not check the JSON otherwise. */
export function scanJson(json: Buffer): Scanned | { problem: string } {
  const { spans, see } = spanFinder(json);
  let tokens = 0;
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] as number;
    if (byte === QUOTE) i = endOfString(json, i);
    const sign = SIGNS[byte];
    if (sign === undefined) continue;
    if (sign === 'open') depth++;
    if (depth === 1 || depth === 2) see(sign, i, depth);
    if (sign === 'close') depth--;
    else tokens++;
    if (depth > MAX_DEPTH) return { problem: `the answer is nested deeper than ${MAX_DEPTH} levels` };
    if (tokens > MAX_TOKENS) return { problem: 'the response has too many values' };
  }
  return { tokens, spans };
}

/** Hears each sign of the two outer levels, a bracket with the level that it is the border of. */
function spanFinder(json: Buffer) {
  const spans: Span[] = [];
  let isInObject = false;
  /** The second level is an array of the object. */
  let isArray = false;
  let start: number | undefined;
  let isFirst = false;
  const begin = (at: number) => {
    start = at;
  };
  const end = (at: number) => {
    // Nothing between the brackets of an array is no element.
    if (start !== undefined && !(isFirst && isBlank(json, start, at))) spans.push({ start, end: at });
    start = undefined;
    isFirst = false;
  };
  const open = (at: number, depth: number) => {
    start = undefined;
    if (depth === 1) isInObject = json[at] === OPEN_OBJECT;
    isArray = depth === 2 && isInObject && json[at] === OPEN_ARRAY;
    isFirst = isArray;
    if (isArray) begin(at + 1);
  };
  const see = (sign: Sign, at: number, depth: number): void => {
    if (sign === 'open') open(at, depth);
    else if (sign === 'colon' && depth === 1 && isInObject) begin(at + 1);
    else if (sign !== 'colon' && (depth === 1 || isArray)) end(at);
    if (sign === 'comma' && depth === 2 && isArray) begin(at + 1);
  };
  return { spans, see };
}

/** The index of the quote that ends a string; that of the end of the text where there is none. */
function endOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); end !== -1; end = json.indexOf(QUOTE, end + 1)) {
    let slashes = end;
    while (json[slashes - 1] === BACKSLASH) slashes--;
    if ((end - slashes) % 2 === 0) return end;
  }
  return json.length;
}

const isBlank = (json: Buffer, start: number, end: number) => json.toString('latin1', start, end).trim() === '';
