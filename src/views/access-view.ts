/** What `auth` says of a key: which, from where, for which address, and whether it is accepted. */
import type { View } from '../output/formats.ts';
import type { FoundKey, KeySource } from '../settings/key-sources.ts';
import type { BaseUrlSource } from '../settings/resolve-address.ts';
import { fieldsView } from './list-view.ts';

/** The answer as programs read it. */
export interface Access {
  /** Null for the embedded service. */
  base_url: string | null;
  base_url_source: BaseUrlSource | null;
  /** How the key ends, or `[hidden]` where that would tell too much of it; null without a key. */
  key: string | null;
  key_source: KeySource | null;
  key_header: string | null;
  /** The kept pair that address or key came from. */
  profile: string | null;
  /** Whether the service takes the key for reading; null when that was not found out. */
  accepted: boolean | null;
}

const KEY_SOURCES: Readonly<Record<KeySource, string>> = {
  flag: '--api-key-file',
  stdin: 'standard input',
  environment: 'FORMULARY_API_KEY',
  profile: 'kept by auth login',
};

const BASE_URL_SOURCES: Readonly<Record<BaseUrlSource, string>> = {
  flag: '--base-url',
  environment: 'FORMULARY_BASE_URL',
  profile: 'kept by auth login',
};

/** The part of the answer that a key, or its absence, decides. */
export const toKeyFields = (found: FoundKey | undefined): Pick<Access, 'key' | 'key_source'> => ({
  key: found ? found.key.formatSuffix() : null,
  key_source: found?.keySource ?? null,
});

/** A line a fact; facts that do not apply are left out. `profiles`: the names of all that are kept. */
export function accessView(access: Access, profiles: readonly string[]): View {
  const { base_url, base_url_source, key, key_source, key_header, profile, accepted } = access;
  const service =
    base_url === null ? 'the embedded service' : `${base_url}${formatSource(base_url_source, BASE_URL_SOURCES)}`;
  const rows: [string, string | null][] = [
    ['address', service],
    [
      'key',
      key === null ? (base_url === null ? 'none is needed' : 'none') : `${key}${formatSource(key_source, KEY_SOURCES)}`,
    ],
    ['header', key_header],
    ['profile', profile],
    ['accepted for reading', accepted === null ? 'not known' : accepted ? 'yes' : 'no'],
    ['kept profiles', profiles.length > 0 ? profiles.join(', ') : null],
  ];
  const fields = rows.flatMap(([name, text]) => (text === null ? [] : [{ key: name, text }]));
  return fieldsView({ ...access, profiles }, fields);
}

const formatSource = <Source extends string>(source: Source | null, words: Readonly<Record<Source, string>>) =>
  source === null ? '' : ` (${words[source]})`;
