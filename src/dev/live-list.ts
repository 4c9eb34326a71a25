/** The list of formulas, updated when files change, with requests that wait for its next version. */
import { EventEmitter, once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { untilAborted } from '../host/abort.ts';
import { watchFiles } from '../run/watch.ts';
import { type ListOptions, listFormulas, toListedFormula, type WorkbenchFormula } from './list-formulas.ts';

export type LiveList = Awaited<ReturnType<typeof openLiveList>>;

interface LiveListOptions extends ListOptions {
  /** Called with each new list and the one before. */
  onChange(formulas: readonly WorkbenchFormula[], previous: readonly WorkbenchFormula[]): void;
}

/** Reads the list, and reads it again after each change to a file in the roots or in a bundle. */
export async function openLiveList({ roots, cwd, bundleContext, onChange }: LiveListOptions) {
  const watch = watchFiles(roots, []);
  const options = { roots, cwd, bundleContext: { ...bundleContext, onRead: watch.add } };
  const closing = new AbortController();
  const closed = untilAborted(closing.signal);
  const changes = new EventEmitter().setMaxListeners(0);
  let version = 1;
  let formulas: readonly WorkbenchFormula[] = [];
  const update = async (areBundlesSame: boolean) => {
    const previous = formulas;
    formulas = await listFormulas(options, previous, areBundlesSame);
    if (isDeepStrictEqual(formulas.map(toListedFormula), previous.map(toListedFormula))) return;
    version += 1;
    onChange(formulas, previous);
    changes.emit('change');
  };
  const followChanges = async (firstChange: Promise<void>) => {
    let nextChange = firstChange;
    for (;;) {
      await Promise.race([nextChange, closed]);
      if (closing.signal.aborted) return;
      nextChange = watch.waitForChange();
      // Shows changes to the code itself before those to files that many bundles share.
      await update(true);
      if (formulas.some(({ isBundle }) => isBundle)) await update(false);
    }
  };
  const firstChange = watch.waitForChange();
  formulas = await listFormulas(options, [], false);
  const failed = followChanges(firstChange).then(() => new Promise<never>(() => undefined));
  failed.catch(() => undefined);
  return {
    version: () => version,
    formulas: () => formulas,
    /** Resolves when the version differs from `known`, or the signal aborts. */
    waitForChange: async (known: number, signal: AbortSignal): Promise<void> => {
      const ended = { signal: AbortSignal.any([signal, closing.signal]) };
      if (known === version) await once(changes, 'change', ended).catch(() => undefined);
    },
    /** Rejects if the list can no longer be updated. */
    failed,
    close: () => {
      closing.abort();
      watch.close();
    },
  };
}
