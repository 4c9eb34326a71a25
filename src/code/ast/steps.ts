/** Limits the steps of an analysis in proportion to the size of the code. */

let stepsLeft = Number.POSITIVE_INFINITY;

class TooManySteps extends Error {}

/** Counts visited nodes or searched scopes. Aborts the work of `withStepLimit` at its limit. */
export function countSteps(steps = 1): void {
  stepsLeft -= steps;
  if (stepsLeft < 0) throw new TooManySteps();
}

/** The result of synchronous work; `fallback` if it takes more than `limit` steps. */
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
