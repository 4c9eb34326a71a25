import { describe, expect, it } from 'vitest';
import type { HttpResponse } from '../../../src/api/http/http.ts';
import { createRateLimiter, type Permit, type RateLimiter } from '../../../src/api/retry/rate-limiter.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';

const TOO_MANY: HttpResponse = { status: 429, headers: {}, body: Buffer.alloc(0) };

type Limit = (now: number) => number | undefined;

/** Accepts a request, or returns the wait in milliseconds: a token bucket. */
function bucket(perSecond: number, burst: number): Limit {
  let tokens = burst;
  let at = 0;
  return (now) => {
    tokens = Math.min(burst, tokens + ((now - at) * perSecond) / 1000);
    at = now;
    if (tokens < 1) return 1000;
    tokens--;
    return undefined;
  };
}

/** A number of requests per window, then none until the window ends. */
function windowOf(count: number, windowMs: number): Limit {
  let began = Number.NEGATIVE_INFINITY;
  let taken = 0;
  return (now) => {
    if (now - began >= windowMs) [began, taken] = [now, 0];
    return ++taken > count ? windowMs - (now - began) : undefined;
  };
}

/** Workers that send `total` requests through one pace; what went out, when, and what was refused. */
async function storm(limit: Limit, total: number, workers: number) {
  const clock = virtualClock();
  const pace: RateLimiter = createRateLimiter(clock);
  const sent: number[] = [];
  const refused: { at: number; until: number }[] = [];
  let begun = 0;
  const work = async () => {
    while (begun < total) {
      begun++;
      for (;;) {
        const leave = await pace.acquire(Number.POSITIVE_INFINITY);
        if ('excessiveWaitMs' in leave) throw new Error('no leave');
        sent.push(clock.ms);
        await clock.sleep(2);
        const wait = limit(clock.ms);
        await clock.sleep(3);
        if (wait === undefined) {
          pace.onAccepted();
          break;
        }
        refused.push({ at: clock.ms, until: clock.ms + wait });
        pace.onThrottled(leave, TOO_MANY, wait);
      }
    }
  };
  await clock.run(Promise.all(Array.from({ length: workers }, work)));
  return { sent, refused, seconds: clock.ms / 1000, wasted: refused.length / sent.length };
}

describe('workers that share a rate limiter', () => {
  it.each<[string, () => Limit, number, number]>([
    ['50 a second', () => bucket(50, 50), 3000, 66],
    ['50 a second without a burst', () => bucket(50, 1), 3000, 150],
    ['200 a minute', () => windowOf(200, 60_000), 2000, 600],
  ])('waste less than 5 % of requests with a limit of %s', async (_, limit, total, seconds) => {
    for (const workers of [8, 16]) {
      const found = await storm(limit(), total, workers);
      expect(found.wasted).toBeLessThan(0.05);
      expect(found.seconds).toBeLessThan(seconds);
    }
  });

  it('send nothing new while one of them has to wait', async () => {
    const { sent, refused } = await storm(bucket(20, 10), 400, 16);
    expect(refused.length).toBeGreaterThan(1);
    for (const { at, until } of refused) expect(sent.filter((time) => time > at && time < until)).toEqual([]);
  });

  it('are not delayed without a 429', async () => {
    const { seconds } = await storm(() => undefined, 1000, 10);
    expect(seconds).toBeCloseTo(0.5, 1);
  });
});

describe('a rate limiter', () => {
  it('denies requests if the required wait exceeds the remaining time, and returns the wait', async () => {
    const clock = virtualClock();
    const pace = createRateLimiter(clock);
    const leave = await pace.acquire(1000);
    if ('excessiveWaitMs' in leave) throw new Error('it is open at first');
    pace.onThrottled(leave, TOO_MANY, 5000);
    expect(await pace.acquire(4999)).toEqual({ excessiveWaitMs: 5000, response: TOO_MANY });
    expect(await clock.run(pace.acquire(5000))).toEqual({ generation: 1 });
    expect(clock.ms).toBe(5000);
  });

  it('spaces requests by the minimum interval, however many start at once', async () => {
    const clock = virtualClock();
    const pace = createRateLimiter({ ...clock, minIntervalMs: 20 });
    const times: number[] = [];
    await clock.run(
      Promise.all(
        Array.from({ length: 5 }, async () => {
          await pace.acquire(0);
          times.push(clock.ms);
        }),
      ),
    );
    expect(times).toEqual([0, 20, 40, 60, 80]);
  });

  it('reschedules all waiting requests after another 429', async () => {
    const clock = virtualClock();
    const pace = createRateLimiter({ ...clock, minIntervalMs: 20 });
    const leave = await pace.acquire(1000);
    if ('excessiveWaitMs' in leave) throw new Error('it is open at first');
    const times: number[] = [];
    const enter = async () => {
      await pace.acquire(1000);
      times.push(clock.ms);
    };
    const waiting = [enter(), enter(), enter(), enter()];
    pace.onThrottled(leave, TOO_MANY, 50);
    await clock.run(Promise.all([...waiting, enter(), enter()]));
    expect(times).toEqual([50, 70, 90, 110, 130, 150]);
  });

  it('distinguishes new waits from ones that were just reported', async () => {
    const pace = createRateLimiter(virtualClock());
    const [a, b, c] = (await Promise.all([1, 2, 3].map(() => pace.acquire(1000)))) as Permit[];
    if (!a || !b || !c) throw new Error('it is open at first');
    expect([
      pace.onThrottled(a, TOO_MANY, 1000),
      pace.onThrottled(b, TOO_MANY, 1200),
      pace.onThrottled(c, TOO_MANY, 9000),
    ]).toEqual([true, false, true]);
  });
});
