/** The files with the links of folders to formulas: lock files of the project, or files in the state folder. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CliError } from '../errors.ts';
import { fileUsageError } from '../files/file-errors.ts';
import { tryListNames } from '../files/try-stat.ts';
import {
  createTopFinder,
  type LockfileSearch,
  listFolders,
  MAX_FOLDERS,
  searchLockfiles,
} from '../folder/find-lockfiles.ts';
import { formatLockfile, LOCKFILE, type Lockfile, parseLockfile, readLockfile } from '../folder/lockfile.ts';
import type { Host } from '../host/host.ts';
import type { TargetName } from '../settings/resolve-target.ts';
import { readStateFile } from '../state/private-file.ts';
import { openSharedJson, type SharedJson } from '../state/shared-json.ts';
import { getReadableState } from '../state/state-folder.ts';
import { getCurrentFolder, getSurroundings, shortHash } from '../state/xdg-paths.ts';

/** A lock file, and the folder that its entries are relative to. */
export interface LinkFile {
  folder: string;
  /** Whether it is elsewhere in the repository, neither above a path nor below one that is searched. */
  isElsewhere: boolean;
  file: string;
  content: SharedJson<Lockfile>;
}

export interface LinkOptions {
  /** The formula folders in the paths. */
  folders?: readonly string[];
  /** Also read lock files below the paths; `lenient` skips invalid ones, which may belong to other projects. */
  searchBelow?: 'strict' | 'lenient' | undefined;
  /** Folders in which all valid lock files are read too. */
  repositories?: readonly string[];
  /** Change existing lock files, but create none. */
  onlyExisting?: boolean;
}

/** The tops of the repositories that paths (absolute and real) are in. */
export function findTops(paths: readonly string[], host: Host): string[] {
  const findTop = createTopFinder({ paths, surroundings: getSurroundings(host) });
  return [...new Set(paths.map(findTop))];
}

/** Opens the files of paths and of the formula folders in them. Raises invalid (3) for an invalid one. */
export function openLinkFiles(
  paths: readonly string[],
  target: TargetName,
  host: Host,
  { folders = [], searchBelow, repositories = [], onlyExisting = false }: LinkOptions,
) {
  const locations = findLinkFileLocations(target, host);
  const search = searchLinkFiles(locations, host, { paths, folders, searchBelow: searchBelow !== undefined });
  const linkFiles = new Map<string, LinkFile>();
  let entries = 0;
  const openIn = (folder: string, isElsewhere = false): LinkFile | undefined => {
    const file = locations.pathIn(folder);
    if (file === undefined) return undefined;
    const known = linkFiles.get(folder);
    if (known) return known;
    const linkFile = { folder, isElsewhere, file, content: openLinkFile(file, host, target) };
    entries += countEntries(linkFile.content.value);
    if (entries > MAX_ENTRIES) throw tooManyEntriesError(file);
    linkFiles.set(folder, linkFile);
    return linkFile;
  };
  /** The file for the entry of a folder; undefined if none exists and none is created. */
  const findLinkFile = (folder: string): LinkFile | undefined => {
    if (paths.length === 0) return undefined;
    const nearest =
      search.findNearest(folder) ?? (target.isShared && onlyExisting ? undefined : search.chooseFolder(folder));
    return nearest === undefined ? undefined : openIn(nearest);
  };
  for (const folder of [...search.found].sort()) openIn(folder);
  for (const folder of [...search.below].sort()) {
    if (entries > MAX_ENTRIES) break;
    if (searchBelow === 'lenient') ignoreInvalid(() => openIn(folder));
    else openIn(folder);
  }
  const searched = repositories.map((top) => ({ top, ...listFolders(top, MAX_FOLDERS) }));
  for (const folder of searched.flatMap(({ top, folders: inside }) => [top, ...inside]))
    if (locations.hasFile(folder)) ignoreInvalid(() => openIn(folder, true));
  // Opened now, since invalid ones must be found before anything is sent.
  for (const path of paths) findLinkFile(path);
  /** The repositories that have too many folders to read all. */
  const unsearched = searched.flatMap(({ top, isComplete }) => (isComplete ? [] : [top]));
  return { linkFiles: () => [...linkFiles.values()], findLinkFile, unsearched };
}

/** In all files of a run, so that a repository with many lock files cannot use up the memory. */
const MAX_ENTRIES = 100_000;

const countEntries = (lock: Lockfile) => [...lock.values()].reduce((sum, { size }) => sum + size, 0);

const tooManyEntriesError = (file: string) =>
  new CliError('invalid', `${file}: the lock files of one command must have at most ${MAX_ENTRIES} entries in all`, {
    hint: 'Pass fewer paths.',
  });

function ignoreInvalid(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
  }
}

/** The locations of link files. */
interface LinkFileLocations {
  /** The file of a folder; undefined if there can be none. */
  pathIn(folder: string): string | undefined;
  hasFile(folder: string): boolean;
}

const findLinkFileLocations = ({ isShared }: TargetName, host: Host): LinkFileLocations =>
  isShared ? PROJECT_LOCKFILES : findStateFiles(host);

/** The nearest folder at or above one (absolute and real) that has a lock file; without one, the folder itself. */
export const findLockFolder = (folder: string, host: Host): string =>
  searchLinkFiles(PROJECT_LOCKFILES, host, { paths: [folder], folders: [], searchBelow: false }).findNearest(folder) ??
  folder;

const searchLinkFiles = (
  { hasFile }: LinkFileLocations,
  host: Host,
  search: { paths: readonly string[]; folders: readonly string[]; searchBelow: boolean },
): LockfileSearch =>
  searchLockfiles({
    ...search,
    surroundings: { cwd: getCurrentFolder(host), home: host.home },
    hasLockfile: hasFile,
    isFormula: (folder) => existsSync(join(folder, 'manifest.json')),
  });

function openLinkFile(file: string, host: Host, { isShared }: TargetName): SharedJson<Lockfile> {
  const read = () => (isShared ? readLockfile(file, file) : readStateLock(file, host));
  // Files in the state folder are readable by this user only, regardless of the umask.
  return openSharedJson<Lockfile>(host, file, { read, serialize: formatLockfile, mode: isShared ? undefined : 0o600 });
}

/** Raises usage (2) for a file that cannot be read, or that others can change. */
function readStateLock(file: string, host: Host): Lockfile {
  try {
    return parseLockfile(readStateFile(file, host), file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw fileUsageError(`${file} cannot be read`, error);
  }
}

const PROJECT_LOCKFILES: LinkFileLocations = {
  pathIn: (folder) => join(folder, LOCKFILE),
  hasFile: (folder) => existsSync(join(folder, LOCKFILE)),
};

/** Links to services on this computer are meaningless to others, so they are not in the project. */
function findStateFiles(host: Host): LinkFileLocations {
  const { folder: state } = getReadableState(host);
  const linksFolder = state && join(state, 'locks');
  const existing = new Set(linksFolder === undefined ? [] : tryListNames(linksFolder));
  const pathIn = (folder: string) => linksFolder && join(linksFolder, `${shortHash(folder)}.json`);
  return {
    pathIn,
    // Most computers have none, and hashing the path of each folder takes long.
    hasFile: (folder) => existing.size > 0 && existing.has(basename(pathIn(folder) ?? '')),
  };
}
