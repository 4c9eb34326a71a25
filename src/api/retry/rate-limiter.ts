/** Limits the rate of all requests of a client: if one of them is throttled (429, or 503 with Retry-After), all wait. */
import type { HttpResponse } from '../http/http.ts';

interface RateLimiterOptions {
  now(): Date;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** The minimum time between the starts of two requests, in milliseconds (default: 0). */
  minIntervalMs?: number;
}

/** The number of waits before the request. */
export type Permit = { generation: number };

/** No permit: the service requires a wait that is too long; `response` is the one that requires it. */
type Denied = { excessiveWaitMs: number; response: HttpResponse };

export type RateLimiter = ReturnType<typeof createRateLimiter>;

const DEDUPE_MS = 1000;
/** The rate after a wait, in relation to the rate at which requests were accepted before; then its growth in a second. */
const GROWTH = 1.2;

/** Without spacing at first. After a wait, requests are spaced by the rate at which they were accepted, the wait included. */
export function createRateLimiter({ now: getNow, sleep, minIntervalMs = 0 }: RateLimiterOptions) {
  let blockedUntil = 0;
  let lastThrottled: HttpResponse | undefined;
  let generation = 0;
  let nextAt = 0;
  let intervalMs = 0;
  let resumedAt: number | undefined;
  let accepted = 0;

  return {
    /** Waits until a request may be sent; returns at once if the wait is longer than `leftMs`. */
    acquire: async (leftMs: number, signal?: AbortSignal): Promise<Permit | Denied> => {
      for (;;) {
        const now = getNow().getTime();
        resumedAt ??= now;
        if (lastThrottled && blockedUntil - now > leftMs)
          return { excessiveWaitMs: blockedUntil - now, response: lastThrottled };
        const blockedUntilBefore = blockedUntil;
        const slot = Math.max(now, blockedUntilBefore, nextAt);
        const permit = { generation };
        nextAt = slot + Math.max(intervalMs / GROWTH ** ((slot - resumedAt) / 1000), minIntervalMs);
        if (slot > now) await sleep(slot - now, signal);
        // If another response was throttled during the sleep, take a new slot.
        if (blockedUntilBefore === blockedUntil) return permit;
      }
    },
    /** Records a response that is not throttled. */
    onAccepted: () => {
      accepted += 1;
    },
    /** Blocks all requests for the wait. True if no other response has just reported the same wait. */
    onThrottled: (permit: Permit, response: HttpResponse, waitMs: number): boolean => {
      const until = getNow().getTime() + waitMs;
      const isFirst = permit.generation === generation;
      const isNew = isFirst || until - blockedUntil >= DEDUPE_MS;
      if (until > blockedUntil) {
        blockedUntil = until;
        nextAt = until;
      }
      lastThrottled = response;
      if (!isFirst) return isNew;
      generation += 1;
      // If none was accepted, only the wait was too short.
      if (accepted > 0) intervalMs = (blockedUntil - (resumedAt ?? 0)) / accepted / GROWTH;
      resumedAt = blockedUntil;
      accepted = 0;
      return isNew;
    },
  };
}
