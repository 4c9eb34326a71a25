/**
 * Finds folders of the tool that other users of a shared computer can change. They would control what the tool reads there:
 * the base URL that a key is sent to, saved versions, and links between folders and formulas.
 */
import { closeSync, constants, fchmodSync, fstatSync, openSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { attempt, CliError } from '../errors.ts';
import { isWithin, toRealPath } from '../files/paths.ts';
import { tryListNames, tryLstat, tryStat } from '../files/try-stat.ts';
import type { Host } from '../host/host.ts';
import { shellQuotePath } from '../text/shell-quote.ts';

export interface UntrustedPath {
  path: string;
  /** Other users own the path, or can write to it. */
  distrust: 'owner' | 'mode';
  /** Permission bits. */
  mode: number;
  /** Whether it is in a folder of the tool, so that the user can remove it. */
  isContent: boolean;
}

/** `parent`: above a folder of the tool, and below HOME. `content`: an entry of the folder. */
type PathRole = 'parent' | 'folder' | 'content';

export interface PathFacts {
  owner: number;
  group: number;
  /** Permission bits, including the sticky bit. */
  mode: number;
  role: PathRole;
  /** `chmod` has no effect on its file system, so the mode is meaningless. */
  ignoresChmod(): boolean;
}

export interface UserFacts {
  /** The effective user. */
  user: number;
  groups: readonly number[];
  /** Under sudo, HOME can be that of the invoking user. */
  home: { owner: number; group: number } | undefined;
}

const ROOT = 0;
const STICKY = 0o1000;
const GROUP_WRITE = 0o020;
const OTHERS_WRITE = 0o002;

/** Why a path is not trusted; undefined if it is. */
export function findDistrust(
  path: PathFacts,
  { user, groups, home }: UserFacts,
): UntrustedPath['distrust'] | undefined {
  if (![user, ROOT, home?.owner].includes(path.owner)) return 'owner';
  if (path.role === 'parent' && (path.mode & STICKY) !== 0) return undefined;
  const isOwnGroup = groups.includes(path.group) || (home?.owner !== user && home?.group === path.group);
  const isOpen = (path.mode & OTHERS_WRITE) !== 0 || ((path.mode & GROUP_WRITE) !== 0 && !isOwnGroup);
  return isOpen && !path.ignoresChmod() ? 'mode' : undefined;
}

/** Checked once per command, unless the folder is created. */
const checked = new WeakMap<Host, Map<string, UntrustedPath | undefined>>();

/**
 * Finds the first path with which others can change a folder of the tool (`…/formulary`, which need not exist): a parent
 * below HOME, the folder itself, or an entry of it. Follows symbolic links, which must themselves have a trusted owner.
 */
export function findUntrustedPath(host: Host, folder: string): UntrustedPath | undefined {
  const user = getUserFacts(host);
  if (!user) return undefined;
  const known = checked.get(host) ?? new Map<string, UntrustedPath | undefined>();
  checked.set(host, known);
  if (known.has(folder)) return known.get(folder);
  const paths = listPathsToCheck(folder, host.home && resolve(host.home));
  const found = paths.map(([path, role]) => checkPath(path, role, user)).find((one) => one !== undefined);
  if (tryLstat(folder)) known.set(folder, found);
  return found;
}

/** The same for an open file of a trusted folder: others may have created it before they lost access. */
export function findUntrustedFile(host: Host, path: string, stats: Stats): UntrustedPath | undefined {
  const user = getUserFacts(host);
  return user && checkStats(path, stats, 'content', user);
}

/** Undefined on Windows. */
function getUserFacts({ userId, groupIds, home }: Host): UserFacts | undefined {
  const stats = home === undefined ? undefined : tryStat(home);
  const homeFacts = stats && { owner: stats.uid, group: stats.gid };
  return userId === undefined ? undefined : { user: userId, groups: groupIds, home: homeFacts };
}

/** Raises usage (2) for what others can change. `consequence` is what is not done, `alternative` a hint. */
export function assertTrusted(found: UntrustedPath | undefined, consequence: string, alternative = ''): void {
  if (!found) return;
  const hint = getDistrustHint(found, alternative);
  throw new CliError('usage', `${formatDistrust(found)}, so ${consequence}`, { hint });
}

/** The reason, for a message. */
export const formatDistrust = ({ path, distrust, mode }: UntrustedPath): string =>
  distrust === 'owner'
    ? `${path} belongs to another user`
    : `other users can write to ${path} (mode ${mode.toString(8).padStart(3, '0')})`;

/** How to fix it; `alternative` if the folder belongs to another user. Quoted for POSIX, since Windows has no such modes. */
export function getDistrustHint({ path, distrust, isContent }: UntrustedPath, alternative: string): string {
  if (distrust === 'mode') return `To fix it, run: chmod go-w ${shellQuotePath(path, 'linux')}`;
  return isContent ? `To fix it, run: rm -r ${shellQuotePath(path, 'linux')}` : alternative;
}

/** The folder, its entries, and its parents below HOME, both as written and by their real paths. */
function listPathsToCheck(folder: string, home: string | undefined): [path: string, role: PathRole][] {
  const parents = new Set([
    ...listParentsBelow(folder, home),
    ...listParentsBelow(toRealPath(folder), home && toRealPath(home)),
  ]);
  return [
    ...[...parents].map((path): [string, PathRole] => [path, 'parent']),
    [folder, 'folder'],
    ...tryListNames(folder).map((name): [string, PathRole] => [join(folder, name), 'content']),
  ];
}

/** From the top down; none for a folder outside of HOME. */
function listParentsBelow(folder: string, home: string | undefined): string[] {
  const parent = dirname(folder);
  if (home === undefined || parent === home || !isWithin(parent, home)) return [];
  return [...listParentsBelow(parent, home), parent];
}

function checkPath(path: string, role: PathRole, user: UserFacts): UntrustedPath | undefined {
  const link = tryLstat(path);
  if (!link?.isSymbolicLink()) return link && checkStats(path, link, role, user);
  const target = tryStat(path);
  // A link has no mode of its own.
  return (
    checkStats(path, Object.assign(link, { mode: link.mode & ~0o777 }), role, user) ??
    (target && checkStats(path, target, role, user))
  );
}

function checkStats(path: string, stats: Stats, role: PathRole, user: UserFacts): UntrustedPath | undefined {
  const { uid: owner, gid: group, mode } = stats;
  const ignoresChmod = () => probeChmodIgnored(stats.isDirectory() ? path : dirname(path), user.user);
  const distrust = findDistrust({ owner, group, mode: mode & 0o7777, role, ignoresChmod }, user);
  return distrust && { path, distrust, mode: mode & 0o777, isContent: role === 'content' };
}

/**
 * Whether `chmod` has no effect, as on WSL mounts. Sets the sticky bit, which only restricts others, and removes it again.
 * False if `user` is neither the owner nor root, who alone can test it.
 */
function probeChmodIgnored(folder: string, user: number): boolean {
  // By its descriptor: others could replace the folder at the path in between.
  const descriptor = attempt(() => openSync(folder, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0)));
  if (descriptor === undefined) return false;
  try {
    const { uid, mode } = fstatSync(descriptor);
    if ((uid !== user && user !== ROOT) || mode & STICKY) return false;
    fchmodSync(descriptor, (mode & 0o7777) | STICKY);
    const isSet = (fstatSync(descriptor).mode & STICKY) !== 0;
    if (isSet) fchmodSync(descriptor, mode & 0o7777);
    return !isSet;
  } catch (error) {
    // A read-only file system has modes; one that denies its owner has none.
    return /^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test((error as NodeJS.ErrnoException).code ?? '');
  } finally {
    closeSync(descriptor);
  }
}
