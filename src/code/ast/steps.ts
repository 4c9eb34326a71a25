/** Counts the steps of an analysis: no code takes more of them than in proportion to its size. */

let left = Number.POSITIVE_INFINITY;

class TooManySteps extends Error {}

/** Counts steps: nodes that are looked at, or scopes that are searched. Ends the work that `withinSteps` bounds. */
export function countSteps(steps = 1): void {
  left -= steps;
  if (left < 0) throw new TooManySteps();
}

/** The result of synchronous work; `otherwise` where it takes more steps than `limit`. */
export function withinSteps<T>(limit: number, work: () => T, otherwise: T): T {
  left = limit;
  try {
    return work();
  } catch (error) {
    if (error instanceof TooManySteps) return otherwise;
    throw error;
  } finally {
    left = Number.POSITIVE_INFINITY;
  }
}
