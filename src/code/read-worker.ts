/** A thread that reads code for `openReaders`: it gets texts, and answers with what is known of each. */
import { parentPort } from 'node:worker_threads';
import { type CodeFacts, readCode } from './facts.ts';

export type Texts = readonly string[];

/** Of each text, in their order. */
export type Facts = readonly CodeFacts[];

parentPort?.on('message', async (texts: Texts) => {
  const facts: CodeFacts[] = [];
  for (const text of texts) facts.push(await readCode(text));
  parentPort?.postMessage(facts satisfies Facts);
});
