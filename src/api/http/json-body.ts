/** JSON of a service, which may be anything: bounded before it is parsed, so that no body can exhaust memory or the stack. */
import { getHeapStatistics } from 'node:v8';
import { parseInParts } from '../json-parts.ts';
import { scanJson } from '../json-scan.ts';

/** What a value takes, however short it is: 240 MB of empty arrays would end Node.js. */
const BYTES_PER_TOKEN = 220;
/** A text of this length fits even where Node.js is allowed little memory. */
const SMALL_LENGTH = 1024 * 1024;
const MEMORY_PROBLEM =
  'the response does not fit into the memory that Node.js may use (NODE_OPTIONS=--max-old-space-size=8192 allows more)';

/** `memory`: how many bytes the value takes at most. */
export type Parsed = { value: unknown; memory: number } | { problem: string };

/** The memory that a value may take, and what is said of one that would take more. */
export interface Room {
  memory: number;
  problem: string;
}

/** The value of a JSON text in UTF-8, or what is wrong with it, in words. */
export function parseJsonBody(json: Buffer, room?: Room): Parsed {
  const scanned = scanJson(json);
  if ('problem' in scanned) return scanned;
  const values = scanned.tokens * BYTES_PER_TOKEN;
  // A text takes two bytes for each character where one of them needs two.
  const memory = 2 * json.length + values;
  if (room && memory > room.memory) return room;
  const isSmall = json.length < SMALL_LENGTH;
  if (!isSmall && memory + values > freeHeap()) return { problem: MEMORY_PROBLEM };
  try {
    return { value: isSmall ? JSON.parse(json.toString()) : parseInParts(json, scanned.spans), memory };
  } catch {
    return { problem: 'the answer is not JSON, or was cut off' };
  }
}

function freeHeap(): number {
  const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics();
  return limit - used;
}
