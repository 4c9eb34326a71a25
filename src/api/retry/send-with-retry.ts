/** One request, sent again until what came of it is final. */
import { type HttpExchange, type HttpRequest, type HttpResponse, NetworkError } from '../http/http.ts';
import type { Denied, Permit, RateLimiter } from './rate-limiter.ts';
import { decideRetry, type Failure, getAttemptTimeout, type RetryDecision } from './retry-policy.ts';

/** The world as far as trying again needs it. */
export interface RetryContext {
  /** Time for all tries of one request, in milliseconds. */
  budgetMs: number;
  now(): Date;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Once it is aborted, nothing is sent any more. */
  abortSignal?: AbortSignal;
  random(): number;
  /** The least time between the beginnings of two requests, in milliseconds; none when it is not given. */
  minIntervalMs?: number;
  /** Says on stderr what a user should know of how it goes. */
  warn(text: string): void;
}

export interface FinalResult {
  outcome: HttpResponse | NetworkError;
  /** How often the request was sent. */
  attempts: number;
  /** Whether a try before the last one may have done what was asked. */
  mayHaveBeenApplied: boolean;
  /** The wait that the service asked for, where that was too long to be obeyed. */
  excessiveWaitMs: number | undefined;
}

const MIN_REPORTED_WAIT_MS = 1000;
const ALREADY_DELETED: HttpResponse = { status: 204, headers: {}, body: Buffer.alloc(0) };

/**
 * Sends until there is an answer to be used, or another try would be wrong. What the rate limit says to one request
 * holds, by the pace, for all that share it. Undefined when nothing was sent since the command is to stop. Never raises
 * an ExchangeFault.
 */
export async function sendWithRetry(
  exchange: HttpExchange,
  request: HttpRequest,
  context: RetryContext,
  rateLimiter: RateLimiter,
): Promise<FinalResult | undefined> {
  const { budgetMs } = context;
  const elapsedMs = createStopwatch(context);
  let mayHaveBeenApplied = false;
  let lastWaitMs = 0;
  let last: HttpResponse | NetworkError | undefined;
  for (let attempt = 1; ; attempt++) {
    const permit = await rateLimiter.acquire(attempt === 1 ? budgetMs : budgetMs - elapsedMs());
    if ('excessiveWaitMs' in permit || context.abortSignal?.aborted)
      return finishWithoutPermit(permit, last, { attempts: attempt - 1, mayHaveBeenApplied });
    const outcome = withLongestLimit(
      last,
      await tryExchange(exchange, request, getAttemptTimeout(budgetMs, elapsedMs())),
    );
    // What an earlier try may have deleted is gone now, as was wanted.
    if (isAlreadyDeleted(request, outcome, mayHaveBeenApplied))
      return { outcome: ALREADY_DELETED, attempts: attempt, mayHaveBeenApplied, excessiveWaitMs: undefined };
    const attemptState = { method: request.method, attempt, elapsedMs: elapsedMs(), budgetMs, lastWaitMs };
    const decision = decideRetry(toFailure(outcome, context.now()), { ...attemptState, random: context.random() });
    lastWaitMs = getWaitMs(decision);
    const throttling = reportThrottling(rateLimiter, permit, outcome, lastWaitMs);
    if ('giveUp' in decision)
      return { outcome, attempts: attempt, mayHaveBeenApplied, excessiveWaitMs: decision.excessiveWaitMs };
    mayHaveBeenApplied ||= isInconclusive(outcome);
    last = outcome;
    if (lastWaitMs >= MIN_REPORTED_WAIT_MS && throttling !== 'known') context.warn(describeWait(outcome, lastWaitMs));
    if (throttling === 'nothing') await context.sleep(lastWaitMs, context.abortSignal);
  }
}

/** An attempt that the budget shortened names the time limit of the one before. */
function withLongestLimit(
  last: FinalResult['outcome'] | undefined,
  outcome: FinalResult['outcome'],
): FinalResult['outcome'] {
  if (!(outcome instanceof NetworkError && last instanceof NetworkError)) return outcome;
  const limitMs = Math.max(last.limitMs, outcome.limitMs);
  return new NetworkError({ ...outcome, limitMs, cause: outcome.cause });
}

/** The gate stays shut for too long, or the command is to stop: the last answer there was is final. */
function finishWithoutPermit(
  permit: Permit | Denied,
  last: FinalResult['outcome'] | undefined,
  attempts: Pick<FinalResult, 'attempts' | 'mayHaveBeenApplied'>,
): FinalResult | undefined {
  if ('excessiveWaitMs' in permit)
    return { ...attempts, outcome: permit.response, excessiveWaitMs: permit.excessiveWaitMs };
  return last && { ...attempts, outcome: last, excessiveWaitMs: undefined };
}

/** Runs from the first time that it is asked, for which it answers 0. */
function createStopwatch({ now }: RetryContext): () => number {
  let startedAt: number | undefined;
  return () => {
    startedAt ??= now().getTime();
    return now().getTime() - startedAt;
  };
}

const getWaitMs = (decision: RetryDecision) => ('wait' in decision ? decision.wait : (decision.excessiveWaitMs ?? 0));

const isAlreadyDeleted = ({ method }: HttpRequest, outcome: HttpResponse | NetworkError, mayHaveBeenApplied: boolean) =>
  mayHaveBeenApplied && method === 'DELETE' && !(outcome instanceof NetworkError) && outcome.status === 404;

/** Whether what was asked may have been done, although the answer does not say so. */
const isInconclusive = (outcome: HttpResponse | NetworkError) =>
  outcome instanceof NetworkError ? outcome.mayHaveArrived : outcome.status >= 500;

/** Passes on what the rate limit says, so that all wait at the pace's gate; `known`: another was just told the same. */
function reportThrottling(
  rateLimiter: RateLimiter,
  permit: Permit,
  outcome: HttpResponse | NetworkError,
  waitMs: number,
): 'nothing' | 'news' | 'known' {
  if (outcome instanceof NetworkError) return 'nothing';
  const isThrottled =
    outcome.status === 429 || (outcome.status === 503 && outcome.headers['retry-after'] !== undefined);
  if (isThrottled && waitMs > 0) return rateLimiter.onThrottled(permit, outcome, waitMs) ? 'news' : 'known';
  if (!isThrottled) rateLimiter.onSuccess(permit);
  return 'nothing';
}

async function tryExchange(
  exchange: HttpExchange,
  request: HttpRequest,
  timeoutMs: number,
): Promise<HttpResponse | NetworkError> {
  try {
    return await exchange(request, timeoutMs);
  } catch (error) {
    if (error instanceof NetworkError) return error;
    throw error;
  }
}

function toFailure(outcome: HttpResponse | NetworkError, now: Date): Failure {
  if (outcome instanceof NetworkError) return { errorKind: outcome.kind, mayHaveArrived: outcome.mayHaveArrived };
  return { status: outcome.status, retryAfter: outcome.headers['retry-after'], now };
}

function describeWait(outcome: HttpResponse | NetworkError, waitMs: number): string {
  const reason = outcome instanceof NetworkError ? outcome.code : `status ${outcome.status}`;
  return `waiting ${(waitMs / 1000).toFixed(1)} s, then trying again (${reason})`;
}
