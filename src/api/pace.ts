/** The pace of all requests of one seam: what the rate limit refuses to one makes all of them wait, and teaches them its rate. */
import type { WireAnswer } from './exchange.ts';
import { afterPass, afterRefusal, type Rate, UNKNOWN } from './rate.ts';

export interface Clock {
  now(): Date;
  sleep(milliseconds: number): Promise<void>;
  /** The least time between the beginnings of two requests, in milliseconds; 0 when it is not given. */
  gapMs?: number;
}

/** Leave to send one request; names the opening of the gate that it went through. */
export type Leave = { opening: number };

/** No leave: the service wants a wait that is too long; `answer` is where it said so. */
export type NoLeave = { tooLongMs: number; answer: WireAnswer };

export interface Pace {
  /** Waits until a request may go out; not at all when the gate stays shut for longer than `leftMs`. */
  enter(leftMs: number): Promise<Leave | NoLeave>;
  /** A request was answered otherwise than by the rate limit. */
  passed(): void;
  /** A request was told to wait: nothing goes out before. True when that is news: no other has just been told the same. */
  refused(leave: Leave, answer: WireAnswer, waitMs: number): boolean;
}

const NEWS_MS = 1000;

/** Makes a gate that is open at first. A refusal shuts it for as long as the service asks; then a learned rate holds. */
export function createPace(clock: Clock): Pace {
  let shutUntil = 0;
  let last: WireAnswer | undefined;
  let opening = 0;
  let nextAt = 0;
  let rate: Rate = UNKNOWN;

  return {
    enter: async (leftMs) => {
      for (;;) {
        const now = clock.now().getTime();
        if (last && shutUntil - now > leftMs) return { tooLongMs: shutUntil - now, answer: last };
        const slot = Math.max(now, shutUntil, nextAt);
        nextAt = slot + Math.max(rate.gapMs, clock.gapMs ?? 0);
        if (slot > now) await clock.sleep(slot - now);
        // Else it was shut again in the meantime.
        if (shutUntil <= slot) return { opening };
      }
    },
    passed: () => {
      rate = afterPass(rate);
    },
    refused: (leave, answer, waitMs) => {
      const now = clock.now().getTime();
      // Requests that were under way when the gate was shut say nothing new of the rate.
      const isFirst = leave.opening === opening;
      if (isFirst) {
        rate = afterRefusal(rate, now, now + waitMs);
        opening++;
      }
      const isNews = isFirst || now + waitMs - shutUntil >= NEWS_MS;
      shutUntil = Math.max(shutUntil, now + waitMs);
      nextAt = shutUntil;
      last = answer;
      return isNews;
    },
  };
}
