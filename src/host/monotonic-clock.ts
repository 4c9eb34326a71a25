/** Time that passes evenly, for waits and limits: the clock of the machine may be set back or forth meanwhile. */

/** A clock that begins as `now` says, and from then on goes as time passes. */
export function createMonotonicClock(now: () => Date): () => Date {
  const offset = now().getTime() - performance.now();
  return () => new Date(offset + performance.now());
}
