/** The pace of all requests of one seam: what the rate limit refuses to one makes all of them wait, and teaches them its rate. */
import type { HttpResponse } from '../http/http.ts';
import {
  computeAllowedRate,
  createRateEstimate,
  type RateEstimate,
  recordLateResponse,
  recordSuccess,
  recordThrottle,
} from './rate-estimator.ts';

export interface Clock {
  now(): Date;
  sleep(milliseconds: number): Promise<void>;
  /** The least time between the beginnings of two requests, in milliseconds; 0 when it is not given. */
  minIntervalMs?: number;
}

/** Leave to send one request; names the opening of the gate that it went through, and the pace that led up to it. */
export type Permit = { generation: number; rate: number };

/** No leave: the service wants a wait that is too long; `answer` is where it said so. */
export type Denied = { excessiveWaitMs: number; response: HttpResponse };

export interface RateLimiter {
  /** Waits until a request may go out; not at all when the gate stays shut for longer than `leftMs`. */
  acquire(leftMs: number): Promise<Permit | Denied>;
  /** A request was answered otherwise than by the rate limit. */
  onSuccess(leave: Permit): void;
  /** A request was told to wait: nothing goes out before. True when that is news: no other has just been told the same. */
  onThrottled(leave: Permit, answer: HttpResponse, waitMs: number): boolean;
}

const DEDUPE_MS = 1000;

/** Makes a gate that is open at first. A refusal shuts it for as long as the service asks; then a learned rate holds. */
export function createRateLimiter(clock: Clock): RateLimiter {
  let blockedUntil = 0;
  let lastThrottled: HttpResponse | undefined;
  let generation = 0;
  let nextAt = 0;
  let estimate: RateEstimate | undefined;
  let currentRate = Number.POSITIVE_INFINITY;

  return {
    acquire: async (leftMs) => {
      for (;;) {
        const now = clock.now().getTime();
        if (lastThrottled && blockedUntil - now > leftMs)
          return { excessiveWaitMs: blockedUntil - now, response: lastThrottled };
        estimate ??= createRateEstimate(now);
        const blockedUntilBefore = blockedUntil;
        const slot = Math.max(now, blockedUntilBefore, nextAt);
        const permit = { generation, rate: currentRate };
        currentRate = computeAllowedRate(estimate, now);
        nextAt = slot + Math.max(1 / currentRate, clock.minIntervalMs ?? 0);
        if (slot > now) await clock.sleep(slot - now);
        // Else it was shut again in the meantime, and all slots are given anew.
        if (blockedUntilBefore === blockedUntil) return permit;
      }
    },
    onSuccess: (permit) => {
      estimate &&=
        permit.generation === generation
          ? recordSuccess(estimate)
          : recordLateResponse(estimate, 1, estimate.resumedAt);
    },
    onThrottled: (permit, response, waitMs) => {
      const now = clock.now().getTime();
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
