/** --watch: the work once, or again after each change of the files that it reads. */
import { resolve } from 'node:path';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { type Watch, watchFiles } from './watch.ts';

/** What the work says of files: which ones it also reads, and which it changed itself. */
export type Watching = Pick<Watch, 'add' | 'wrote'>;

export interface Watched {
  isWatching: boolean;
  folders: readonly string[];
  files: readonly string[];
}

/**
 * Does the work once. A change by the work itself, of which it says so, is no reason to do it again.
 * Watching, its errors are shown instead of thrown, a change ends work that is under way, and only
 * SIGINT or SIGTERM end it all (interrupted).
 */
export async function repeat(
  work: (stop: AbortSignal, watching: Watching) => Promise<void>,
  { isWatching, folders, files }: Watched,
  host: Host,
  showError: (error: CliError) => Promise<void>,
): Promise<void> {
  let current = new AbortController();
  let isStopped = false;
  // The exit code says which signal it was.
  host.catchSignals();
  const stopped = host.stopSignal().then(() => {
    isStopped = true;
    current.abort();
  });
  if (!isWatching) return work(current.signal, UNWATCHED);
  const paths = (typed: readonly string[]) => typed.map((path) => resolve(host.cwd(), path));
  const watch = watchFiles(paths(folders), paths(files));
  try {
    while (!isStopped) {
      current = new AbortController();
      const changed = watch.changed();
      const running = untilFailure(work(current.signal, watch), showError);
      await Promise.race([running, changed, stopped]);
      current.abort();
      await running;
      await Promise.race([changed, stopped]);
    }
  } finally {
    watch.close();
  }
  throw new CliError('interrupted', 'interrupted');
}

const UNWATCHED: Watching = { add: () => undefined, wrote: () => undefined };

/** Waits for the work, and shows how it failed unless it was ended for the next round. */
async function untilFailure(work: Promise<void>, showError: (error: CliError) => Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.outcome !== 'interrupted') await showError(error);
  }
}
