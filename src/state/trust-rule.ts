/** Decides whether a path is trusted on a computer with several users. */

export interface PathFacts {
  owner: number;
  group: number;
  /** Permission bits, including the sticky bit. */
  mode: number;
  /** A parent of the tool's folder: it matters only below HOME, and may be sticky. */
  isParent: boolean;
  isBelowHome: boolean;
  /** `chmod` has no effect on its file system, so the mode is meaningless. */
  ignoresChmod: boolean;
}

export interface UserFacts {
  /** The effective user; undefined on Windows. */
  user: number | undefined;
  groups: readonly number[];
  /** Under sudo, HOME can be that of the invoking user. */
  home: { owner: number; group: number } | undefined;
}

/** Other users own the path, or can write to it. */
export type DistrustReason = 'owner' | 'mode';

export const ROOT = 0;
export const STICKY = 0o1000;
const GROUP_WRITE = 0o020;
const OTHERS_WRITE = 0o002;

/** Why a path is not trusted; undefined if it is. Pure. */
export function findDistrust(path: PathFacts, { user, groups, home }: UserFacts): DistrustReason | undefined {
  if (user === undefined || (path.isParent && !path.isBelowHome)) return undefined;
  if (![user, ROOT, home?.owner].includes(path.owner)) return 'owner';
  const isSticky = path.isParent && (path.mode & STICKY) !== 0;
  if (isSticky || path.ignoresChmod) return undefined;
  if (path.mode & OTHERS_WRITE) return 'mode';
  const isOwnGroup = groups.includes(path.group) || (home?.owner !== user && home?.group === path.group);
  return path.mode & GROUP_WRITE && !isOwnGroup ? 'mode' : undefined;
}
