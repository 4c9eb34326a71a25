/** The last runs, in memory, so that one of them can be saved as a test. */
import { randomId } from '../text/hash.ts';
import type { FormulaRequest, RunReply } from './run-formula.ts';

export interface SavedRun extends FormulaRequest {
  /** Absolute path of the formula. */
  folder: string;
  outcome: RunReply['outcome'];
}

const MAX_RUNS = 20;

export function createRunStore() {
  const runs = new Map<string, SavedRun>();
  return {
    /** Keeps the run, and forgets the oldest one where there are too many. Returns its id. */
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
