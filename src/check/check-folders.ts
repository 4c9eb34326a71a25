/** Checks many folders: their code is read by other threads, where they are enough for that to pay. */
import { setImmediate } from 'node:timers/promises';
import type { Place } from '../folder/find-folders.ts';
import { type Begun, beginJudging, type Judged, type Judging } from './check-folder.ts';
import { resultLimiter } from './limit-findings.ts';

/** Fewer are checked before a thread has started and knows the code. */
const MIN_FOLDERS = 100;
/** So many are begun at once for each thread. */
const BATCH = 8;
/** A thread has so many batches to read: one that sleeps takes long to wake. */
const BATCHES = 4;

/** More is not begun while the files of what has begun take so much memory together. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A folder with the time from the one before it: where threads share the work, that is its part of the time. */
export interface TimedJudged extends Judged {
  durationMs: number;
}

/** Gives what was found, in the order of the places. Raises usage (2) at the place that cannot be read. */
export async function* judgeMany(places: readonly Place[], judging: Judging): AsyncGenerator<TimedJudged> {
  const areMany = places.length >= MIN_FOLDERS;
  const readers = areMany ? (await import('./parse-pool.ts')).openReaders() : undefined;
  const batch = BATCH * (readers?.count ?? 0);
  const begun: Begun[] = [];
  const limited = resultLimiter<Judged>();
  let bytes = 0;
  let began = performance.now();
  try {
    for (const i of places.keys()) {
      if (begun.length <= batch * (BATCHES - 1)) begin(places.slice(i + begun.length, i + begun.length + batch + 1));
      // Signals are heard between two batches.
      if (i % BATCH === 0) await setImmediate();
      const next = begun.shift() as Begun;
      const judged = await next.judged;
      bytes -= next.bytes;
      yield { ...limited(judged), durationMs: performance.now() - began };
      // The time that the caller takes is not part of the next one.
      began = performance.now();
    }
  } finally {
    readers?.close();
  }

  function begin(more: readonly Place[]): void {
    for (const place of more) {
      if (begun.length > 0 && bytes > MAX_BYTES) return;
      const next = beginJudging(place, judging, readers?.readCode);
      // What fails is told in its turn.
      next.judged.catch(() => undefined);
      bytes += next.bytes;
      begun.push(next);
    }
  }
}
