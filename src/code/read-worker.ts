/** A thread that reads code for `openReaders`: it gets texts, and answers with what is known of each. */
import { parentPort } from 'node:worker_threads';
import { type CodeFacts, readCode } from './facts.ts';

export interface Question {
  number: number;
  text: string;
}

export interface Answer {
  number: number;
  facts: CodeFacts;
}

parentPort?.on('message', async ({ number, text }: Question) => {
  parentPort?.postMessage({ number, facts: await readCode(text) } satisfies Answer);
});
