/** The settings that the checks of `doctor` share. */

import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { type ConnectionSettings, resolveConnectionSettings } from '../settings/connection-settings.ts';
import { type Address, resolveAddress, type ServiceAddress } from '../settings/resolve-address.ts';
import type { ServiceFlags, Timeouts } from '../settings/resolve-target.ts';

type Result<T> = { value: T; error?: undefined } | { value?: undefined; error: CliError };

export interface DoctorContext {
  host: Host;
  flags: ServiceFlags;
  limits: Timeouts;
  address: Result<Address>;
  /** Undefined for the embedded service, and if no base URL is configured. */
  remote: ServiceAddress | undefined;
  settings: Result<ConnectionSettings> | undefined;
}

/** Reads the settings; their errors are left to the checks. */
export async function createContext(flags: ServiceFlags, limits: Timeouts, host: Host): Promise<DoctorContext> {
  const address = await toResult(() => resolveAddress(flags, host));
  const remote = address.value?.kind === 'remote' ? address.value : undefined;
  const settings = remote && (await toResult(() => resolveConnectionSettings(remote.baseUrl, flags, host)));
  return { host, flags, limits, address, remote, settings };
}

async function toResult<T>(action: () => T | Promise<T>): Promise<Result<T>> {
  try {
    return { value: await action() };
  } catch (error) {
    if (error instanceof CliError) return { error };
    throw error;
  }
}
