/** Gathers what the checks of `doctor` share: the settings, and one request to the service. */
import { probeReadAccess } from '../api/formula-reads.ts';
import type { HttpResponse } from '../api/http/http.ts';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { openConnection } from '../session/connection.ts';
import { type ConnectionSettings, resolveConnectionSettings } from '../settings/connection-settings.ts';
import type { FoundKey } from '../settings/key-sources.ts';
import { findKey, resolveAddress, type ServiceAddress } from '../settings/resolve-address.ts';
import {
  createLocalTarget,
  createRemoteTarget,
  type ServiceFlags,
  type Target,
  type Timeouts,
} from '../settings/resolve-target.ts';

type Result<T> = { value: T; error?: undefined } | { value?: undefined; error: CliError };

export interface DoctorContext {
  host: Host;
  flags: ServiceFlags;
  /** The time limit of a check, in milliseconds. */
  timeoutMs: number;
  address: Result<{ kind: 'local' } | ServiceAddress>;
  /** Undefined for the embedded service, and if no base URL is configured. */
  remote: ServiceAddress | undefined;
  settings: Result<ConnectionSettings> | undefined;
  key: Result<FoundKey | undefined> | undefined;
  /** Sends one request for all checks; undefined if the settings are incomplete. */
  probeService(): Promise<ServiceProbe | undefined>;
}

/** The result of a request that only reads. */
interface ServiceProbe {
  error: CliError | undefined;
  /** The last response. */
  response: HttpResponse | undefined;
}

/** Reads the settings; their errors are left to the checks. */
export async function createContext(flags: ServiceFlags, limits: Timeouts, host: Host): Promise<DoctorContext> {
  const address = await toResult(() => resolveAddress(flags, host));
  const remote = address.value?.kind === 'remote' ? address.value : undefined;
  const settings = remote && (await toResult(() => resolveConnectionSettings(remote.baseUrl, flags, host)));
  const key = remote && (await toResult(() => findKey(remote, flags, host)));
  const found = key?.value;
  if (found) host.addRedactor((text, isContent) => found.key.redactIn(text, isContent));
  // All attempts together are one check.
  const bounded = { timeoutMs: limits.timeoutMs, retryTimeoutMs: Math.min(limits.timeoutMs, limits.retryTimeoutMs) };
  const target = async (): Promise<Target | undefined> => {
    if (address.value?.kind === 'local') return createLocalTarget(flags, host, bounded);
    if (!remote || !found || !settings?.value) return undefined;
    return { ...(await createRemoteTarget(remote, found, bounded, flags, host)), warnings: [] };
  };
  let probing: Promise<ServiceProbe | undefined> | undefined;
  const probeService = () => {
    probing ??= target().then((resolved) => resolved && probe(resolved, flags, host));
    return probing;
  };
  return { host, flags, timeoutMs: limits.timeoutMs, address, remote, settings, key, probeService };
}

async function toResult<T>(action: () => T | Promise<T>): Promise<Result<T>> {
  try {
    return { value: await action() };
  } catch (error) {
    if (error instanceof CliError) return { error };
    throw error;
  }
}

async function probe(target: Target, flags: ServiceFlags, host: Host): Promise<ServiceProbe> {
  let response: HttpResponse | undefined;
  const { error } = await toResult(async () => {
    const { client } = await openConnection(target, flags, host, {
      concurrency: 1,
      onResponse: (one) => {
        response = one;
      },
    });
    await probeReadAccess(client);
  });
  return { error, response };
}
