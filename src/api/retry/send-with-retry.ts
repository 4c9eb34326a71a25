/** Sends a request, with retries, until the result is final. */
import { type HttpExchange, type HttpRequest, type HttpResponse, NetworkError } from '../http/http.ts';
import type { Permit, RateLimiter } from './rate-limiter.ts';
import { decideRetry, getAttemptTimeout, isRateLimited } from './retry-policy.ts';

export interface RetryContext {
  /** Time limit of all attempts of one request, in milliseconds. */
  budgetMs: number;
  now(): Date;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** After it is aborted, nothing more is sent. */
  abortSignal?: AbortSignal;
  random(): number;
  /** The minimum time between the starts of two requests, in milliseconds. */
  minIntervalMs?: number;
  /** Prints a warning on stderr. */
  warn(text: string): void;
}

interface FinalResult {
  outcome: HttpResponse | NetworkError;
  attempts: number;
  /** Whether an attempt before the last one may have been applied. */
  mayHaveBeenApplied: boolean;
  /** The wait that the service required, if it was too long. */
  excessiveWaitMs?: number | undefined;
}

const MIN_REPORTED_WAIT_MS = 1000;
const ALREADY_DELETED: HttpResponse = { status: 204, headers: {}, body: Buffer.alloc(0) };

/**
 * Sends a request until a response is usable or a retry is not allowed. A 429 blocks all requests that share the rate
 * limiter. Returns undefined if nothing was sent because the command was interrupted. Never throws a NetworkError.
 */
export async function sendWithRetry(
  exchange: HttpExchange,
  request: HttpRequest,
  context: RetryContext,
  rateLimiter: RateLimiter,
): Promise<FinalResult | undefined> {
  const { budgetMs, now, random } = context;
  const abortSignal = joinSignals(context.abortSignal, request.signal);
  let startedAt: number | undefined;
  const getElapsed = () => now().getTime() - (startedAt ?? now().getTime());
  const before = { attempts: 0, mayHaveBeenApplied: false };
  let lastWaitMs = 0;
  let last: HttpResponse | NetworkError | undefined;
  for (;;) {
    const permit = await rateLimiter.acquire(budgetMs - getElapsed(), abortSignal);
    if ('excessiveWaitMs' in permit)
      return { ...before, outcome: permit.response, excessiveWaitMs: permit.excessiveWaitMs };
    if (abortSignal?.aborted) return last && { ...before, outcome: last };
    startedAt ??= now().getTime();
    const outcome = await tryExchange(exchange, request, getAttemptTimeout(budgetMs, getElapsed()), last);
    before.attempts += 1;
    // An earlier attempt may have deleted it.
    if (isAlreadyDeleted(request, outcome, before.mayHaveBeenApplied)) return { ...before, outcome: ALREADY_DELETED };
    const state = { method: request.method, attempt: before.attempts, elapsedMs: getElapsed(), budgetMs, lastWaitMs };
    const decision = decideRetry(outcome, { ...state, random: random(), now: now() });
    lastWaitMs = decision.waitMs ?? 0;
    const throttling = reportThrottling(rateLimiter, permit, outcome, lastWaitMs);
    if (decision.giveUp) return { ...before, outcome, excessiveWaitMs: decision.waitMs };
    before.mayHaveBeenApplied ||= isInconclusive(outcome);
    last = outcome;
    if (throttling !== 'already-reported') reportWait(context, outcome, lastWaitMs, abortSignal);
    // Otherwise the rate limiter waits, for all requests.
    if (throttling === 'none') await context.sleep(lastWaitMs, abortSignal);
  }
}

/** A joined signal stays in memory as long as the command's, so only pages that may be requested in vain have one. */
const joinSignals = (command: AbortSignal | undefined, request: AbortSignal | undefined): AbortSignal | undefined =>
  command && request ? AbortSignal.any([command, request]) : (command ?? request);

const isAlreadyDeleted = ({ method }: HttpRequest, outcome: FinalResult['outcome'], mayHaveBeenApplied: boolean) =>
  mayHaveBeenApplied && method === 'DELETE' && !(outcome instanceof NetworkError) && outcome.status === 404;

/** Whether a failed request may have been applied. */
const isInconclusive = (outcome: FinalResult['outcome']) =>
  outcome instanceof NetworkError ? outcome.mayHaveArrived : outcome.status >= 500;

/** Reports the response to the rate limiter; `already-reported`: another request just got the same wait. */
function reportThrottling(
  rateLimiter: RateLimiter,
  permit: Permit,
  outcome: HttpResponse | NetworkError,
  waitMs: number,
): 'none' | 'reported' | 'already-reported' {
  if (outcome instanceof NetworkError) return 'none';
  const isThrottled =
    isRateLimited(outcome.status) || (outcome.status === 503 && outcome.headers['retry-after'] !== undefined);
  if (isThrottled && waitMs > 0)
    return rateLimiter.onThrottled(permit, outcome, waitMs) ? 'reported' : 'already-reported';
  if (!isThrottled) rateLimiter.onAccepted();
  return 'none';
}

/** An attempt that the budget shortened names the time limit of the one before. */
async function tryExchange(
  exchange: HttpExchange,
  request: HttpRequest,
  timeoutMs: number,
  last: FinalResult['outcome'] | undefined,
): Promise<FinalResult['outcome']> {
  try {
    return await exchange(request, timeoutMs);
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    if (!(last instanceof NetworkError)) return error;
    return new NetworkError({ ...error, limitMs: Math.max(last.limitMs, error.limitMs), cause: error.cause });
  }
}

function reportWait(
  { warn }: RetryContext,
  outcome: FinalResult['outcome'],
  waitMs: number,
  abortSignal: AbortSignal | undefined,
): void {
  if (waitMs < MIN_REPORTED_WAIT_MS || abortSignal?.aborted) return;
  const reason = outcome instanceof NetworkError ? outcome.code : `status ${outcome.status}`;
  warn(`waiting ${(waitMs / 1000).toFixed(1)} s, then trying again (${reason})`);
}
