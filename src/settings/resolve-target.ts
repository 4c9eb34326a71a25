/** Resolves the service, key, and limits of a command: flags, then environment, then the saved login. */
import { dirname } from 'node:path';
import { CliError } from '../errors.ts';
import { getPlatformPaths } from '../files/paths.ts';
import type { Host } from '../host/host.ts';
import type { ApiKey } from '../secrets/api-key.ts';
import { assertTrusted, findUntrustedPath } from '../state/folder-trust.ts';
import { getDataFolder } from '../state/xdg-paths.ts';
import { formatBaseUrl, isLoopback } from './base-url.ts';
import { type ConnectionSettings, resolveConnectionSettings } from './connection-settings.ts';
import type { FoundKey, KeySource } from './key-sources.ts';
import {
  type AddressFlags,
  findKey,
  findUsedProfile,
  missingKeyError,
  resolveAddress,
  type ServiceAddress,
} from './resolve-address.ts';

export type { HttpProxy } from './proxy.ts';

/** The flags of each command that sends requests. */
export interface ServiceFlags extends AddressFlags {
  timeout?: string | undefined;
  retryTimeout?: string | undefined;
  debug?: boolean | undefined;
  target?: string | undefined;
}

/** The embedded service in this process, or a service over HTTP. */
export type Target = LocalTarget | RemoteTarget;

export interface Timeouts {
  /** Time limit of one request, in milliseconds. */
  timeoutMs: number;
  /** Time limit of all attempts of one request, in milliseconds. */
  retryTimeoutMs: number;
}

interface LocalTarget extends Pick<Timeouts, 'retryTimeoutMs'> {
  kind: 'local';
  dataFile: string;
  name: TargetName;
}

export interface RemoteTarget extends Pick<Timeouts, 'retryTimeoutMs'> {
  kind: 'remote';
  service: RemoteService;
  keySource: KeySource;
  name: TargetName;
  /** The profile that the base URL comes from. */
  profile: string | undefined;
  /** Warnings to print before any request. */
  warnings: readonly string[];
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
  const timeouts = resolveTimeouts(flags, host);
  const address = resolveAddress(flags, host);
  if (address.kind === 'local') return createLocalTarget(flags, host, timeouts);
  const found = await findKey(address, flags, host);
  if (!found) throw missingKeyError(address, host);
  return createRemoteTarget(address, found, timeouts, flags, host);
}

export function createLocalTarget(flags: ServiceFlags, host: Host, { retryTimeoutMs }: Timeouts): LocalTarget {
  const dataFile = requireTrustedDataFile(host);
  return { kind: 'local', dataFile, name: resolveTargetName({ kind: 'local' }, flags, host), retryTimeoutMs };
}

/** Raises usage (2) for an invalid proxy or CA file, and for unencrypted requests that are not allowed. */
export async function createRemoteTarget(
  address: ServiceAddress,
  { key, keySource }: FoundKey,
  { timeoutMs, retryTimeoutMs }: Timeouts,
  flags: ServiceFlags,
  host: Host,
): Promise<RemoteTarget> {
  const { baseUrl, keyHeader } = address;
  const profile = findUsedProfile(address);
  const isOverridden = profile?.target !== undefined && flags.target !== undefined && profile.target !== flags.target;
  const note = `note: --target replaces the target "${profile?.target}" of the profile "${profile?.name}"`;
  const service = { baseUrl, key, keyHeader, timeoutMs, ...(await resolveConnectionSettings(baseUrl, flags, host)) };
  return {
    kind: 'remote',
    service,
    keySource,
    name: resolveTargetName(address, flags, host),
    profile: profile?.name,
    retryTimeoutMs,
    warnings: isOverridden ? [...address.warnings, note] : address.warnings,
  };
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
export function resolveTargetName(
  address: { kind: 'local' } | ServiceAddress,
  flags: ServiceFlags,
  host: Host,
): TargetName {
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

const formatServiceName = (address: { kind: 'local' } | ServiceAddress, host: Host) =>
  address.kind === 'local' ? `local:${findDefaultDataFile(host)}` : formatBaseUrl(address.baseUrl);

/** The base URL, or the data file of the embedded service, to which saved versions belong. Raises usage (2) without a service. */
export const findServiceName = (flags: ServiceFlags, host: Host): string =>
  formatServiceName(resolveAddress(flags, host), host);

/** The target name for commands that send nothing and need no key. Raises usage (2) without a service. */
export function findTargetName(flags: ServiceFlags, host: Host): TargetName {
  const explicit = flags.profile === undefined ? (flags.target ?? host.env['FORMULARY_TARGET']) : flags.target;
  return resolveTargetName(explicit ? { kind: 'local' } : resolveAddress(flags, host), flags, host);
}
