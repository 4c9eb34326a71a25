/** Checks the base URL, the responses of the service, and the key. Permissions to write cannot be checked without a write. */
import { formatBaseUrl } from '../settings/base-url.ts';
import { KEY_SOURCES } from '../settings/key-sources.ts';
import { BASE_URL_SOURCES, missingKeyError } from '../settings/resolve-address.ts';
import { type Check, toFailedResult } from './check.ts';

export const checkBaseUrl: Check = ({ address: { value, error } }) => {
  if (error) return toFailedResult(error);
  if (value.kind === 'local') return { status: 'ok', found: 'the embedded service' };
  const { baseUrl, baseUrlSource, profile } = value;
  const name = baseUrlSource === 'profile' ? `, profile "${profile?.name}"` : '';
  return { status: 'ok', found: `${formatBaseUrl(baseUrl)} (${BASE_URL_SOURCES[baseUrlSource]}${name})` };
};

export const checkService: Check = async ({ address, remote, probeService }) => {
  if (!address.value) return undefined;
  const probe = await probeService();
  if (!probe) return { status: 'unknown', found: 'not checked; fix the other problems first' };
  const { error, response } = probe;
  if (error && error.outcome !== 'denied') return toFailedResult(error);
  return { status: 'ok', found: remote ? `reachable (status ${response?.status})` : 'reachable' };
};

export const checkKey: Check = async ({ host, remote, key, probeService }) => {
  if (!remote || !key) return undefined;
  const { value: found, error } = key;
  if (!found) return toFailedResult(error ?? missingKeyError(remote, host));
  const description = `${found.key.formatSuffix()} (${KEY_SOURCES[found.keySource]})`;
  const probe = await probeService();
  if (probe && !probe.error) return { status: 'ok', found: `${description}, accepted for reading` };
  if (probe?.error?.outcome === 'denied') return toFailedResult(probe.error);
  return { status: 'unknown', found: `${description}; could not check whether it is accepted` };
};
