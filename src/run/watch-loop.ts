/** --watch: the work once, or again after each change of the files that it reads. */
import { resolve } from 'node:path';
import { CliError } from '../errors.ts';
import { untilAborted } from '../host/abort.ts';
import type { Host } from '../host/host.ts';
import { type Watch, watchFiles } from './watch.ts';

/** What the work says of files: which ones it also reads, and which it changed itself. */
export type WatchRecorder = Pick<Watch, 'add' | 'markWritten'>;

export interface WatchOptions {
  isWatching: boolean;
  folders: readonly string[];
  files: readonly string[];
  /** Called before each run. */
  announce(text: string): void;
}

/**
 * Does the work once. A change by the work itself, of which it says so, is no reason to do it again.
 * Watching, its errors are shown instead of thrown, a change ends work that is under way, and only
 * SIGINT or SIGTERM end it all (interrupted).
 */
export async function runWatchLoop(
  work: (abortSignal: AbortSignal, recorder: WatchRecorder) => Promise<void>,
  { isWatching, folders, files, announce }: WatchOptions,
  host: Host,
  showError: (error: CliError) => Promise<void>,
): Promise<'ok' | 'stopped'> {
  let current = new AbortController();
  let isStopped = false;
  host.installSignalHandlers();
  const stopped = untilAborted(host.abortSignal).then(() => {
    isStopped = true;
    current.abort();
  });
  if (!isWatching) {
    await work(current.signal, UNWATCHED);
    return 'ok';
  }
  const paths = (typed: readonly string[]) => typed.map((path) => resolve(host.cwd(), path));
  const watch = watchFiles(paths(folders), paths(files));
  try {
    for (let round = 0; !isStopped; round += 1) {
      current = new AbortController();
      const nextChange = watch.waitForChange();
      announce(round === 0 ? 'Watching for changes. Press Ctrl-C to stop.' : `\n--- run ${round + 1} ---`);
      const running = untilFailure(work(current.signal, watch), showError);
      await Promise.race([running, nextChange, stopped]);
      current.abort();
      await running;
      await Promise.race([nextChange, stopped]);
    }
  } finally {
    watch.close();
  }
  if (host.abortSignal.reason === 'SIGINT') return 'stopped';
  throw new CliError('interrupted', 'interrupted');
}

const UNWATCHED: WatchRecorder = { add: () => undefined, markWritten: () => undefined };

/** Waits for the work, and shows how it failed unless it was ended for the next round. */
async function untilFailure(work: Promise<void>, showError: (error: CliError) => Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.outcome !== 'interrupted') await showError(error);
  }
}
