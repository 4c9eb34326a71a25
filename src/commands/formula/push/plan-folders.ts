/** The folders of a saved plan, and the others in its paths. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { checkTree } from '../../../check/check-tree.ts';
import { CliError } from '../../../errors.ts';
import { findRealPath, toRelative } from '../../../files/paths.ts';
import { type Folder, type FolderSelection, findFormulaFolders } from '../../../folder/find-folders.ts';
import type { Host } from '../../../host/host.ts';
import { showFindings } from '../../../session/load-folder.ts';
import type { Session } from '../../../session/session.ts';
import type { PlanFile } from '../../../sync/push/plan-file.ts';
import type { SelectedTree, SinceSelection } from '../../../sync/since.ts';

export interface PlanTree {
  /** The folders of the plan. */
  planned: SelectedTree;
  /** These and the other valid folders in the paths of the plan, which are only compared. */
  all: SelectedTree;
}

/**
 * Checks the folders of a plan, and the others in its paths. A folder that does not exist, or is reached through a
 * symbolic link, is left out. Raises usage (2) for a folder that cannot be read.
 */
export async function loadPlanTree(plan: PlanFile, repository: string, session: Session): Promise<PlanTree> {
  const { host } = session;
  const toFolders = (paths: readonly string[]) =>
    [...new Set(paths)]
      .map((path) => join(repository, path))
      .filter(isRealFolder)
      .map((path) => toFolderRef(path, host));
  const listFolders = (isDeletion: boolean) =>
    plan.steps.filter(({ action }) => (action === 'delete') === isDeletion).map(({ folder }) => folder);
  const deleted = new Set(listFolders(true).map((folder) => join(repository, folder)));
  const excluded = new Set(plan.excluded?.map((path) => join(repository, path)));
  const folders = toFolders(listFolders(false));
  const roots = toFolders(plan.paths);
  const paths = new Set(folders.map(({ path }) => path));
  const displayPaths = new Set(folders.map(({ displayPath }) => displayPath));
  const isPlanned = (path: string) => paths.has(path);
  const others = findFormulaFolders(roots.map((root) => ({ ...root, mayBeEmpty: true }))).filter(
    ({ path, isMisnamed }) => !isMisnamed && !isPlanned(path) && !excluded.has(path),
  );
  const selection = {
    folders: [...folders, ...others],
    isEmptyList: false,
    roots: roots.map(({ path }) => path),
    isExcluded: (path: string) => !deleted.has(path),
  };
  const tree = await checkTree(selection, host, async (checked) => {
    if (displayPaths.has(checked.folder)) await showFindings(checked, session);
  });
  const since = plan.since === undefined ? undefined : await selectSince(plan.since, { ...selection, folders }, host);
  const planned = tree.formulas.filter(({ path }) => isPlanned(path));
  const all = tree.formulas.filter(({ path, local }) => isPlanned(path) || local);
  return { planned: { ...tree, formulas: planned, since }, all: { ...tree, formulas: all, since } };
}

/** The changes since the commit of the plan. Raises invalid (3) if it is not an ancestor of HEAD. */
async function selectSince(commit: string, selection: FolderSelection, host: Host): Promise<SinceSelection> {
  const { selectChanged } = await import('../../../session/select-changed.ts');
  const { since } = await selectChanged(selection, commit, host);
  const isAncestor = [...since.repositories.values()].every(({ mergeBase }) => mergeBase === commit);
  // Other folders are in the tree too.
  if (isAncestor) return { ...since, unchangedFolders: [] };
  throw new CliError('invalid', `the commit of the plan, ${commit}, is not an ancestor of HEAD; nothing was sent`, {
    hint: 'Check out the branch that the plan was created for, or create a new plan.',
  });
}

const toFolderRef = (path: string, host: Host): Folder => ({
  displayPath: toRelative(host.cwd(), path) || '.',
  path,
});

function isRealFolder(path: string): boolean {
  return findRealPath(path) === path && statSync(path).isDirectory();
}
