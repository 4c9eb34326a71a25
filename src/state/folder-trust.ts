/**
 * Looks whether other users of a shared computer can change a folder of the tool. Whoever can would choose what the tool
 * reads there: the address that a key is sent to, a saved version, the formula that a folder is.
 */
import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError } from '../errors.ts';
import { findRealPath, isWithin } from '../files/paths.ts';
import type { Host } from '../host/host.ts';
import { shellPath } from '../text/shell-quote.ts';
import { ignoresChmod } from './ignores-chmod.ts';
import { type Distrust, findDistrust, type PathFacts, type UserFacts } from './trust-rule.ts';

export interface Untrusted {
  path: string;
  distrust: Distrust;
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
  return checkStats(path, stats, CONTENT, userFacts(host));
}

/** Raises usage (2) for a folder that others can change: `consequence` says what is not done, `alternative` what to use. */
export function requireTrust(host: Host, folder: string, consequence: string, alternative: string): void {
  const found = findUntrusted(host, folder);
  if (found) throw untrustedError(found, consequence, alternative);
}

/** For what is in a folder of the tool no alternative is needed. */
export const untrustedError = (found: Untrusted, consequence: string, alternative = '') =>
  new CliError('usage', `${describeDistrust(found)}, so ${consequence}`, { hint: distrustHint(found, alternative) });

/** The reason, for a message. */
export const describeDistrust = ({ path, distrust, mode }: Untrusted): string =>
  distrust === 'owner'
    ? `${path} belongs to another user`
    : `other users can write to ${path} (mode ${mode.toString(8).padStart(3, '0')})`;

/** What to do about it; `alternative` is for a folder of another user. Only POSIX systems have these users and modes. */
export function distrustHint({ path, distrust, isContent }: Untrusted, alternative: string): string {
  if (distrust === 'mode') return `to fix it, run: chmod go-w ${shellPath(path, 'linux')}`;
  return isContent ? `to fix it, run: rm -r ${shellPath(path, 'linux')}` : alternative;
}

type Place = Pick<PathFacts, 'isParent' | 'isBelowHome'> & Pick<Untrusted, 'isContent'>;

const PARENT: Place = { isParent: true, isBelowHome: true, isContent: false };
const OWN: Place = { isParent: false, isBelowHome: true, isContent: false };
const CONTENT: Place = { ...OWN, isContent: true };

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
    ...parents.map((path) => [path, PARENT] as const),
    [folder, OWN],
    ...namesIn(folder).map((name) => [join(folder, name), CONTENT] as const),
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
  if (owner) return { path, distrust: owner, mode: link.mode & 0o777, isContent: place.isContent };
  const target = statIfThere(path);
  return target && checkStats(path, target, place, user);
}

function checkStats(path: string, stats: Stats, place: Place, user: UserFacts): Untrusted | undefined {
  const facts = { ...factsFrom(stats), ...place };
  const distrust = findDistrust({ ...facts, ignoresChmod: false }, user);
  const isSo =
    distrust === 'owner' ||
    (distrust === 'mode' && !ignoresChmod(stats.isDirectory() ? path : dirname(path), user.user));
  return isSo ? { path, distrust, mode: stats.mode & 0o777, isContent: place.isContent } : undefined;
}

const factsFrom = ({ uid, gid, mode }: Stats) => ({ owner: uid, group: gid, mode: mode & 0o7777 });

/** Undefined also for what cannot be looked at: to read or write it fails with a reason of its own. */
function statIfThere(path: string, look: typeof statSync | typeof lstatSync = statSync): Stats | undefined {
  try {
    return look(path);
  } catch {
    return undefined;
  }
}
