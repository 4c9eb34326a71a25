/** --since REF: of the selected formula folders, those that changed since a commit. */
import { type ChangedPaths, indexChanges, isFolderChanged } from '../check/changed-folders.ts';
import { CliError } from '../errors.ts';
import { findRealPath, isWithin, toRelative } from '../files/paths.ts';
import { createWorkingCopyFinder } from '../files/repository.ts';
import { type Folder, type FolderSelection, isHidden } from '../folder/find-folders.ts';
import { type ChangedSince, findChangedSince, type ReferenceProblem } from '../git/changes.ts';
import type { Host } from '../host/host.ts';
import { mapInParallel } from '../host/parallel.ts';
import { getSurroundings } from '../state/xdg-paths.ts';
import { createReferenceError } from '../sync/reference-error.ts';
import { findRemovedFolders, type SinceSelection } from '../sync/since.ts';
import { listFirst } from '../text/shorten.ts';

const MAX_PARALLEL = 8;

/**
 * Of the formula folders in the roots (absolute and real), those that changed. Raises usage (2) with the command that
 * fixes it if the changes cannot be determined.
 */
export async function selectChanged(
  { folders: found, roots, isExcluded }: FolderSelection,
  reference: string,
  host: Host,
): Promise<{ folders: readonly Folder[]; since: SinceSelection }> {
  const findTop = createWorkingCopyFinder();
  const folders = found.map((folder) => ({ folder, path: findRealPath(folder.path) ?? folder.path }));
  const toError = (problem: ReferenceProblem, folder: string) =>
    createReferenceError(problem, { flag: '--since', reference, folder }, host);
  const requireTop = (path: string, shown: string) => {
    const top = findTop(path);
    if (top === undefined) throw toError({ kind: 'not-a-repository' }, shown);
    return top;
  };
  const tops = new Set(folders.map(({ folder, path }) => requireTop(path, folder.path)));
  for (const root of roots) {
    if (folders.length === 0 || findTop(root)) tops.add(requireTop(root, root));
  }
  const repositories = new Map<string, ChangedSince>();
  const changed = new Map<string, ChangedPaths>();
  for (const top of tops) {
    const result = await findChangedSince(top, reference, host.env);
    if ('problem' in result) throw toError(result.problem, top);
    repositories.set(top, result);
    changed.set(top, indexChanges(top, result.changes.keys()));
  }
  const context = getSurroundings(host);
  const areChanged = await mapInParallel(folders, MAX_PARALLEL, async ({ folder, path }) => {
    if (host.abortSignal.aborted)
      throw new CliError('interrupted', 'interrupted while the folders were compared; no changes were made');
    return isFolderChanged(folder, changed.get(findTop(path) ?? '') as ChangedPaths, context);
  });
  const isSelected = (path: string) =>
    roots.some((root) => isWithin(path, root) && !isHidden(toRelative(root, path))) && !isExcluded(path);
  const removed = [...repositories].flatMap(([top, since]) => findRemovedFolders(top, since));
  const unchanged = folders.filter((_, i) => !areChanged[i]);
  return {
    folders: folders.filter((_, i) => areChanged[i]).map(({ folder }) => folder),
    since: {
      ...{ reference, repositories },
      removedFolders: new Set(removed.filter(isSelected)),
      unchangedFolders: unchanged.map(({ folder: { displayPath }, path }) => ({ displayPath, path })),
    },
  };
}

const MAX_SHOWN = 20;

/** Names the removed folders. `prune` is undefined for a command that deletes nothing. */
export function formatRemovedNotes(
  { reference, removedFolders }: SinceSelection,
  prune: boolean | undefined,
  cwd: string,
): string[] {
  const names = [...removedFolders].map((folder) => toRelative(findRealPath(cwd) ?? cwd, folder)).sort();
  const note = `note: removed since ${reference}: ${listFirst(names, MAX_SHOWN)}`;
  const advice = prune === false ? ['To delete the formulas of removed folders, pass --prune.'] : [];
  return names.length === 0 ? [] : [note, ...advice];
}
