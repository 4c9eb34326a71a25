/** Worker thread of the parse pool: receives texts, and returns the facts about each; the main thread compiles them. */
import { parentPort } from 'node:worker_threads';
import type { CodeFacts } from '../code/analysis.ts';
import { inspectQuickly } from '../code/code-facts.ts';
import { isCostly } from '../code/parse/v8-syntax-check.ts';

export type ParseInputs = readonly string[];

/** One result for each text, in order. */
export type ParseResults = readonly (CodeFacts | undefined)[];

parentPort?.on('message', (texts: ParseInputs) =>
  parentPort?.postMessage(
    texts.map((text) => inspectQuickly(text, { isCompiled: !isCostly(text) })) satisfies ParseResults,
  ),
);
