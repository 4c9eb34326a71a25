/** Checks many folders: their code is read by other threads, where they are enough for that to pay. */
import { setImmediate } from 'node:timers/promises';
import type { Place } from '../folder/tree.ts';
import { type Judged, type Judging, judge } from './judge.ts';

/** Fewer are checked before a thread has started and knows the code. */
const MIN_FOLDERS = 100;
/** So many are begun at once for each thread. */
const BATCH = 8;
/** A thread has so many batches to read: one that sleeps takes long to wake. */
const BATCHES = 4;

/** Gives what was found, in the order of the places. Raises usage (2) at the place that cannot be read. */
export async function* judgeMany(places: readonly Place[], judging: Judging): AsyncGenerator<Judged> {
  const areMany = places.length >= MIN_FOLDERS;
  const readers = areMany ? (await import('../code/read-threads.ts')).openReaders() : undefined;
  const batch = BATCH * (readers?.count ?? 0);
  const begun: Promise<Judged>[] = [];
  try {
    for (const i of places.keys()) {
      if (begun.length <= batch * (BATCHES - 1))
        begun.push(...places.slice(i + begun.length, i + begun.length + batch + 1).map(begin));
      // Signals are heard between two batches.
      if (i % BATCH === 0) await setImmediate();
      yield await (begun.shift() as Promise<Judged>);
    }
  } finally {
    readers?.close();
  }

  function begin(place: Place): Promise<Judged> {
    const judged = judge(place, judging, readers?.readCode);
    // What fails is told in its turn.
    judged.catch(() => undefined);
    return judged;
  }
}
