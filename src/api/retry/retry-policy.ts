/** What to do when a request brought no usable answer: wait and send it again, look whether it was done, or give up. Pure. */
import type { HttpRequest, NetworkErrorKind } from '../http/http.ts';

/** What came instead of a usable answer. */
export type Failure =
  | { status: number; retryAfter: string | undefined; now: Date }
  | { errorKind: NetworkErrorKind; mayHaveArrived: boolean };

export interface AttemptState {
  method: HttpRequest['method'];
  /** How often the request was sent, at least 1. */
  attempt: number;
  /** Time since it was first sent, and the time that all tries may take, in milliseconds. */
  elapsedMs: number;
  budgetMs: number;
  /** The wait before this try; 0 before the first. */
  lastWaitMs: number;
  /** From 0 up to 1; spreads the waits of many clients. */
  random: number;
}

/** `tooLongMs`: the wait that the service asks for, where it is what ends the tries. */
export type RetryDecision = { wait: number } | { giveUp: true; excessiveWaitMs?: number };

const GIVE_UP: RetryDecision = { giveUp: true };
const FIRST_WAIT_MS = 200;
const MIN_WAIT_GROWTH_MS = 50;
/** Of a service that is not reached in time, and of a read whose response is truncated. */
const MAX_ATTEMPTS = 3;
const UNREACHABLE_BUDGET_MS = 5000;
/** A try that has less time than this, or than a tenth of a short budget, would only be cut off. */
const MIN_ATTEMPT_MS = 1000;
/** What the next try would only meet again. */
const PERMANENT: readonly NetworkErrorKind[] = [
  'certificate',
  'tls',
  'unreadable',
  'too-large',
  'undecodable',
  'memory',
  'proxy-login',
  'proxy-denied',
];
const UNREACHABLE: readonly NetworkErrorKind[] = ['refused', 'host-not-found', 'handshake', 'proxy-unreached'];
const RETRYABLE_STATUS = [502, 503, 504];

/** The next step after trouble. A write that may have been done is repeated only where a repeat does no harm. */
export function decideRetry(failure: Failure, state: AttemptState): RetryDecision {
  if ('status' in failure) {
    const isRetryable =
      failure.status === 429 || (state.method !== 'POST' && RETRYABLE_STATUS.includes(failure.status));
    return isRetryable
      ? decideWait(getLatestStart(state), state, parseRetryAfter(failure.retryAfter, failure.now))
      : GIVE_UP;
  }
  const { errorKind, mayHaveArrived } = failure;
  if (PERMANENT.includes(errorKind)) return GIVE_UP;
  if (state.method === 'POST' && mayHaveArrived) return GIVE_UP;
  if (errorKind === 'cut' && state.method !== 'GET') return GIVE_UP;
  const isUnreachable = UNREACHABLE.includes(errorKind);
  if ((isUnreachable || errorKind === 'time-limit' || errorKind === 'cut') && state.attempt >= MAX_ATTEMPTS)
    return GIVE_UP;
  const latestStartMs = isUnreachable ? Math.min(UNREACHABLE_BUDGET_MS, getLatestStart(state)) : getLatestStart(state);
  return decideWait(latestStartMs, state, 0);
}

/** How long a try may last, so that all tries stay within the budget; little more where the gate was shut for long. */
export const getAttemptTimeout = (budgetMs: number, elapsedMs: number): number =>
  Math.max(budgetMs - elapsedMs, getMinAttemptMs(budgetMs));

/** When a try can begin at the latest. */
const getLatestStart = ({ budgetMs }: AttemptState) => budgetMs - getMinAttemptMs(budgetMs);

const getMinAttemptMs = (budgetMs: number) => Math.min(MIN_ATTEMPT_MS, Math.ceil(budgetMs / 10));

/** Each wait is longer than the one before, whatever the chance says; what the service asks for is obeyed. */
function decideWait(
  latestStartMs: number,
  { attempt, elapsedMs, lastWaitMs, random }: AttemptState,
  requestedWaitMs: number,
): RetryDecision {
  const backoffMs = FIRST_WAIT_MS * 2 ** (attempt - 1) * (1 + random * 0.5);
  const wait = Math.round(Math.max(backoffMs, requestedWaitMs, lastWaitMs === 0 ? 0 : lastWaitMs + MIN_WAIT_GROWTH_MS));
  if (elapsedMs + wait <= latestStartMs) return { wait };
  return requestedWaitMs > 0 ? { giveUp: true, excessiveWaitMs: requestedWaitMs } : GIVE_UP;
}

/** Retry-After in milliseconds, from seconds or an HTTP date; 0 for none, nonsense, or a time that has passed. */
export function parseRetryAfter(text: string | undefined, now: Date): number {
  const trimmed = text?.trim() ?? '';
  if (/^\d+$/.test(trimmed)) return Number(trimmed) * 1000;
  const isDate = /^[A-Z][a-z]+,? /.test(trimmed);
  const date = isDate ? Date.parse(trimmed) : Number.NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, date - now.getTime());
}
