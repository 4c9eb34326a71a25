/** Which service is meant, and as whom: flags, environment and kept profiles brought together. */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { checkedProfileName, DEFAULT_PROFILE, type Profile, profileNames, readProfile } from '../state/profiles.ts';
import { shellWord } from '../text/shell-quote.ts';
import { addressOf, checkedBaseUrl } from './base-url.ts';
import type { RoadFlags } from './connection-settings.ts';
import {
  DEFAULT_KEY_HEADER,
  environmentKey,
  type FoundKey,
  flaggedKey,
  HOW_TO_GIVE_A_KEY,
  headerNameOf,
  type KeyFlags,
} from './key-sources.ts';

export interface PlaceFlags extends KeyFlags, RoadFlags {
  baseUrl?: string | undefined;
  local?: boolean | undefined;
  profile?: string | undefined;
  apiKeyHeader?: string | undefined;
}

export type AddressSource = 'flag' | 'environment' | 'profile';

/** A service by HTTP; not yet as whom. */
export interface RemotePlace {
  kind: 'remote';
  baseUrl: URL;
  addressSource: AddressSource;
  keyHeader: string;
  /** The profile that was looked at; its address may be another. */
  profile: Profile | undefined;
  /** The profile was named, so it beats the environment. */
  isNamed: boolean;
  /** What the user should hear before any request. */
  warnings: readonly string[];
}

/** Raises usage (2) where the settings name no service, a wrong one, or contradict each other. */
export function resolvePlace(flags: PlaceFlags, host: Host): { kind: 'local' } | RemotePlace {
  const name = flags.profile ?? (host.env['FORMULARY_PROFILE'] || undefined);
  if (isLocal(flags, name)) return { kind: 'local' };
  const warnings: string[] = [];
  const profile = profileOf(name, flags, host, (text) => warnings.push(text));
  return { ...remotePlace(flags, host, profile, profile !== undefined && name !== undefined), warnings };
}

/** Where a key belongs that is to be kept, in place of what the profile held `before`. Raises usage (2) as above. */
export function placeToKeep(flags: PlaceFlags, host: Host, before: Profile | undefined): RemotePlace {
  if (flags.local) {
    throw new CliError('usage', 'the embedded service needs no key, so none is kept for it', {
      hint: 'give --local to the commands that should use it',
    });
  }
  if (chosenAddress(flags, host, before, false).text === '') {
    throw new CliError('usage', 'no base address: which service is the key for?', {
      hint: 'give it with --base-url URL, for instance: formulary auth login --base-url https://api.example.com',
    });
  }
  const place = remotePlace(flags, host, before, false);
  const isNamed = profileWord(flags, host) !== undefined;
  // A key that is typed for one of two addresses must not be sent to the other.
  if (isNamed && before && place.addressSource === 'environment' && !isFor(before, place.baseUrl)) {
    throw new CliError(
      'usage',
      `which address is the key for? FORMULARY_BASE_URL is ${addressOf(place.baseUrl)}, and the profile "${before.name}" is for ${before.baseUrl}`,
      { hint: 'say it with --base-url URL' },
    );
  }
  return place;
}

function remotePlace(flags: PlaceFlags, host: Host, profile: Profile | undefined, isNamed: boolean): RemotePlace {
  const { text, source, from } = chosenAddress(flags, host, profile, isNamed);
  if (text === '') throw noAddress(host);
  const baseUrl = checkedBaseUrl(text, from, flags.insecureHttp === true);
  const kept = profile && isFor(profile, baseUrl) ? profile.keyHeader : undefined;
  const environment = host.env['FORMULARY_API_KEY_HEADER'] || undefined;
  const header = flags.apiKeyHeader ?? (isNamed ? (kept ?? environment) : (environment ?? kept));
  const keyHeader = headerNameOf(header ?? DEFAULT_KEY_HEADER);
  return { kind: 'remote', baseUrl, addressSource: source, keyHeader, profile, isNamed, warnings: [] };
}

/** The name of a kept profile that flag or environment say. Raises usage (2) for what can be no such name. */
export function profileWord({ profile }: PlaceFlags, { env }: Host): string | undefined {
  if (profile !== undefined) return checkedProfileName(profile, '--profile');
  return env['FORMULARY_PROFILE'] ? checkedProfileName(env['FORMULARY_PROFILE'], 'FORMULARY_PROFILE') : undefined;
}

/** The key for a place, undefined when there is none. A kept key goes to its own address alone. */
export async function findKey(place: RemotePlace, flags: KeyFlags, host: Host): Promise<FoundKey | undefined> {
  const flagged = await flaggedKey(flags, host);
  if (flagged) return flagged;
  const { profile, baseUrl, isNamed } = place;
  const kept: FoundKey | undefined =
    profile && isFor(profile, baseUrl) ? { key: profile.key, keySource: 'profile' } : undefined;
  return isNamed ? (kept ?? environmentKey(host)) : (environmentKey(host) ?? kept);
}

/** Denied (4): says for which address a key is missing, and why a kept one was not used. */
export function noKey({ profile, baseUrl }: RemotePlace, { platform }: Host): CliError {
  const address = addressOf(baseUrl);
  const other =
    profile && !isFor(profile, baseUrl)
      ? `; the one in the profile "${profile.name}" is for ${profile.baseUrl} and goes nowhere else`
      : '';
  return new CliError('denied', `there is no API key for ${address}${other}`, {
    hint: `${HOW_TO_GIVE_A_KEY}, or keep one with: formulary auth login --base-url ${shellWord(address, platform)}`,
  });
}

const isFor = (profile: Profile, baseUrl: URL) => {
  const kept = URL.parse(profile.baseUrl);
  return kept !== null && addressOf(kept) === addressOf(baseUrl);
};

/** A flag for the address beats FORMULARY_PROFILE=local; flags that contradict each other are refused. */
function isLocal({ local, baseUrl, profile }: PlaceFlags, name: string | undefined): boolean {
  const other = baseUrl !== undefined ? '--base-url' : profile !== undefined && profile !== 'local' ? '--profile' : '';
  if ((local || profile === 'local') && other) {
    throw new CliError('usage', `${local ? '--local' : '--profile local'} and ${other} exclude each other`, {
      hint: 'leave one of them out',
    });
  }
  return local === true || (name === 'local' && baseUrl === undefined);
}

/** The named profile, or the default one where flags and environment leave something open; that one need not exist. */
function profileOf(
  name: string | undefined,
  flags: PlaceFlags,
  host: Host,
  warn: (text: string) => void,
): Profile | undefined {
  if (name !== undefined && name !== 'local') {
    const profile = readProfile(host, profileWord(flags, host) ?? name, warn);
    if (!profile) throw unknownProfile(name, host);
    return profile;
  }
  const { env } = host;
  const hasAddress = flags.baseUrl !== undefined || env['FORMULARY_BASE_URL']?.trim();
  const hasKey = flags.apiKeyFile !== undefined || flags.apiKeyStdin || env['FORMULARY_API_KEY']?.trim();
  return hasAddress && hasKey ? undefined : readProfile(host, DEFAULT_PROFILE, warn);
}

function chosenAddress(flags: PlaceFlags, { env }: Host, profile: Profile | undefined, isNamed: boolean) {
  const environment = isNamed ? '' : (env['FORMULARY_BASE_URL']?.trim() ?? '');
  const as = (text: string, source: AddressSource, from: string) => ({ text, source, from });
  if (flags.baseUrl !== undefined) return as(flags.baseUrl.trim(), 'flag', '--base-url');
  if (environment !== '') return as(environment, 'environment', 'FORMULARY_BASE_URL');
  return as(profile?.baseUrl ?? '', 'profile', `the address of the profile "${profile?.name}"`);
}

function noAddress(host: Host): CliError {
  const names = profileNames(host);
  return new CliError('usage', 'no base address: which service is meant?', {
    hint:
      names.length > 0
        ? `choose a kept profile with --profile (${names.join(', ')}), or give the address with --base-url URL or FORMULARY_BASE_URL; --local uses the embedded service`
        : 'give it with --base-url URL or FORMULARY_BASE_URL, for instance --base-url https://api.example.com, or keep it with formulary auth login --base-url URL; --local uses the embedded service',
  });
}

/** Usage (2), with the profiles that there are. */
export function unknownProfile(name: string, host: Host): CliError {
  const names = profileNames(host);
  return new CliError('usage', `there is no profile "${name}"`, {
    hint: `${names.length > 0 ? `there are ${[...names, 'local'].join(', ')}` : 'none is kept yet'}; keep one with: formulary auth login --base-url URL --profile ${name}`,
  });
}
