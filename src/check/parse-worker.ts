/** Worker thread of the parse pool: receives texts, and returns the facts about each. */
import { parentPort } from 'node:worker_threads';
import type { CodeFacts } from '../code/analysis.ts';
import { inspectQuickly } from '../code/code-facts.ts';

export type ParseInputs = readonly string[];

/** One result for each text, in order. */
export type ParseResults = readonly (CodeFacts | undefined)[];

parentPort?.on('message', (texts: ParseInputs) =>
  parentPort?.postMessage(texts.map(inspectQuickly) satisfies ParseResults),
);
