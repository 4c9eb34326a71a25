/** Checks the base URL, the key, and the response to one request. Permissions to write cannot be checked without a write. */

import { probeReadAccess } from '../api/formula-reads.ts';
import { openConnection } from '../session/connection.ts';
import { formatBaseUrl } from '../settings/base-url.ts';
import { KEY_SOURCES } from '../settings/key-sources.ts';
import { BASE_URL_SOURCES, requireKey, type ServiceAddress } from '../settings/resolve-address.ts';
import { type Check, toFailedResult } from './check.ts';

export const checkService: Check = async (context) => {
  const { address, remote, settings, flags, host } = context;
  if (address.error) return toFailedResult(address.error);
  const { timeoutMs, retryTimeoutMs } = context.limits;
  // All attempts together are one check.
  const limits = { timeoutMs, retryTimeoutMs: Math.min(timeoutMs, retryTimeoutMs) };
  const place = remote ? formatAddress(remote) : 'the embedded service';
  if (settings?.error) return { status: 'unknown', found: `${place}; not checked; fix the other problems first` };
  const found = [place];
  try {
    const key = remote && (await requireKey(remote, flags, host));
    if (key) {
      host.addRedactor((text, isContent) => key.key.redactIn(text, isContent));
      found.push(`key ${key.key.formatSuffix()} (${KEY_SOURCES[key.keySource]})`);
    }
    const reached = remote ? { ...remote, warnings: [] } : { kind: 'local' as const };
    const { client } = await openConnection({ address: reached, found: key, limits }, flags, host);
    await probeReadAccess(client);
    return { status: 'ok', found: [...found, remote ? 'accepted for reading' : 'reachable'].join('; ') };
  } catch (failure) {
    return toFailedResult(failure, found.join('; '));
  }
};

function formatAddress({ baseUrl, baseUrlSource, profile }: ServiceAddress): string {
  const name = baseUrlSource === 'profile' ? `, profile "${profile?.name}"` : '';
  return `${formatBaseUrl(baseUrl)} (${BASE_URL_SOURCES[baseUrlSource]}${name})`;
}
