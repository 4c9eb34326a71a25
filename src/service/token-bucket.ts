/** The rate limit of the embedded service, for trying out how a client copes with one. */

/**
 * A bucket that holds one second's worth of requests and fills up steadily. Each call with the time in milliseconds
 * takes one out and answers 0, or how many whole seconds to wait where it is empty.
 */
export function createTokenBucket(perSecond: number): (nowMs: number) => number {
  const capacity = Math.max(1, perSecond);
  let tokens = capacity;
  let filledAt: number | undefined;
  return (nowMs) => {
    const passedMs = Math.max(0, nowMs - (filledAt ?? nowMs));
    tokens = Math.min(capacity, tokens + (passedMs * perSecond) / 1000);
    filledAt = nowMs;
    if (tokens < 1) return Math.ceil((1 - tokens) / perSecond);
    tokens -= 1;
    return 0;
  };
}
