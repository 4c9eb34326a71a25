/** Checks the folders of the tool, and what is in them. */
import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, type Stats, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { describeFsError } from '../files/file-errors.ts';
import { listAncestors } from '../files/repository.ts';
import type { Host } from '../host/host.ts';
import { findUntrustedPath, formatDistrust, getDistrustHint, type UntrustedPath } from '../state/folder-trust.ts';
import { unreadableError } from '../state/private-file.ts';
import { listProfileNames, readProfile } from '../state/profiles.ts';
import { getConfigFolder, getStateFolder, listToolFolders } from '../state/xdg-paths.ts';
import { shellQuotePath } from '../text/shell-quote.ts';
import type { CheckResult } from '../views/doctor-view.ts';
import { type Check, defineCheck } from './check.ts';

export const folderTrust: Check = defineCheck('own folders', ({ host }) => gatherOwnFolders(host), evaluateOwnFolders);

export interface OwnFolderFacts {
  /** Folders that other users can change, each with the path whose owner or mode allows it. */
  untrusted: readonly { folder: string; found: UntrustedPath }[];
  /** Folders that cannot be checked, each with the reason. */
  unreadable: readonly string[];
}

function gatherOwnFolders(host: Host): OwnFolderFacts | undefined {
  if (host.userId === undefined) return undefined;
  const folders = listToolFolders(host);
  const untrusted = folders.flatMap((folder) => {
    const found = findUntrustedPath(host, folder);
    return found ? [{ folder, found }] : [];
  });
  return { untrusted, unreadable: folders.flatMap(findUnreadable) };
}

function findUnreadable(folder: string): string[] {
  try {
    statSync(folder);
    return [];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? [] : [`${folder}: ${describeFsError(error)}`];
  }
}

const ALTERNATIVE = 'Set XDG_CONFIG_HOME, XDG_STATE_HOME, and XDG_DATA_HOME to folders of your own.';

/** Pure. */
export function evaluateOwnFolders(facts: OwnFolderFacts | undefined): CheckResult | undefined {
  if (facts === undefined) return undefined;
  const { untrusted, unreadable } = facts;
  if (untrusted.length === 0 && unreadable.length > 0) return { status: 'unknown', found: unreadable.join('; ') };
  if (untrusted.length === 0) return { status: 'ok', found: 'only this user can change them' };
  const found = untrusted.map(({ folder, found: one }) => `${folder} is not used: ${formatDistrust(one)}`);
  const advice = new Set(untrusted.map(({ found: one }) => getDistrustHint(one, ALTERNATIVE)));
  return { status: 'warning', found: found.join('; '), advice: [...advice].join('\n') };
}

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

export const stateFolder: Check = defineCheck(
  'state folder',
  ({ host }) => gatherStateFolder(host),
  evaluateStateFolder,
);

export interface StateFolderFacts {
  /** Undefined without a HOME. */
  folder: string | undefined;
  exists: boolean;
  /** Why it is not writable. */
  problem: string | undefined;
}

function gatherStateFolder(host: Host): StateFolderFacts {
  const folder = getStateFolder(host);
  if (folder === undefined) return { folder, exists: false, problem: undefined };
  const exists = existsSync(folder);
  const nearest = listAncestors(folder).find((path) => existsSync(path)) ?? folder;
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
    return { folder, exists, problem: undefined };
  } catch (error) {
    return { folder, exists, problem: `${nearest}: ${describeFsError(error)}` };
  }
}

/** Pure. */
export function evaluateStateFolder({ folder, exists, problem }: StateFolderFacts): CheckResult {
  const advice = 'Set XDG_STATE_HOME. Without a state folder, commands that replace or delete need --no-history.';
  if (folder === undefined) return { status: 'warning', found: 'HOME is not set, so no versions are saved', advice };
  if (problem !== undefined) return { status: 'warning', found: `not writable: ${problem}`, advice };
  return { status: 'ok', found: exists ? folder : `${folder} (does not exist yet)` };
}

export const temporaryFolder: Check = defineCheck('temporary folder', findTemporaryProblem, evaluateTemporaryFolder);

/** Why `run` and `test` cannot write to the temporary folder. */
function findTemporaryProblem(): string | undefined {
  try {
    rmdirSync(mkdtempSync(join(tmpdir(), 'formulary-run-')));
    return undefined;
  } catch (error) {
    return `${tmpdir()}: ${describeFsError(error)}`;
  }
}

function evaluateTemporaryFolder(problem: string | undefined, platform: string): CheckResult {
  if (problem === undefined) return { status: 'ok', found: tmpdir() };
  const variable = platform === 'win32' ? 'TEMP' : 'TMPDIR';
  const advice = `Set ${variable} to a folder that you can write to. run, test, and dev need it.`;
  return { status: 'warning', found: `not writable: ${problem}`, advice };
}
