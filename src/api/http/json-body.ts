/** Parses JSON of a service; its size is checked before, so that no body can exhaust memory or the stack. */
import { getHeapStatistics } from 'node:v8';
import { type JsonScan, MAX_VALUE_DEPTH, scanJson } from '../../text/json-scan.ts';

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
  const text = json.toString();
  const scan = scanJson(text, MAX_VALUE_DEPTH);
  const problem = findSizeProblem(scan);
  if (problem !== undefined) return { problem };
  // A string takes two bytes per character if one character needs two.
  const memory = 2 * json.length + scan.tokens * BYTES_PER_TOKEN;
  // While it is parsed, its text is in memory too.
  if (json.length >= SMALL_LENGTH && 2 * memory > freeHeap()) return { problem: MEMORY_PROBLEM };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: 'the response is not valid JSON, or was truncated' };
  }
}

/** Why JSON is too large to be parsed, in words that follow "but" in messages; undefined if it is small enough. */
function findSizeProblem({ tooDeep, tokens }: JsonScan): string | undefined {
  if (tooDeep.length > 0) return `the response is nested deeper than ${MAX_VALUE_DEPTH} levels`;
  return tokens > MAX_TOKENS ? 'the response has too many values' : undefined;
}

function freeHeap(): number {
  const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics();
  return limit - used;
}
