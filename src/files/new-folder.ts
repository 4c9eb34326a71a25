/** Writes folders of files, completely or not at all. */
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CliError } from '../errors.ts';
import { makeFolders, writeFileAtomic } from './atomic-write.ts';
import { fileUsageError } from './file-errors.ts';
import { renameWithRetry } from './rename.ts';
import { listAncestors } from './repository.ts';
import { findFolderNameProblem } from './safe-names.ts';
import { createTempPath, removeOldTemporaryFiles } from './temporary-files.ts';
import { tryLstat, tryStat } from './try-stat.ts';

/**
 * Writes files, by relative name, to the folder `path`, and creates its parents. A new folder is written under a
 * temporary name and renamed. In an empty folder, the manifest is written last, because it makes the folder a formula.
 * Raises usage (2) if the folder is not empty or cannot be written; then no files are left. `typedPath` is for messages.
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
    throw fileUsageError(`could not write ${typedPath}`, error);
  }
}

/** Raises usage (2) if the folder is not empty, or its name is not allowed on every system. */
export function assertNew(path: string, typedPath: string): void {
  assertPortableNames(path, typedPath);
  const entries = readEntries(path, typedPath);
  if (entries === 'nothing' || entries.length === 0) return;
  const names = entries.slice(0, 4).join(', ');
  throw new CliError('usage', `${typedPath} already exists and is not empty (${names})`, NEW_NAME_HINT);
}

/** Raises usage (2) if a folder that has to be created for `path` has a name that is not allowed on every system. */
export function assertPortableNames(path: string, typedPath: string): void {
  for (const folder of listAncestors(path)) {
    if (tryStat(folder)?.isDirectory()) return;
    const problem = findFolderNameProblem(basename(folder));
    if (problem === undefined) continue;
    throw new CliError('usage', `could not create the folder ${typedPath}: ${problem}`, { hint: 'Use another name.' });
  }
}

/** Files by their relative names. */
type Files = Readonly<Record<string, string | Buffer>>;

const orderManifestLast = ({ 'manifest.json': manifest, ...others }: Files) => [
  ...Object.entries(others),
  ...(manifest === undefined ? [] : [['manifest.json', manifest] as const]),
];

const NEW_NAME_HINT = { hint: 'Choose a new directory.' };

function readEntries(path: string, typedPath: string): 'nothing' | readonly string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !tryLstat(path)) return 'nothing';
    if (code === 'ENOENT') throw new CliError('usage', `${typedPath} is a broken symbolic link`, NEW_NAME_HINT);
    if (code === 'ENOTDIR' && tryLstat(path)) {
      throw new CliError('usage', `${typedPath} is a file; expected a new folder`, NEW_NAME_HINT);
    }
    throw fileUsageError(`could not write ${typedPath}`, error);
  }
}

/** Removes and then writes files of an existing folder, in the order of `files`. Raises usage (2). */
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
    throw fileUsageError(`could not write ${typedPath}`, error);
  }
}

/** Removes files and their folders. */
function removeFiles(path: string, names: readonly string[]): void {
  for (const name of names) rmSync(join(path, name), { force: true });
  for (const folder of new Set(names.map((name) => dirname(name)))) {
    if (folder !== '.' && existsSync(join(path, folder))) rmdirSync(join(path, folder));
  }
}
