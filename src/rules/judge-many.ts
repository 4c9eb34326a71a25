/** Checks many folders: their code is read by other threads, where they are enough for that to pay. */
import { setImmediate } from 'node:timers/promises';
import type { Place } from '../folder/tree.ts';
import { type Judged, type Judging, judge } from './judge.ts';

/** Fewer are checked before a thread has started and knows the code. */
const MIN_FOLDERS = 100;
/** So many are begun for each thread, so that it never waits for the next. */
const AHEAD = 16;
/** So many are checked between two looks at what signals say. */
const BATCH = 8;

/** Gives what was found, in the order of the places. Raises usage (2) at the place that cannot be read. */
export async function* judgeMany(places: readonly Place[], judging: Judging): AsyncGenerator<Judged> {
  const readers = places.length < MIN_FOLDERS ? undefined : (await import('../code/read-threads.ts')).openReaders();
  const ahead = Math.max(1, AHEAD * (readers?.count ?? 0));
  const begun: Promise<Judged>[] = [];
  try {
    for (const i of places.keys()) {
      for (const place of places.slice(i + begun.length, i + ahead)) begun.push(begin(place));
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
