/** --watch: runs once, or again after each change of the files that were read. */
import { resolve } from 'node:path';
import { CliError } from '../errors.ts';
import { untilAborted } from '../host/abort.ts';
import type { Host } from '../host/host.ts';
import { type Watch, watchFiles } from './watch.ts';

/** Reports the files that a run also reads, and those that it writes itself. */
export type WatchRecorder = Pick<Watch, 'add' | 'markWritten'>;

export interface WatchOptions {
  isWatching: boolean;
  folders: readonly string[];
  files: readonly string[];
  /** Called before each run. */
  announce(text: string): void;
}

/**
 * Runs once if not watching; then `runOnce` installs the signal handlers once it has read its input, since nothing can end
 * a read of a pipe but the signal itself. While watching, errors are shown, a change aborts the current run, and SIGINT or SIGTERM ends
 * the loop (interrupted).
 */
export async function runWatchLoop(
  runOnce: (abortSignal: AbortSignal, recorder: WatchRecorder) => Promise<void>,
  { isWatching, folders, files, announce }: WatchOptions,
  host: Host,
  showError: (error: CliError) => Promise<void>,
): Promise<'ok' | 'stopped'> {
  let current = new AbortController();
  let isStopped = false;
  if (isWatching) host.installSignalHandlers();
  const stopped = untilAborted(host.abortSignal).then(() => {
    isStopped = true;
    current.abort();
  });
  if (!isWatching) {
    await runOnce(current.signal, UNWATCHED);
    return 'ok';
  }
  const paths = (typed: readonly string[]) => typed.map((path) => resolve(host.cwd(), path));
  const watch = watchFiles(paths(folders), paths(files));
  try {
    for (let round = 0; !isStopped; round += 1) {
      current = new AbortController();
      const nextChange = watch.waitForChange();
      watch.setRunning(true);
      announce(round === 0 ? 'Watching for changes. Press Ctrl-C to stop.' : `\n--- run ${round + 1} ---`);
      const running = showFailure(runOnce(current.signal, watch), showError);
      await Promise.race([running, nextChange, stopped]);
      current.abort();
      await running;
      watch.setRunning(false);
      await Promise.race([nextChange, stopped]);
    }
  } finally {
    watch.close();
  }
  if (host.abortSignal.reason === 'SIGINT') return 'stopped';
  throw new CliError('interrupted', 'interrupted');
}

const UNWATCHED: WatchRecorder = { add: () => undefined, markWritten: () => undefined };

/** Waits for a run, and shows its error unless it was aborted. */
async function showFailure(run: Promise<void>, showError: (error: CliError) => Promise<void>): Promise<void> {
  try {
    await run;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.outcome !== 'interrupted') await showError(error);
  }
}
