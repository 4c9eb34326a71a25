/** Checks the way to the service: the proxy, DNS, and connections. */

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { getHostname, getPort, probeTcp } from '../api/http/connection-probe.ts';
import { NetworkError } from '../api/http/http.ts';
import { describeNetworkError } from '../api/http/network-errors.ts';
import { requirePermission } from '../host/node-options.ts';
import type { CheckResult } from '../views/doctor-view.ts';
import { type Check, defineCheck, toFailedResult } from './check.ts';
import type { DoctorContext } from './context.ts';

export const proxy: Check = defineCheck('proxy', ({ settings }) => settings, evaluateProxy);

function evaluateProxy(settings: DoctorContext['settings']): CheckResult | undefined {
  if (!settings) return undefined;
  if (settings.error) return toFailedResult(settings.error);
  const used = settings.value.proxy;
  if (!used) return { status: 'ok', found: 'none; requests are sent directly' };
  return { status: 'ok', found: `${used.url.origin} (${used.source})${used.credentials ? ', with a user name' : ''}` };
}

export interface DnsFacts {
  /** The service, or the proxy. */
  host: string;
  /** The service's host, if a proxy resolves it. */
  proxiedHost: string | undefined;
  addresses: readonly string[];
  /** The error code of the lookup. */
  code: string | undefined;
}

export const dns: Check = defineCheck('DNS', gatherDns, evaluateDns);

async function gatherDns({ remote, settings, timeoutMs }: DoctorContext): Promise<DnsFacts | undefined> {
  if (!remote || !settings?.value) return undefined;
  const { proxy } = settings.value;
  const host = getHostname(proxy?.url ?? remote.baseUrl);
  const facts = { host, proxiedHost: proxy && remote.baseUrl.hostname, addresses: [], code: undefined };
  if (isIP(host)) return facts;
  requirePermission('Net', 'look up the host');
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<string>((done) => {
    timer = setTimeout(() => done(`no response within ${timeoutMs / 1000} s`), timeoutMs);
  });
  const addresses = lookup(host, { all: true }).then(
    (found) => found.map(({ address }) => address),
    ({ code }: NodeJS.ErrnoException) => code ?? 'unknown reason',
  );
  const found = await Promise.race([addresses, timedOut]);
  clearTimeout(timer);
  return typeof found === 'string' ? { ...facts, code: found } : { ...facts, addresses: [...new Set(found)] };
}

/** Pure. */
export function evaluateDns(facts: DnsFacts | undefined): CheckResult | undefined {
  if (!facts) return undefined;
  const { host, proxiedHost, addresses, code } = facts;
  const rest = proxiedHost === undefined ? '' : `; the proxy resolves ${proxiedHost}`;
  if (code !== undefined) {
    const url = proxiedHost === undefined ? 'base URL' : 'proxy URL';
    return {
      status: 'failed',
      found: `host ${host} not found (${code})`,
      advice: `Check the spelling of the ${url}, and the network connection.`,
      code: 'unavailable',
    };
  }
  const found = addresses.length === 0 ? `${host} is an IP address` : `${host} resolves to ${addresses.join(', ')}`;
  return { status: 'ok', found: found + rest };
}

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
