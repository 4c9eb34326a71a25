/** Checks the base URL, the responses of the service, and the key. Permissions to write cannot be checked without a write. */

import { NetworkError } from '../api/http/http.ts';
import { describeNetworkError } from '../api/http/network-errors.ts';
import { formatBaseUrl } from '../settings/base-url.ts';
import { KEY_SOURCES } from '../settings/key-sources.ts';
import { BASE_URL_SOURCES, missingKeyError } from '../settings/resolve-address.ts';
import type { CheckResult } from '../views/doctor-view.ts';
import { type Check, defineCheck, toFailedResult } from './check.ts';
import type { DoctorContext, ServiceProbe } from './context.ts';

export const baseUrlCheck: Check = defineCheck('base URL', ({ address }) => address, evaluateBaseUrl);

function evaluateBaseUrl({ value, error }: DoctorContext['address']): CheckResult {
  if (error) return toFailedResult(error);
  if (value.kind === 'local') return { status: 'ok', found: 'the embedded service' };
  const { baseUrl, baseUrlSource, profile } = value;
  const name = baseUrlSource === 'profile' ? `, profile "${profile?.name}"` : '';
  return { status: 'ok', found: `${formatBaseUrl(baseUrl)} (${BASE_URL_SOURCES[baseUrlSource]}${name})` };
}

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

interface KeyFacts {
  /** Suffix and source of the key; undefined without a key. */
  description: string | undefined;
  /** Why no key was found. */
  error: ServiceProbe['error'];
  probe: ServiceProbe | undefined;
}

export const key: Check = defineCheck('key', gatherKey, evaluateKey);

async function gatherKey({ host, remote, key: keyResult, probeService }: DoctorContext): Promise<KeyFacts | undefined> {
  if (!remote || !keyResult) return undefined;
  const { value: found, error } = keyResult;
  if (!found) return { description: undefined, error: error ?? missingKeyError(remote, host), probe: undefined };
  return {
    description: `${found.key.formatSuffix()} (${KEY_SOURCES[found.keySource]})`,
    error: undefined,
    probe: await probeService(),
  };
}

/** Pure. */
function evaluateKey(facts: KeyFacts | undefined): CheckResult | undefined {
  if (!facts) return undefined;
  const { description, error, probe } = facts;
  if (error) return toFailedResult(error);
  if (probe && !probe.error) return { status: 'ok', found: `${description}, accepted for reading` };
  if (probe?.error?.outcome === 'denied') return toFailedResult(probe.error);
  return { status: 'unknown', found: `${description}; could not check whether it is accepted` };
}
