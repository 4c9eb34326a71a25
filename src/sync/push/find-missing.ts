/** Finds the linked folders that no longer contain a formula. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../../errors.ts';
import { CODE_FILES } from '../../folder/read.ts';
import type { Host } from '../../host/host.ts';
import type { PlanFacts } from './plan-steps.ts';

interface Missing extends Pick<Required<PlanFacts>, 'missingFolders' | 'foldersWithoutManifest'> {
  /** Folders that a sparse checkout skips. */
  skippedFolders: ReadonlySet<string>;
  notes: readonly string[];
}

/** The linked folders without a formula, except those that a sparse checkout skips, which a note counts with --prune. */
export async function findMissing(
  folders: readonly string[],
  shouldPrune: (path: string) => boolean,
  host: Host,
): Promise<Missing> {
  const isMissing = (path: string) => !containsFormula(path) || lacksManifest(path);
  const candidates = folders.filter(isMissing);
  const skipped = await findSkipped(candidates, candidates.some(shouldPrune), host);
  const kept = [...skipped].filter(shouldPrune);
  const others = folders.filter((path) => !skipped.has(path));
  return {
    skippedFolders: skipped,
    missingFolders: new Set(others.filter((path) => !containsFormula(path))),
    foldersWithoutManifest: new Set(others.filter(lacksManifest)),
    notes: kept.length > 0 ? [`note: ${formatSkipped(kept.length)}`] : [],
  };
}

/** Raises usage (2) if git fails and a formula may be deleted. */
async function findSkipped(folders: readonly string[], isPruning: boolean, host: Host): Promise<ReadonlySet<string>> {
  if (folders.length === 0) return new Set();
  const { findSkippedFolders } = await import('../skipped-folders.ts');
  try {
    return await findSkippedFolders(folders, host);
  } catch (error) {
    if (isPruning || !(error instanceof CliError)) throw error;
    return new Set();
  }
}

const formatSkipped = (count: number) =>
  count === 1
    ? 'a sparse checkout skips 1 folder of the lock file; its formula is not deleted'
    : `a sparse checkout skips ${count} folders of the lock file; their formulas are not deleted`;

const lacksManifest = (path: string) =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true &&
  lstatSync(join(path, 'manifest.json'), { throwIfNoEntry: false }) === undefined;

/** Whether a folder contains a manifest or code. */
const containsFormula = (path: string) =>
  ['manifest.json', ...CODE_FILES].some((name) => lstatSync(join(path, name), { throwIfNoEntry: false }) !== undefined);
