/** What is known of the rate that a service bears, learned from what it lets pass and when it refuses. Pure. */

export interface Rate {
  /** Time from one request to the next, in milliseconds; 0 while nothing is known. */
  gapMs: number;
  /** The gap that the pace may be quickened to at once. */
  targetMs: number;
  /** A gap that was too short when the last refusal came. */
  kneeMs: number;
  /** How many requests passed since the last refusal. */
  passed: number;
  /** When the last refusal came, and when its wait was over. */
  refusedAt: number | undefined;
  openedAt: number;
}

export const UNKNOWN: Rate = { gapMs: 0, targetMs: 0, kneeMs: 0, passed: 0, refusedAt: undefined, openedAt: 0 };

/** A little below what the service bore. */
const SHARE = 0.95;
/** So many requests without a refusal prove a pace. */
const PROOF = 50;
const QUICKENED = 0.9;
const SLOWLY_QUICKENED = 0.98;

/**
 * After the first refusal of a series. What passed between two refusals, waits included, is a rate that the service
 * surely bears; the pace at which it refused is one that it does not. The truth is between the two.
 */
export function afterRefusal(rate: Rate, now: number, openedAt: number): Rate {
  const fresh = { ...rate, passed: 0, refusedAt: now, openedAt };
  if (rate.refusedAt === undefined || rate.passed === 0) return fresh;
  const gapMs = (now - rate.refusedAt) / rate.passed / SHARE;
  const kneeMs = rate.gapMs || (now - rate.openedAt) / rate.passed;
  return { ...fresh, gapMs, kneeMs, targetMs: between(gapMs, kneeMs) };
}

/** After a request that was not refused: step by step towards the target, which moves on as each pace is proved. */
export function afterPass(rate: Rate): Rate {
  const passed = rate.passed + 1;
  const gapMs = rate.gapMs > rate.targetMs ? Math.max(rate.targetMs, rate.gapMs * QUICKENED) : rate.gapMs;
  if (passed % PROOF !== 0) return { ...rate, passed, gapMs };
  const isNearKnee = gapMs < rate.kneeMs / SHARE;
  return { ...rate, passed, gapMs, targetMs: isNearKnee ? gapMs * SLOWLY_QUICKENED : between(gapMs, rate.kneeMs) };
}

/** The geometric mean, never beyond the second. */
const between = (gapMs: number, kneeMs: number) => Math.max(kneeMs, Math.sqrt(gapMs * kneeMs));
