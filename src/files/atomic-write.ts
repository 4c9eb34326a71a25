/** Writes folders and files whole or not at all, and looks for symbolic links that would lead a write elsewhere. */

import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CliError } from '../errors.ts';
import { fileUsageError, withPath } from './file-errors.ts';
import { toRelative } from './paths.ts';
import { renameWithRetry } from './rename.ts';
import { findFolderNameProblem } from './safe-names.ts';
import { createTempPath, removeOldTemporaryFiles } from './temporary-files.ts';

/**
 * Writes files (by relative name) as the folder `path`, whose parents are made. A folder that is not there yet is
 * written beside its place and moved there whole; an empty one is filled, the manifest last, since a folder with one
 * is a formula. Raises usage (2) when anything is there already, or it cannot be written; then nothing is left
 * behind. `typed` is the path for messages.
 */
export function writeNewFolder(path: string, typedPath: string, files: Files): void {
  assertNew(path, typedPath);
  const writePath = readEntries(path, typedPath) === 'nothing' ? createTempPath(dirname(path)) : path;
  removeOldTemporaryFiles(dirname(path));
  try {
    makeFolders(writePath);
    for (const [name, text] of orderManifestLast(files)) {
      makeFolders(dirname(join(writePath, name)));
      writeFileAtomic(join(writePath, name), text);
    }
    if (writePath !== path) renameWithRetry(writePath, path);
  } catch (error) {
    if (writePath === path) removeFiles(path, Object.keys(files));
    else rmSync(writePath, { recursive: true, force: true });
    throw fileUsageError(`${typedPath} cannot be written`, error);
  }
}

/** Raises usage (2) where a new folder cannot be: its name is not one on every system, or anything is there already. */
export function assertNew(path: string, typedPath: string): void {
  assertPortableNames(path, typedPath);
  const entries = readEntries(path, typedPath);
  if (entries === 'nothing' || entries.length === 0) return;
  const names = entries.slice(0, 4).join(', ');
  throw new CliError(
    'usage',
    `the folder ${typedPath} holds something already (${names}); nothing was written`,
    NEW_NAME_HINT,
  );
}

/** Raises usage (2) if a folder that has to be created for `path` has a name that is not allowed on every system. */
export function assertPortableNames(path: string, typedPath: string): void {
  for (let folder = path; !isFolder(folder) && dirname(folder) !== folder; folder = dirname(folder)) {
    const problem = findFolderNameProblem(basename(folder));
    if (problem === undefined) continue;
    throw new CliError('usage', `the folder ${typedPath} cannot be created: ${problem}`, { hint: 'use another name' });
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Files by their relative names. */
type Files = Readonly<Record<string, string | Buffer>>;

const orderManifestLast = ({ 'manifest.json': manifest, ...others }: Files) => [
  ...Object.entries(others),
  ...(manifest === undefined ? [] : [['manifest.json', manifest] as const]),
];

const NEW_NAME_HINT = { hint: 'name a folder that does not exist yet' };

function readEntries(path: string, typedPath: string): 'nothing' | readonly string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !pathExists(path)) return 'nothing';
    if (code === 'ENOENT')
      throw new CliError('usage', `${typedPath} is a link that leads nowhere; nothing was written`, NEW_NAME_HINT);
    if (code === 'ENOTDIR' && pathExists(path)) {
      throw new CliError('usage', `${typedPath} is a file; wanted is a new folder`, NEW_NAME_HINT);
    }
    throw fileUsageError(`${typedPath} cannot be written`, error);
  }
}

/** Writes files into a folder that is there, each whole, in the order given; before that removes those of `removed`. Raises usage (2). */
export function writeIntoFolder(
  path: string,
  typedPath: string,
  files: ReadonlyMap<string, string | Buffer>,
  removedNames: readonly string[],
): void {
  try {
    for (const name of removedNames) rmSync(join(path, name));
    for (const [name, content] of files) writeFileAtomic(join(path, name), content);
  } catch (error) {
    throw fileUsageError(`${typedPath} cannot be written`, error);
  }
}

function pathExists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Removes files and the folders between; a folder that holds more stays. */
function removeFiles(path: string, names: readonly string[]): void {
  for (const name of names) rmSync(join(path, name), { force: true });
  for (const folder of new Set(names.map((name) => dirname(name)))) {
    if (folder !== '.' && existsSync(join(path, folder))) rmdirSync(join(path, folder));
  }
}

/**
 * The first symbolic link on the way from `root` (absolute and real) to a folder below it, or among the folder's
 * files that `isWritten` picks; undefined when there is none.
 */
export function findSymlink(root: string, folder: string, isWritten: (name: string) => boolean): string | undefined {
  const isSymlink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  let path = root;
  for (const part of toRelative(root, folder).split('/')) {
    path = join(path, part);
    if (isSymlink(path)) return path;
  }
  const names = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
  return names
    .filter(isWritten)
    .map((name) => join(folder, name))
    .find(isSymlink);
}

/**
 * Writes a file whole: beside its place first, then moved there; `mode` holds under any umask. `isDurable`: also after a power
 * failure. Throws the file system's error, with the path.
 */
export function writeFileAtomic(
  path: string,
  text: string | Uint8Array,
  mode?: number,
  isDurable = mode !== undefined,
): void {
  removeOldTemporaryFiles(dirname(path));
  const tempFile = createTempPath(dirname(path));
  try {
    const descriptor = openSync(tempFile, 'wx', mode);
    try {
      writeFileSync(descriptor, text, { flush: isDurable });
      // Of the open file: where others can write to the folder, the name may be a link by now.
      if (mode !== undefined) fchmodSync(descriptor, mode);
    } finally {
      closeSync(descriptor);
    }
    renameWithRetry(tempFile, path);
  } catch (error) {
    rmSync(tempFile, { force: true });
    throw withPath(error, path);
  }
}

/** Throws the file system's error where `writeFileWhole` would; leaves nothing behind. */
export function assertWritable(path: string): void {
  statSync(path, { throwIfNoEntry: false });
  const tempFile = createTempPath(dirname(path));
  try {
    writeFileSync(tempFile, '', { flag: 'wx' });
  } finally {
    rmSync(tempFile, { force: true });
  }
}

/**
 * Makes a folder and what is missing above it, each with `mode` under any umask. Not mkdir's own `recursive`, which never ends below /proc.
 * Throws the file system's error.
 */
export function makeFolders(path: string, mode?: number): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolders(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
    if (mode !== undefined) chmodSync(path, mode);
  } catch (error) {
    // Another process may have made it at the same moment.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
