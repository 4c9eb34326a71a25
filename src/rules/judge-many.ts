/** Checks many folders: with the other cores of the machine too, where they are enough for that to pay. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import type { Place } from '../folder/tree.ts';
import { type Judged, type Judging, judge } from './judge.ts';
import type { Found, Task } from './judge-worker.ts';

/** Fewer are checked before a thread has started and knows the code. */
const MIN_FOLDERS = 100;
const MAX_HELPERS = 3;
/** So many are checked between two looks at what the threads and signals say. */
const BATCH = 8;

/** Gives what was found, in the order of the places. Raises usage (2) at the place that cannot be read. */
export async function* judgeMany(places: readonly Place[], judging: Judging): AsyncGenerator<Judged> {
  const judged: Promise<Judged>[] = [];
  const queue = queueOf(places.length);
  const helpers = places.length < MIN_FOLDERS ? undefined : await openHelpers(places, judging, queue, judged);
  try {
    for (const i of places.keys()) {
      while (!judged[i]) {
        const batch = [...queue.takeReturned(), ...queue.take()];
        for (const number of batch) {
          judged[number] = judge(places[number] as Place, judging);
          await judged[number].catch(() => undefined);
        }
        await (batch.length > 0 ? setImmediate() : helpers?.news());
      }
      yield await judged[i];
      delete judged[i];
    }
  } finally {
    helpers?.close();
  }
}

interface Queue {
  /** The next numbers, none at the end; fewer the nearer that is, so that all threads end together. */
  take(): number[];
  /** What a thread could not do is for the main thread alone. */
  giveBack(number: number): void;
  takeReturned(): number[];
}

function queueOf(count: number): Queue {
  let next = 0;
  const returned: number[] = [];
  return {
    take: () => {
      const size = Math.min(BATCH, Math.ceil((count - next) / BATCH));
      const numbers = Array.from({ length: size }, (_, i) => next + i);
      next += size;
      return numbers;
    },
    giveBack: (number) => returned.push(number),
    takeReturned: () => returned.splice(0),
  };
}

/** Starts the threads, where the script for them is (it is not beside the sources). */
async function openHelpers(places: readonly Place[], judging: Judging, queue: Queue, judged: Promise<Judged>[]) {
  const script = join(__dirname, 'judge-worker.js');
  const count = existsSync(script) ? Math.min(availableParallelism() - 1, MAX_HELPERS) : 0;
  const { Worker } = await import('node:worker_threads');
  let wake: () => void = () => undefined;
  const workers = Array.from({ length: count }, () => {
    const worker = new Worker(script, { workerData: judging });
    const out = new Set<number>();
    const give = () => {
      const numbers = queue.take();
      for (const number of numbers) out.add(number);
      const task: Task = numbers.map((number) => [number, places[number] as Place]);
      if (task.length > 0) worker.postMessage(task);
    };
    const settle = (number: number, found: Judged | undefined) => {
      out.delete(number);
      if (found) judged[number] = Promise.resolve(found);
      else queue.giveBack(number);
    };
    worker.on('message', (found: Found) => {
      for (const [number, one] of found) settle(number, one);
      give();
      wake();
    });
    // Without the thread the work is done here.
    worker.on('error', () => {
      for (const number of out) settle(number, undefined);
      wake();
    });
    // One is checked while the other is on its way.
    give();
    give();
    return worker;
  });
  return {
    /** Resolves when a thread has answered. */
    news: () =>
      new Promise<void>((done) => {
        wake = done;
      }),
    close: () => workers.forEach((worker: Worker) => void worker.terminate()),
  };
}
