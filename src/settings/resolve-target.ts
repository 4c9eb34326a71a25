/** Resolves the service, key, and limits of a command: flags, then environment, then the saved login. */

import { dirname } from 'node:path';
import { CliError } from '../errors.ts';
import { getPlatformPaths } from '../files/paths.ts';
import type { Host } from '../host/host.ts';
import type { ApiKey } from '../secrets/api-key.ts';
import { assertTrusted, findUntrustedPath } from '../state/folder-trust.ts';
import { getDataFolder } from '../state/xdg-paths.ts';
import { formatBaseUrl, isLoopback } from './base-url.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import type { FoundKey } from './key-sources.ts';
import { type Address, type AddressFlags, findUsedProfile, requireKey, resolveAddress } from './resolve-address.ts';

export type { HttpProxy } from './proxy.ts';

/** The flags of each command that sends requests. */
export interface ServiceFlags extends AddressFlags {
  timeout?: string | undefined;
  retryTimeout?: string | undefined;
  debug?: boolean | undefined;
}

/** What a connection is opened to. */
export interface Target {
  address: Address;
  /** Undefined for the embedded service, which needs none. */
  found: FoundKey | undefined;
  limits: Timeouts;
}

export interface Timeouts {
  /** Time limit of one request, in milliseconds. */
  timeoutMs: number;
  /** Time limit of all attempts of one request, in milliseconds. */
  retryTimeoutMs: number;
}

export interface RemoteService extends ConnectionSettings {
  /** Without a final slash. */
  baseUrl: URL;
  key: ApiKey;
  keyHeader: string;
  /** Time limit of one request, body included, in milliseconds. */
  timeoutMs: number;
}

const DEFAULT_TIMEOUT_S = 30;
const DEFAULT_RETRY_TIMEOUT_S = 120;
const MAX_TIMEOUT_S = 86_400;

/**
 * Resolves the target of a command, before any request.
 * Raises usage (2) for missing, invalid, or contradicting settings, denied (4) without a key.
 */
export async function resolveTarget(flags: ServiceFlags, host: Host): Promise<Target> {
  const limits = resolveTimeouts(flags, host);
  const address = resolveAddress(flags, host);
  return { address, limits, found: address.kind === 'local' ? undefined : await requireKey(address, flags, host) };
}

/** Parses the time limits. Raises usage (2) for invalid ones. */
export function resolveTimeouts(flags: ServiceFlags, host: Host): Timeouts {
  const [text, source] =
    flags.timeout === undefined ? [host.env['FORMULARY_TIMEOUT'], 'FORMULARY_TIMEOUT'] : [flags.timeout, '--timeout'];
  return {
    timeoutMs: parseSeconds(text, source, DEFAULT_TIMEOUT_S),
    retryTimeoutMs: parseSeconds(flags.retryTimeout, '--retry-timeout', DEFAULT_RETRY_TIMEOUT_S),
  };
}

/** The data file of the embedded service. Raises usage (2) if other users can change the data folder. */
export function requireTrustedDataFile(host: Host): string {
  const file = findDefaultDataFile(host);
  if (!host.env['FORMULARY_LOCAL_DATA']) {
    const alternative = 'Set FORMULARY_LOCAL_DATA to a file in a folder of your own.';
    assertTrusted(findUntrustedPath(host, dirname(file)), 'the data of the embedded service is not used', alternative);
  }
  return file;
}

/** FORMULARY_LOCAL_DATA, otherwise local.db in the user's data folder. */
function findDefaultDataFile(host: Host): string {
  const configured = host.env['FORMULARY_LOCAL_DATA'];
  if (configured) return configured;
  const data = getDataFolder(host);
  if (data) return getPlatformPaths(host.platform).join(data, 'local.db');
  throw new CliError('usage', 'HOME is not set, so the embedded service has no data file', {
    hint: 'Set FORMULARY_LOCAL_DATA to a file.',
  });
}

/** Parses seconds to milliseconds; an empty string counts as unset. */
function parseSeconds(text: string | undefined, source: string, defaultSeconds: number): number {
  const seconds = text === undefined || text === '' ? defaultSeconds : Number(text);
  if (seconds > 0 && seconds <= MAX_TIMEOUT_S) return Math.max(1, Math.round(seconds * 1000));
  const message = `invalid value "${text}" for ${source}: must be a number of seconds above 0, at most ${MAX_TIMEOUT_S}`;
  throw new CliError('usage', message);
}

/** The name of a service in lock file and history. */
export interface TargetName {
  name: string;
  /** Whether it is written to the lock file; unnamed loopback and embedded services are not. */
  isShared: boolean;
}

/** --target, otherwise FORMULARY_TARGET and the name of the profile, otherwise the base URL, or the data file of the embedded service. */
export function resolveTargetName(address: Address, flags: ServiceFlags, host: Host): TargetName {
  const { target } = flags;
  if (target === '') throw new CliError('usage', '--target must be a name (got an empty string)');
  const profile = address.kind === 'local' ? undefined : findUsedProfile(address);
  const environment = host.env['FORMULARY_TARGET'] || undefined;
  // --profile takes precedence over the environment.
  const isEnvironmentUsed = flags.profile === undefined || profile === undefined;
  const name = target ?? (isEnvironmentUsed ? environment : undefined) ?? profile?.target;
  if (name !== undefined) return { name, isShared: true };
  const isShared = address.kind === 'remote' && !isLoopback(address.baseUrl);
  return { name: formatServiceName(address, host), isShared };
}

const formatServiceName = (address: Address, host: Host) =>
  address.kind === 'local' ? `local:${findDefaultDataFile(host)}` : formatBaseUrl(address.baseUrl);

/** The base URL, or the data file of the embedded service, to which saved versions belong. Raises usage (2) without a service. */
export const findServiceName = (flags: ServiceFlags, host: Host): string =>
  formatServiceName(resolveAddress(flags, host), host);

/** The target name for commands that send nothing and need no key. Raises usage (2) without a service. */
export function findTargetName(flags: ServiceFlags, host: Host): TargetName {
  const explicit = flags.profile === undefined ? (flags.target ?? host.env['FORMULARY_TARGET']) : flags.target;
  return resolveTargetName(explicit ? { kind: 'local' } : resolveAddress(flags, host), flags, host);
}
