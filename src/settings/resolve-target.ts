/** Where and as whom a command acts: flag beats environment beats what `auth login` kept. */
import { dirname } from 'node:path';
import { CliError } from '../errors.ts';
import { platformPaths } from '../files/paths.ts';
import type { Host } from '../host/host.ts';
import type { ApiKey } from '../secrets/api-key.ts';
import { requireTrust } from '../state/folder-trust.ts';
import { dataFolder } from '../state/xdg-paths.ts';
import { addressOf, isLoopback } from './base-url.ts';
import { type RoadSettings, roadSettings } from './connection-settings.ts';
import type { FoundKey, KeySource } from './key-sources.ts';
import { findKey, noKey, type PlaceFlags, type RemotePlace, resolvePlace } from './resolve-address.ts';

export type { HttpProxy } from './proxy.ts';

/** The flags that stand on each command that makes requests. */
export interface ServiceFlags extends PlaceFlags {
  timeout?: string | undefined;
  retryTimeout?: string | undefined;
  debug?: boolean | undefined;
  target?: string | undefined;
}

/** Where requests go: to the embedded service in this process, or to a service by HTTP. */
export type Target = LocalTarget | RemoteTarget;

interface Patient {
  /** Time for all tries of one request, in milliseconds. */
  retryTimeoutMs: number;
}

export interface LocalTarget extends Patient {
  kind: 'local';
  dataFile: string;
}

export interface RemoteTarget extends Patient {
  kind: 'remote';
  service: RemoteService;
  keySource: KeySource;
  /** What the user should hear before any request. */
  warnings: readonly string[];
}

export interface RemoteService extends RoadSettings {
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
  const limits = timeLimits(flags, host);
  const place = resolvePlace(flags, host);
  if (place.kind === 'local') return localTarget(host, limits);
  const found = await findKey(place, flags, host);
  if (!found) throw noKey(place, host);
  return remoteTarget(place, found, limits, flags, host);
}

/** The embedded service as a target. */
export function localTarget(host: Host, { retryTimeoutMs }: TimeLimits): LocalTarget {
  return { kind: 'local', dataFile: trustedDataFile(host), retryTimeoutMs };
}

/** A place and a key for it as a target. Raises usage (2) for a road there that cannot be taken. */
export async function remoteTarget(
  { baseUrl, keyHeader, warnings }: RemotePlace,
  { key, keySource }: FoundKey,
  { timeoutMs, retryTimeoutMs }: TimeLimits,
  flags: ServiceFlags,
  host: Host,
): Promise<RemoteTarget> {
  const service = { baseUrl, key, keyHeader, timeoutMs, ...(await roadSettings(baseUrl, flags, host)) };
  return { kind: 'remote', service, keySource, retryTimeoutMs, warnings };
}

export interface TimeLimits extends Patient {
  timeoutMs: number;
}

/** The time limits in milliseconds. Raises usage (2) for ones that are none. */
export function timeLimits(flags: ServiceFlags, host: Host): TimeLimits {
  const [text, from] =
    flags.timeout === undefined ? [host.env['FORMULARY_TIMEOUT'], 'FORMULARY_TIMEOUT'] : [flags.timeout, '--timeout'];
  return {
    timeoutMs: milliseconds(text, from, DEFAULT_TIMEOUT_S),
    retryTimeoutMs: milliseconds(flags.retryTimeout, '--retry-timeout', DEFAULT_RETRY_TIMEOUT_S),
  };
}

/** The same, for a command that opens it. Raises usage (2) where others can change the user's data folder. */
export function trustedDataFile(host: Host): string {
  const file = localDataFile(host);
  if (!host.env['FORMULARY_LOCAL_DATA']) {
    const alternative = 'set FORMULARY_LOCAL_DATA to a file in a folder of your own';
    requireTrust(host, dirname(file), 'the data of the embedded service is not used', alternative);
  }
  return file;
}

/** The data file of the embedded service: FORMULARY_LOCAL_DATA, else local.db in the user's data folder. */
export function localDataFile(host: Host): string {
  const given = host.env['FORMULARY_LOCAL_DATA'];
  if (given) return given;
  const data = dataFolder(host);
  if (data) return platformPaths(host.platform).join(data, 'local.db');
  throw new CliError('usage', 'there is no HOME, so no place for the data of the embedded service', {
    hint: 'name a file with FORMULARY_LOCAL_DATA',
  });
}

/** A number of seconds as milliseconds; an empty one counts as not given. */
function milliseconds(text: string | undefined, from: string, otherwise: number): number {
  const seconds = text === undefined || text === '' ? otherwise : Number(text);
  if (seconds > 0 && seconds <= MAX_TIMEOUT_S) return Math.max(1, Math.round(seconds * 1000));
  throw new CliError(
    'usage',
    `${from} is "${text}"; wanted is a number of seconds, above 0 and at most ${MAX_TIMEOUT_S}`,
  );
}

/** A service as the lock and the history name it. */
export interface TargetName {
  name: string;
  /** Whether it may stand in a lock that others share; an unnamed service of this machine may not. */
  isShared: boolean;
}

/** The name of a target: --target, FORMULARY_TARGET, else its address, or the data file of the embedded service. */
export function targetNameOf(target: Target, flags: ServiceFlags, host: Host): TargetName {
  return (
    givenName(flags, host) ??
    (target.kind === 'local' ? localName(target.dataFile) : remoteName(target.service.baseUrl))
  );
}

/** The same without a key, for commands that send nothing. Raises usage (2) where the settings name no service. */
export function findTargetName(flags: ServiceFlags, host: Host): TargetName {
  const given = givenName(flags, host);
  if (given) return given;
  const place = resolvePlace(flags, host);
  return place.kind === 'local' ? localName(localDataFile(host)) : remoteName(place.baseUrl);
}

function givenName({ target }: ServiceFlags, { env }: Host): TargetName | undefined {
  if (target === '')
    throw new CliError('usage', '--target is empty; wanted is a name, or no --target for the usual one');
  const name = target || env['FORMULARY_TARGET'];
  return name ? { name, isShared: true } : undefined;
}

const localName = (dataFile: string): TargetName => ({ name: `local:${dataFile}`, isShared: false });
const remoteName = (baseUrl: URL): TargetName => ({ name: addressOf(baseUrl), isShared: !isLoopback(baseUrl) });
