/** Which service is meant, and as whom: flags, environment and kept profiles brought together. */
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
}

export type BaseUrlSource = 'flag' | 'environment' | 'profile';

/** A service by HTTP; not yet as whom. */
export interface ServiceAddress {
  kind: 'remote';
  baseUrl: URL;
  baseUrlSource: BaseUrlSource;
  keyHeader: string;
  /** The profile that was looked at; its address may be another. */
  profile: Profile | undefined;
  /** The profile was named, so it beats the environment. */
  isProfileExplicit: boolean;
  /** What the user should hear before any request. */
  warnings: readonly string[];
}

/** Raises usage (2) where the settings name no service, a wrong one, or contradict each other. */
export function resolveAddress(flags: AddressFlags, host: Host): { kind: 'local' } | ServiceAddress {
  const name = flags.profile ?? (host.env['FORMULARY_PROFILE'] || undefined);
  if (resolveIsLocal(flags, name)) return { kind: 'local' };
  const warnings: string[] = [];
  const profile = loadProfile(name, flags, host, (text) => warnings.push(text));
  return { ...toServiceAddress(flags, host, profile, profile !== undefined && name !== undefined), warnings };
}

/** Where a key belongs that is to be kept, in place of what the profile held `before`. Raises usage (2) as above. */
export function resolveLoginAddress(
  flags: AddressFlags,
  host: Host,
  savedProfile: Profile | undefined,
): ServiceAddress {
  if (flags.local) {
    throw new CliError('usage', 'the embedded service needs no key, so none is kept for it', {
      hint: 'give --local to the commands that should use it',
    });
  }
  if (chooseBaseUrl(flags, host, savedProfile, false).text === '') {
    throw new CliError('usage', 'no base address: which service is the key for?', {
      hint: 'give it with --base-url URL, for instance: formulary auth login --base-url https://api.example.com',
    });
  }
  const address = toServiceAddress(flags, host, savedProfile, false);
  const isProfileExplicit = resolveProfileName(flags, host) !== undefined;
  // A key that is typed for one of two addresses must not be sent to the other.
  if (
    isProfileExplicit &&
    savedProfile &&
    address.baseUrlSource === 'environment' &&
    !isForBaseUrl(savedProfile, address.baseUrl)
  ) {
    throw new CliError(
      'usage',
      `which address is the key for? FORMULARY_BASE_URL is ${formatBaseUrl(address.baseUrl)}, and the profile "${savedProfile.name}" is for ${savedProfile.baseUrl}`,
      { hint: 'say it with --base-url URL' },
    );
  }
  return address;
}

function toServiceAddress(
  flags: AddressFlags,
  host: Host,
  profile: Profile | undefined,
  isProfileExplicit: boolean,
): ServiceAddress {
  const { text, source, from } = chooseBaseUrl(flags, host, profile, isProfileExplicit);
  if (text === '') throw missingBaseUrlError(host);
  const baseUrl = parseBaseUrl(text, from, flags.insecureHttp === true);
  const savedHeader = profile && isForBaseUrl(profile, baseUrl) ? profile.keyHeader : undefined;
  const environment = host.env['FORMULARY_API_KEY_HEADER'] || undefined;
  const header =
    flags.apiKeyHeader ?? (isProfileExplicit ? (savedHeader ?? environment) : (environment ?? savedHeader));
  const keyHeader = parseHeaderName(header ?? DEFAULT_KEY_HEADER);
  return { kind: 'remote', baseUrl, baseUrlSource: source, keyHeader, profile, isProfileExplicit, warnings: [] };
}

/** The name of a kept profile that flag or environment say. Raises usage (2) for what can be no such name. */
export function resolveProfileName({ profile }: AddressFlags, { env }: Host): string | undefined {
  if (profile !== undefined) return parseProfileName(profile, '--profile');
  return env['FORMULARY_PROFILE'] ? parseProfileName(env['FORMULARY_PROFILE'], 'FORMULARY_PROFILE') : undefined;
}

/** The key for a place, undefined when there is none. A kept key goes to its own address alone. */
export async function findKey(address: ServiceAddress, flags: KeyFlags, host: Host): Promise<FoundKey | undefined> {
  const flagKey = await readFlagKey(flags, host);
  if (flagKey) return flagKey;
  const { profile, baseUrl, isProfileExplicit } = address;
  const savedKey: FoundKey | undefined =
    profile && isForBaseUrl(profile, baseUrl) ? { key: profile.key, keySource: 'profile' } : undefined;
  return isProfileExplicit ? (savedKey ?? findEnvironmentKey(host)) : (findEnvironmentKey(host) ?? savedKey);
}

/** Denied (4): says for which address a key is missing, and why a kept one was not used. */
export function missingKeyError({ profile, baseUrl }: ServiceAddress, { platform }: Host): CliError {
  const serviceUrl = formatBaseUrl(baseUrl);
  const other =
    profile && !isForBaseUrl(profile, baseUrl)
      ? `; the one in the profile "${profile.name}" is for ${profile.baseUrl} and goes nowhere else`
      : '';
  return new CliError('denied', `there is no API key for ${serviceUrl}${other}`, {
    hint: `${KEY_HINT}, or keep one with: formulary auth login --base-url ${shellQuote(serviceUrl, platform)}`,
  });
}

const isForBaseUrl = (profile: Profile, baseUrl: URL) => {
  const savedUrl = URL.parse(profile.baseUrl);
  return savedUrl !== null && formatBaseUrl(savedUrl) === formatBaseUrl(baseUrl);
};

/** A flag for the address beats FORMULARY_PROFILE=local; flags that contradict each other are refused. */
function resolveIsLocal({ local, baseUrl, profile }: AddressFlags, name: string | undefined): boolean {
  const other = baseUrl !== undefined ? '--base-url' : profile !== undefined && profile !== 'local' ? '--profile' : '';
  if ((local || profile === 'local') && other) {
    throw new CliError('usage', `${local ? '--local' : '--profile local'} and ${other} exclude each other`, {
      hint: 'leave one of them out',
    });
  }
  return local === true || (name === 'local' && baseUrl === undefined);
}

/** The named profile, or the default one where flags and environment leave something open; that one need not exist. */
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
  const hasKey = flags.apiKeyFile !== undefined || flags.apiKeyStdin || env['FORMULARY_API_KEY']?.trim();
  return hasAddress && hasKey ? undefined : readProfile(host, DEFAULT_PROFILE, warn);
}

function chooseBaseUrl(flags: AddressFlags, { env }: Host, profile: Profile | undefined, isProfileExplicit: boolean) {
  const environment = isProfileExplicit ? '' : (env['FORMULARY_BASE_URL']?.trim() ?? '');
  const as = (text: string, source: BaseUrlSource, from: string) => ({ text, source, from });
  if (flags.baseUrl !== undefined) return as(flags.baseUrl.trim(), 'flag', '--base-url');
  if (environment !== '') return as(environment, 'environment', 'FORMULARY_BASE_URL');
  return as(profile?.baseUrl ?? '', 'profile', `the address of the profile "${profile?.name}"`);
}

function missingBaseUrlError(host: Host): CliError {
  const names = listProfileNames(host);
  return new CliError('usage', 'no base address: which service is meant?', {
    hint:
      names.length > 0
        ? `choose a kept profile with --profile (${names.join(', ')}), or give the address with --base-url URL or FORMULARY_BASE_URL; --local uses the embedded service`
        : 'give it with --base-url URL or FORMULARY_BASE_URL, for instance --base-url https://api.example.com, or keep it with formulary auth login --base-url URL; --local uses the embedded service',
  });
}

/** Usage (2), with the profiles that there are. */
export function unknownProfileError(name: string, host: Host): CliError {
  const names = listProfileNames(host);
  return new CliError('usage', `there is no profile "${name}"`, {
    hint: `${names.length > 0 ? `there are ${[...names, 'local'].join(', ')}` : 'none is kept yet'}; keep one with: formulary auth login --base-url URL --profile ${name}`,
  });
}
