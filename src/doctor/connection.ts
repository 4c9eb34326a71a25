/** Whether the next host on the way, the service or the proxy, takes connections. */

import { hostOf, portOf, reach } from '../api/http/connection-probe.ts';
import { ExchangeFault } from '../api/http/http.ts';
import { explained } from '../api/http/network-errors.ts';
import { type Check, checkOf, type Finding } from './check.ts';
import type { Subject } from './context.ts';

export interface ConnectionFacts {
  /** host:port, and what is there. */
  to: string;
  /** The address that was reached, or why there is none. */
  reached: string | ExchangeFault;
}

export const connection: Check = checkOf('connection', connect, judgeConnection);

async function connect({ remote, road, limitMs }: Subject): Promise<ConnectionFacts | undefined> {
  if (!remote || !road?.value) return undefined;
  const { proxy } = road.value;
  const url = proxy?.url ?? remote.baseUrl;
  const to = `${proxy ? 'the proxy' : 'the service'}, ${hostOf(url)} port ${portOf(url)}`;
  return { to, reached: await reach({ baseUrl: remote.baseUrl, proxy }, limitMs).catch(asFault) };
}

/** A fault as a value. Throws anything else. */
export function asFault(error: unknown): ExchangeFault {
  if (error instanceof ExchangeFault) return error;
  throw error;
}

/** Pure. */
export function judgeConnection(facts: ConnectionFacts | undefined): Finding | undefined {
  if (!facts) return undefined;
  const { to, reached } = facts;
  if (typeof reached === 'string') return { status: 'ok', found: `made to ${to} (${reached})` };
  if (reached.kind === 'host-not-found') return { status: 'unknown', found: `none was tried, since DNS failed` };
  const { cause, hint } = explained(reached);
  return { status: 'failed', found: `to ${to}: ${cause} (${reached.code})`, advice: hint, code: 'unavailable' };
}
