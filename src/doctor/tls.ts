/** Whether the service proves who it is, and until when it can. */

import { type Shown, shakeHands, shownUntrusted } from '../api/http/connection-probe.ts';
import { ExchangeFault } from '../api/http/http.ts';
import { explained } from '../api/http/network-errors.ts';
import { isLoopback } from '../settings/base-url.ts';
import { type Check, checkOf, type Finding } from './check.ts';
import { asFault } from './connection.ts';
import type { Subject } from './context.ts';

export interface TlsFacts {
  /** https://, or where http:// goes. */
  scheme: 'https' | 'http here' | 'http elsewhere';
  shown: Shown | undefined;
  fault: ExchangeFault | undefined;
  now: Date;
}

export const tls: Check = checkOf('TLS', handshake, judgeTls);

async function handshake({ remote, road, limitMs, host }: Subject): Promise<TlsFacts | undefined> {
  if (!remote || !road?.value) return undefined;
  const { baseUrl } = remote;
  const { proxy, certificates, unencryptedTo } = road.value;
  const facts = { shown: undefined, fault: undefined, now: host.now() };
  if (baseUrl.protocol === 'http:') {
    const isHere = unencryptedTo === undefined && isLoopback(baseUrl);
    return { ...facts, scheme: isHere ? 'http here' : 'http elsewhere' };
  }
  const result = await shakeHands({ baseUrl, proxy, certificates }, limitMs).catch(asFault);
  if (!(result instanceof ExchangeFault)) return { ...facts, scheme: 'https', shown: result };
  const isSeen = result.kind === 'certificate' && !proxy;
  const shown = isSeen ? await shownUntrusted(baseUrl, limitMs) : undefined;
  return { ...facts, scheme: 'https', shown, fault: result };
}

const DAY_MS = 24 * 60 * 60 * 1000;
const SOON_DAYS = 14;
const NOT_REACHED = ['host-not-found', 'refused'];

/** Pure. */
export function judgeTls(facts: TlsFacts | undefined): Finding | undefined {
  if (!facts) return undefined;
  const { scheme, shown, fault, now } = facts;
  if (scheme === 'http here') return { status: 'ok', found: 'not used: http:// to this machine' };
  if (scheme === 'http elsewhere') {
    const advice = 'use an address with https://';
    return { status: 'warning', found: 'not used: the key travels unencrypted', advice };
  }
  if (fault) return faultFinding(fault, shown);
  if (!shown) return undefined;
  const days = Math.floor((shown.until.getTime() - now.getTime()) / DAY_MS);
  const found = `${shown.protocol}, ${certificateWords(shown)}, ${days} days left`;
  return days < SOON_DAYS
    ? { status: 'warning', found, advice: 'who runs the service has to renew it' }
    : { status: 'ok', found };
}

function faultFinding(fault: ExchangeFault, shown: Shown | undefined): Finding {
  if (!fault.proxy && NOT_REACHED.includes(fault.kind)) {
    return { status: 'unknown', found: 'no handshake, since there is no connection' };
  }
  const { cause, hint } = fault.kind === 'time-limit' ? lateWords(fault) : explained(fault);
  const place = fault.proxy ? 'at the proxy, ' : '';
  const words = shown ? `: ${certificateWords(shown)}` : '';
  return { status: 'failed', found: `${place}${cause} (${fault.code})${words}`, advice: hint, code: 'unavailable' };
}

const lateWords = ({ limitMs }: ExchangeFault) => ({
  cause: `there was no handshake within the limit of ${limitMs / 1000} s`,
  hint: 'is it a port with https://? else try again, or allow more time with --timeout',
});

const certificateWords = ({ subject, issuer, from, until }: Shown) =>
  `certificate for ${subject} by ${issuer}, valid from ${dayOf(from)} to ${dayOf(until)}`;

const dayOf = (date: Date) => (Number.isNaN(date.getTime()) ? 'an unknown day' : date.toISOString().slice(0, 10));
