/** What is known of the rate that a service bears, learned from what it lets pass and when it refuses. Pure. */

/** Rates are requests in a millisecond, times are milliseconds. */
export interface RateEstimate {
  /** What passed up to the last refusal, and how long that took, the waits included: so much is surely borne. */
  sustained: { passed: number; ms: number };
  /** The pace at which it last refused. */
  ceiling: number;
  /** When it last refused, when the wait was over, and how much passed since. */
  throttledAt: number;
  resumedAt: number;
  passed: number;
}

/** So many requests of earlier times count beside the latest, and a pace is tried at which so many more would pass. */
const HISTORY_WEIGHT = 20;
/** A knee is believed in for so many waits; from then on, or while there is none, the pace grows with each wait. */
const CEILING_TTL_INTERVALS = 20;
const GROWTH = 1.2;
const MIN_INTERVAL_MS = 1000;

/** Of a service that is asked for the first time. */
export const createRateEstimate = (now: number): RateEstimate => ({
  sustained: { passed: 0, ms: 0 },
  ceiling: Number.POSITIVE_INFINITY,
  throttledAt: now,
  resumedAt: now,
  passed: 0,
});

export const recordSuccess = (estimate: RateEstimate): RateEstimate => ({ ...estimate, passed: estimate.passed + 1 });

/** After the first refusal of a series, at a pace. Where nothing passed since the one before, the wait was only too short. */
export function recordThrottle(
  estimate: RateEstimate,
  issuedRate: number,
  now: number,
  resumedAt: number,
): RateEstimate {
  const { sustained, passed } = estimate;
  const weight = passed === 0 ? 1 : Math.min(1, HISTORY_WEIGHT / sustained.passed);
  return {
    sustained: {
      passed: sustained.passed * weight + passed,
      ms: sustained.ms * weight + resumedAt - estimate.resumedAt,
    },
    ceiling: passed === 0 ? estimate.ceiling : issuedRate,
    throttledAt: now,
    resumedAt,
    passed: 0,
  };
}

/** After the answer to a request that was under way at the last refusal: it passed, or it makes the wait longer. */
export function recordLateResponse(estimate: RateEstimate, passed: number, resumedAt: number): RateEstimate {
  const { sustained } = estimate;
  return {
    ...estimate,
    sustained: { passed: sustained.passed + passed, ms: sustained.ms + resumedAt - estimate.resumedAt },
    resumedAt,
  };
}

/**
 * Between what is borne and the knee, nearer as both are known better, but no more than twice what is borne. A bucket
 * is empty when it refuses; so what passed since then, in that time, is borne too.
 */
export function computeAllowedRate(
  { sustained, ceiling, throttledAt, resumedAt, passed }: RateEstimate,
  now: number,
): number {
  // Less than two show no rate.
  if (sustained.passed < 2) return Number.POSITIVE_INFINITY;
  const sustainedRate = Math.max((sustained.passed - 1) / sustained.ms, (passed - 1) / (now - throttledAt));
  const maxRate = Math.max(2 * sustainedRate, (sustained.passed + HISTORY_WEIGHT) / sustained.ms);
  const intervals = (now - resumedAt) / Math.max(MIN_INTERVAL_MS, resumedAt - throttledAt);
  const growthIntervals = Math.max(0, Number.isFinite(ceiling) ? intervals - CEILING_TTL_INTERVALS : intervals);
  return Math.min(maxRate, Math.sqrt(sustainedRate * ceiling)) * GROWTH ** growthIntervals;
}
