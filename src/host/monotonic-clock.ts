/** Time that passes evenly, for waits and limits: the clock of the machine may be set back or forth meanwhile. */

/** A clock that begins as `now` says, and from then on goes as time passes. */
export function steadyClock(now: () => Date): () => Date {
  const began = now().getTime() - performance.now();
  return () => new Date(began + performance.now());
}
