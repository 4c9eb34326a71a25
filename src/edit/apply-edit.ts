/** Writes the changed manifests of an edit: each atomically, and none through a symbolic link. */
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { CliError } from '../errors.ts';
import { assertWritable, writeFileAtomic } from '../files/atomic-write.ts';
import { fileUsageError } from '../files/file-errors.ts';
import { toDisplayPath } from '../files/paths.ts';
import { readRegularFile } from '../files/regular-file.ts';
import type { Host } from '../host/host.ts';
import { type EditResult, encodeManifest } from './change-folder.ts';

/**
 * Writes the manifests, unless it is a dry run or a result is invalid; stops after a signal. Raises usage (2), before
 * anything is written, for a file that is a symbolic link or cannot be written.
 */
export async function applyEdit(
  planned: readonly EditResult[],
  { dryRun }: { dryRun?: boolean | undefined },
  host: Pick<Host, 'installSignalHandlers' | 'abortSignal'>,
): Promise<readonly EditResult[]> {
  if (planned.some(({ outcome }) => outcome === 'invalid')) return planned;
  const edits = planned.filter(({ outcome }) => outcome === 'would_edit');
  for (const edit of edits) withFile(edit, assertNoLink);
  if (dryRun) return planned;
  for (const edit of edits) withFile(edit, assertWritable);
  host.installSignalHandlers();
  const results: EditResult[] = [];
  for (const result of planned) {
    // Lets signals be handled between folders.
    await setImmediate();
    const isWritten = result.outcome === 'would_edit' && !host.abortSignal.aborted;
    results.push(isWritten ? writeManifest(result) : result);
  }
  return results;
}

function writeManifest(result: EditResult): EditResult {
  try {
    withFile(result, (path, displayPath) => {
      const { manifest } = result;
      if (!manifest) return;
      assertNoLink(path, displayPath);
      if (!readRegularFile(path).equals(encodeManifest(manifest, manifest.before))) {
        throw new CliError('usage', `${displayPath} changed in the meantime and was not written`, {
          hint: 'Run the command again.',
        });
      }
      writeFileAtomic(path, encodeManifest(manifest, manifest.after), statSync(path).mode & 0o7777, false);
    });
    return { ...result, outcome: 'edited' };
  } catch (error) {
    if (error instanceof CliError) return { ...result, error };
    throw error;
  }
}

function assertNoLink(path: string, displayPath: string): void {
  if (!lstatSync(path).isSymbolicLink()) return;
  throw new CliError('usage', `could not write ${displayPath}: it is a symbolic link`, {
    hint: 'Replace the link with a regular file, or skip the folder with --exclude.',
  });
}

function withFile({ folder }: EditResult, work: (path: string, displayPath: string) => void): void {
  const displayPath = toDisplayPath(folder.displayPath, 'manifest.json');
  try {
    work(join(folder.path, 'manifest.json'), displayPath);
  } catch (error) {
    throw fileUsageError(`could not write ${displayPath}`, error);
  }
}
