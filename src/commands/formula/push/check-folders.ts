/** Selects and checks the folders of diff and push, and prints their findings. */
import type { CheckResult } from '../../../check/check-folder.ts';
import { type CheckedFolder, checkTree } from '../../../check/check-tree.ts';
import { CliError } from '../../../errors.ts';
import { toRelative } from '../../../files/paths.ts';
import { escapeControls } from '../../../output/escape.ts';
import { createFindingsPrinter, startCheckProgress } from '../../../session/load-folder.ts';
import type { selectFolders } from '../../../session/path-flags.ts';
import type { Session } from '../../../session/session.ts';
import type { CommitTree } from '../../../sync/commit-folders.ts';
import type { StepResult } from '../../../sync/push/plan.ts';
import type { SelectedTree } from '../../../sync/since.ts';
import { groupBy } from '../../../text/group-by.ts';
import { toPathArgument } from '../../../text/shell-quote.ts';
import type { PushOptions } from './options.ts';

export interface CheckedTree extends SelectedTree {
  /** Whose findings are not printed yet: those of a folder that is equal to what the service has are warnings. */
  invalid: readonly CheckResult[];
}

type Selection = Awaited<ReturnType<typeof selectFolders>>;

/** Checks the folders, and prints the findings of the valid ones. Raises usage (2) for a folder that cannot be read. */
export async function checkFolders({ since, at, ...selection }: Selection, session: Session): Promise<CheckedTree> {
  if (at) session.note(escapeControls(`note: the folders are those of ${at.reference} (${at.commit.slice(0, 7)})`));
  const progress = startCheckProgress(session.host, selection.folders.length);
  const printer = createFindingsPrinter(session);
  const invalid: CheckResult[] = [];
  const onChecked = async (checked: CheckResult) => {
    progress.step(!checked.body);
    if (!checked.body) invalid.push(checked);
    if (!checked.body || checked.findings.length === 0) return;
    progress.end();
    await printer.print(nameCommit(checked, at));
  };
  const tree = await checkTree(selection, session.host, onChecked, at?.checkFolders).finally(progress.end);
  printer.end();
  return { ...tree, since, at, invalid };
}

/** Prints the findings of the invalid folders; as warnings of those in `equal`, by path. */
export async function printInvalid(
  { invalid, folders, at }: CheckedTree,
  equal: ReadonlyMap<string, unknown>,
  session: Session,
): Promise<void> {
  const printer = createFindingsPrinter(session);
  const isEqual = new Map(folders.map(({ folder }) => [folder.displayPath, equal.has(folder.path)]));
  for (const checked of invalid)
    await printer.print(nameCommit(isEqual.get(checked.folder) ? withWarnings(checked) : checked, at));
  printer.end();
}

/** A result for messages: with the commit before the folder, as git names it. */
export const nameCommit = (checked: CheckResult, at: CommitTree | undefined): CheckResult =>
  at ? { ...checked, folder: `${at.reference}:${checked.folder}` } : checked;

const withWarnings = (checked: CheckResult): CheckResult => ({
  ...checked,
  findings: checked.findings.map((one) => (one.level === 'error' ? { ...one, level: 'warning' } : one)),
});

/** Whether a push or a diff of the folders has nothing to do, so that it needs no service. */
export const isNothingSelected = ({ folders, since }: SelectedTree, { prune }: PushOptions): boolean =>
  folders.length === 0 && !(prune && since && since.removedFolders.size > 0);

type NamedFolder = Pick<CheckedFolder, 'folder' | 'name'>;

/**
 * The results of folders of which some are invalid, or have the same name as another one of `all`, or the same `label`
 * by `getKey`; undefined if there are none.
 */
export function findInvalid(
  folders: readonly CheckedFolder[],
  all: readonly NamedFolder[] = folders,
  label = 'name',
  getKey = ({ name }: NamedFolder): string | undefined => name ?? undefined,
): StepResult[] | undefined {
  const duplicates = findDuplicates(all, label, getKey);
  if (folders.every(({ body, folder }) => body && !duplicates.has(folder.path))) return undefined;
  return folders.map(({ folder, name, findings, durationMs, body }) => {
    const duplicate = duplicates.get(folder.path);
    return {
      ...{ folder, name, durationMs },
      outcome: body && duplicate === undefined ? 'not_started' : 'invalid',
      findings: body ? undefined : findings,
      error: duplicate === undefined ? undefined : new CliError('invalid', duplicate),
    };
  });
}

export const isInvalid = ({ outcome }: StepResult): boolean => outcome === 'invalid';

/** The message that names the folders that were left out. */
export const formatLeftOut = (leftOut: readonly StepResult[]): string[] => {
  const names = leftOut.map(({ folder }) => folder.displayPath).join(', ');
  return leftOut.length === 0 ? [] : [escapeControls(`left out, because invalid: ${names}`)];
};

/** How to continue without the invalid folders; undefined if there are no others. */
export function formatSkipHint(
  results: readonly StepResult[],
  { prune }: PushOptions,
  cwd: string,
): string | undefined {
  const invalid = results.filter(isInvalid);
  if (invalid.length === 0 || invalid.length === results.length) return undefined;
  const excluded = invalid.map(({ folder }) => `--exclude ${toPathArgument(toRelative(cwd, folder.path) || '.')}`);
  const ways = [...(prune ? [] : ['--skip-invalid']), ...(excluded.length > MAX_EXCLUDED ? [] : [excluded.join(' ')])];
  return ways.length === 0 ? undefined : `To continue without the invalid folders, add ${ways.join(', or ')}.`;
}

const MAX_EXCLUDED = 3;

/** The messages about folders with the same key, by path. */
function findDuplicates(
  folders: readonly NamedFolder[],
  label: string,
  getKey: (folder: NamedFolder) => string | undefined,
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
