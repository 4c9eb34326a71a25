/** A thread that reads code for `openReaders`: it gets texts, and answers with what is known of each. */
import { parentPort } from 'node:worker_threads';
import { type QuickFacts, quickFacts } from '../code/code-facts.ts';

export type Texts = readonly string[];

/** Of each text, in their order. */
export type Facts = readonly (QuickFacts | undefined)[];

parentPort?.on('message', (texts: Texts) => parentPort?.postMessage(texts.map(quickFacts) satisfies Facts));
