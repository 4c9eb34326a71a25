/** Whether the clock of this machine agrees with that of the service. */
import { type Check, type CheckResult, defineCheck } from './check.ts';
import type { DoctorContext } from './context.ts';

export interface ClockFacts {
  /** What the service says in its Date header, and when that came. */
  date: string | undefined;
  receivedAt: Date;
}

export const clock: Check = defineCheck('clock', gatherClock, evaluateClock);

async function gatherClock({ remote, probeService }: DoctorContext): Promise<ClockFacts | undefined> {
  if (!remote) return undefined;
  const { response, receivedAt = new Date(0) } = (await probeService()) ?? {};
  return { date: response?.headers['date'], receivedAt };
}

/** A Date header has whole seconds, and an answer takes its time. */
const MAX_DIFFERENCE_S = 60;

/** Pure. */
export function evaluateClock(facts: ClockFacts | undefined): CheckResult | undefined {
  if (!facts) return undefined;
  const time = Date.parse(facts.date ?? '');
  if (Number.isNaN(time)) return { status: 'unknown', found: 'no answer said what time it is at the service' };
  const ahead = Math.round((facts.receivedAt.getTime() - time) / 1000);
  if (Math.abs(ahead) <= MAX_DIFFERENCE_S) return { status: 'ok', found: 'agrees with that of the service' };
  const found = `${formatDuration(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} that of the service`;
  return { status: 'warning', found: found, advice: 'set the clock of this machine; certificates are judged by it' };
}

function formatDuration(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`;
  if (seconds < 2 * 60 * 60) return `${Math.round(seconds / 60)} minutes`;
  if (seconds < 2 * 24 * 60 * 60) return `${Math.round(seconds / 60 / 60)} hours`;
  return `${Math.round(seconds / 60 / 60 / 24)} days`;
}
