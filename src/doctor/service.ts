/** Whether what answers is the service. */
import { ExchangeFault } from '../api/http/http.ts';
import { explained } from '../api/http/network-errors.ts';
import { type Check, checkOf, type Finding, failedBy } from './check.ts';
import type { Reading, Subject } from './context.ts';

export const service: Check = checkOf('service', facts, judgeService);

interface ServiceFacts {
  isLocal: boolean;
  /** Undefined where it was not asked. */
  reading: Reading | undefined;
}

async function facts({ place, remote, reading }: Subject): Promise<ServiceFacts | undefined> {
  const isLocal = place.value?.kind === 'local';
  return isLocal || remote ? { isLocal, reading: await reading() } : undefined;
}

/** What keeps a connection from being made, and is told in full by the checks before. */
const BEFORE: readonly string[] = ['host-not-found', 'refused', 'certificate', 'tls', 'handshake', 'time-limit'];

/** Pure. */
export function judgeService(known: ServiceFacts | undefined): Finding | undefined {
  if (!known) return undefined;
  const { isLocal, reading } = known;
  if (!reading) return { status: 'unknown', found: 'not asked: what is wrong above or below comes first' };
  const { error, answer } = reading;
  const { cause } = error ?? {};
  if (cause instanceof ExchangeFault && BEFORE.includes(cause.kind) && !cause.mayHaveArrived) {
    return { status: 'failed', found: `could not be asked: ${explained(cause).cause}`, code: 'unavailable' };
  }
  if (!error || error.outcome === 'denied') {
    return { status: 'ok', found: isLocal ? 'answers' : `answers (status ${answer?.status})` };
  }
  return failedBy(error);
}
