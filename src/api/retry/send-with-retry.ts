/** One request, sent again until what came of it is final. */
import { type Exchange, ExchangeFault, type WireAnswer, type WireRequest } from '../http/http.ts';
import type { Leave, NoLeave, Pace } from './rate-limiter.ts';
import { afterTrouble, type Decision, type Trouble, timeForTry } from './retry-policy.ts';

/** The world as far as trying again needs it. */
export interface Patience {
  /** Time for all tries of one request, in milliseconds. */
  budgetMs: number;
  now(): Date;
  sleep(milliseconds: number, until?: AbortSignal): Promise<void>;
  /** Once it is aborted, nothing is sent any more. */
  stopping?: AbortSignal;
  random(): number;
  /** The least time between the beginnings of two requests, in milliseconds; none when it is not given. */
  gapMs?: number;
  /** Says on stderr what a user should know of how it goes. */
  warn(text: string): void;
}

export interface Final {
  outcome: WireAnswer | ExchangeFault;
  /** How often the request was sent. */
  count: number;
  /** Whether a try before the last one may have done what was asked. */
  wasOpen: boolean;
  /** The wait that the service asked for, where that was too long to be obeyed. */
  tooLongMs: number | undefined;
}

const SAID_WAIT_MS = 1000;
const GONE: WireAnswer = { status: 204, headers: {}, body: Buffer.alloc(0) };

/**
 * Sends until there is an answer to be used, or another try would be wrong. What the rate limit says to one request
 * holds, by the pace, for all that share it. Undefined when nothing was sent since the command is to stop. Never raises
 * an ExchangeFault.
 */
export async function untilFinal(
  exchange: Exchange,
  request: WireRequest,
  world: Patience,
  pace: Pace,
): Promise<Final | undefined> {
  const { budgetMs } = world;
  const spentMs = stopwatch(world);
  let wasOpen = false;
  let lastWaitMs = 0;
  let last: WireAnswer | ExchangeFault | undefined;
  for (let count = 1; ; count++) {
    const leave = await pace.enter(count === 1 ? budgetMs : budgetMs - spentMs());
    if ('tooLongMs' in leave || world.stopping?.aborted) return endAtGate(leave, last, { count: count - 1, wasOpen });
    const outcome = withLimitOf(last, await exchangeOnce(exchange, request, timeForTry(budgetMs, spentMs())));
    // What an earlier try may have deleted is gone now, as was wanted.
    if (isGone(request, outcome, wasOpen)) return { outcome: GONE, count, wasOpen, tooLongMs: undefined };
    const tries = { method: request.method, count, elapsedMs: spentMs(), budgetMs, lastWaitMs };
    const decision = afterTrouble(troubleOf(outcome, world.now()), { ...tries, random: world.random() });
    lastWaitMs = waitOf(decision);
    const told = tellPace(pace, leave, outcome, lastWaitMs);
    if ('giveUp' in decision) return { outcome, count, wasOpen, tooLongMs: decision.tooLongMs };
    wasOpen ||= isOpenEnd(outcome);
    last = outcome;
    if (lastWaitMs >= SAID_WAIT_MS && told !== 'known') world.warn(waitText(outcome, lastWaitMs));
    if (told === 'nothing') await world.sleep(lastWaitMs, world.stopping);
  }
}

/** An attempt that the budget shortened names the time limit of the one before. */
function withLimitOf(last: Final['outcome'] | undefined, outcome: Final['outcome']): Final['outcome'] {
  if (!(outcome instanceof ExchangeFault && last instanceof ExchangeFault)) return outcome;
  const limitMs = Math.max(last.limitMs, outcome.limitMs);
  return new ExchangeFault({ ...outcome, limitMs, cause: outcome.cause });
}

/** The gate stays shut for too long, or the command is to stop: the last answer there was is final. */
function endAtGate(
  leave: Leave | NoLeave,
  last: Final['outcome'] | undefined,
  tries: Pick<Final, 'count' | 'wasOpen'>,
): Final | undefined {
  if ('tooLongMs' in leave) return { ...tries, outcome: leave.answer, tooLongMs: leave.tooLongMs };
  return last && { ...tries, outcome: last, tooLongMs: undefined };
}

/** Runs from the first time that it is asked, for which it answers 0. */
function stopwatch({ now }: Patience): () => number {
  let began: number | undefined;
  return () => {
    began ??= now().getTime();
    return now().getTime() - began;
  };
}

const waitOf = (decision: Decision) => ('wait' in decision ? decision.wait : (decision.tooLongMs ?? 0));

const isGone = ({ method }: WireRequest, outcome: WireAnswer | ExchangeFault, wasOpen: boolean) =>
  wasOpen && method === 'DELETE' && !(outcome instanceof ExchangeFault) && outcome.status === 404;

/** Whether what was asked may have been done, although the answer does not say so. */
const isOpenEnd = (outcome: WireAnswer | ExchangeFault) =>
  outcome instanceof ExchangeFault ? outcome.mayHaveArrived : outcome.status >= 500;

/** Passes on what the rate limit says, so that all wait at the pace's gate; `known`: another was just told the same. */
function tellPace(
  pace: Pace,
  leave: Leave,
  outcome: WireAnswer | ExchangeFault,
  waitMs: number,
): 'nothing' | 'news' | 'known' {
  if (outcome instanceof ExchangeFault) return 'nothing';
  const isForAll = outcome.status === 429 || (outcome.status === 503 && outcome.headers['retry-after'] !== undefined);
  if (isForAll && waitMs > 0) return pace.refused(leave, outcome, waitMs) ? 'news' : 'known';
  if (!isForAll) pace.passed(leave);
  return 'nothing';
}

async function exchangeOnce(
  exchange: Exchange,
  request: WireRequest,
  mostMs: number,
): Promise<WireAnswer | ExchangeFault> {
  try {
    return await exchange(request, mostMs);
  } catch (error) {
    if (error instanceof ExchangeFault) return error;
    throw error;
  }
}

function troubleOf(outcome: WireAnswer | ExchangeFault, now: Date): Trouble {
  if (outcome instanceof ExchangeFault) return { fault: outcome.kind, mayHaveArrived: outcome.mayHaveArrived };
  return { status: outcome.status, retryAfter: outcome.headers['retry-after'], now };
}

function waitText(outcome: WireAnswer | ExchangeFault, wait: number): string {
  const why = outcome instanceof ExchangeFault ? outcome.code : `status ${outcome.status}`;
  return `waiting ${(wait / 1000).toFixed(1)} s, then trying again (${why})`;
}
