/** JSON of a service, which may be anything: bounded before it is parsed, so that no body can exhaust memory or the stack. */
import { getHeapStatistics } from 'node:v8';

/** Deeper values overflow the stack when they are printed. */
const MAX_DEPTH = 500;
/**
 * Brackets and separators, of which each value has up to two. It takes up to 220 bytes of memory, however short it is:
 * 240 MB of empty arrays would end Node.js. A page of 10,000 formulas with 100 values each is within it.
 */
const MAX_TOKENS = 2_000_000;
const BYTES_OF_TOKEN = 220;
/** A text of this length fits even where Node.js is allowed little memory. */
const SMALL = 1024 * 1024;
const NO_ROOM =
  'the response does not fit into the memory that Node.js may use (NODE_OPTIONS=--max-old-space-size=8192 allows more)';

/** The value of a JSON text, or what is wrong with it, in words. */
export function parseBody(text: string): { value: unknown } | { problem: string } {
  const problem = boundsProblem(text);
  if (problem !== undefined) return { problem };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: 'the answer is not JSON, or was cut off' };
  }
}

/** Counts brackets and separators outside of strings; does not check the JSON otherwise. */
function boundsProblem(text: string): string | undefined {
  const room = text.length < SMALL ? MAX_TOKENS : roomFor(text);
  if (room <= 0) return NO_ROOM;
  let tokens = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text[i]) {
      case '"':
        i = endOfString(text, i);
        break;
      case '[':
      case '{':
        tokens++;
        if (++depth > MAX_DEPTH) return `the answer is nested deeper than ${MAX_DEPTH} levels`;
        break;
      case ']':
      case '}':
        depth--;
        break;
      case ',':
      case ':':
        tokens++;
    }
    if (tokens > MAX_TOKENS) return 'the response has too many values';
    if (tokens > room) return NO_ROOM;
  }
  return undefined;
}

/** How many tokens fit into the memory that Node.js may still use, next to the strings of the text. */
function roomFor(text: string): number {
  const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics();
  return Math.floor((limit - used - 2 * text.length) / BYTES_OF_TOKEN / 2);
}

/** The index of the quote that ends a string; that of the end of the text where there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = end;
    while (text[slashes - 1] === '\\') slashes--;
    if ((end - slashes) % 2 === 0) return end;
  }
  return text.length;
}
