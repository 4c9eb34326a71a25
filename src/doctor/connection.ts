/** Checks that the service, or the proxy, accepts connections. */
import { getHostname, getPort, probeTcp } from '../api/http/connection-probe.ts';
import { NetworkError } from '../api/http/http.ts';
import { describeNetworkError } from '../api/http/network-errors.ts';
import { type Check, type CheckResult, defineCheck } from './check.ts';
import type { DoctorContext } from './context.ts';

export interface ConnectionFacts {
  /** The service or the proxy, with host and port. */
  endpoint: string;
  /** The IP address of the connection, or the error. */
  result: string | NetworkError;
}

export const connection: Check = defineCheck('connection', gatherConnection, evaluateConnection);

async function gatherConnection({ remote, settings, timeoutMs }: DoctorContext): Promise<ConnectionFacts | undefined> {
  if (!remote || !settings?.value) return undefined;
  const { proxy } = settings.value;
  const url = proxy?.url ?? remote.baseUrl;
  const endpoint = `${proxy ? 'the proxy' : 'the service'}, ${getHostname(url)} port ${getPort(url)}`;
  return { endpoint, result: await probeTcp({ baseUrl: remote.baseUrl, proxy }, timeoutMs).catch(asNetworkError) };
}

/** Converts a NetworkError to a value. Rethrows anything else. */
export function asNetworkError(error: unknown): NetworkError {
  if (error instanceof NetworkError) return error;
  throw error;
}

/** Pure. */
export function evaluateConnection(facts: ConnectionFacts | undefined): CheckResult | undefined {
  if (!facts) return undefined;
  const { endpoint, result } = facts;
  if (typeof result === 'string') return { status: 'ok', found: `connected to ${endpoint} (${result})` };
  if (result.kind === 'host-not-found') return { status: 'unknown', found: 'not checked, because DNS failed' };
  const { cause, hint } = describeNetworkError(result);
  return { status: 'failed', found: `${endpoint}: ${cause} (${result.code})`, advice: hint, code: 'unavailable' };
}
