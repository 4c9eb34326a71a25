/** A clock for waits and time limits that ignores changes of the system clock. */

/** A monotonic clock that starts at `now`. */
export function createMonotonicClock(now: () => Date): () => Date {
  const offset = now().getTime() - performance.now();
  return () => new Date(offset + performance.now());
}
