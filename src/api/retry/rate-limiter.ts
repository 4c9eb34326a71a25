/**
 * Limits the rate of all requests of a client: if one of them is throttled (429, or 503 with Retry-After), all wait, and the
 * estimated rate is updated.
 */
import type { HttpResponse } from '../http/http.ts';
import {
  computeAllowedRate,
  createRateEstimate,
  type RateEstimate,
  recordLateResponse,
  recordSuccess,
  recordThrottle,
} from './rate-estimator.ts';

interface RateLimiterOptions {
  now(): Date;
  sleep(milliseconds: number): Promise<void>;
  /** The minimum time between the starts of two requests, in milliseconds (default: 0). */
  minIntervalMs?: number;
}

/** Permit for one request; records the limiter generation and the rate it was issued under. */
export type Permit = { generation: number; rate: number };

/** No permit: the service requires a wait that is too long; `response` is the one that requires it. */
export type Denied = { excessiveWaitMs: number; response: HttpResponse };

export interface RateLimiter {
  /** Waits until a request may be sent; returns at once if the wait is longer than `leftMs`. */
  acquire(leftMs: number): Promise<Permit | Denied>;
  /** Records a response that is not throttled. */
  onAccepted(permit: Permit): void;
  /** Blocks all requests for the wait. True if no other response has just reported the same wait. */
  onThrottled(permit: Permit, response: HttpResponse, waitMs: number): boolean;
}

const DEDUPE_MS = 1000;

/** Unlimited at first. A throttled response blocks all requests for its wait; after it the estimated rate applies. */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  let blockedUntil = 0;
  let lastThrottled: HttpResponse | undefined;
  let generation = 0;
  let nextAt = 0;
  let estimate: RateEstimate | undefined;
  let currentRate = Number.POSITIVE_INFINITY;

  return {
    acquire: async (leftMs) => {
      for (;;) {
        const now = options.now().getTime();
        if (lastThrottled && blockedUntil - now > leftMs)
          return { excessiveWaitMs: blockedUntil - now, response: lastThrottled };
        estimate ??= createRateEstimate(now);
        const blockedUntilBefore = blockedUntil;
        const slot = Math.max(now, blockedUntilBefore, nextAt);
        const permit = { generation, rate: currentRate };
        currentRate = computeAllowedRate(estimate, now);
        nextAt = slot + Math.max(1 / currentRate, options.minIntervalMs ?? 0);
        if (slot > now) await options.sleep(slot - now);
        // If another response was throttled during the sleep, take a new slot.
        if (blockedUntilBefore === blockedUntil) return permit;
      }
    },
    onAccepted: (permit) => {
      estimate &&=
        permit.generation === generation
          ? recordSuccess(estimate)
          : recordLateResponse(estimate, 1, estimate.resumedAt);
    },
    onThrottled: (permit, response, waitMs) => {
      const now = options.now().getTime();
      const isFirst = permit.generation === generation;
      const isNew = isFirst || now + waitMs - blockedUntil >= DEDUPE_MS;
      if (now + waitMs > blockedUntil) {
        blockedUntil = now + waitMs;
        nextAt = blockedUntil;
      }
      if (isFirst) generation++;
      estimate &&= isFirst
        ? recordThrottle(estimate, permit.rate, now, blockedUntil)
        : recordLateResponse(estimate, 0, blockedUntil);
      lastThrottled = response;
      return isNew;
    },
  };
}
