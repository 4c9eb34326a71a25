/** Whether the name of the next host on the way has an address. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { hostOf } from '../api/http/connection-probe.ts';
import { requirePermission } from '../host/node-options.ts';
import { type Check, checkOf, type Finding } from './check.ts';
import type { Subject } from './context.ts';

export interface NameFacts {
  /** The next host: the service, or the proxy. */
  host: string;
  /** The name that a proxy looks up instead. */
  behind: string | undefined;
  addresses: readonly string[];
  /** Why there are none; undefined where the host is an address itself. */
  code: string | undefined;
}

export const dns: Check = checkOf('DNS', lookUp, judgeName);

async function lookUp({ remote, road, limitMs }: Subject): Promise<NameFacts | undefined> {
  if (!remote || !road?.value) return undefined;
  const { proxy } = road.value;
  const host = hostOf(proxy?.url ?? remote.baseUrl);
  const facts = { host, behind: proxy && remote.baseUrl.hostname, addresses: [], code: undefined };
  if (isIP(host)) return facts;
  requirePermission('Net', 'look up the host');
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((done) => {
    timer = setTimeout(() => done(`no answer within ${limitMs / 1000} s`), limitMs);
  });
  const addresses = lookup(host, { all: true }).then(
    (found) => found.map(({ address }) => address),
    ({ code }: NodeJS.ErrnoException) => code ?? 'unknown reason',
  );
  const found = await Promise.race([addresses, late]);
  clearTimeout(timer);
  return typeof found === 'string' ? { ...facts, code: found } : { ...facts, addresses: [...new Set(found)] };
}

/** Pure. */
export function judgeName(facts: NameFacts | undefined): Finding | undefined {
  if (!facts) return undefined;
  const { host, behind, addresses, code } = facts;
  const rest = behind === undefined ? '' : `; the proxy looks up ${behind}`;
  if (code !== undefined) {
    const whose = behind === undefined ? 'the base address' : 'the address of the proxy';
    return {
      status: 'failed',
      found: `${host} was not found (${code})`,
      advice: `check the spelling of ${whose}, and the network`,
      code: 'unavailable',
    };
  }
  const found = addresses.length === 0 ? `${host} is an address itself` : `${host} is ${addresses.join(', ')}`;
  return { status: 'ok', found: found + rest };
}
