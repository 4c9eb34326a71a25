/** A thread that reads code for `openReaders`: it gets texts, and answers with what is known of each. */
import { parentPort } from 'node:worker_threads';
import { inspectQuickly, type QuickFacts } from '../code/code-facts.ts';

export type ParseInputs = readonly string[];

/** Of each text, in their order. */
export type ParseResults = readonly (QuickFacts | undefined)[];

parentPort?.on('message', (texts: ParseInputs) =>
  parentPort?.postMessage(texts.map(inspectQuickly) satisfies ParseResults),
);
