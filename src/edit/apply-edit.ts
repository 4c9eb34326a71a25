/** Writes the changed files of an edit: each atomically, and none through a symbolic link. */
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { CliError } from '../errors.ts';
import { assertWritable, writeFileAtomic } from '../files/atomic-write.ts';
import { fileUsageError } from '../files/file-errors.ts';
import { toDisplayPath } from '../files/paths.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { type ChangedFile, encodeChanged, type FolderEdit } from './change-folder.ts';

/** The result for a folder: written, or an error. */
export interface WriteResult {
  edit: FolderEdit;
  error?: CliError;
}

/** Raises usage (2) if a file is a symbolic link. */
export function refuseLinks(edits: readonly FolderEdit[]): void {
  for (const { path, displayPath } of edits.flatMap(listFiles)) refuseLink(path, displayPath);
}

/** Raises usage (2) if a file cannot be written. */
export function refuseUnwritable(edits: readonly FolderEdit[]): void {
  for (const { path, displayPath } of edits.flatMap(listFiles)) withWriteError(displayPath, () => assertWritable(path));
}

const listFiles = ({ folderRef, files }: FolderEdit) =>
  files.map((file) => ({
    file,
    path: join(folderRef.path, file.file),
    displayPath: toDisplayPath(folderRef.displayPath, file.file),
  }));

/** Writes the files folder by folder; stops after a signal. */
export async function applyEdit(edits: readonly FolderEdit[], abortSignal: AbortSignal): Promise<WriteResult[]> {
  const written: WriteResult[] = [];
  for (const edit of edits) {
    // Lets signals be handled between folders.
    await setImmediate();
    if (abortSignal.aborted) break;
    written.push(writeFolder(edit));
  }
  return written;
}

function writeFolder(edit: FolderEdit): WriteResult {
  try {
    for (const { file, path, displayPath } of listFiles(edit)) writeFile(file, path, displayPath);
    return { edit };
  } catch (error) {
    if (error instanceof CliError) return { edit, error };
    throw error;
  }
}

function writeFile(changed: ChangedFile, path: string, displayPath: string): void {
  refuseLink(path, displayPath);
  withWriteError(displayPath, () => {
    const bytes = encodeChanged({ ...changed, after: changed.before });
    if (!readRegularFile(path).equals(bytes)) {
      throw new CliError('usage', `${displayPath} changed in the meantime and was not written`, {
        hint: 'Run the command again.',
      });
    }
    writeFileAtomic(path, encodeChanged(changed), statSync(path).mode & 0o7777, false);
  });
}

function refuseLink(path: string, displayPath: string): void {
  if (!withWriteError(displayPath, () => lstatSync(path).isSymbolicLink())) return;
  throw new CliError('usage', `could not write ${displayPath}: it is a symbolic link`, {
    hint: 'Replace the link with a regular file, or skip the folder with --exclude.',
  });
}

function withWriteError<T>(displayPath: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof CliError ? error : fileUsageError(`could not write ${displayPath}`, error);
  }
}
