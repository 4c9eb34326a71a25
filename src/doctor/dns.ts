/** Checks that the host of the service, or of the proxy, resolves. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { getHostname } from '../api/http/connection-probe.ts';
import { requirePermission } from '../host/node-options.ts';
import { type Check, type CheckResult, defineCheck } from './check.ts';
import type { DoctorContext } from './context.ts';

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
