/** One request, sent again until what came of it is final. */
import { type Exchange, ExchangeFault, type WireAnswer, type WireRequest } from './exchange.ts';
import { afterTrouble, type Trouble } from './retry.ts';

/** The world as far as trying again needs it. */
export interface Patience {
  /** Time for all tries of one request, in milliseconds. */
  budgetMs: number;
  now(): Date;
  sleep(milliseconds: number): Promise<void>;
  random(): number;
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

/** Sends until there is an answer to be used, or another try would be wrong. Never raises an ExchangeFault. */
export async function untilFinal(exchange: Exchange, request: WireRequest, world: Patience): Promise<Final> {
  const { method } = request;
  const began = world.now().getTime();
  let wasOpen = false;
  for (let count = 1; ; count++) {
    const outcome = await exchangeOnce(exchange, request);
    const status = outcome instanceof ExchangeFault ? undefined : outcome.status;
    // What an earlier try may have deleted is gone now, as was wanted.
    if (method === 'DELETE' && status === 404 && wasOpen)
      return { outcome: GONE, count, wasOpen, tooLongMs: undefined };
    const elapsedMs = world.now().getTime() - began;
    const tries = { method, count, elapsedMs, budgetMs: world.budgetMs, random: world.random() };
    const decision = afterTrouble(troubleOf(outcome, world.now()), tries);
    if ('giveUp' in decision) return { outcome, count, wasOpen, tooLongMs: decision.tooLongMs };
    wasOpen ||= outcome instanceof ExchangeFault ? outcome.mayHaveArrived : outcome.status >= 500;
    if (decision.wait >= SAID_WAIT_MS) world.warn(waitText(outcome, decision.wait));
    await world.sleep(decision.wait);
  }
}

async function exchangeOnce(exchange: Exchange, request: WireRequest): Promise<WireAnswer | ExchangeFault> {
  try {
    return await exchange(request);
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
