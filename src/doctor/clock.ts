/** Whether the clock of this machine agrees with that of the service. */
import { type Check, checkOf, type Finding } from './check.ts';
import type { Subject } from './context.ts';

export interface ClockFacts {
  /** What the service says in its Date header, and when that came. */
  date: string | undefined;
  at: Date;
}

export const clock: Check = checkOf('clock', facts, judgeClock);

async function facts({ remote, reading }: Subject): Promise<ClockFacts | undefined> {
  if (!remote) return undefined;
  const { answer, at = new Date(0) } = (await reading()) ?? {};
  return { date: answer?.headers['date'], at };
}

/** A Date header has whole seconds, and an answer takes its time. */
const ALIKE_S = 60;

/** Pure. */
export function judgeClock(known: ClockFacts | undefined): Finding | undefined {
  if (!known) return undefined;
  const time = Date.parse(known.date ?? '');
  if (Number.isNaN(time)) return { status: 'unknown', found: 'no answer said what time it is at the service' };
  const ahead = Math.round((known.at.getTime() - time) / 1000);
  if (Math.abs(ahead) <= ALIKE_S) return { status: 'ok', found: 'agrees with that of the service' };
  const words = `${durationWords(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} that of the service`;
  return { status: 'warning', found: words, advice: 'set the clock of this machine; certificates are judged by it' };
}

function durationWords(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`;
  if (seconds < 2 * 60 * 60) return `${Math.round(seconds / 60)} minutes`;
  if (seconds < 2 * 24 * 60 * 60) return `${Math.round(seconds / 60 / 60)} hours`;
  return `${Math.round(seconds / 60 / 60 / 24)} days`;
}
