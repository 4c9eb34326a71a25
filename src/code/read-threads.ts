/** Reads code on the other cores of the machine: each thread does this alone, so that none has to warm up for all else. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type CodeFacts, type ReadCode, readCode } from './facts.ts';
import type { Answer, Question } from './read-worker.ts';

const MAX_THREADS = 3;

export interface Readers {
  count: number;
  readCode: ReadCode;
  close(): void;
}

/** As many as there are cores besides that of the caller; none where the script for them is not there (beside the sources). */
export function openReaders(script = join(__dirname, 'read-worker.js')): Readers {
  const count = existsSync(script) ? Math.min(availableParallelism() - 1, MAX_THREADS) : 0;
  const threads = Array.from({ length: count }, () => openThread(script));
  return {
    count,
    readCode: (text) => {
      const [idlest] = threads.filter(({ isAlive }) => isAlive()).sort((a, b) => a.load() - b.load());
      return idlest ? idlest.read(text) : readCode(text);
    },
    close: () => {
      for (const { end } of threads) end();
    },
  };
}

function openThread(script: string) {
  const worker = new Worker(script);
  const open = new Map<number, { text: string; done: (facts: CodeFacts | Promise<CodeFacts>) => void }>();
  let last = 0;
  let isAlive = true;
  worker.on('message', ({ number, facts }: Answer) => {
    open.get(number)?.done(facts);
    open.delete(number);
  });
  // Without the thread the work is done here.
  worker.on('error', () => {
    isAlive = false;
    for (const { text, done } of open.values()) done(readCode(text));
    open.clear();
  });
  return {
    isAlive: () => isAlive,
    load: () => open.size,
    read: (text: string): Promise<CodeFacts> =>
      new Promise((done) => {
        const number = ++last;
        open.set(number, { text, done });
        worker.postMessage({ number, text } satisfies Question);
      }),
    end: () => void worker.terminate(),
  };
}
