/** Resolves base URL and API key from flags, environment, and saved profiles. */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { DEFAULT_PROFILE, listProfileNames, type Profile, parseProfileName, readProfile } from '../state/profiles.ts';
import { shellQuote } from '../text/shell-quote.ts';
import { formatBaseUrl, parseBaseUrl } from './base-url.ts';
import type { NetworkFlags } from './connection-settings.ts';
import {
  DEFAULT_KEY_HEADER,
  type FoundKey,
  findEnvironmentKey,
  hasEnvironmentKey,
  KEY_HINT,
  type KeyFlags,
  parseHeaderName,
  readFlagKey,
} from './key-sources.ts';

export interface AddressFlags extends KeyFlags, NetworkFlags {
  baseUrl?: string | undefined;
  local?: boolean | undefined;
  profile?: string | undefined;
  apiKeyHeader?: string | undefined;
  target?: string | undefined;
}

export type BaseUrlSource = 'flag' | 'environment' | 'profile';

export const BASE_URL_SOURCES: Readonly<Record<BaseUrlSource, string>> = {
  flag: '--base-url',
  environment: 'FORMULARY_BASE_URL',
  profile: 'saved by auth login',
};

/** A service over HTTP, without a key. */
export interface ServiceAddress {
  kind: 'remote';
  baseUrl: URL;
  baseUrlSource: BaseUrlSource;
  keyHeader: string;
  /** The profile that was read; it may be for another base URL. */
  profile: Profile | undefined;
  /** The profile was passed, so it takes precedence over the environment. */
  isProfileExplicit: boolean;
  /** Warnings to print before any request. */
  warnings: readonly string[];
}

export type Address = { kind: 'local' } | ServiceAddress;

/** Raises usage (2) for a missing or invalid base URL, and for contradicting flags. */
export function resolveAddress(flags: AddressFlags, host: Host): Address {
  const address = findAddress(flags, host);
  if (!address) throw missingBaseUrlError(host);
  return address;
}

/** The same; undefined if no base URL is configured. */
export function findAddress(flags: AddressFlags, host: Host): Address | undefined {
  const name = flags.profile ?? (host.env['FORMULARY_PROFILE'] || undefined);
  assertOneService(flags);
  if (isLocal(flags, name)) return { kind: 'local' };
  const warnings: string[] = [];
  const profile = loadProfile(name, flags, host, (text) => warnings.push(text));
  const address = toServiceAddress(flags, host, profile, profile !== undefined && name !== undefined);
  return address && { ...address, warnings: [...warnings, ...address.warnings] };
}

/** Whether a service is configured; so it is if the settings are invalid, which connecting reports. */
export function isServiceConfigured(host: Host): boolean {
  try {
    return findAddress({}, host) !== undefined;
  } catch (error) {
    if (error instanceof CliError) return true;
    throw error;
  }
}

/** Undefined without a base URL. Raises usage (2) for an invalid one, or an invalid header. */
export function toServiceAddress(
  flags: AddressFlags,
  host: Host,
  profile: Profile | undefined,
  isProfileExplicit: boolean,
): ServiceAddress | undefined {
  const { text, source, from } = chooseBaseUrl(flags, host, profile, isProfileExplicit);
  if (text === '') return undefined;
  const baseUrl = parseBaseUrl(text, from, flags.insecureHttp === true);
  const savedHeader = profile && isForBaseUrl(profile, baseUrl) ? profile.keyHeader : undefined;
  const environment = host.env['FORMULARY_API_KEY_HEADER'] || undefined;
  const header =
    flags.apiKeyHeader ?? (isProfileExplicit ? (savedHeader ?? environment) : (environment ?? savedHeader));
  const keyHeader = parseHeaderName(header ?? DEFAULT_KEY_HEADER);
  const saved = source === 'profile' ? profile?.target : undefined;
  const isOverridden = saved !== undefined && flags.target !== undefined && flags.target !== saved;
  const note = `note: --target replaces the target "${saved}" of the profile "${profile?.name}"`;
  const warnings = isOverridden ? [note] : [];
  return { kind: 'remote', baseUrl, baseUrlSource: source, keyHeader, profile, isProfileExplicit, warnings };
}

/** The profile name of the flag or the environment. Raises usage (2) for an invalid name. */
export function resolveProfileName({ profile }: AddressFlags, { env }: Host): string | undefined {
  if (profile !== undefined) return parseProfileName(profile, '--profile');
  return env['FORMULARY_PROFILE'] ? parseProfileName(env['FORMULARY_PROFILE'], 'FORMULARY_PROFILE') : undefined;
}

/** Finds the key for a base URL. A saved key is used for its own base URL only. */
export async function findKey(address: ServiceAddress, flags: KeyFlags, host: Host): Promise<FoundKey | undefined> {
  const flagKey = await readFlagKey(flags, host);
  if (flagKey) return flagKey;
  const { profile, baseUrl, isProfileExplicit } = address;
  const saved = profile && isForBaseUrl(profile, baseUrl) ? profile : undefined;
  if (!saved || !isProfileExplicit) {
    const environmentKey = findEnvironmentKey(host);
    if (environmentKey || !saved) return environmentKey;
  }
  return findSavedKey(saved, host);
}

/** The same. Raises denied (4) without a key. */
export async function requireKey(address: ServiceAddress, flags: KeyFlags, host: Host): Promise<FoundKey> {
  const found = await findKey(address, flags, host);
  if (!found) throw missingKeyError(address, host);
  return found;
}

/** The profile that the base URL comes from, whose target and read-only mode then count. */
export const findUsedProfile = ({ profile, baseUrlSource }: ServiceAddress): Profile | undefined =>
  baseUrlSource === 'profile' ? profile : undefined;

async function findSavedKey({ name, key }: Profile, host: Host): Promise<FoundKey> {
  if (!('command' in key)) return { key, keySource: 'profile' };
  const { runKeyCommand } = await import('./key-command.ts');
  return { key: runKeyCommand(key.command, name, host), keySource: 'command' };
}

/** Denied (4): names the base URL, and a profile that is not used because it is for another one. */
export function missingKeyError({ profile, baseUrl }: ServiceAddress, { platform }: Host): CliError {
  const serviceUrl = formatBaseUrl(baseUrl);
  const other =
    profile && !isForBaseUrl(profile, baseUrl)
      ? ` (profile "${profile.name}" is for ${profile.baseUrl} and is not used here)`
      : '';
  // Without a profile of its own, the key would replace the other one.
  const newProfile = other === '' ? '' : ' --profile NAME';
  return new CliError('denied', `no API key for ${serviceUrl}${other}`, {
    hint: `${KEY_HINT}\nTo save a key, run: formulary auth login --base-url ${shellQuote(serviceUrl, platform)}${newProfile}`,
  });
}

export const isForBaseUrl = (profile: Profile, baseUrl: URL): boolean => {
  const savedUrl = URL.parse(profile.baseUrl);
  return savedUrl !== null && formatBaseUrl(savedUrl) === formatBaseUrl(baseUrl);
};

/** Raises usage (2) for flags of the embedded service and of another one. */
function assertOneService({ local, baseUrl, profile }: AddressFlags): void {
  const other = baseUrl !== undefined ? '--base-url' : profile !== undefined && profile !== 'local' ? '--profile' : '';
  if (!(local || profile === 'local') || !other) return;
  throw new CliError('usage', `${local ? '--local' : '--profile local'} and ${other} cannot be used together`);
}

/** --base-url takes precedence over FORMULARY_PROFILE=local. */
const isLocal = ({ local, baseUrl }: AddressFlags, profileName: string | undefined): boolean =>
  local === true || (profileName === 'local' && baseUrl === undefined);

/** Loads the named profile, or the default one (if it exists) when flags and environment lack a URL or key. */
function loadProfile(
  name: string | undefined,
  flags: AddressFlags,
  host: Host,
  warn: (text: string) => void,
): Profile | undefined {
  if (name !== undefined && name !== 'local') {
    const profile = readProfile(host, resolveProfileName(flags, host) ?? name, warn);
    if (!profile) throw unknownProfileError(name, host);
    return profile;
  }
  const { env } = host;
  const hasAddress = flags.baseUrl !== undefined || env['FORMULARY_BASE_URL']?.trim();
  const hasKey = flags.apiKeyFile !== undefined || flags.apiKeyStdin || hasEnvironmentKey(host);
  return hasAddress && hasKey ? undefined : readProfile(host, DEFAULT_PROFILE, warn);
}

/** The base URL of the flags, otherwise of the environment (unless the profile was passed), otherwise of the profile; may be ''. */
function chooseBaseUrl(flags: AddressFlags, { env }: Host, profile: Profile | undefined, isProfileExplicit: boolean) {
  const environment = isProfileExplicit ? '' : (env['FORMULARY_BASE_URL']?.trim() ?? '');
  const toChoice = (text: string, source: BaseUrlSource, from: string) => ({ text, source, from });
  if (flags.baseUrl !== undefined) return toChoice(flags.baseUrl.trim(), 'flag', '--base-url');
  if (environment !== '') return toChoice(environment, 'environment', 'FORMULARY_BASE_URL');
  return toChoice(profile?.baseUrl ?? '', 'profile', `the base URL of the profile "${profile?.name}"`);
}

/** Usage (2), with the ways to select a service. */
export function missingBaseUrlError(host: Host, message = 'no base URL configured'): CliError {
  const names = listProfileNames(host);
  const first =
    names.length > 0
      ? `To use a profile, pass --profile (${names.join(', ')}).`
      : 'To log in, run: formulary auth login --base-url URL';
  return new CliError('usage', message, {
    hint: `${first}\nTo use another base URL, set FORMULARY_BASE_URL or pass --base-url.\nTo use the embedded service, pass --local.`,
  });
}

/** Usage (2), with the names of existing profiles, and for a profile to use how to create it. */
export function unknownProfileError(name: string, host: Host, purpose: 'use' | 'remove' = 'use'): CliError {
  const names = listProfileNames(host);
  const known = names.length > 0 ? `Profiles: ${[...names, 'local'].join(', ')}` : 'No profiles yet.';
  const creation = `To create it, run: formulary auth login --base-url URL --profile ${name}`;
  return new CliError('usage', `profile "${name}" not found`, {
    hint: purpose === 'use' ? `${known}\n${creation}` : known,
  });
}
