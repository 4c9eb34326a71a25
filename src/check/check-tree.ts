/** All formula folders under the given paths, checked; for commands that compare or send them. */
import { CliError } from '../errors.ts';
import { findRealPath } from '../files/paths.ts';
import type { Folder, FolderSelection } from '../folder/find-folders.ts';
import type { Host } from '../host/host.ts';
import type { FormulaBody } from '../model.ts';
import { getSurroundings } from '../state/xdg-paths.ts';
import type { CheckResult } from './check-folder.ts';
import { readCleanCache, saveCleanCache } from './clean-cache.ts';

/** A folder with its findings, and what is sent; its path is absolute and real. */
export interface CheckedFolder extends Pick<CheckResult, 'name' | 'findings' | 'durationMs' | 'body'> {
  folder: Folder;
}

/** Checks folders, of the disk or of a commit. */
type CheckFolders = typeof import('./check-folders.ts').checkFolders;

/** A valid folder. */
export type ValidFolder = CheckedFolder & { body: FormulaBody };

export interface FormulaTree extends Omit<FolderSelection, 'folders'> {
  folders: readonly CheckedFolder[];
  /** Saves which folders are without findings, if there are enough that the next push gains by it. */
  saveCleanCache(): void;
}

/** Checking fewer folders takes no longer than saving that they are clean. */
const MIN_SAVED_FOLDERS = 20;

/** What is sent is made where it was checked, so all bodies are in memory. */
const MAX_MIB = 512;

/**
 * Checks all folders, of the disk unless `check` reads others; `onChecked` is called for each, in order. Raises usage (2)
 * for one that cannot be read, failed (1) for more than fit into memory, interrupted (130 or 143) after a signal.
 */
export async function checkTree(
  { folders, ...selection }: FolderSelection,
  host: Host,
  onChecked: (result: CheckResult) => Promise<void>,
  check?: CheckFolders,
): Promise<FormulaTree> {
  const checkFolders = check ?? (await import('./check-folders.ts')).checkFolders;
  const results: CheckedFolder[] = [];
  const areMany = folders.length >= MIN_SAVED_FOLDERS;
  const clean = { known: areMany ? readCleanCache(host) : new Set<string>(), found: new Set<string>() };
  let charactersLeft = MAX_MIB * 1024 * 1024;
  for await (const checked of checkFolders(folders, { bundleContext: getSurroundings(host), clean })) {
    if (host.abortSignal.aborted) {
      throw new CliError('interrupted', 'interrupted while the folders were checked; no changes were made');
    }
    await onChecked(checked);
    const { folder: displayPath, name, findings, durationMs, body } = checked;
    charactersLeft -= body ? countCharacters(body) : 0;
    if (charactersLeft < 0) throw tooManyError(folders.length);
    const foundPath = String(folders[results.length]?.path);
    const folder = { displayPath, path: findRealPath(foundPath) ?? foundPath };
    results.push({ folder, name, findings, durationMs, body });
  }
  return {
    ...selection,
    folders: results,
    saveCleanCache: () => {
      if (areMany) saveCleanCache(host, clean.found);
    },
  };
}

const countCharacters = ({ code, icon }: FormulaBody): number => code.length + (icon?.length ?? 0);

const tooManyError = (count: number) =>
  new CliError(
    'failed',
    `the ${count} formulas contain more than ${MAX_MIB} MiB of code and icons; no changes were made`,
    { hint: 'Pass fewer folders at a time.' },
  );
