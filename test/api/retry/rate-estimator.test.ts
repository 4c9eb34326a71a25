/** Whole pushes in virtual time, against limits of many kinds. */
import { describe, expect, it } from 'vitest';
import type { HttpExchange } from '../../../src/api/http/http.ts';
import {
  computeAllowedRate,
  createRateEstimate,
  recordLateResponse,
  recordSuccess,
  recordThrottle,
} from '../../../src/api/retry/rate-estimator.ts';
import { createRateLimiter } from '../../../src/api/retry/rate-limiter.ts';
import { sendWithRetry } from '../../../src/api/retry/send-with-retry.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';

/** Requests a second, at a time. */
type PerSecond = (ms: number) => number;
/** Accepts a request, or returns for how many milliseconds it accepts none. */
type Limit = (ms: number) => number;

/** A bucket of tokens that fills all the time, and is full at first. */
const bucket =
  (burst: number) =>
  (perSecond: PerSecond): Limit => {
    let tokens = burst;
    let at = 0;
    return (ms) => {
      const perMs = perSecond(ms) / 1000;
      tokens = Math.min(burst, tokens + (ms - at) * perMs);
      at = ms;
      if (tokens < 1) return (1 - tokens) / perMs;
      tokens--;
      return 0;
    };
  };

const bucketOfOneSecond = (perSecond: PerSecond) => bucket(perSecond(0))(perSecond);

/** A number of requests per window of the service's clock, then none until the window ends. */
const windows =
  (windowMs: number) =>
  (perSecond: PerSecond): Limit => {
    let window = -1;
    let taken = 0;
    return (ms) => {
      const current = Math.floor(ms / windowMs + 0.3);
      if (current !== window) [window, taken] = [current, 0];
      return ++taken > (perSecond(ms) * windowMs) / 1000 ? (current + 0.7) * windowMs - ms : 0;
    };
  };

interface Case {
  limit: (perSecond: PerSecond) => Limit;
  perSecond: PerSecond;
  tellsWait: boolean;
  latencyMs: number;
  workers: number;
  ms: number;
  /** What part of the limit other clients ask for. */
  others?: number;
}

/** Sends requests until the time is over; returns the share of possible successes, and the number of 429. */
async function storm({ limit, perSecond, tellsWait, latencyMs, workers, ms, others = 0 }: Case) {
  const clock = virtualClock();
  let seed = 1;
  const random = () => {
    seed = (seed * 16807) % 2147483647;
    return seed / 2147483647;
  };
  const take = limit(perSecond);
  let otherAt = 0;
  let passed = 0;
  let refused = 0;
  const exchange: HttpExchange = async () => {
    const onTheWayMs = 0.3 + (latencyMs * (0.9 + 0.2 * random())) / 2;
    await clock.sleep(onTheWayMs);
    for (; others > 0 && otherAt <= clock.ms; otherAt += 1000 / (others * perSecond(otherAt))) take(otherAt);
    const wait = take(clock.ms);
    if (wait === 0) passed++;
    else refused++;
    await clock.sleep(onTheWayMs);
    const headers: Record<string, string> = tellsWait && wait > 0 ? { 'retry-after': `${Math.ceil(wait / 1000)}` } : {};
    return { status: wait === 0 ? 200 : 429, headers, body: Buffer.alloc(0) };
  };
  const hostOptions = {
    budgetMs: Number.POSITIVE_INFINITY,
    now: clock.now,
    sleep: clock.sleep,
    random,
    warn: () => undefined,
  };
  const pace = createRateLimiter(hostOptions);
  const request = { method: 'POST', path: '/', headers: {}, body: undefined } as const;
  const work = async () => {
    while (clock.ms < ms) await sendWithRetry(exchange, request, hostOptions, pace);
  };
  await clock.run(Promise.all(Array.from({ length: workers }, work)));
  const mostPerSecond = (workers * 1000) / (latencyMs + 0.6);
  let possible = 0;
  for (let at = 0; at < clock.ms; at += 100) possible += Math.min(mostPerSecond, perSecond(at) * (1 - others)) / 10;
  return { share: passed / possible, passed, refused };
}

const LIMITS = {
  'a bucket of one second': bucketOfOneSecond,
  'a bucket of ten': bucket(10),
  'windows of one second': windows(1000),
};
type Kind = keyof typeof LIMITS;
const [SECOND, TEN, WINDOWS] = ['a bucket of one second', 'a bucket of ten', 'windows of one second'] as const;

const worlds = (latencies: number[]) =>
  latencies.flatMap((latencyMs) => [4, 16].map((workers) => ({ latencyMs, workers })));

/** Bounds for any latency and number of workers; the first burst does not count. */
async function expectIn(
  cases: Pick<Case, 'latencyMs' | 'workers'>[],
  rest: Omit<Case, 'latencyMs' | 'workers'>,
  { share, waste }: { share: number; waste: number },
) {
  for (const hostOptions of cases) {
    const found = await storm({ ...rest, ...hostOptions });
    expect(found.share, JSON.stringify(hostOptions)).toBeGreaterThan(share);
    expect((found.refused - hostOptions.workers) / found.passed, JSON.stringify(hostOptions)).toBeLessThan(waste);
  }
}

describe('a rate learned from 429 responses', () => {
  // The last two: the least share where the service tells the wait, which is a second or more, and where it does not.
  it.each<[kind: Kind, perSecond: number, waste: number, toldShare: number, untoldShare: number]>([
    [SECOND, 5, 0.1, 0.9, 0.95],
    [SECOND, 10, 0.06, 0.95, 0.95],
    [SECOND, 50, 0.02, 0.97, 0.97],
    [SECOND, 200, 0.02, 0.97, 0.97],
    [TEN, 5, 0.15, 0.95, 0.95],
    [TEN, 10, 0.06, 0.95, 0.95],
    [TEN, 50, 0.02, 0.8, 0.95],
    [TEN, 200, 0.02, 0.4, 0.75],
    [WINDOWS, 5, 0.15, 0.75, 0.85],
    [WINDOWS, 10, 0.1, 0.75, 0.85],
    [WINDOWS, 50, 0.03, 0.75, 0.9],
    [WINDOWS, 200, 0.04, 0.65, 0.85],
  ])('approaches a limit of %s for %d per second', async (kind, perSecond, waste, toldShare, untoldShare) => {
    const rest = { limit: LIMITS[kind], perSecond: () => perSecond, ms: Math.min(30_000, 2_000_000 / perSecond) };
    const all = worlds([0, 50, 300]);
    await expectIn(all, { ...rest, tellsWait: true }, { share: toldShare, waste });
    await expectIn(all, { ...rest, tellsWait: false }, { share: untoldShare, waste });
  });

  it.each<[string, Case['limit'], perSecond: number, ms: number, share: number]>([
    ['a bucket of one for 50 a second', bucket(1), 50, 30_000, 0.4],
    ['200 a minute', windows(60_000), 200 / 60, 300_000, 0.95],
  ])('approaches a limit of %s', async (_, limit, perSecond, ms, share) => {
    const rest = { limit, perSecond: () => perSecond, ms };
    for (const tellsWait of [true, false]) {
      await expectIn(worlds([0, 50]), { ...rest, tellsWait }, { share, waste: tellsWait ? 0.03 : 0.08 });
    }
  });

  it.each<[kind: Kind, from: number, to: number, share: number]>([
    [SECOND, 50, 10, 0.95],
    [SECOND, 10, 50, 0.6],
    [TEN, 50, 10, 0.8],
    [WINDOWS, 50, 10, 0.75],
    [WINDOWS, 10, 50, 0.6],
  ])('follows a limit of %s that changes from %d to %d', async (kind, from, to, share) => {
    const rest = { limit: LIMITS[kind], perSecond: (ms: number) => (ms < 30_000 ? from : to), ms: 90_000 };
    for (const tellsWait of [true, false]) {
      await expectIn(worlds([50]), { ...rest, tellsWait }, { share, waste: 0.05 });
    }
  });

  it.each<[kind: Kind, share: number]>([
    [SECOND, 0.95],
    [TEN, 0.8],
    [WINDOWS, 0.8],
  ])('uses the rest of %s that others leave', async (kind, share) => {
    const rest = { limit: LIMITS[kind], perSecond: () => 50, ms: 30_000, others: 0.5 };
    for (const tellsWait of [true, false]) {
      await expectIn(worlds([0, 50, 300]), { ...rest, tellsWait }, { share, waste: 0.05 });
    }
  });
});

describe('a rate', () => {
  const of50 = { ...createRateEstimate(0), sustained: { requests: 50, ms: 1000 }, resumedAt: 1000 };

  it('is unlimited before the first 429', () => {
    expect(computeAllowedRate(recordSuccess(createRateEstimate(0)), 1000)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is not derived from a single success before the first 429', () => {
    const rate = recordThrottle(recordSuccess(createRateEstimate(0)), Number.POSITIVE_INFINITY, 20, 1020);
    expect(computeAllowedRate(rate, 1020)).toBe(Number.POSITIVE_INFINITY);
    expect(computeAllowedRate(recordLateResponse(rate, 1, rate.resumedAt), 1020)).toBeLessThan(1);
  });

  it('is at first twice the sustained rate, including the wait', () => {
    let rate = createRateEstimate(0);
    for (let i = 0; i < 51; i++) rate = recordSuccess(rate);
    expect(computeAllowedRate(recordThrottle(rate, Number.POSITIVE_INFINITY, 20, 1020), 1020) * 1000).toBeCloseTo(
      98,
      0,
    );
  });

  it('is then between the sustained and the rejected rate', () => {
    expect(computeAllowedRate({ ...of50, ceiling: 0.06 }, 1000) * 1000).toBeCloseTo(54, 0);
  });

  it('keeps the ceiling if nothing passed between two 429, because only the wait was too short', () => {
    const rate = recordThrottle({ ...of50, ceiling: 0.06 }, 0.055, 1000, 4000);
    expect(rate).toMatchObject({ ceiling: 0.06, sustained: { requests: 50, ms: 4000 } });
  });

  it('drops the ceiling after twenty waits, step by step', () => {
    const paces = [0, 20, 21, 22].map(
      (waits) => computeAllowedRate({ ...of50, ceiling: 0.06 }, 1000 + waits * 1000) / 0.06,
    );
    expect(paces[1]).toBe(paces[0]);
    expect(paces[2]).toBeLessThan(1.1);
    expect(paces[3]).toBeGreaterThan(1.2);
  });
});
