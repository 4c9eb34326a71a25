/** Writes the changed files of an edit: each atomically, and none through a symbolic link. */
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { CliError } from '../errors.ts';
import { assertWritable, writeFileAtomic } from '../files/atomic-write.ts';
import { fileUsageError } from '../files/file-errors.ts';
import { toDisplayPath } from '../files/paths.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { bytesAfter, type ChangedFile, type FolderEdit } from './change-folder.ts';

/** The result for a folder; without an error it was written. */
export interface Written {
  edit: FolderEdit;
  error?: CliError;
}

/** Raises usage (2) if a file would be written through a symbolic link. */
export function refuseLinks(edits: readonly FolderEdit[]): void {
  for (const { path, shown } of edits.flatMap(filesIn)) refuseLink(path, shown);
}

/** Raises usage (2) if a file cannot be written; then none is. */
export function refuseUnwritable(edits: readonly FolderEdit[]): void {
  for (const { path, shown } of edits.flatMap(filesIn)) refusing(shown, () => assertWritable(path));
}

const filesIn = ({ place, files }: FolderEdit) =>
  files.map((file) => ({ file, path: join(place.path, file.file), shown: toDisplayPath(place.typed, file.file) }));

/** Writes the files, folder by folder; after a signal, those of no more folders. */
export async function applyEdit(edits: readonly FolderEdit[], stopping: AbortSignal): Promise<Written[]> {
  const written: Written[] = [];
  for (const edit of edits) {
    // Lets signals be handled between folders.
    await setImmediate();
    if (stopping.aborted) break;
    written.push(writeFolder(edit));
  }
  return written;
}

function writeFolder(edit: FolderEdit): Written {
  try {
    for (const { file, path, shown } of filesIn(edit)) writeFile(file, path, shown);
    return { edit };
  } catch (error) {
    if (error instanceof CliError) return { edit, error };
    throw error;
  }
}

function writeFile(changed: ChangedFile, path: string, shown: string): void {
  refuseLink(path, shown);
  refusing(shown, () => {
    const bytes = bytesAfter({ ...changed, after: changed.before });
    if (!readRegularFile(path).equals(bytes)) {
      throw new CliError('usage', `${shown} changed in the meantime and was not written`, {
        hint: 'Run the command again.',
      });
    }
    writeFileAtomic(path, bytesAfter(changed), statSync(path).mode & 0o7777, false);
  });
}

function refuseLink(path: string, shown: string): void {
  if (!refusing(shown, () => lstatSync(path).isSymbolicLink())) return;
  throw new CliError('usage', `could not write ${shown}: it is a symbolic link`, {
    hint: 'Replace the link with a regular file, or skip the folder with --exclude.',
  });
}

function refusing<T>(shown: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof CliError ? error : fileUsageError(`could not write ${shown}`, error);
  }
}
