/** Which formula a folder is: the lock files of the folders, or the state folder for services on this computer. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CliError } from '../errors.ts';
import { fileRefusal } from '../files/file-errors.ts';
import { findRealPath } from '../files/paths.ts';
import { type LockFileSearch, searchLockFiles } from '../folder/find-lockfiles.ts';
import { LOCK_FILE, type Lock, lockName, parseLock, printLock, readLock } from '../folder/lockfile.ts';
import type { Host } from '../host/host.ts';
import type { TargetName } from '../settings/resolve-target.ts';
import { readStateFile } from '../state/private-file.ts';
import { openSharedFile, type SharedFile } from '../state/shared-json.ts';
import { readableState } from '../state/state-folder.ts';
import { fingerprint } from '../state/xdg-paths.ts';

export interface Identities {
  /** Ids by formula folder, absolute and real. */
  readonly ids: ReadonlyMap<string, string>;
  /** The files that have some of them. */
  readonly files: readonly string[];
  /** Records which formula a folder is. The file is written soon, and surely by `saved`. */
  link(folder: string, id: string): void;
  /** Removes the entry of a folder. */
  unlink(folder: string): void;
  saved(): Promise<void>;
}

interface OpenOptions {
  /** The formula folders in the paths. */
  folders?: readonly string[];
  /** Also read lock files below the paths; `lenient` skips those with a mistake, which may be of other projects. */
  searchBelow?: 'strict' | 'lenient' | undefined;
  /** Change lock files that exist, and create none. */
  onlyExisting?: boolean;
}

/** A lock file, and the folder that its entries are relative to. */
interface LockPlace {
  folder: string;
  file: string;
  lock: SharedFile<Lock>;
}

/** The entry of a folder; `name` is its key in the lock file. */
interface Entry {
  place: LockPlace;
  name: string;
}

/**
 * Opens the lock files of paths and of the formula folders in them (absolute and real). Raises invalid (3) for a lock file
 * with a mistake, and for a folder or an id that two lock files have for the target.
 */
export function openIdentities(
  paths: readonly string[],
  target: TargetName,
  host: Host,
  { folders = [], searchBelow, onlyExisting = false }: OpenOptions = {},
): Identities {
  const lockFiles = target.isShared ? PROJECT_FILES : stateFiles(host);
  const search = openSearch(paths, host, { folders, searchBelow }, lockFiles);
  const places = new Map<string, LockPlace>();
  const open = (folder: string): LockPlace | undefined => {
    const file = lockFiles.fileIn(folder);
    if (file === undefined) return undefined;
    const place = places.get(folder) ?? { folder, file, lock: openLock(file, host, target) };
    places.set(folder, place);
    return place;
  };
  const isLenient = searchBelow === 'lenient';
  for (const folder of [...search.found].sort()) open(folder);
  for (const folder of [...search.below].sort()) {
    if (isLenient) unlessInvalid(() => open(folder));
    else open(folder);
  }
  /** The lock file that gets a new entry; undefined where none exists and none is created. */
  const placeFor = (folder: string): LockPlace | undefined => {
    if (paths.length === 0) return undefined;
    const nearest = search.nearest(folder) ?? (target.isShared && onlyExisting ? undefined : search.newFolder(folder));
    return nearest === undefined ? undefined : open(nearest);
  };
  // Opened now, since a mistake in them must be found before anything is sent.
  for (const path of paths) placeFor(path);
  const { ids, entries } = readEntries([...places.values()], target, target.isShared && !isLenient);
  followRenames(folders, ids, entries);
  const files = [...new Set([...entries.values()].map(({ place }) => place.file))];

  const change = (folder: string, edit: (entries: Map<string, string>, name: string) => void) => {
    const known = entries.get(folder);
    const place = known?.place ?? placeFor(folder);
    place?.lock.change((lock) => {
      const inTarget = lock.get(target.name) ?? new Map<string, string>();
      if (known) inTarget.delete(known.name);
      edit(inTarget, lockName(place.folder, folder));
      lock.set(target.name, inTarget);
    });
    if (place) entries.set(folder, { place, name: lockName(place.folder, folder) });
  };
  return {
    ids,
    files,
    link: (folder, id) => {
      const entry = entries.get(folder);
      const isRenamed = entry !== undefined && entry.name !== lockName(entry.place.folder, folder);
      if (ids.get(folder) === id && !isRenamed) return;
      ids.set(folder, id);
      // An id that contains the key is not stored.
      if (host.hidden(id, true) !== id) return;
      change(folder, (inTarget, name) => inTarget.set(name, id));
    },
    unlink: (folder) => {
      if (!ids.delete(folder)) return;
      change(folder, (inTarget, name) => inTarget.delete(name));
      entries.delete(folder);
    },
    saved: async () => {
      for (const { lock } of places.values()) await lock.saved();
    },
  };
}

/** The nearest folder at or above one (absolute and real) that has a lock file; the folder itself where none has. */
export const findLockFolder = (folder: string, host: Host): string =>
  openSearch([folder], host, {}, PROJECT_FILES).nearest(folder) ?? folder;

function openSearch(
  paths: readonly string[],
  host: Host,
  { folders = [], searchBelow }: OpenOptions,
  { hasFile }: typeof PROJECT_FILES,
): LockFileSearch {
  return searchLockFiles({
    paths,
    folders,
    searchBelow: searchBelow !== undefined,
    surroundings: { cwd: workingFolder(host), home: host.home },
    hasLockFile: hasFile,
    isFormula: (folder) => existsSync(join(folder, 'manifest.json')),
  });
}

function unlessInvalid(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
  }
}

/** Raises invalid (3), if `isStrict`, where two lock files have the same folder or id. */
function readEntries(places: readonly LockPlace[], target: TargetName, isStrict: boolean) {
  const ids = new Map<string, string>();
  const entries = new Map<string, Entry>();
  const byId = new Map<string, Entry>();
  // The nearest lock file of a folder is the longest path, so it comes last.
  for (const place of places) {
    for (const [name, id] of place.lock.value.get(target.name) ?? []) {
      const path = join(place.folder, name);
      const entry = { place, name };
      const [samePath, sameId] = [entries.get(path), byId.get(id.toLowerCase())];
      if (samePath && isStrict) throw doubled(`the folder ${path}`, target, samePath, entry);
      if (sameId && sameId.place !== place && isStrict) throw doubled(`the id ${id}`, target, sameId, entry);
      ids.set(path, id);
      entries.set(path, entry);
      byId.set(id.toLowerCase(), entry);
    }
  }
  return { ids, entries };
}

const doubled = (what: string, target: TargetName, first: Entry, second: Entry) =>
  new CliError(
    'invalid',
    `two lock files have ${what} for the target ${target.name}: ${first.place.file} as ${JSON.stringify(first.name)}, and ${second.place.file} as ${JSON.stringify(second.name)}`,
    { hint: 'Remove one of the two entries, and run the command again.' },
  );

/** A folder that was renamed in letter case or Unicode form only keeps its entry. */
function followRenames(folders: readonly string[], ids: Map<string, string>, entries: Map<string, Entry>): void {
  const unlinked = folders.filter((folder) => !ids.has(folder));
  if (unlinked.length === 0 || ids.size === 0) return;
  const renamed = new Map<string, string[]>();
  for (const path of ids.keys()) {
    const actual = findRealPath(path);
    if (actual === path) continue;
    renamed.set(foldName(path), [...(renamed.get(foldName(path)) ?? []), path]);
  }
  for (const folder of unlinked) {
    const [path, ...others] = renamed.get(foldName(folder)) ?? [];
    const entry = path === undefined ? undefined : entries.get(path);
    const id = path === undefined ? undefined : ids.get(path);
    if (path === undefined || entry === undefined || id === undefined || others.length > 0) continue;
    ids.delete(path);
    entries.delete(path);
    ids.set(folder, id);
    entries.set(folder, entry);
  }
}

const foldName = (path: string) => path.normalize('NFC').toLowerCase();

function openLock(file: string, host: Host, { isShared }: TargetName): SharedFile<Lock> {
  if (isShared) return openSharedFile<Lock>(host, file, { read: () => readLock(file, file), print: printLock });
  // What is in the state folder is for this user alone, under any umask.
  return openSharedFile<Lock>(host, file, { read: () => readStateLock(file, host), print: printLock, mode: 0o600 });
}

/** Raises usage (2) for a file that cannot be read, or that somebody else put there before the folder was closed to them. */
function readStateLock(file: string, host: Host): Lock {
  try {
    return parseLock(readStateFile(file, host), file);
  } catch (error) {
    if (error instanceof CliError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw fileRefusal(`${file} cannot be read`, error);
  }
}

/** The current folder; undefined where it was removed. */
function workingFolder(host: Host): string | undefined {
  try {
    return host.cwd();
  } catch {
    return undefined;
  }
}

const PROJECT_FILES = {
  fileIn: (folder: string): string | undefined => join(folder, LOCK_FILE),
  hasFile: (folder: string) => existsSync(join(folder, LOCK_FILE)),
};

/** Entries for services on this computer mean nothing to others, so they are not in the project. */
function stateFiles(host: Host): typeof PROJECT_FILES {
  const { folder: state } = readableState(host);
  const locks = state && join(state, 'locks');
  const existing = new Set(locks === undefined ? [] : namesIn(locks));
  const fileIn = (folder: string) => locks && join(locks, `${fingerprint(folder)}.json`);
  return {
    fileIn,
    // Most computers have none, and to name the file of each folder takes long.
    hasFile: (folder) => existing.size > 0 && existing.has(basename(fileIn(folder) ?? '')),
  };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
