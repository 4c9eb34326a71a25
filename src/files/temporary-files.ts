/** Names of temporary files and folders, and the removal of those that a killed run left. */
import { lstatSync, readdirSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { attempt } from '../errors.ts';
import { randomId } from '../text/hash.ts';
import { HAS_MODES } from './paths.ts';
import { tryListNames } from './try-stat.ts';

/** A new path in a folder; short, even if the final name is long. */
export const createTempPath = (folder: string): string => join(folder, `.formulary-${randomId().slice(0, 8)}`);

const TEMP_NAME = /^\.formulary-[0-9a-f]{8}$/;
/** Long enough that no other process is still writing the file. */
const OLD_MS = 60 * 60 * 1000;

const cleanedFolders = new Set<string>();

/** Removes temporary files of a folder that are older than an hour, once per process and folder. Never throws: the next run retries. */
export function removeOldTemporaryFiles(folder: string): void {
  if (cleanedFolders.has(folder) || TEMP_NAME.test(basename(folder))) return;
  cleanedFolders.add(folder);
  attempt(() => {
    for (const name of readdirSync(folder)) if (TEMP_NAME.test(name)) removeIfOld(folder, name);
  });
}

/** Removes the temporary files of a folder that may contain a secret, whatever their age. Throws the file system's error. */
export function removeTemporaryFiles(folder: string): void {
  for (const name of tryListNames(folder)) if (TEMP_NAME.test(name)) rmSync(join(folder, name), { force: true });
}

/** Removes a symbolic link itself, never its target. */
function removeIfOld(folder: string, name: string): void {
  const path = join(folder, name);
  const stats = lstatSync(path);
  if (Date.now() - stats.mtimeMs < OLD_MS) return;
  if (!stats.isDirectory()) unlinkSync(path);
  else if (isWritableByOwnerOnly(folder)) rmSync(path, { recursive: true });
}

/** Otherwise, another user could rename a folder to a temporary name to have it removed. */
const isWritableByOwnerOnly = (folder: string) => !HAS_MODES || (statSync(folder).mode & 0o022) === 0;
