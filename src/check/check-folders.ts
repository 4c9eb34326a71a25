/** Checks many folders; their code is parsed by worker threads if there are enough folders. */
import { setImmediate } from 'node:timers/promises';
import type { Folder } from '../folder/find-folders.ts';
import { type CheckOptions, type FolderReport, type PendingCheck, startCheck } from './check-folder.ts';
import { createResultLimiter } from './limit-findings.ts';

/** Below this number, checking takes less time than starting a thread. */
const MIN_FOLDERS = 100;
/** Number of checks started together for each thread. */
const BATCH = 8;
/** Batches queued for each thread, because waking an idle thread is slow. */
const BATCHES = 4;

/** No check is started while the files of the running checks take more memory than this. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A report with the time since the previous one, which is its share if threads work in parallel. */
export interface TimedReport extends FolderReport {
  durationMs: number;
}

/** Yields the reports in the order of the folders. Raises usage (2) for a folder that cannot be read. */
export async function* checkFolders(folders: readonly Folder[], options: CheckOptions): AsyncGenerator<TimedReport> {
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
      // Lets signals be handled between two batches.
      if (i % BATCH === 0) await setImmediate();
      const next = pending.shift() as PendingCheck;
      const report = await next.report;
      bytes -= next.bytes;
      yield { ...limitResult(report), durationMs: performance.now() - began };
      // Excludes the time of the caller.
      began = performance.now();
    }
  } finally {
    pool?.close();
  }

  function start(more: readonly Folder[]): void {
    for (const folder of more) {
      if (pending.length > 0 && bytes > MAX_BYTES) return;
      const next = startCheck(folder, options, pool?.inspectCode);
      // An error is raised when its turn comes.
      next.report.catch(() => undefined);
      bytes += next.bytes;
      pending.push(next);
    }
  }
}
