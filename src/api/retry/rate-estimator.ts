/** What is known of the rate that a service bears, learned from what it lets pass and when it refuses. Pure. */

/** Rates are requests in a millisecond, times are milliseconds. */
export interface Rate {
  /** What passed up to the last refusal, and how long that took, the waits included: so much is surely borne. */
  before: { passed: number; ms: number };
  /** The pace at which it last refused. */
  knee: number;
  /** When it last refused, when the wait was over, and how much passed since. */
  refusedAt: number;
  openedAt: number;
  passed: number;
}

/** So many requests of earlier times count beside the latest, and a pace is tried at which so many more would pass. */
const FEW = 20;
/** A knee is believed in for so many waits; from then on, or while there is none, the pace grows with each wait. */
const BELIEF = 20;
const GROWTH = 1.2;
const LEAST_WAIT_MS = 1000;

/** Of a service that is asked for the first time. */
export const unknownRate = (now: number): Rate => ({
  before: { passed: 0, ms: 0 },
  knee: Number.POSITIVE_INFINITY,
  refusedAt: now,
  openedAt: now,
  passed: 0,
});

export const afterPass = (rate: Rate): Rate => ({ ...rate, passed: rate.passed + 1 });

/** After the first refusal of a series, at a pace. Where nothing passed since the one before, the wait was only too short. */
export function afterRefusal(rate: Rate, pace: number, now: number, openedAt: number): Rate {
  const { before, passed } = rate;
  const weight = passed === 0 ? 1 : Math.min(1, FEW / before.passed);
  return {
    before: { passed: before.passed * weight + passed, ms: before.ms * weight + openedAt - rate.openedAt },
    knee: passed === 0 ? rate.knee : pace,
    refusedAt: now,
    openedAt,
    passed: 0,
  };
}

/** After the answer to a request that was under way at the last refusal: it passed, or it makes the wait longer. */
export function afterStraggler(rate: Rate, passed: number, openedAt: number): Rate {
  const { before } = rate;
  return {
    ...rate,
    before: { passed: before.passed + passed, ms: before.ms + openedAt - rate.openedAt },
    openedAt,
  };
}

/**
 * Between what is borne and the knee, nearer as both are known better, but no more than twice what is borne. A bucket
 * is empty when it refuses; so what passed since then, in that time, is borne too.
 */
export function paceOf({ before, knee, refusedAt, openedAt, passed }: Rate, now: number): number {
  // Less than two show no rate.
  if (before.passed < 2) return Number.POSITIVE_INFINITY;
  const borne = Math.max((before.passed - 1) / before.ms, (passed - 1) / (now - refusedAt));
  const most = Math.max(2 * borne, (before.passed + FEW) / before.ms);
  const waits = (now - openedAt) / Math.max(LEAST_WAIT_MS, openedAt - refusedAt);
  const growing = Math.max(0, Number.isFinite(knee) ? waits - BELIEF : waits);
  return Math.min(most, Math.sqrt(borne * knee)) * GROWTH ** growing;
}
