/**
 * Finds folders of the tool that other users of a shared computer can change. They would control what the tool reads there:
 * the base URL that a key is sent to, saved versions, and links between folders and formulas.
 */
import type { Stats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError } from '../errors.ts';
import { findRealPath, isWithin } from '../files/paths.ts';
import { tryListNames, tryLstat, tryStat } from '../files/try-stat.ts';
import type { Host } from '../host/host.ts';
import { shellQuotePath } from '../text/shell-quote.ts';
import { probeChmodIgnored } from './probe-chmod.ts';
import { type DistrustReason, findDistrust, type PathFacts, type UserFacts } from './trust-rule.ts';

export interface UntrustedPath {
  path: string;
  distrust: DistrustReason;
  /** Permission bits. */
  mode: number;
  /** Whether it is in a folder of the tool, so that the user can remove it. */
  isContent: boolean;
}

/**
 * Finds the first path with which others can change a folder of the tool (`…/formulary`, which need not exist): a parent
 * below HOME, the folder itself, or an entry of it. Follows symbolic links, which must themselves have a trusted owner.
 */
export function findUntrustedPath(host: Host, folder: string): UntrustedPath | undefined {
  if (host.userId === undefined) return undefined;
  const user = getUserFacts(host);
  for (const [path, role] of listPathsToCheck(folder, host.home && resolve(host.home))) {
    const found = checkPath(path, role, user);
    if (found) return found;
  }
  return undefined;
}

/** The same for a file in a trusted folder: others may have created it before they lost access. */
export function findUntrustedFile(host: Host, path: string, stats: Stats): UntrustedPath | undefined {
  return checkStats(path, stats, CONTENT_ROLE, getUserFacts(host));
}

/** Raises usage (2) for a folder that others can change. `consequence` is what is not done, `alternative` a hint. */
export function requireTrust(host: Host, folder: string, consequence: string, alternative: string): void {
  const found = findUntrustedPath(host, folder);
  if (found) throw untrustedError(found, consequence, alternative);
}

export const untrustedError = (found: UntrustedPath, consequence: string, alternative = '') =>
  new CliError('usage', `${describeDistrust(found)}, so ${consequence}`, { hint: getDistrustHint(found, alternative) });

/** The reason, for a message. */
export const describeDistrust = ({ path, distrust, mode }: UntrustedPath): string =>
  distrust === 'owner'
    ? `${path} belongs to another user`
    : `other users can write to ${path} (mode ${mode.toString(8).padStart(3, '0')})`;

/** How to fix it; `alternative` if the folder belongs to another user. Quoted for POSIX, since Windows has no such modes. */
export function getDistrustHint({ path, distrust, isContent }: UntrustedPath, alternative: string): string {
  if (distrust === 'mode') return `To fix it, run: chmod go-w ${shellQuotePath(path, 'linux')}`;
  return isContent ? `To fix it, run: rm -r ${shellQuotePath(path, 'linux')}` : alternative;
}

type PathRole = Pick<PathFacts, 'isParent' | 'isBelowHome'> & Pick<UntrustedPath, 'isContent'>;

const PARENT_ROLE: PathRole = { isParent: true, isBelowHome: true, isContent: false };
const TOOL_FOLDER_ROLE: PathRole = { isParent: false, isBelowHome: true, isContent: false };
const CONTENT_ROLE: PathRole = { ...TOOL_FOLDER_ROLE, isContent: true };

function getUserFacts({ userId, groupIds, home }: Host): UserFacts {
  const stats = home === undefined ? undefined : tryStat(home);
  return { user: userId, groups: groupIds, home: stats && { owner: stats.uid, group: stats.gid } };
}

/** The folder, its entries, and its parents below HOME, both as written and by their real paths. */
function listPathsToCheck(folder: string, home: string | undefined): Map<string, PathRole> {
  const parents = [
    ...listParentsBelow(folder, home),
    ...listParentsBelow(resolveExistingPath(folder), home && resolveExistingPath(home)),
  ];
  return new Map<string, PathRole>([
    ...parents.map((path) => [path, PARENT_ROLE] as const),
    [folder, TOOL_FOLDER_ROLE],
    ...tryListNames(folder).map((name) => [join(folder, name), CONTENT_ROLE] as const),
  ]);
}

/** From the top down; none for a folder outside of HOME. */
function listParentsBelow(folder: string, home: string | undefined): string[] {
  const parent = dirname(folder);
  if (home === undefined || parent === home || !isWithin(parent, home)) return [];
  return [...listParentsBelow(parent, home), parent];
}

/** Resolves the symbolic links of the part that exists. */
function resolveExistingPath(path: string): string {
  const [found, parent] = [findRealPath(path), dirname(path)];
  return found ?? (parent === path ? path : join(resolveExistingPath(parent), basename(path)));
}

function checkPath(path: string, role: PathRole, user: UserFacts): UntrustedPath | undefined {
  const link = tryLstat(path);
  if (!link?.isSymbolicLink()) return link && checkStats(path, link, role, user);
  // A link has no mode of its own.
  const owner = findDistrust({ ...toPathFacts(link), ...role, mode: 0, ignoresChmod: false }, user);
  if (owner) return { path, distrust: owner, mode: link.mode & 0o777, isContent: role.isContent };
  const target = tryStat(path);
  return target && checkStats(path, target, role, user);
}

function checkStats(path: string, stats: Stats, role: PathRole, user: UserFacts): UntrustedPath | undefined {
  const facts = { ...toPathFacts(stats), ...role };
  const distrust = findDistrust({ ...facts, ignoresChmod: false }, user);
  const isUntrusted =
    distrust === 'owner' ||
    (distrust === 'mode' && !probeChmodIgnored(stats.isDirectory() ? path : dirname(path), user.user));
  return isUntrusted ? { path, distrust, mode: stats.mode & 0o777, isContent: role.isContent } : undefined;
}

const toPathFacts = ({ uid, gid, mode }: Stats) => ({ owner: uid, group: gid, mode: mode & 0o7777 });
