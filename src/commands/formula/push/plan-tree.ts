/** The folders of a saved plan, and the others in its paths. */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CheckResult } from '../../../check/check-folder.ts';
import { checkTree } from '../../../check/check-tree.ts';
import { CliError } from '../../../errors.ts';
import { findRealPath, isWithin, realPath, toRelative } from '../../../files/paths.ts';
import { findCurrentRepository, isWorkingCopy } from '../../../files/repository.ts';
import { type FolderSelection, findFormulaFolders } from '../../../folder/find-folders.ts';
import type { Host } from '../../../host/host.ts';
import { createFindingsPrinter } from '../../../session/load-folder.ts';
import type { Session } from '../../../session/session.ts';
import { openCommit } from '../../../sync/commit-folders.ts';
import type { PlanFile, PlannedStep } from '../../../sync/push/plan-file.ts';
import type { SelectedTree, SinceSelection } from '../../../sync/since.ts';
import { nameCommit } from './check-folders.ts';

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
  const shownReference = plan.at?.slice(0, 7);
  const at =
    plan.at === undefined
      ? undefined
      : await openCommit(repository, { flag: '--at', reference: plan.at, shownReference }, host);
  const isThere = (path: string) => (at ? at.folders.has(toRelative(at.top, path)) : isRealFolder(path));
  const toPath = (path: string) => join(repository, path);
  const toFolders = (paths: readonly string[]) =>
    [...new Set(paths)]
      .map(toPath)
      .filter(isThere)
      .map((path) => ({ path, displayPath: toRelative(host.cwd(), path) || '.' }));
  const listFolders = (isWanted: (step: PlannedStep) => boolean) =>
    plan.steps.filter(isWanted).map(({ folder }) => folder);
  const prunable = new Set(listFolders(({ action }) => action === 'delete').map(toPath));
  const excluded = new Set(plan.excluded?.map(toPath));
  const folders = toFolders(listFolders(({ action }) => action !== 'delete'));
  const roots = toFolders(plan.paths).map((root) => ({ ...root, mayBeEmpty: true }));
  const plannedPaths = new Set(folders.map(({ path }) => path));
  const plannedNames = new Set(folders.map(({ displayPath }) => displayPath));
  const others = findFormulaFolders(roots, { at }).filter(
    ({ path, isMisnamed }) => !isMisnamed && !plannedPaths.has(path) && !excluded.has(path),
  );
  const selection = {
    folders: [...folders, ...others],
    isEmptyList: false,
    roots: roots.map(({ path }) => path),
    isExcluded: (path: string) => !prunable.has(path),
  };
  const printer = createFindingsPrinter(session);
  const print = async (checked: CheckResult) => {
    if (plannedNames.has(checked.folder)) await printer.print(nameCommit(checked, at));
  };
  const tree = await checkTree(selection, host, print, at?.checkFolders);
  printer.end();
  const since = plan.since === undefined ? undefined : await selectSince(plan.since, { ...selection, folders }, host);
  const planned = tree.folders.filter(({ folder }) => plannedPaths.has(folder.path));
  const all = tree.folders.filter(({ folder, body }) => plannedPaths.has(folder.path) || body);
  return { planned: { ...tree, folders: planned, since, at }, all: { ...tree, folders: all, since, at } };
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

const isRealFolder = (path: string) => findRealPath(path) === path && statSync(path).isDirectory();

/**
 * The repository of a plan, seen from the folder in which diff ran, otherwise the one that contains the current folder. A
 * folder or lock file of the plan shows which. A plan is input: in a working copy, it does not point out of it.
 */
export function findPlanRepository({ repository, steps }: PlanFile, host: Host): string {
  const cwd = realPath(host.cwd());
  const current = findCurrentRepository({ cwd, home: host.home });
  const saved = resolve(cwd, repository);
  const isAllowed = isWithin(saved, current)
    ? !toRelative(current, saved).split('/').includes('node_modules')
    : !isWorkingCopy(current);
  const isThere = steps.some(({ folder, lock_file: file }) =>
    [folder, file].some((path) => path !== null && existsSync(join(saved, path))),
  );
  return isAllowed && isThere && findRealPath(saved) === saved ? saved : current;
}
