/** The output of `auth` commands: base URL, key, and their sources. */
import type { Host } from '../host/host.ts';
import type { View } from '../output/formats.ts';
import { type FoundKey, KEY_SOURCES, type KeySource } from '../settings/key-sources.ts';
import { BASE_URL_SOURCES, type BaseUrlSource } from '../settings/resolve-address.ts';
import { DEFAULT_PROFILE } from '../state/profiles.ts';
import { fieldsView } from './list-view.ts';

/** The JSON document. */
export interface Access {
  /** Null for the embedded service. */
  base_url: string | null;
  base_url_source: BaseUrlSource | null;
  /** The last characters of the key, or `[hidden]` for a short key; null without a key. */
  key: string | null;
  key_source: KeySource | null;
  key_header: string | null;
  /** The saved profile that contains the base URL or the key. */
  profile: string | null;
  /** Whether the service accepts the key for reading; null if unknown. */
  accepted: boolean | null;
}

export const ACCESS_FIELDS = 'base_url base_url_source key key_source key_header profile accepted profiles'.split(' ');

/** The fields about the key. */
export const toKeyFields = (found: FoundKey | undefined): Pick<Access, 'key' | 'key_source'> => ({
  key: found ? found.key.formatSuffix() : null,
  key_source: found?.keySource ?? null,
});

/** Rows that do not apply are omitted. `profiles` are the names of all saved profiles. */
export function accessView(access: Access, profiles: readonly string[]): View {
  const { base_url, base_url_source, key, key_source, key_header, profile, accepted } = access;
  const service =
    base_url === null ? 'the embedded service' : `${base_url}${formatSource(base_url_source, BASE_URL_SOURCES)}`;
  const rows: [string, string | null][] = [
    ['base URL', service],
    [
      'key',
      key_source === null
        ? base_url === null
          ? 'not required'
          : 'none'
        : `${key ?? 'not read'}${formatSource(key_source, KEY_SOURCES)}`,
    ],
    ['header', key_header],
    ['profile', profile],
    ['accepted for reading', accepted === null ? 'unknown' : accepted ? 'yes' : 'no'],
    ['saved profiles', profiles.length > 0 ? profiles.join(', ') : null],
  ];
  const fields = rows.flatMap(([name, text]) => (text === null ? [] : [{ key: name, text }]));
  return fieldsView({ ...access, profiles }, fields);
}

const formatSource = <Source extends string>(source: Source | null, labels: Readonly<Record<Source, string>>) =>
  source === null ? '' : ` (${labels[source]})`;

/** The summary of a login: how to use it, or which variables take precedence over it. */
export function describeLogin(name: string, baseUrl: string, env: Host['env']): string {
  if (name !== DEFAULT_PROFILE) return `Saved profile ${name}. To use it, pass --profile ${name}.`;
  const isSaved = (value: string | undefined) => value?.replace(/\/+$/, '') === baseUrl.replace(/\/+$/, '');
  const variables = ['FORMULARY_PROFILE', 'FORMULARY_BASE_URL', 'FORMULARY_API_KEY', 'FORMULARY_API_KEY_FILE'].filter(
    (variable) => env[variable] && !isSaved(env[variable]),
  );
  if (variables.length === 0) return `Logged in to ${baseUrl}.`;
  return `Saved, but ${variables.join(' and ')} ${variables.length > 1 ? 'are set and take' : 'is set and takes'} precedence.`;
}
