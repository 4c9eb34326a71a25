/** Scans JSON in UTF-8: counts its values, and finds the parts that can be parsed separately. */

/** Printing deeper values overflows the stack. */
const MAX_DEPTH = 500;
/** Brackets and separators; each value has up to two. Enough for 10,000 formulas of 100 values. */
const MAX_TOKENS = 2_000_000;

/** The position of a value: an element of an array in the outer object, or a primitive value in that object. */
export interface Span {
  start: number;
  end: number;
}

interface Scanned {
  tokens: number;
  spans: Span[];
}

const [QUOTE, BACKSLASH, OPEN_OBJECT, OPEN_ARRAY] = [0x22, 0x5c, 0x7b, 0x5b];
type TokenKind = 'open' | 'close' | 'comma' | 'colon';
const TOKEN_KINDS: readonly (TokenKind | undefined)[] = Object.assign(new Array(256).fill(undefined), {
  [OPEN_OBJECT]: 'open',
  [OPEN_ARRAY]: 'open',
  [0x7d]: 'close',
  [0x5d]: 'close',
  [0x2c]: 'comma',
  [0x3a]: 'colon',
});

/** Looks only at tokens outside of strings; does not validate the JSON. */
export function scanJson(json: Buffer): Scanned | { problem: string } {
  const { spans, addToken } = createSpanFinder(json);
  let tokens = 0;
  let depth = 0;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] as number;
    if (byte === QUOTE) i = findStringEnd(json, i);
    const token = TOKEN_KINDS[byte];
    if (token === undefined) continue;
    if (token === 'open') depth++;
    if (depth === 1 || depth === 2) addToken(token, i, depth);
    if (token === 'close') depth--;
    else tokens++;
    if (depth > MAX_DEPTH) return { problem: `the response is nested deeper than ${MAX_DEPTH} levels` };
    if (tokens > MAX_TOKENS) return { problem: 'the response has too many values' };
  }
  return { tokens, spans };
}

/** Collects spans from the tokens of the two outer levels; a bracket has the level that it encloses. */
function createSpanFinder(json: Buffer) {
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
    // An empty array has no element.
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
  const addToken = (token: TokenKind, at: number, depth: number): void => {
    if (token === 'open') open(at, depth);
    else if (token === 'colon' && depth === 1 && isInObject) begin(at + 1);
    else if (token !== 'colon' && (depth === 1 || isArray)) end(at);
    if (token === 'comma' && depth === 2 && isArray) begin(at + 1);
  };
  return { spans, addToken };
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

const isBlank = (json: Buffer, start: number, end: number) => json.toString('latin1', start, end).trim() === '';
