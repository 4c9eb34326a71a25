/**
 * Looks whether other users of a shared computer can change a folder of the tool. Whoever can would choose what the tool
 * reads there: the address that a key is sent to, a saved version, the formula that a folder is.
 */
import { chmodSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError } from '../errors.ts';
import { findRealPath, isWithin } from '../files/paths.ts';
import type { Host } from '../host.ts';
import { shellPath } from '../shell-word.ts';
import { type Distrust, findDistrust, type PathFacts, ROOT, STICKY, type UserFacts } from './distrust.ts';

export interface Untrusted {
  path: string;
  distrust: Distrust;
  /** Permission bits. */
  mode: number;
}

/**
 * The first path that makes a folder of the tool (`…/formulary`, which need not exist) one that others can change: a
 * parent below HOME, the folder itself, or something in it; undefined where there is none. Follows symbolic links, which
 * must belong to somebody trusted themselves.
 */
export function findUntrusted(host: Host, folder: string): Untrusted | undefined {
  if (host.user === undefined) return undefined;
  const user = userFacts(host);
  for (const [path, place] of pathsToCheck(folder, host.home && resolve(host.home))) {
    const found = checkPath(path, place, user);
    if (found) return found;
  }
  return undefined;
}

/** Whether others can change a file of such a folder, as where it was put there before the folder was closed to them. */
export function findUntrustedFile(host: Host, path: string, stats: Stats): Untrusted | undefined {
  return checkStats(path, stats, { isParent: false, isBelowHome: false }, userFacts(host));
}

/** Raises usage (2) for a folder that others can change: `consequence` says what is not done, `alternative` what to use. */
export function requireTrust(host: Host, folder: string, consequence: string, alternative: string): void {
  const found = findUntrusted(host, folder);
  if (found) throw untrustedError(found, consequence, alternative);
}

/** The same for a file in a folder that is trusted. */
export function requireTrustedFile(host: Host, path: string, consequence: string, alternative: string): void {
  const found = host.user === undefined ? undefined : checkPath(path, OWN, userFacts(host));
  if (found) throw untrustedError(found, consequence, alternative);
}

export const untrustedError = (found: Untrusted, consequence: string, alternative: string) =>
  new CliError('usage', `${describeDistrust(found)}, so ${consequence}`, { hint: distrustHint(found, alternative) });

/** The reason, for a message. */
export const describeDistrust = ({ path, distrust, mode }: Untrusted): string =>
  distrust === 'owner'
    ? `${path} belongs to another user`
    : `other users can write to ${path} (mode ${mode.toString(8).padStart(3, '0')})`;

/** What to do about it: what is of another user stays so. Only POSIX systems have these users and modes. */
export const distrustHint = ({ path, distrust }: Untrusted, alternative: string): string =>
  distrust === 'owner' ? alternative : `to fix it, run: chmod go-w ${shellPath(path, 'linux')}`;

type Place = Pick<PathFacts, 'isParent' | 'isBelowHome'>;

const OWN: Place = { isParent: false, isBelowHome: true };

function userFacts({ user, groups, home }: Host): UserFacts {
  const stats = home === undefined ? undefined : statIfThere(home);
  return { user, groups, home: stats && { owner: stats.uid, group: stats.gid } };
}

/** The folder, what is in it, and its parents below HOME, by the path as it is written and by the real one. */
function pathsToCheck(folder: string, home: string | undefined): Map<string, Place> {
  const parents = [
    ...parentsBelow(folder, home),
    ...parentsBelow(realPathOfExisting(folder), home && realPathOfExisting(home)),
  ];
  return new Map<string, Place>([
    ...parents.map((path) => [path, { isParent: true, isBelowHome: true }] as const),
    [folder, OWN],
    ...namesIn(folder).map((name) => [join(folder, name), OWN] as const),
  ]);
}

/** From the top down; none of a folder elsewhere. */
function parentsBelow(folder: string, home: string | undefined): string[] {
  const parent = dirname(folder);
  if (home === undefined || parent === home || !isWithin(parent, home)) return [];
  return [...parentsBelow(parent, home), parent];
}

/** With the links of the part that exists resolved. */
function realPathOfExisting(path: string): string {
  const [found, parent] = [findRealPath(path), dirname(path)];
  return found ?? (parent === path ? path : join(realPathOfExisting(parent), basename(path)));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function checkPath(path: string, place: Place, user: UserFacts): Untrusted | undefined {
  const link = statIfThere(path, lstatSync);
  if (!link?.isSymbolicLink()) return link && checkStats(path, link, place, user);
  // The mode of a link says nothing.
  const owner = findDistrust({ ...factsFrom(link), ...place, mode: 0, ignoresChmod: false }, user);
  if (owner) return { path, distrust: owner, mode: link.mode & 0o777 };
  const target = statIfThere(path);
  return target && checkStats(path, target, place, user);
}

function checkStats(path: string, stats: Stats, place: Place, user: UserFacts): Untrusted | undefined {
  const facts = { ...factsFrom(stats), ...place };
  const distrust = findDistrust({ ...facts, ignoresChmod: false }, user);
  const isSo = distrust === 'owner' || (distrust === 'mode' && !ignoresChmod(path, stats, user));
  return isSo ? { path, distrust, mode: stats.mode & 0o777 } : undefined;
}

const factsFrom = ({ uid, gid, mode }: Stats) => ({ owner: uid, group: gid, mode: mode & 0o7777 });

/**
 * Whether `chmod` changes nothing on this file system: tried with the sticky bit, with which others can do less, and
 * taken back. Only the owner and root can try.
 */
function ignoresChmod(path: string, stats: Stats, { user }: UserFacts): boolean {
  const folder = stats.isDirectory() ? path : dirname(path);
  const found = stats.isDirectory() ? stats : statIfThere(folder);
  if (!found || (found.uid !== user && user !== ROOT) || found.mode & STICKY) return false;
  const mode = found.mode & 0o7777;
  try {
    chmodSync(folder, mode | STICKY);
    if ((statSync(folder).mode & 0o7777) === mode) return true;
    chmodSync(folder, mode);
    return false;
  } catch (error) {
    return /^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test((error as NodeJS.ErrnoException).code ?? '');
  }
}

/** Undefined also for what cannot be looked at: to read or write it fails with a reason of its own. */
function statIfThere(path: string, look: typeof statSync | typeof lstatSync = statSync): Stats | undefined {
  try {
    return look(path);
  } catch {
    return undefined;
  }
}
