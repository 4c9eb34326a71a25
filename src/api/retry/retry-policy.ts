/** Decides whether a failed request is sent again, and after which wait. Pure. */
import { type HttpRequest, type HttpResponse, NetworkError, type NetworkErrorKind } from '../http/http.ts';

export interface AttemptState {
  method: HttpRequest['method'];
  /** The number of this attempt, from 1. */
  attempt: number;
  /** Time since the first attempt, and the time limit of all attempts, in milliseconds. */
  elapsedMs: number;
  budgetMs: number;
  /** The wait before this attempt; 0 before the first. */
  lastWaitMs: number;
  /** From 0 to 1: jitter. */
  random: number;
  now: Date;
}

/** With `giveUp`, `waitMs` is the wait that the service requires, if it is longer than the time left. */
export type RetryDecision = { waitMs: number; giveUp?: undefined } | { giveUp: true; waitMs?: number };

const GIVE_UP: RetryDecision = { giveUp: true };
const FIRST_WAIT_MS = 200;
const MIN_WAIT_GROWTH_MS = 50;
/** For timeouts, unreachable services, and reads whose response is truncated. */
const MAX_ATTEMPTS = 3;
const UNREACHABLE_BUDGET_MS = 5000;
/** An attempt with less time than this, or than a tenth of a short budget, would only time out. */
const MIN_ATTEMPT_MS = 1000;
/** Errors that a retry cannot fix. */
const PERMANENT: readonly NetworkErrorKind[] = [
  'certificate',
  'tls',
  'not-http',
  'too-large',
  'undecodable',
  'memory',
  'proxy-auth',
  'proxy-denied',
];
const UNREACHABLE: readonly NetworkErrorKind[] = ['refused', 'host-not-found', 'handshake', 'proxy-unreachable'];
const RETRYABLE_STATUS = [502, 503, 504];
/** Of a request timeout, early data, and errors of a gateway. */
const RETRYABLE_STATUS_OF_READS = [408, 425, 520, 521, 522, 523, 524];

/** Whether a service rejected a request because of its rate; then the request was not applied. */
export const isRateLimited = (status: number | undefined): boolean => status === 429;

const isRetryableStatus = (status: number, method: HttpRequest['method']) =>
  isRateLimited(status) ||
  (method !== 'POST' && RETRYABLE_STATUS.includes(status)) ||
  (method === 'GET' && RETRYABLE_STATUS_OF_READS.includes(status));

/** Decides what follows a failure. A create that may have been applied is never repeated. */
export function decideRetry(failure: HttpResponse | NetworkError, state: AttemptState): RetryDecision {
  if (!(failure instanceof NetworkError)) {
    const { status, headers } = failure;
    if (!isRetryableStatus(status, state.method)) return GIVE_UP;
    const now = parseDate(headers['date']) ?? state.now;
    return decideWait(getLatestStartMs(state), state, parseRetryAfter(headers['retry-after'], now));
  }
  const { kind: errorKind, mayHaveArrived } = failure;
  const isUnreachable = UNREACHABLE.includes(errorKind);
  const isLimited = isUnreachable || errorKind === 'timeout' || errorKind === 'truncated';
  if (
    PERMANENT.includes(errorKind) ||
    (state.method === 'POST' && mayHaveArrived) ||
    (errorKind === 'truncated' && state.method !== 'GET') ||
    (isLimited && state.attempt >= MAX_ATTEMPTS)
  )
    return GIVE_UP;
  const latestStartMs = getLatestStartMs(state);
  return decideWait(isUnreachable ? Math.min(UNREACHABLE_BUDGET_MS, latestStartMs) : latestStartMs, state, 0);
}

/** The time limit of an attempt: what is left of the budget, or a little more after a long wait for the rate limiter. */
export const getAttemptTimeout = (budgetMs: number, elapsedMs: number): number =>
  Math.max(budgetMs - elapsedMs, getMinAttemptMs(budgetMs));

/** The latest start of an attempt, in milliseconds since the first. */
const getLatestStartMs = ({ budgetMs }: AttemptState) => budgetMs - getMinAttemptMs(budgetMs);

const getMinAttemptMs = (budgetMs: number) => Math.min(MIN_ATTEMPT_MS, Math.ceil(budgetMs / 10));

/** Each wait is longer than the one before, despite the jitter, and at least as long as the service requires. */
function decideWait(
  latestStartMs: number,
  { attempt, elapsedMs, lastWaitMs, random }: AttemptState,
  requestedWaitMs: number,
): RetryDecision {
  const backoffMs = FIRST_WAIT_MS * 2 ** (attempt - 1) * (1 + random * 0.5);
  const waitMs = Math.round(
    Math.max(backoffMs, requestedWaitMs, lastWaitMs === 0 ? 0 : lastWaitMs + MIN_WAIT_GROWTH_MS),
  );
  if (elapsedMs + waitMs <= latestStartMs) return { waitMs };
  return requestedWaitMs > 0 ? { giveUp: true, waitMs: requestedWaitMs } : GIVE_UP;
}

/**
 * Parses Retry-After (seconds or an HTTP date) to milliseconds; 0 if it is missing, invalid, or in the past. `now` is the
 * clock of the service, if its response has a Date: the clock of this computer may be wrong.
 */
export function parseRetryAfter(text: string | undefined, now: Date): number {
  const trimmed = text?.trim() ?? '';
  if (/^\d+$/.test(trimmed)) return Number(trimmed) * 1000;
  return Math.max(0, (parseDate(trimmed)?.getTime() ?? 0) - now.getTime());
}

function parseDate(text = ''): Date | undefined {
  const date = /^[A-Z][a-z]+,? /.test(text) ? new Date(text) : undefined;
  return date && !Number.isNaN(date.getTime()) ? date : undefined;
}
