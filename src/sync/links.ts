/** Which formula a folder is: the lock files of the folders, or the state folder for services on this computer. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CliError } from '../errors.ts';
import { fileUsageError } from '../files/file-errors.ts';
import { findRealPath } from '../files/paths.ts';
import { foldName } from '../files/safe-names.ts';
import { tryListNames } from '../files/try-stat.ts';
import { type LockfileSearch, searchLockfiles } from '../folder/find-lockfiles.ts';
import {
  formatLockfile,
  LOCKFILE,
  type Lockfile,
  parseLockfile,
  readLockfile,
  toLockfileKey,
} from '../folder/lockfile.ts';
import type { Host } from '../host/host.ts';
import type { TargetName } from '../settings/resolve-target.ts';
import { readStateFile } from '../state/private-file.ts';
import { openSharedJson, type SharedJson } from '../state/shared-json.ts';
import { getReadableState } from '../state/state-folder.ts';
import { getCurrentFolder, shortHash } from '../state/xdg-paths.ts';

export interface Links {
  /** Ids by formula folder, absolute and real. */
  readonly ids: ReadonlyMap<string, string>;
  /** The files that have some of them. */
  readonly files: readonly string[];
  /** Records which formula a folder is. The file is written soon, and surely by `saved`. */
  link(folder: string, id: string): void;
  /** Removes the entry of a folder. */
  unlink(folder: string): void;
  flush(): Promise<void>;
}

interface LinkOptions {
  /** The formula folders in the paths. */
  folders?: readonly string[];
  /** Also read lock files below the paths; `lenient` skips those with a mistake, which may be of other projects. */
  searchBelow?: 'strict' | 'lenient' | undefined;
  /** Change lock files that exist, and create none. */
  onlyExisting?: boolean;
}

/** A lock file, and the folder that its entries are relative to. */
interface LinkFile {
  folder: string;
  file: string;
  content: SharedJson<Lockfile>;
}

/** The entry of a folder; `name` is its key in the lock file. */
interface LinkEntry {
  linkFile: LinkFile;
  name: string;
}

/**
 * Opens the lock files of paths and of the formula folders in them (absolute and real). Raises invalid (3) for a lock file
 * with a mistake, and for a folder or an id that two lock files have for the target.
 */
export function openLinks(
  paths: readonly string[],
  target: TargetName,
  host: Host,
  { folders = [], searchBelow, onlyExisting = false }: LinkOptions = {},
): Links {
  const lockFiles = target.isShared ? PROJECT_LOCKFILES : findStateLinkFiles(host);
  const search = openSearch(paths, host, { folders, searchBelow }, lockFiles);
  const linkFiles = new Map<string, LinkFile>();
  const openIn = (folder: string): LinkFile | undefined => {
    const file = lockFiles.pathIn(folder);
    if (file === undefined) return undefined;
    const linkFile = linkFiles.get(folder) ?? { folder, file, content: openLinkFile(file, host, target) };
    linkFiles.set(folder, linkFile);
    return linkFile;
  };
  const isLenient = searchBelow === 'lenient';
  for (const folder of [...search.found].sort()) openIn(folder);
  for (const folder of [...search.below].sort()) {
    if (isLenient) ignoreInvalid(() => openIn(folder));
    else openIn(folder);
  }
  /** The lock file that gets a new entry; undefined where none exists and none is created. */
  const findLinkFile = (folder: string): LinkFile | undefined => {
    if (paths.length === 0) return undefined;
    const nearest =
      search.findNearest(folder) ?? (target.isShared && onlyExisting ? undefined : search.chooseFolder(folder));
    return nearest === undefined ? undefined : openIn(nearest);
  };
  // Opened now, since a mistake in them must be found before anything is sent.
  for (const path of paths) findLinkFile(path);
  const { ids, entries } = readEntries([...linkFiles.values()], target, target.isShared && !isLenient);
  followRenames(folders, ids, entries);
  const files = [...new Set([...entries.values()].map(({ linkFile }) => linkFile.file))];

  const change = (folder: string, edit: (entries: Map<string, string>, name: string) => void) => {
    const known = entries.get(folder);
    const place = known?.linkFile ?? findLinkFile(folder);
    place?.content.change((lock) => {
      const targetLinks = lock.get(target.name) ?? new Map<string, string>();
      if (known) targetLinks.delete(known.name);
      edit(targetLinks, toLockfileKey(place.folder, folder));
      lock.set(target.name, targetLinks);
    });
    if (place) entries.set(folder, { linkFile: place, name: toLockfileKey(place.folder, folder) });
  };
  return {
    ids,
    files,
    link: (folder, id) => {
      const entry = entries.get(folder);
      const isRenamed = entry !== undefined && entry.name !== toLockfileKey(entry.linkFile.folder, folder);
      if (ids.get(folder) === id && !isRenamed) return;
      ids.set(folder, id);
      // An id that contains the key is not stored.
      if (host.redact(id, true) !== id) return;
      change(folder, (inTarget, name) => inTarget.set(name, id));
    },
    unlink: (folder) => {
      if (!ids.delete(folder)) return;
      change(folder, (inTarget, name) => inTarget.delete(name));
      entries.delete(folder);
    },
    flush: async () => {
      for (const { content } of linkFiles.values()) await content.flush();
    },
  };
}

/** The nearest folder at or above one (absolute and real) that has a lock file; the folder itself where none has. */
export const findLockFolder = (folder: string, host: Host): string =>
  openSearch([folder], host, {}, PROJECT_LOCKFILES).findNearest(folder) ?? folder;

function openSearch(
  paths: readonly string[],
  host: Host,
  { folders = [], searchBelow }: LinkOptions,
  { hasFile }: typeof PROJECT_LOCKFILES,
): LockfileSearch {
  return searchLockfiles({
    paths,
    folders,
    searchBelow: searchBelow !== undefined,
    surroundings: { cwd: getCurrentFolder(host), home: host.home },
    hasLockfile: hasFile,
    isFormula: (folder) => existsSync(join(folder, 'manifest.json')),
  });
}

function ignoreInvalid(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
  }
}

/** Raises invalid (3), if `isStrict`, where two lock files have the same folder or id. */
function readEntries(linkFiles: readonly LinkFile[], target: TargetName, isStrict: boolean) {
  const ids = new Map<string, string>();
  const entries = new Map<string, LinkEntry>();
  const byId = new Map<string, LinkEntry>();
  // The nearest lock file of a folder is the longest path, so it comes last.
  for (const linkFile of linkFiles) {
    for (const [name, id] of linkFile.content.value.get(target.name) ?? []) {
      const path = join(linkFile.folder, name);
      const entry = { linkFile, name };
      const [samePath, sameId] = [entries.get(path), byId.get(id.toLowerCase())];
      if (samePath && isStrict) throw duplicateEntryError(`the folder ${path}`, target, samePath, entry);
      if (sameId && sameId.linkFile !== linkFile && isStrict)
        throw duplicateEntryError(`the id ${id}`, target, sameId, entry);
      ids.set(path, id);
      entries.set(path, entry);
      byId.set(id.toLowerCase(), entry);
    }
  }
  return { ids, entries };
}

const duplicateEntryError = (what: string, target: TargetName, first: LinkEntry, second: LinkEntry) =>
  new CliError(
    'invalid',
    `two lock files have ${what} for the target ${target.name}: ${first.linkFile.file} as ${JSON.stringify(first.name)}, and ${second.linkFile.file} as ${JSON.stringify(second.name)}`,
    { hint: 'Remove one of the two entries, and run the command again.' },
  );

/** A folder that was renamed in letter case or Unicode form only keeps its entry. */
function followRenames(folders: readonly string[], ids: Map<string, string>, entries: Map<string, LinkEntry>): void {
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

function openLinkFile(file: string, host: Host, { isShared }: TargetName): SharedJson<Lockfile> {
  if (isShared)
    return openSharedJson<Lockfile>(host, file, { read: () => readLockfile(file, file), serialize: formatLockfile });
  // What is in the state folder is for this user alone, under any umask.
  return openSharedJson<Lockfile>(host, file, {
    read: () => readStateLock(file, host),
    serialize: formatLockfile,
    mode: 0o600,
  });
}

/** Raises usage (2) for a file that cannot be read, or that somebody else put there before the folder was closed to them. */
function readStateLock(file: string, host: Host): Lockfile {
  try {
    return parseLockfile(readStateFile(file, host), file);
  } catch (error) {
    if (error instanceof CliError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw fileUsageError(`${file} cannot be read`, error);
  }
}

const PROJECT_LOCKFILES = {
  pathIn: (folder: string): string | undefined => join(folder, LOCKFILE),
  hasFile: (folder: string) => existsSync(join(folder, LOCKFILE)),
};

/** Entries for services on this computer mean nothing to others, so they are not in the project. */
function findStateLinkFiles(host: Host): typeof PROJECT_LOCKFILES {
  const { folder: state } = getReadableState(host);
  const linksFolder = state && join(state, 'locks');
  const existing = new Set(linksFolder === undefined ? [] : tryListNames(linksFolder));
  const pathIn = (folder: string) => linksFolder && join(linksFolder, `${shortHash(folder)}.json`);
  return {
    pathIn,
    // Most computers have none, and to name the file of each folder takes long.
    hasFile: (folder) => existing.size > 0 && existing.has(basename(pathIn(folder) ?? '')),
  };
}
