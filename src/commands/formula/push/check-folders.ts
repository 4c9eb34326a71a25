/** Selects and checks the folders of diff and push, and prints their findings. */
import { type CheckedFolder, checkTree } from '../../../check/check-tree.ts';
import { CliError } from '../../../errors.ts';
import { createFindingsPrinter, startCheckProgress } from '../../../session/load-folder.ts';
import { selectFolders } from '../../../session/path-flags.ts';
import type { Session } from '../../../session/session.ts';
import type { StepResult } from '../../../sync/push/plan.ts';
import type { SelectedTree } from '../../../sync/since.ts';
import { groupBy } from '../../../text/group-by.ts';
import type { PlanOptions } from './options.ts';

/** Raises usage (2) for a path that does not exist. */
export async function checkFolders(options: PlanOptions, session: Session): Promise<SelectedTree> {
  const { since, ...selection } = await selectFolders(options.paths, options, session);
  const progress = startCheckProgress(session.host, selection.folders.length);
  const printer = createFindingsPrinter(session);
  const tree = await checkTree(selection, session.host, async (checked) => {
    progress.step(!checked.body);
    if (checked.findings.length === 0) return;
    progress.end();
    await printer.print(checked);
  }).finally(progress.end);
  printer.end();
  return { ...tree, since };
}

/** Whether a push or a diff of the folders has nothing to do, so that it needs no service. */
export const isNothingSelected = ({ folders, since }: SelectedTree, { prune }: PlanOptions): boolean =>
  folders.length === 0 && !(prune && since && since.removedFolders.size > 0);

/** The results of folders of which some are invalid, or have the name of another one of `all`; undefined if there are none. */
export const findInvalid = (
  { folders }: SelectedTree,
  all: Pick<SelectedTree, 'folders'> = { folders },
): StepResult[] | undefined =>
  toInvalidResults(
    folders,
    findDuplicates(all.folders, 'name', ({ name }) => name ?? undefined),
  );

/** The same for folders with the same id in the lock file. */
export const findDoubledIds = ({ folders }: SelectedTree, ids: ReadonlyMap<string, string>): StepResult[] | undefined =>
  toInvalidResults(
    folders,
    findDuplicates(folders, 'id in the lock', ({ folder }) => ids.get(folder.path)?.toLowerCase()),
  );

/** The messages about folders with the same key, by path. */
function findDuplicates(
  folders: readonly CheckedFolder[],
  label: string,
  getKey: (checked: CheckedFolder) => string | undefined,
): Map<string, string> {
  const duplicates = [...groupBy(folders, getKey)].flatMap(([key, same]) =>
    (key === undefined || same.length < 2 ? [] : same).map(({ folder: { path, displayPath } }) => {
      const others = same.filter(({ folder }) => folder.path !== path).map(({ folder }) => folder.displayPath);
      const message = `${displayPath} has the same ${label} as ${others.join(', ')}: ${JSON.stringify(key)}`;
      return [path, message] as const;
    }),
  );
  return new Map(duplicates);
}

function toInvalidResults(
  folders: readonly CheckedFolder[],
  duplicates: ReadonlyMap<string, string>,
): StepResult[] | undefined {
  if (folders.every(({ body, folder }) => body && !duplicates.has(folder.path))) return undefined;
  return folders.map(({ folder, name, findings, durationMs, body }) => {
    const duplicate = duplicates.get(folder.path);
    return {
      folder,
      name,
      outcome: body && duplicate === undefined ? 'not_started' : 'invalid',
      findings: body ? undefined : findings,
      error: duplicate === undefined ? undefined : new CliError('invalid', duplicate),
      durationMs,
    };
  });
}
