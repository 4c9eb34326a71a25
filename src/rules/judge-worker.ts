/** A thread that checks folders for `judgeMany`: it hears which, and answers with what was found. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Place } from '../folder/tree.ts';
import { type Judged, type Judging, judgePlain } from './judge.ts';

/** Folders by their numbers; and what was found, undefined for what the main thread has to check itself. */
export type Task = readonly (readonly [number: number, place: Place])[];
export type Found = readonly (readonly [number: number, judged: Judged | undefined])[];

parentPort?.on('message', async (task: Task) => {
  const found: [number, Judged | undefined][] = [];
  for (const [number, place] of task) {
    // What cannot be read is told by the main thread, in its turn.
    found.push([number, await judgePlain(place, workerData as Judging).catch(() => undefined)]);
  }
  parentPort?.postMessage(found satisfies Found);
});
