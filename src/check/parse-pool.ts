/** A pool of threads that only parse code, so that the JIT of each one warms up quickly. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CodeFacts } from '../code/analysis.ts';
import { inspectCode } from '../code/code-facts.ts';
import { compile, isCostly } from '../code/parse/v8-syntax-check.ts';
import { isDenied } from '../host/node-options.ts';
import type { ParseInputs, ParseResults } from './parse-worker.ts';

const MAX_THREADS = 3;

/**
 * One thread for each additional core, started at the first text; none if the worker script does not exist (when run
 * from the sources) or Node.js does not permit threads.
 */
export type ParsePool = ReturnType<typeof openParsePool>;

export function openParsePool(script = join(__dirname, 'load.js')) {
  const canStart = existsSync(script) && !isDenied('WorkerThreads');
  const count = canStart ? Math.min(availableParallelism() - 1, MAX_THREADS) : 0;
  const threads: Thread[] = [];
  return {
    count,
    inspectCode: async (text: string): Promise<CodeFacts> => {
      while (threads.length < count) threads.push(openThread(script));
      const [idlest] = threads.filter(({ isAlive }) => isAlive()).sort((a, b) => a.load() - b.load());
      const inspecting = idlest?.inspect(text);
      // This thread would wait otherwise.
      const isCompiled = inspecting !== undefined && (isCostly(text) || compile(text).result === 'compiles');
      return (isCompiled ? await inspecting : undefined) ?? inspectCode(text);
    },
    close: () => {
      for (const { end } of threads) end();
    },
  };
}

type Thread = ReturnType<typeof openThread>;

interface ParseTask {
  text: string;
  done: (facts: CodeFacts | undefined) => void;
}

function openThread(script: string) {
  const worker = new Worker(script);
  const inFlight: ParseTask[] = [];
  // Requests made together are sent in one message, because waking a thread is slow.
  const queued: ParseTask[] = [];
  let isAlive = true;
  const send = () => {
    const batch = queued.splice(0);
    inFlight.push(...batch);
    worker.postMessage(batch.map(({ text }) => text) satisfies ParseInputs);
  };
  // Replies come in the order of the messages.
  worker.on('message', (results: ParseResults) => {
    for (const facts of results) inFlight.shift()?.done(facts);
  });
  // The caller parses the rest itself.
  worker.on('error', () => undefined);
  worker.on('exit', () => {
    isAlive = false;
    for (const { done } of [...inFlight.splice(0), ...queued.splice(0)]) done(undefined);
  });
  return {
    isAlive: () => isAlive,
    load: () => inFlight.length + queued.length,
    inspect: (text: string): Promise<CodeFacts | undefined> =>
      new Promise((done) => {
        if (queued.push({ text, done }) === 1) queueMicrotask(send);
      }),
    end: () => {
      for (const list of [inFlight, queued]) list.length = 0;
      void worker.terminate();
    },
  };
}
