/** The temporary files and folders of writes: how they are called, and how those of a killed run are removed. */
import { lstatSync, readdirSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { randomId } from '../text/hash.ts';
import { HAS_MODES } from './paths.ts';

/** A new name in a folder; short, however long the name is that it will be moved to. */
export const createTempPath = (folder: string): string => join(folder, `.formulary-${randomId().slice(0, 8)}`);

const TEMP_NAME = /^\.formulary-[0-9a-f]{8}$/;
/** A write takes moments; one of another process is not disturbed. */
const OLD_MS = 60 * 60 * 1000;

const cleanedFolders = new Set<string>();

/** Removes what a killed run left in a folder more than an hour ago, once in a process for each folder. Never throws. */
export function removeOldTemporaryFiles(folder: string): void {
  if (cleanedFolders.has(folder) || TEMP_NAME.test(basename(folder))) return;
  cleanedFolders.add(folder);
  try {
    for (const name of readdirSync(folder)) if (TEMP_NAME.test(name)) removeIfOld(folder, name);
  } catch {
    // The next run tries again.
  }
}

/** Removes links themselves, never what they lead to. */
function removeIfOld(folder: string, name: string): void {
  const path = join(folder, name);
  const stats = lstatSync(path);
  if (Date.now() - stats.mtimeMs < OLD_MS) return;
  if (!stats.isDirectory()) unlinkSync(path);
  else if (isWritableByOwnerOnly(folder)) rmSync(path, { recursive: true });
}

/** Others cannot give another folder that name, to have it removed with all that is in it. */
const isWritableByOwnerOnly = (folder: string) => !HAS_MODES || (statSync(folder).mode & 0o022) === 0;
