/** --since REF: of the selected formula folders, those that changed since a commit. */
import { isFolderChanged } from '../check/changed-folders.ts';
import { CliError } from '../errors.ts';
import { realPath } from '../files/paths.ts';
import { isWorkingCopy, listAncestors } from '../files/repository.ts';
import type { FolderRef } from '../folder/find-folders.ts';
import { findChangedSince, type SinceProblem } from '../git/changed-since.ts';
import type { Host } from '../host/host.ts';
import { getSurroundings } from '../state/xdg-paths.ts';
import { shellQuotePath } from '../text/shell-quote.ts';

/** Raises usage (2) with the command that fixes it if the changes cannot be determined. */
export async function selectChanged(
  folders: readonly FolderRef[],
  reference: string,
  host: Host,
): Promise<FolderRef[]> {
  const context = getSurroundings(host);
  const changes = new Map<string, ReadonlySet<string>>();
  const selected: FolderRef[] = [];
  for (const folder of folders) {
    const top = listAncestors(realPath(folder.path)).find(isWorkingCopy);
    if (top === undefined) throw sinceError({ kind: 'not-a-repository' }, reference, folder.path, host);
    const changed = changes.get(top) ?? (await readChanges(top, reference, host));
    changes.set(top, changed);
    if (await isFolderChanged(folder, top, changed, context)) selected.push(folder);
  }
  return selected;
}

async function readChanges(top: string, reference: string, host: Host): Promise<ReadonlySet<string>> {
  const found = await findChangedSince(top, reference, host.env);
  if ('problem' in found) throw sinceError(found.problem, reference, top, host);
  return new Set(found.changes.keys());
}

function sinceError(problem: SinceProblem, reference: string, folder: string, { platform }: Host): CliError {
  const git = `git -C ${shellQuotePath(folder, platform)}`;
  const [message, hint] = {
    'not-a-repository': [`${folder} is not in a git repository`, 'Run the command without --since.'],
    'zero-reference': [
      `${reference} is not a commit: a new branch has none before it`,
      'Run the command without --since.',
    ],
    'unknown-reference': [
      `the repository ${folder} has no commit "${reference}"`,
      `To fetch it, run: ${git} fetch origin`,
    ],
    shallow: [
      `the history of ${folder} is shallow and does not reach "${reference}"`,
      `To fetch the complete history, run: ${git} fetch --unshallow\nIn GitHub Actions, set fetch-depth: 0.`,
    ],
    unrelated: [`"${reference}" and HEAD have no commit in common`, `To list the branches, run: ${git} branch --all`],
    submodule: [
      `${folder} is a git submodule, which --since does not support`,
      'Exclude it with --exclude, or run the command without --since.',
    ],
    'dubious-ownership': [
      `git refuses ${folder}: another user owns it`,
      `To trust it, run: git config --global --add safe.directory ${shellQuotePath(folder, platform)}`,
    ],
    failed: [`git failed: ${problem.kind === 'failed' ? problem.error : ''}`, `To see the error, run: ${git} status`],
  }[problem.kind];
  return new CliError('usage', `could not determine what changed since "${reference}": ${message}`, { hint });
}
