/** The rule by which a path is trusted on a computer that several users share. */

export interface PathFacts {
  owner: number;
  group: number;
  /** Permission bits, the sticky bit among them. */
  mode: number;
  /** A folder above the tool's own: it counts only below HOME, and may be sticky. */
  isParent: boolean;
  isBelowHome: boolean;
  /** `chmod` changes nothing on its file system, so that the mode says nothing. */
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

/** Why a path is not trusted; undefined where it is. Pure. */
export function findDistrust(path: PathFacts, { user, groups, home }: UserFacts): DistrustReason | undefined {
  if (user === undefined || (path.isParent && !path.isBelowHome)) return undefined;
  if (![user, ROOT, home?.owner].includes(path.owner)) return 'owner';
  const isSticky = path.isParent && (path.mode & STICKY) !== 0;
  if (isSticky || path.ignoresChmod) return undefined;
  if (path.mode & OTHERS_WRITE) return 'mode';
  const isOwnGroup = groups.includes(path.group) || (home?.owner !== user && home?.group === path.group);
  return path.mode & GROUP_WRITE && !isOwnGroup ? 'mode' : undefined;
}
