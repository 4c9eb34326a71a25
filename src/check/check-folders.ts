/** Checks many folders: their code is read by other threads, where they are enough for that to pay. */
import { setImmediate } from 'node:timers/promises';
import type { FolderRef } from '../folder/find-folders.ts';
import { type CheckOptions, type FolderReport, type PendingCheck, startCheck } from './check-folder.ts';
import { createResultLimiter } from './limit-findings.ts';

/** Fewer are checked before a thread has started and knows the code. */
const MIN_FOLDERS = 100;
/** So many are begun at once for each thread. */
const BATCH = 8;
/** A thread has so many batches to read: one that sleeps takes long to wake. */
const BATCHES = 4;

/** More is not begun while the files of what has begun take so much memory together. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A folder with the time from the one before it: where threads share the work, that is its part of the time. */
export interface TimedReport extends FolderReport {
  durationMs: number;
}

/** Gives what was found, in the order of the places. Raises usage (2) at the place that cannot be read. */
export async function* checkFolders(folders: readonly FolderRef[], options: CheckOptions): AsyncGenerator<TimedReport> {
  const areMany = folders.length >= MIN_FOLDERS;
  const pool = areMany ? (await import('./parse-pool.ts')).openParsePool() : undefined;
  const batch = BATCH * (pool?.count ?? 0);
  const pending: PendingCheck[] = [];
  const limitResult = createResultLimiter<FolderReport>();
  let bytes = 0;
  let began = performance.now();
  try {
    for (const i of folders.keys()) {
      if (pending.length <= batch * (BATCHES - 1))
        start(folders.slice(i + pending.length, i + pending.length + batch + 1));
      // Signals are heard between two batches.
      if (i % BATCH === 0) await setImmediate();
      const next = pending.shift() as PendingCheck;
      const report = await next.report;
      bytes -= next.bytes;
      yield { ...limitResult(report), durationMs: performance.now() - began };
      // The time that the caller takes is not part of the next one.
      began = performance.now();
    }
  } finally {
    pool?.close();
  }

  function start(more: readonly FolderRef[]): void {
    for (const folder of more) {
      if (pending.length > 0 && bytes > MAX_BYTES) return;
      const next = startCheck(folder, options, pool?.inspectCode);
      // What fails is told in its turn.
      next.report.catch(() => undefined);
      bytes += next.bytes;
      pending.push(next);
    }
  }
}
