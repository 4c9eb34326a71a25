/**
 * Looks whether other users of a shared computer can change a folder of the tool. Whoever can would choose what the tool
 * reads there: the address that a key is sent to, a saved version, the formula that a folder is.
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
  /** It is in a folder of the tool, where the user can remove it. */
  isContent: boolean;
}

/**
 * The first path that makes a folder of the tool (`…/formulary`, which need not exist) one that others can change: a
 * parent below HOME, the folder itself, or something in it; undefined where there is none. Follows symbolic links, which
 * must belong to somebody trusted themselves.
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

/** Whether others can change a file of such a folder, as where it was put there before the folder was closed to them. */
export function findUntrustedFile(host: Host, path: string, stats: Stats): UntrustedPath | undefined {
  return checkStats(path, stats, CONTENT_ROLE, getUserFacts(host));
}

/** Raises usage (2) for a folder that others can change: `consequence` says what is not done, `alternative` what to use. */
export function requireTrust(host: Host, folder: string, consequence: string, alternative: string): void {
  const found = findUntrustedPath(host, folder);
  if (found) throw untrustedError(found, consequence, alternative);
}

/** For what is in a folder of the tool no alternative is needed. */
export const untrustedError = (found: UntrustedPath, consequence: string, alternative = '') =>
  new CliError('usage', `${describeDistrust(found)}, so ${consequence}`, { hint: getDistrustHint(found, alternative) });

/** The reason, for a message. */
export const describeDistrust = ({ path, distrust, mode }: UntrustedPath): string =>
  distrust === 'owner'
    ? `${path} belongs to another user`
    : `other users can write to ${path} (mode ${mode.toString(8).padStart(3, '0')})`;

/** What to do about it; `alternative` is for a folder of another user. Only POSIX systems have these users and modes. */
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

/** The folder, what is in it, and its parents below HOME, by the path as it is written and by the real one. */
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

/** From the top down; none of a folder elsewhere. */
function listParentsBelow(folder: string, home: string | undefined): string[] {
  const parent = dirname(folder);
  if (home === undefined || parent === home || !isWithin(parent, home)) return [];
  return [...listParentsBelow(parent, home), parent];
}

/** With the links of the part that exists resolved. */
function resolveExistingPath(path: string): string {
  const [found, parent] = [findRealPath(path), dirname(path)];
  return found ?? (parent === path ? path : join(resolveExistingPath(parent), basename(path)));
}

function checkPath(path: string, role: PathRole, user: UserFacts): UntrustedPath | undefined {
  const link = tryLstat(path);
  if (!link?.isSymbolicLink()) return link && checkStats(path, link, role, user);
  // The mode of a link says nothing.
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
