/** Whether what answers is the service. */
import { NetworkError } from '../api/http/http.ts';
import { describeNetworkError } from '../api/http/network-errors.ts';
import { type Check, type CheckResult, defineCheck, toFailedResult } from './check.ts';
import type { DoctorContext, ServiceProbe } from './context.ts';

export const service: Check = defineCheck('service', gatherService, evaluateService);

interface ServiceFacts {
  isLocal: boolean;
  /** Undefined where it was not asked. */
  probe: ServiceProbe | undefined;
}

async function gatherService({ address, remote, probeService }: DoctorContext): Promise<ServiceFacts | undefined> {
  const isLocal = address.value?.kind === 'local';
  return isLocal || remote ? { isLocal, probe: await probeService() } : undefined;
}

/** What keeps a connection from being made, and is told in full by the checks before. */
const REPORTED_BY_OTHER_CHECKS: readonly string[] = [
  'host-not-found',
  'refused',
  'certificate',
  'tls',
  'handshake',
  'time-limit',
];

/** Pure. */
export function evaluateService(facts: ServiceFacts | undefined): CheckResult | undefined {
  if (!facts) return undefined;
  const { isLocal, probe } = facts;
  if (!probe) return { status: 'unknown', found: 'not asked: what is wrong above or below comes first' };
  const { error, response } = probe;
  const { cause } = error ?? {};
  if (cause instanceof NetworkError && REPORTED_BY_OTHER_CHECKS.includes(cause.kind) && !cause.mayHaveArrived) {
    return { status: 'failed', found: `could not be asked: ${describeNetworkError(cause).cause}`, code: 'unavailable' };
  }
  if (!error || error.outcome === 'denied') {
    return { status: 'ok', found: isLocal ? 'answers' : `answers (status ${response?.status})` };
  }
  return toFailedResult(error);
}
