/** Parses JSON of a service; its size is checked before, so that no body can exhaust memory or the stack. */
import { getHeapStatistics } from 'node:v8';
import { type JsonSize, measureJson } from '../../text/measure-json.ts';

/** Printing deeper values overflows the stack. */
const MAX_DEPTH = 500;
/** Enough for 10,000 formulas of 100 values. */
const MAX_TOKENS = 2_000_000;
/** Memory per value: 240 MB of empty arrays would crash Node.js. */
const BYTES_PER_TOKEN = 220;
/** A body of this length fits even into a small heap. */
const SMALL_LENGTH = 1024 * 1024;
const MEMORY_PROBLEM =
  'the response does not fit into the memory of Node.js (NODE_OPTIONS=--max-old-space-size=8192 allows more)';

export type Parsed = { value: unknown } | { problem: string };

/** Parses JSON in UTF-8. `problem` follows "but" in messages. */
export function parseJsonBody(json: Buffer): Parsed {
  const size = measureJson(json);
  const problem = findSizeProblem(size);
  if (problem !== undefined) return { problem };
  // A string takes two bytes per character if one character needs two.
  const memory = 2 * json.length + size.tokens * BYTES_PER_TOKEN;
  // While it is parsed, its text is in memory too.
  if (json.length >= SMALL_LENGTH && 2 * memory > freeHeap()) return { problem: MEMORY_PROBLEM };
  try {
    return { value: JSON.parse(json.toString()) };
  } catch {
    return { problem: 'the response is not valid JSON, or was truncated' };
  }
}

/** Why JSON is too large to be parsed, in words that follow "but" in messages; undefined if it is small enough. */
function findSizeProblem({ depth, tokens }: JsonSize): string | undefined {
  if (depth > MAX_DEPTH) return `the response is nested deeper than ${MAX_DEPTH} levels`;
  return tokens > MAX_TOKENS ? 'the response has too many values' : undefined;
}

function freeHeap(): number {
  const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics();
  return limit - used;
}
