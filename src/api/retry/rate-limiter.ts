/** The pace of all requests of one seam: what the rate limit refuses to one makes all of them wait, and teaches them its rate. */
import type { WireAnswer } from '../http/http.ts';
import { afterPass, afterRefusal, afterStraggler, paceOf, type Rate, unknownRate } from './rate-estimator.ts';

export interface Clock {
  now(): Date;
  sleep(milliseconds: number): Promise<void>;
  /** The least time between the beginnings of two requests, in milliseconds; 0 when it is not given. */
  gapMs?: number;
}

/** Leave to send one request; names the opening of the gate that it went through, and the pace that led up to it. */
export type Leave = { opening: number; pace: number };

/** No leave: the service wants a wait that is too long; `answer` is where it said so. */
export type NoLeave = { tooLongMs: number; answer: WireAnswer };

export interface Pace {
  /** Waits until a request may go out; not at all when the gate stays shut for longer than `leftMs`. */
  enter(leftMs: number): Promise<Leave | NoLeave>;
  /** A request was answered otherwise than by the rate limit. */
  passed(leave: Leave): void;
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
  let rate: Rate | undefined;
  let pace = Number.POSITIVE_INFINITY;

  return {
    enter: async (leftMs) => {
      for (;;) {
        const now = clock.now().getTime();
        if (last && shutUntil - now > leftMs) return { tooLongMs: shutUntil - now, answer: last };
        rate ??= unknownRate(now);
        const shut = shutUntil;
        const slot = Math.max(now, shut, nextAt);
        const leave = { opening, pace };
        pace = paceOf(rate, now);
        nextAt = slot + Math.max(1 / pace, clock.gapMs ?? 0);
        if (slot > now) await clock.sleep(slot - now);
        // Else it was shut again in the meantime, and all slots are given anew.
        if (shut === shutUntil) return leave;
      }
    },
    passed: (leave) => {
      rate &&= leave.opening === opening ? afterPass(rate) : afterStraggler(rate, 1, rate.openedAt);
    },
    refused: (leave, answer, waitMs) => {
      const now = clock.now().getTime();
      const isFirst = leave.opening === opening;
      const isNews = isFirst || now + waitMs - shutUntil >= NEWS_MS;
      if (now + waitMs > shutUntil) {
        shutUntil = now + waitMs;
        nextAt = shutUntil;
      }
      if (isFirst) opening++;
      rate &&= isFirst ? afterRefusal(rate, leave.pace, now, shutUntil) : afterStraggler(rate, 0, shutUntil);
      last = answer;
      return isNews;
    },
  };
}
