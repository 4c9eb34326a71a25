/** What to do when a request brought no usable answer: wait and send it again, look whether it was done, or give up. Pure. */
import type { FaultKind, WireRequest } from '../http/http.ts';

/** What came instead of a usable answer. */
export type Trouble =
  | { status: number; retryAfter: string | undefined; now: Date }
  | { fault: FaultKind; mayHaveArrived: boolean };

export interface Tries {
  method: WireRequest['method'];
  /** How often the request was sent, at least 1. */
  count: number;
  /** Time since it was first sent, and the time that all tries may take, in milliseconds. */
  elapsedMs: number;
  budgetMs: number;
  /** The wait before this try; 0 before the first. */
  lastWaitMs: number;
  /** From 0 up to 1; spreads the waits of many clients. */
  random: number;
}

/** `tooLongMs`: the wait that the service asks for, where it is what ends the tries. */
export type Decision = { wait: number } | { giveUp: true; tooLongMs?: number };

const GIVE_UP: Decision = { giveUp: true };
const FIRST_WAIT_MS = 200;
const GROWTH_MS = 50;
/** Of a service that is not reached in time, and of a read whose response is truncated. */
const MAX_TRIES = 3;
const UNREACHED_BUDGET_MS = 5000;
/** A try that has less time than this, or than a tenth of a short budget, would only be cut off. */
const LEAST_TRY_MS = 1000;
/** What the next try would only meet again. */
const HOPELESS: readonly FaultKind[] = [
  'certificate',
  'tls',
  'tls-wanted',
  'unreadable',
  'too-large',
  'undecodable',
  'memory',
  'proxy-login',
  'proxy-denied',
];
const UNREACHED: readonly FaultKind[] = ['refused', 'host-not-found', 'handshake', 'proxy-unreached'];
const REPEATABLE_STATUS = [502, 503, 504];

/** The next step after trouble. A write that may have been done is repeated only where a repeat does no harm. */
export function afterTrouble(trouble: Trouble, tries: Tries): Decision {
  if ('status' in trouble) {
    const isRepeatable =
      trouble.status === 429 || (tries.method !== 'POST' && REPEATABLE_STATUS.includes(trouble.status));
    return isRepeatable
      ? waitWithin(latestTryMs(tries), tries, retryAfterMs(trouble.retryAfter, trouble.now))
      : GIVE_UP;
  }
  const { fault, mayHaveArrived } = trouble;
  if (HOPELESS.includes(fault)) return GIVE_UP;
  if (tries.method === 'POST' && mayHaveArrived) return GIVE_UP;
  if (fault === 'cut' && tries.method !== 'GET') return GIVE_UP;
  const isUnreached = UNREACHED.includes(fault);
  if ((isUnreached || fault === 'time-limit' || fault === 'cut') && tries.count >= MAX_TRIES) return GIVE_UP;
  const latestMs = isUnreached ? Math.min(UNREACHED_BUDGET_MS, latestTryMs(tries)) : latestTryMs(tries);
  return waitWithin(latestMs, tries, 0);
}

/** How long a try may last, so that all tries stay within the budget; little more where the gate was shut for long. */
export const timeForTry = (budgetMs: number, elapsedMs: number): number =>
  Math.max(budgetMs - elapsedMs, leastTryMs(budgetMs));

/** When a try can begin at the latest. */
const latestTryMs = ({ budgetMs }: Tries) => budgetMs - leastTryMs(budgetMs);

const leastTryMs = (budgetMs: number) => Math.min(LEAST_TRY_MS, Math.ceil(budgetMs / 10));

/** Each wait is longer than the one before, whatever the chance says; what the service asks for is obeyed. */
function waitWithin(latestMs: number, { count, elapsedMs, lastWaitMs, random }: Tries, askedMs: number): Decision {
  const growing = FIRST_WAIT_MS * 2 ** (count - 1) * (1 + random * 0.5);
  const wait = Math.round(Math.max(growing, askedMs, lastWaitMs === 0 ? 0 : lastWaitMs + GROWTH_MS));
  if (elapsedMs + wait <= latestMs) return { wait };
  return askedMs > 0 ? { giveUp: true, tooLongMs: askedMs } : GIVE_UP;
}

/** Retry-After in milliseconds, from seconds or an HTTP date; 0 for none, nonsense, or a time that has passed. */
export function retryAfterMs(text: string | undefined, now: Date): number {
  const trimmed = text?.trim() ?? '';
  if (/^\d+$/.test(trimmed)) return Number(trimmed) * 1000;
  const isDate = /^[A-Z][a-z]+,? /.test(trimmed);
  const date = isDate ? Date.parse(trimmed) : Number.NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, date - now.getTime());
}
