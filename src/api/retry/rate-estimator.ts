/** Estimates the request rate that a service allows, from accepted and throttled requests. Pure. */

/** Rates are requests per millisecond, times are milliseconds. */
export interface RateEstimate {
  /** Accepted requests up to the last 429, and the time they took, waits included: the service allows at least this rate. */
  sustained: { requests: number; ms: number };
  /** The rate at the last 429. */
  ceiling: number;
  /** The time of the last 429, the end of the wait, and the number of requests accepted since. */
  throttledAt: number;
  resumedAt: number;
  successes: number;
}

/** The weight of history, in requests; also the increment with which a higher rate is probed. */
const HISTORY_WEIGHT = 20;
/** The ceiling expires after this many wait intervals; after that, or without one, the rate grows with each interval. */
const CEILING_TTL_INTERVALS = 20;
const GROWTH = 1.2;
const MIN_INTERVAL_MS = 1000;

/** The estimate before the first request. */
export const createRateEstimate = (now: number): RateEstimate => ({
  sustained: { requests: 0, ms: 0 },
  ceiling: Number.POSITIVE_INFINITY,
  throttledAt: now,
  resumedAt: now,
  successes: 0,
});

export const recordSuccess = (estimate: RateEstimate): RateEstimate => ({
  ...estimate,
  successes: estimate.successes + 1,
});

/** After the first 429 of a series. If nothing was accepted since the one before, only the wait was too short. */
export function recordThrottle(
  estimate: RateEstimate,
  issuedRate: number,
  now: number,
  resumedAt: number,
): RateEstimate {
  const { sustained, successes } = estimate;
  const weight = successes === 0 ? 1 : Math.min(1, HISTORY_WEIGHT / sustained.requests);
  return {
    sustained: {
      requests: sustained.requests * weight + successes,
      ms: sustained.ms * weight + resumedAt - estimate.resumedAt,
    },
    ceiling: successes === 0 ? estimate.ceiling : issuedRate,
    throttledAt: now,
    resumedAt,
    successes: 0,
  };
}

/** After the response to a request that was in flight at the last 429: it was accepted, or it makes the wait longer. */
export function recordLateResponse(estimate: RateEstimate, successes: number, resumedAt: number): RateEstimate {
  const { sustained } = estimate;
  return {
    ...estimate,
    sustained: { requests: sustained.requests + successes, ms: sustained.ms + resumedAt - estimate.resumedAt },
    resumedAt,
  };
}

/**
 * The geometric mean of the sustained rate and the ceiling, at most twice the sustained rate. A token bucket is empty at a
 * 429, so the rate of requests accepted since then is sustained too.
 */
export function computeAllowedRate(
  { sustained, ceiling, throttledAt, resumedAt, successes }: RateEstimate,
  now: number,
): number {
  // One request shows no rate.
  if (sustained.requests < 2) return Number.POSITIVE_INFINITY;
  const sustainedRate = Math.max((sustained.requests - 1) / sustained.ms, (successes - 1) / (now - throttledAt));
  const maxRate = Math.max(2 * sustainedRate, (sustained.requests + HISTORY_WEIGHT) / sustained.ms);
  const intervals = (now - resumedAt) / Math.max(MIN_INTERVAL_MS, resumedAt - throttledAt);
  const growthIntervals = Math.max(0, Number.isFinite(ceiling) ? intervals - CEILING_TTL_INTERVALS : intervals);
  return Math.min(maxRate, Math.sqrt(sustainedRate * ceiling)) * GROWTH ** growthIntervals;
}
