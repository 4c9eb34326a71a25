import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HttpExchange, NetworkError, type NetworkErrorKind } from '../../../src/api/http/http.ts';
import { createRateLimiter } from '../../../src/api/retry/rate-limiter.ts';
import {
  type AttemptState,
  decideRetry,
  getAttemptTimeout,
  parseRetryAfter,
  type RetryDecision,
} from '../../../src/api/retry/retry-policy.ts';
import { sendWithRetry } from '../../../src/api/retry/send-with-retry.ts';
import { runs } from '../../helpers/runs.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
type Failure = Parameters<typeof decideRetry>[0];
const status = (code: number, retryAfter?: string, date?: string): Failure => ({
  status: code,
  headers: { 'retry-after': retryAfter, date },
  body: Buffer.alloc(0),
});
const fault = (kind: NetworkErrorKind, mayHaveArrived: boolean): Failure =>
  new NetworkError({ kind, mayHaveArrived, code: 'ECODE', limitMs: 1000 });
const tries = (changes: Partial<AttemptState> = {}): AttemptState => ({
  method: 'GET',
  attempt: 1,
  elapsedMs: 0,
  budgetMs: 120_000,
  lastWaitMs: 0,
  random: 0,
  now: NOW,
  ...changes,
});

const GIVE_UP: RetryDecision = { giveUp: true };

describe('after a failure', () => {
  it.each<[string, Failure, Partial<AttemptState>, RetryDecision]>([
    ['429 to a read', status(429), {}, { waitMs: 200 }],
    ['429 to a create', status(429), { method: 'POST' }, { waitMs: 200 }],
    ['429 that asks for three seconds', status(429, '3'), { method: 'POST' }, { waitMs: 3000 }],
    ['429 that asks for nonsense', status(429, 'soon'), {}, { waitMs: 200 }],
    ['429 that asks for a day', status(429, '86400'), {}, { giveUp: true, waitMs: 86_400_000 }],
    ['429 for more than is left', status(429, '30'), { elapsedMs: 100_000 }, { giveUp: true, waitMs: 30_000 }],
    ['429 that asks for as long as before', status(429, '3'), { attempt: 2, lastWaitMs: 3000 }, { waitMs: 3050 }],
    ['429 that asks for less than before', status(429, '1'), { attempt: 2, lastWaitMs: 3000 }, { waitMs: 3050 }],
    ['a response that is not HTTP', fault('not-http', true), {}, GIVE_UP],
    ['a response that is too large', fault('too-large', true), { method: 'PUT' }, GIVE_UP],
    ['the second 429', status(429), { attempt: 2 }, { waitMs: 400 }],
    ['the fifth 503', status(503), { attempt: 5 }, { waitMs: 3200 }],
    ['503 at the end of the budget', status(503), { elapsedMs: 119_900 }, GIVE_UP],
    ['502 to an update', status(502), { method: 'PUT' }, { waitMs: 200 }],
    ['504 to a delete', status(504), { method: 'DELETE' }, { waitMs: 200 }],
    ['503 to a create', status(503), { method: 'POST' }, GIVE_UP],
    ['500 to a read', status(500), {}, GIVE_UP],
    ['408 to a read', status(408), {}, { waitMs: 200 }],
    ['425 to a read', status(425), {}, { waitMs: 200 }],
    ['524 to a read', status(524), {}, { waitMs: 200 }],
    ['408 to an update', status(408), { method: 'PUT' }, GIVE_UP],
    ['520 to a delete', status(520), { method: 'DELETE' }, GIVE_UP],
    [
      '429 until a date, while the clock of this computer is two hours behind',
      status(429, 'Sun, 01 Mar 2026 14:00:03 GMT', 'Sun, 01 Mar 2026 14:00:00 GMT'),
      {},
      { waitMs: 3000 },
    ],
    ['404', status(404), {}, GIVE_UP],
    ['200', status(200), {}, GIVE_UP],
    ['a redirect', status(307), {}, GIVE_UP],
    ['a reset of a read', fault('reset', true), {}, { waitMs: 200 }],
    ['a reset of an update', fault('reset', true), { method: 'PUT' }, { waitMs: 200 }],
    ['a reset of a create', fault('reset', true), { method: 'POST' }, GIVE_UP],
    ['a truncated response to a create', fault('truncated', true), { method: 'POST' }, GIVE_UP],
    ['a truncated response to an update', fault('truncated', true), { method: 'PUT' }, GIVE_UP],
    ['a truncated response to a read', fault('truncated', true), {}, { waitMs: 200 }],
    ['the third one', fault('truncated', true), { attempt: 3 }, GIVE_UP],
    ['a response that cannot be decompressed', fault('undecodable', true), {}, GIVE_UP],
    ['a time limit of a create', fault('timeout', true), { method: 'POST' }, GIVE_UP],
    ['a refused create', fault('refused', false), { method: 'POST' }, { waitMs: 200 }],
    ['the third refusal', fault('refused', false), { attempt: 3 }, GIVE_UP],
    ['a refusal after five seconds', fault('refused', false), { attempt: 2, elapsedMs: 4900 }, GIVE_UP],
    ['the third host that is not found', fault('host-not-found', false), { attempt: 3 }, GIVE_UP],
    ['a first one that took three seconds', fault('host-not-found', false), { elapsedMs: 3000 }, { waitMs: 200 }],
    ['a second one by then', fault('host-not-found', false), { attempt: 2, elapsedMs: 4500 }, { waitMs: 400 }],
    ['a second one too late for a third', fault('host-not-found', false), { attempt: 2, elapsedMs: 4700 }, GIVE_UP],
    ['a first one that took five seconds', fault('host-not-found', false), { elapsedMs: 5000 }, GIVE_UP],
    ['one when the budget is short', fault('host-not-found', false), { elapsedMs: 1700, budgetMs: 2000 }, GIVE_UP],
    ['503 when hardly a second is left', status(503), { elapsedMs: 118_900 }, GIVE_UP],
    ['503 when a try has a second left', status(503), { elapsedMs: 118_800 }, { waitMs: 200 }],
    ['the third time limit', fault('timeout', true), { attempt: 3 }, GIVE_UP],
    ['the second time limit', fault('timeout', true), { attempt: 2 }, { waitMs: 400 }],
    ['a certificate', fault('certificate', false), {}, GIVE_UP],
    ['TLS', fault('tls', false), {}, GIVE_UP],
    ['a handshake that broke off', fault('handshake', false), { method: 'POST' }, { waitMs: 200 }],
    ['the third handshake that broke off', fault('handshake', false), { attempt: 3 }, GIVE_UP],
    ['a create that had no connection within the limit', fault('timeout', false), { method: 'POST' }, { waitMs: 200 }],
    ['a proxy that requires a login', fault('proxy-auth', false), {}, GIVE_UP],
    ['a proxy that does not allow it', fault('proxy-denied', false), {}, GIVE_UP],
    ['a proxy that cannot reach the service', fault('proxy-unreachable', false), { method: 'POST' }, { waitMs: 200 }],
    ['the third time that it could not', fault('proxy-unreachable', false), { attempt: 3 }, GIVE_UP],
  ])('%s', (_, trouble, changes, decision) => {
    expect(decideRetry(trouble, tries(changes))).toEqual(decision);
  });

  it('each wait is longer than the last with any jitter, and the first is 0.2 s or more', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (count, a, b) => {
          const wait = (n: number, random: number) =>
            (decideRetry(status(503), tries({ attempt: n, random, budgetMs: 1e9 })) as { waitMs: number }).waitMs;
          expect(wait(1, a)).toBeGreaterThanOrEqual(200);
          expect(wait(count + 1, b)).toBeGreaterThan(wait(count, a));
        },
      ),
      { numRuns: runs(100) },
    );
  });
});

describe('an attempt', () => {
  it.each<[string, number, number, number]>([
    ['has all the time at first', 120_000, 0, 120_000],
    ['has the remaining time', 120_000, 100_000, 20_000],
    ['has a second when less is left', 120_000, 119_900, 1000],
    ['has a second when nothing is left', 120_000, 130_000, 1000],
    ['has all of a short time at first', 500, 0, 500],
    ['has a tenth of a short time', 500, 490, 50],
  ])('%s', (_, budgetMs, elapsedMs, wanted) => {
    expect(getAttemptTimeout(budgetMs, elapsedMs)).toBe(wanted);
  });
});

/** Sends a request whose every try fails after `tryMs`, on a clock of its own; when each try began and what it had. */
async function triesThatTake(tryMs: number, kind: NetworkErrorKind, budgetMs = 120_000) {
  let time = 0;
  const began: number[] = [];
  const hostOptions = {
    budgetMs,
    now: () => new Date(time),
    sleep: async (milliseconds: number) => {
      time += milliseconds;
    },
    random: () => 0,
    warn: () => undefined,
  };
  const exchange: HttpExchange = async (_, mostMs = 0) => {
    began.push(time);
    const limitMs = Math.min(tryMs, mostMs);
    time += limitMs;
    throw new NetworkError({ kind, code: 'E', mayHaveArrived: false, limitMs });
  };
  const request = { method: 'GET', path: '/', headers: {}, body: undefined } as const;
  const { outcome } = (await sendWithRetry(exchange, request, hostOptions, createRateLimiter(hostOptions))) as {
    outcome: NetworkError;
  };
  return { began, ended: time, limitMs: outcome.limitMs };
}

describe('attempts that each use their time limit', () => {
  it.each<[string, number, NetworkErrorKind, number, number[], number]>([
    ['a name is looked up thrice when that is quick', 10, 'host-not-found', 120_000, [0, 210, 620], 630],
    ['thrice within five seconds', 2000, 'host-not-found', 120_000, [0, 2200, 4600], 6600],
    ['twice when each takes three', 3000, 'host-not-found', 120_000, [0, 3200], 6200],
    ['once when that takes five', 5000, 'host-not-found', 120_000, [0], 5000],
    ['no longer than the budget', 5000, 'host-not-found', 2000, [0], 2000],
    ['a request that hangs ends with the budget', 30_000, 'timeout', 2000, [0], 2000],
    ['a second one has the remaining time', 30_000, 'timeout', 45_000, [0, 30_200], 45_000],
    ['three have their time', 30_000, 'timeout', 120_000, [0, 30_200, 60_600], 90_600],
  ])('%s', async (_, tryMs, kind, budgetMs, began, ended) => {
    expect(await triesThatTake(tryMs, kind, budgetMs)).toMatchObject({ began, ended });
  });

  it.each([
    ['the first one, when the budget shortens the next', 45_000, 30_000],
    ['the budget, when that is shorter', 2000, 2000],
  ])('report the time limit of %s', async (_, budgetMs, limitMs) => {
    expect(await triesThatTake(30_000, 'timeout', budgetMs)).toMatchObject({ limitMs });
  });
});

describe('Retry-After', () => {
  it.each([
    [undefined, 0],
    ['', 0],
    ['0', 0],
    ['2', 2000],
    [' 2 ', 2000],
    ['-1', 0],
    ['1.5', 0],
    ['1e3', 0],
    ['soon', 0],
    ['2026', 2_026_000],
    ['Sun, 01 Mar 2026 12:00:05 GMT', 5000],
    ['Sunday, 01-Mar-26 12:00:05 GMT', 5000],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['2026-03-01T12:00:05Z', 0],
  ])('%j is %d ms', (text, wanted) => {
    expect(parseRetryAfter(text, NOW)).toBe(wanted);
  });
});
