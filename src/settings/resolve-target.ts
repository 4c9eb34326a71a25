/** Where and as whom a command acts: flag beats environment beats what `auth login` kept. */
import { dirname } from 'node:path';
import { CliError } from '../errors.ts';
import { getPlatformPaths } from '../files/paths.ts';
import type { Host } from '../host/host.ts';
import type { ApiKey } from '../secrets/api-key.ts';
import { requireTrust } from '../state/folder-trust.ts';
import { getDataFolder } from '../state/xdg-paths.ts';
import { formatBaseUrl, isLoopback } from './base-url.ts';
import { type ConnectionSettings, resolveConnectionSettings } from './connection-settings.ts';
import type { FoundKey, KeySource } from './key-sources.ts';
import { type AddressFlags, findKey, missingKeyError, resolveAddress, type ServiceAddress } from './resolve-address.ts';

export type { HttpProxy } from './proxy.ts';

/** The flags that stand on each command that makes requests. */
export interface ServiceFlags extends AddressFlags {
  timeout?: string | undefined;
  retryTimeout?: string | undefined;
  debug?: boolean | undefined;
  target?: string | undefined;
}

/** Where requests go: to the embedded service in this process, or to a service by HTTP. */
export type Target = LocalTarget | RemoteTarget;

interface RetryTimeout {
  /** Time for all tries of one request, in milliseconds. */
  retryTimeoutMs: number;
}

export interface LocalTarget extends RetryTimeout {
  kind: 'local';
  dataFile: string;
}

export interface RemoteTarget extends RetryTimeout {
  kind: 'remote';
  service: RemoteService;
  keySource: KeySource;
  /** What the user should hear before any request. */
  warnings: readonly string[];
}

export interface RemoteService extends ConnectionSettings {
  /** Base address without a final slash. */
  baseUrl: URL;
  key: ApiKey;
  keyHeader: string;
  /** Time limit of one request with its body, in milliseconds. */
  timeoutMs: number;
}

const DEFAULT_TIMEOUT_S = 30;
const DEFAULT_RETRY_TIMEOUT_S = 120;
const MAX_TIMEOUT_S = 86_400;

/**
 * Resolves the target of a command, before any request.
 * Raises usage (2) for settings that are missing, wrong or at odds, denied (4) when there is no key.
 */
export async function resolveTarget(flags: ServiceFlags, host: Host): Promise<Target> {
  const timeouts = resolveTimeouts(flags, host);
  const address = resolveAddress(flags, host);
  if (address.kind === 'local') return createLocalTarget(host, timeouts);
  const found = await findKey(address, flags, host);
  if (!found) throw missingKeyError(address, host);
  return createRemoteTarget(address, found, timeouts, flags, host);
}

/** The embedded service as a target. */
export function createLocalTarget(host: Host, { retryTimeoutMs }: Timeouts): LocalTarget {
  return { kind: 'local', dataFile: requireTrustedDataFile(host), retryTimeoutMs };
}

/** A place and a key for it as a target. Raises usage (2) for a road there that cannot be taken. */
export async function createRemoteTarget(
  { baseUrl, keyHeader, warnings }: ServiceAddress,
  { key, keySource }: FoundKey,
  { timeoutMs, retryTimeoutMs }: Timeouts,
  flags: ServiceFlags,
  host: Host,
): Promise<RemoteTarget> {
  const service = { baseUrl, key, keyHeader, timeoutMs, ...(await resolveConnectionSettings(baseUrl, flags, host)) };
  return { kind: 'remote', service, keySource, retryTimeoutMs, warnings };
}

export interface Timeouts extends RetryTimeout {
  timeoutMs: number;
}

/** The time limits in milliseconds. Raises usage (2) for ones that are none. */
export function resolveTimeouts(flags: ServiceFlags, host: Host): Timeouts {
  const [text, source] =
    flags.timeout === undefined ? [host.env['FORMULARY_TIMEOUT'], 'FORMULARY_TIMEOUT'] : [flags.timeout, '--timeout'];
  return {
    timeoutMs: parseSeconds(text, source, DEFAULT_TIMEOUT_S),
    retryTimeoutMs: parseSeconds(flags.retryTimeout, '--retry-timeout', DEFAULT_RETRY_TIMEOUT_S),
  };
}

/** The same, for a command that opens it. Raises usage (2) where others can change the user's data folder. */
export function requireTrustedDataFile(host: Host): string {
  const file = resolveDataFile(host);
  if (!host.env['FORMULARY_LOCAL_DATA']) {
    const alternative = 'set FORMULARY_LOCAL_DATA to a file in a folder of your own';
    requireTrust(host, dirname(file), 'the data of the embedded service is not used', alternative);
  }
  return file;
}

/** The data file of the embedded service: FORMULARY_LOCAL_DATA, else local.db in the user's data folder. */
export function resolveDataFile(host: Host): string {
  const configured = host.env['FORMULARY_LOCAL_DATA'];
  if (configured) return configured;
  const data = getDataFolder(host);
  if (data) return getPlatformPaths(host.platform).join(data, 'local.db');
  throw new CliError('usage', 'there is no HOME, so no place for the data of the embedded service', {
    hint: 'name a file with FORMULARY_LOCAL_DATA',
  });
}

/** A number of seconds as milliseconds; an empty one counts as not given. */
function parseSeconds(text: string | undefined, source: string, defaultSeconds: number): number {
  const seconds = text === undefined || text === '' ? defaultSeconds : Number(text);
  if (seconds > 0 && seconds <= MAX_TIMEOUT_S) return Math.max(1, Math.round(seconds * 1000));
  throw new CliError(
    'usage',
    `${source} is "${text}"; wanted is a number of seconds, above 0 and at most ${MAX_TIMEOUT_S}`,
  );
}

/** A service as the lock and the history name it. */
export interface TargetName {
  name: string;
  /** Whether it may stand in a lock that others share; an unnamed service of this machine may not. */
  isShared: boolean;
}

/** The name of a target: --target, FORMULARY_TARGET, else its address, or the data file of the embedded service. */
export function resolveTargetName(target: Target, flags: ServiceFlags, host: Host): TargetName {
  return (
    findExplicitName(flags, host) ??
    (target.kind === 'local' ? toLocalName(target.dataFile) : toRemoteName(target.service.baseUrl))
  );
}

/** The same without a key, for commands that send nothing. Raises usage (2) where the settings name no service. */
export function findTargetName(flags: ServiceFlags, host: Host): TargetName {
  const explicit = findExplicitName(flags, host);
  if (explicit) return explicit;
  const address = resolveAddress(flags, host);
  return address.kind === 'local' ? toLocalName(resolveDataFile(host)) : toRemoteName(address.baseUrl);
}

function findExplicitName({ target }: ServiceFlags, { env }: Host): TargetName | undefined {
  if (target === '')
    throw new CliError('usage', '--target is empty; wanted is a name, or no --target for the usual one');
  const name = target || env['FORMULARY_TARGET'];
  return name ? { name, isShared: true } : undefined;
}

const toLocalName = (dataFile: string): TargetName => ({ name: `local:${dataFile}`, isShared: false });
const toRemoteName = (baseUrl: URL): TargetName => ({ name: formatBaseUrl(baseUrl), isShared: !isLoopback(baseUrl) });
