/** Checks the base URL, the key, and the response to one request. Permissions to write cannot be checked without a write. */
import { probeReadAccess } from '../api/formula-reads.ts';
import { openConnection } from '../session/connection.ts';
import { formatBaseUrl } from '../settings/base-url.ts';
import { KEY_SOURCES } from '../settings/key-sources.ts';
import { BASE_URL_SOURCES, findKey, missingKeyError, type ServiceAddress } from '../settings/resolve-address.ts';
import { createLocalTarget, createRemoteTarget, type Target, type Timeouts } from '../settings/resolve-target.ts';
import { type Check, toFailedResult } from './check.ts';
import type { DoctorContext } from './context.ts';

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
    const target = remote ? await openTarget(remote, found, limits, context) : createLocalTarget(flags, host, limits);
    const { client } = await openConnection(target, flags, host, { concurrency: 1 });
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

/** Adds the key to what was found. Raises denied (4) without a key. */
async function openTarget(
  remote: ServiceAddress,
  found: string[],
  limits: Timeouts,
  { flags, host }: Pick<DoctorContext, 'flags' | 'host'>,
): Promise<Target> {
  const key = await findKey(remote, flags, host);
  if (!key) throw missingKeyError(remote, host);
  host.addRedactor((text, isContent) => key.key.redactIn(text, isContent));
  found.push(`key ${key.key.formatSuffix()} (${KEY_SOURCES[key.keySource]})`);
  return { ...(await createRemoteTarget(remote, key, limits, flags, host)), warnings: [] };
}
