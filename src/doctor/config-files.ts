/** Whether kept keys are readable, and for this user alone. */
import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { unreadable } from '../state/private-file.ts';
import { profileNames, readProfile } from '../state/profiles.ts';
import { configFolder } from '../state/xdg-paths.ts';
import { shellPath } from '../text/shell-quote.ts';
import { type Check, checkOf, type Finding } from './check.ts';

export interface ConfigFacts {
  /** Undefined where there is no place for one. */
  folder: string | undefined;
  profiles: readonly string[];
  /** Files and folders that others can reach. */
  wide: readonly { path: string; mode: number; wanted: string }[];
  /** What is wrong with profiles. */
  broken: readonly CliError[];
}

export const configFiles: Check = checkOf('kept keys', ({ host }) => facts(host), judgeConfig);

function facts(host: Host): ConfigFacts {
  const folder = configFolder(host);
  if (folder === undefined) return { folder, profiles: [], wide: [], broken: [] };
  try {
    const profiles = profileNames(host);
    const places = [
      folder,
      join(folder, 'profiles'),
      ...profiles.map((name) => join(folder, 'profiles', `${name}.json`)),
    ];
    const wide = host.user === undefined ? [] : places.flatMap(wideOf);
    return { folder, profiles, wide, broken: profiles.flatMap((name) => brokenBy(host, name)) };
  } catch (error) {
    const refusal = error instanceof CliError ? error : unreadable(folder, error);
    return { folder, profiles: [], wide: [], broken: [refusal] };
  }
}

function wideOf(path: string): ConfigFacts['wide'] {
  const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  if (!stats || (stats.mode & 0o077) === 0) return [];
  return [{ path, mode: stats.mode & 0o777, wanted: stats.isDirectory() ? '700' : '600' }];
}

function brokenBy(host: Host, name: string): CliError[] {
  try {
    readProfile(host, name, () => undefined);
    return [];
  } catch (error) {
    if (error instanceof CliError) return [error];
    throw error;
  }
}

/** Pure. */
export function judgeConfig({ folder, profiles, wide, broken }: ConfigFacts, platform: string): Finding {
  if (folder === undefined) {
    const advice = 'name a folder with XDG_CONFIG_HOME, or set FORMULARY_BASE_URL and FORMULARY_API_KEY';
    return { status: 'warning', found: 'there is no HOME, so keys have no place', advice };
  }
  const [first] = broken;
  if (first) {
    const found = broken.map(({ message }) => message).join('; ');
    return { status: 'warning', found, advice: first.hint };
  }
  if (wide.length > 0) {
    const found = wide.map(({ path, mode }) => `${path} (mode ${mode.toString(8)})`).join(', ');
    const advice = wide.map(({ path, wanted }) => `chmod ${wanted} ${shellPath(path, platform)}`).join(' && ');
    return { status: 'warning', found: `others can reach ${found}`, advice: `close it with: ${advice}` };
  }
  if (profiles.length === 0) return { status: 'ok', found: `none in ${folder}` };
  return { status: 'ok', found: `${profiles.join(', ')} in ${folder}, for this user alone` };
}
