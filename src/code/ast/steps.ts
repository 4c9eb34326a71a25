/** Counts the steps of an analysis: no code takes more of them than in proportion to its size. */

let stepsLeft = Number.POSITIVE_INFINITY;

class TooManySteps extends Error {}

/** Counts steps: nodes that are looked at, or scopes that are searched. Ends the work that `withinSteps` bounds. */
export function countSteps(steps = 1): void {
  stepsLeft -= steps;
  if (stepsLeft < 0) throw new TooManySteps();
}

/** The result of synchronous work; `otherwise` where it takes more steps than `limit`. */
export function withStepLimit<T>(limit: number, work: () => T, fallback: T): T {
  stepsLeft = limit;
  try {
    return work();
  } catch (error) {
    if (error instanceof TooManySteps) return fallback;
    throw error;
  } finally {
    stepsLeft = Number.POSITIVE_INFINITY;
  }
}
