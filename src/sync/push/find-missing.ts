/** Finds the linked folders that no longer contain a formula. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { CODE_FILES } from '../../folder/read.ts';
import type { Host } from '../../host/host.ts';
import type { PlanFacts } from './plan-steps.ts';

type Missing = Pick<Required<PlanFacts>, 'missingFolders' | 'foldersWithoutManifest'> & { notes: readonly string[] };

/** The linked folders without a formula; with --prune, except those that a sparse checkout skips, which a note counts. */
export async function findMissing(
  folders: readonly string[],
  shouldPrune: (path: string) => boolean,
  host: Host,
): Promise<Missing> {
  const isMissing = (path: string) => !containsFormula(path) || lacksManifest(path);
  const candidates = folders.filter((path) => shouldPrune(path) && isMissing(path));
  const skipped = candidates.length === 0 ? new Set<string>() : await findSkipped(candidates, host);
  const others = folders.filter((path) => !skipped.has(path));
  return {
    missingFolders: new Set(others.filter((path) => !containsFormula(path))),
    foldersWithoutManifest: new Set(others.filter(lacksManifest)),
    notes: skipped.size > 0 ? [`note: ${formatSkipped(skipped.size)}`] : [],
  };
}

async function findSkipped(folders: readonly string[], host: Host): Promise<ReadonlySet<string>> {
  const { findSkippedFolders } = await import('../skipped-folders.ts');
  return findSkippedFolders(folders, host);
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
