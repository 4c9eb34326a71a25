/** Checks that the responses are those of the service. */
import { NetworkError } from '../api/http/http.ts';
import { describeNetworkError } from '../api/http/network-errors.ts';
import { type Check, type CheckResult, defineCheck, toFailedResult } from './check.ts';
import type { DoctorContext, ServiceProbe } from './context.ts';

export const service: Check = defineCheck('service', gatherService, evaluateService);

interface ServiceFacts {
  isLocal: boolean;
  /** Undefined if no request was sent. */
  probe: ServiceProbe | undefined;
}

async function gatherService({ address, remote, probeService }: DoctorContext): Promise<ServiceFacts | undefined> {
  const isLocal = address.value?.kind === 'local';
  return isLocal || remote ? { isLocal, probe: await probeService() } : undefined;
}

/** Errors that the other checks report in full. */
const REPORTED_BY_OTHER_CHECKS: readonly string[] = [
  'host-not-found',
  'refused',
  'certificate',
  'tls',
  'handshake',
  'timeout',
];

/** Pure. */
function evaluateService(facts: ServiceFacts | undefined): CheckResult | undefined {
  if (!facts) return undefined;
  const { isLocal, probe } = facts;
  if (!probe) return { status: 'unknown', found: 'not checked; fix the other problems first' };
  const { error, response } = probe;
  const { cause } = error ?? {};
  if (cause instanceof NetworkError && REPORTED_BY_OTHER_CHECKS.includes(cause.kind) && !cause.mayHaveArrived) {
    return { status: 'failed', found: `not reachable: ${describeNetworkError(cause).cause}`, code: 'unavailable' };
  }
  if (!error || error.outcome === 'denied') {
    return { status: 'ok', found: isLocal ? 'reachable' : `reachable (status ${response?.status})` };
  }
  return toFailedResult(error);
}
