/** Checks that saved keys are valid, and readable by this user only. */
import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { unreadableError } from '../state/private-file.ts';
import { listProfileNames, readProfile } from '../state/profiles.ts';
import { getConfigFolder } from '../state/xdg-paths.ts';
import { shellQuotePath } from '../text/shell-quote.ts';
import { type Check, type CheckResult, defineCheck } from './check.ts';

export interface ConfigFacts {
  /** Undefined without a HOME. */
  folder: string | undefined;
  profiles: readonly string[];
  /** Files and folders that other users can access. */
  exposed: readonly { path: string; mode: number; expectedMode: string }[];
  /** Problems of profiles. */
  errors: readonly CliError[];
}

export const configFiles: Check = defineCheck('saved keys', ({ host }) => gatherConfig(host), evaluateConfig);

function gatherConfig(host: Host): ConfigFacts {
  const folder = getConfigFolder(host);
  if (folder === undefined) return { folder, profiles: [], exposed: [], errors: [] };
  try {
    const profiles = listProfileNames(host);
    const paths = [
      folder,
      join(folder, 'profiles'),
      ...profiles.map((name) => join(folder, 'profiles', `${name}.json`)),
    ];
    const exposed = host.userId === undefined ? [] : paths.flatMap(findExposed);
    return { folder, profiles, exposed, errors: profiles.flatMap((name) => findProfileErrors(host, name)) };
  } catch (error) {
    const refusal = error instanceof CliError ? error : unreadableError(folder, error);
    return { folder, profiles: [], exposed: [], errors: [refusal] };
  }
}

function findExposed(path: string): ConfigFacts['exposed'] {
  const stats: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  if (!stats || (stats.mode & 0o077) === 0) return [];
  return [{ path, mode: stats.mode & 0o777, expectedMode: stats.isDirectory() ? '700' : '600' }];
}

function findProfileErrors(host: Host, name: string): CliError[] {
  try {
    readProfile(host, name, () => undefined);
    return [];
  } catch (error) {
    if (error instanceof CliError) return [error];
    throw error;
  }
}

/** Pure. */
export function evaluateConfig({ folder, profiles, exposed, errors }: ConfigFacts, platform: string): CheckResult {
  if (folder === undefined) {
    const advice = 'Set XDG_CONFIG_HOME, or set FORMULARY_BASE_URL and FORMULARY_API_KEY.';
    return { status: 'warning', found: 'HOME is not set, so keys cannot be saved', advice };
  }
  const [first] = errors;
  if (first) {
    const found = errors.map(({ message }) => message).join('; ');
    return { status: 'warning', found, advice: first.hint };
  }
  if (exposed.length > 0) {
    const found = exposed.map(({ path, mode }) => `${path} (mode ${mode.toString(8)})`).join(', ');
    const advice = exposed
      .map(({ path, expectedMode }) => `chmod ${expectedMode} ${shellQuotePath(path, platform)}`)
      .join(' && ');
    return { status: 'warning', found: `other users can access ${found}`, advice: `To fix it, run: ${advice}` };
  }
  if (profiles.length === 0) return { status: 'ok', found: `none in ${folder}` };
  return { status: 'ok', found: `${profiles.join(', ')} in ${folder}, readable by this user only` };
}
