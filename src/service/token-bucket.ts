/** The rate limit of the embedded service, to test clients. */

/**
 * A token bucket of one second of requests. Each call, with the time in milliseconds, takes a token and returns 0, or the
 * seconds to wait if it is empty.
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
