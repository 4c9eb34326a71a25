/** Parses JSON of a service; its size is checked before, so that no body can exhaust memory or the stack. */
import { attempt } from '../../errors.ts';
import { MAX_VALUE_DEPTH, scanJson } from '../../text/json-scan.ts';

/** Enough for 10,000 formulas of 100 values. A value takes up to 220 bytes: 240 MB of empty arrays would crash Node.js. */
const MAX_TOKENS = 2_000_000;

export type Parsed = { value: unknown } | { problem: string };

/** Parses JSON in UTF-8. `problem` follows "but" in messages. */
export function parseJsonBody(json: Buffer): Parsed {
  const text = json.toString();
  const { tooDeep, tokens } = scanJson(text, MAX_VALUE_DEPTH);
  if (tooDeep.length > 0) return { problem: `the response is nested deeper than ${MAX_VALUE_DEPTH} levels` };
  if (tokens > MAX_TOKENS) return { problem: 'the response has too many values' };
  return (
    attempt(() => ({ value: JSON.parse(text) })) ?? { problem: 'the response is not valid JSON, or was truncated' }
  );
}
