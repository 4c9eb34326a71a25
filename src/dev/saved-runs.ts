/** Keeps the last runs in memory, so that one of them can be saved as a test. */
import { randomId } from '../text/hash.ts';
import type { FormulaRequest, SaveableRun } from './run-formula.ts';

export interface SavedRun extends FormulaRequest, SaveableRun {
  /** Absolute path of the formula. */
  folder: string;
}

const MAX_RUNS = 20;

export type RunStore = ReturnType<typeof createRunStore>;

export function createRunStore() {
  const runs = new Map<string, SavedRun>();
  return {
    /** Adds a run, and removes the oldest one if there are too many. Returns its id. */
    add(run: SavedRun): string {
      const id = randomId();
      runs.set(id, run);
      const [oldest] = runs.keys();
      if (runs.size > MAX_RUNS && oldest !== undefined) runs.delete(oldest);
      return id;
    },
    find: (id: unknown): SavedRun | undefined => (typeof id === 'string' ? runs.get(id) : undefined),
  };
}
