/** Plans what push does with checked folders, and prints the warnings about it. */
import { escapeControls } from '../../../output/escape.ts';
import { annotateManifest } from '../../../session/annotations.ts';
import type { Connection } from '../../../session/connection.ts';
import type { Session } from '../../../session/session.ts';
import { findTops } from '../../../sync/push/find-identities.ts';
import type { StepResult } from '../../../sync/push/plan.ts';
import { type PushPlan, planPush } from '../../../sync/push/plan-push.ts';
import type { SelectedTree } from '../../../sync/since.ts';
import { openTracking } from '../../../sync/tracking.ts';
import { listFirst } from '../../../text/shorten.ts';
import { findDoubledIds } from './check-folders.ts';
import type { PlanOptions } from './options.ts';

/** The plan, or the results of folders that cannot be planned. */
export type PlannedFolders = { plan: PushPlan; invalid?: undefined } | { plan?: undefined; invalid: StepResult[] };

/** Raises the errors of `planPush`, and invalid (3) for an invalid lock file. */
export async function planFolders(
  tree: SelectedTree,
  { client, target }: Pick<Connection, 'client' | 'target'>,
  options: PlanOptions,
  { host, warn }: Session,
): Promise<PlannedFolders> {
  const folders = [...tree.folders.map(({ folder }) => folder.path), ...(tree.since?.unchangedFolders ?? [])];
  const searchBelow = options.prune ? 'strict' : undefined;
  const tracking = options.usesLockFiles
    ? openTracking(tree.roots, target, host, warn, { folders, searchBelow, repositories: findTops(tree.roots, host) })
    : openTracking([], target, host, warn);
  const invalid = findDoubledIds(tree, tracking.ids);
  return invalid ? { invalid } : { plan: await planPush(tree, tracking, client, options, host) };
}

/**
 * Prints the notes of a plan, and one warning for all steps that replace remote versions which are not known to be earlier
 * versions of their folders; in GitHub Actions annotates their manifests.
 */
export function printWarnings({ steps, notes, isShallow }: PushPlan, { host, warn }: Session): void {
  notes.forEach(warn);
  const overwriting = steps.filter(({ action, overwrites }) => overwrites && action !== 'conflict');
  if (overwriting.length === 0) return;
  const folders = overwriting.map(({ folder }) => folder.displayPath);
  const cause = isShallow ? ' (the git history is shallow; in CI, set fetch-depth: 0)' : '';
  warn(escapeControls(`warning: ${formatSubject(folders.length)}: ${listFirst(folders)}${cause}`));
  for (const { folder, body } of overwriting) {
    const message = 'overwrites a remote version that may contain changes by others';
    if (body) annotateManifest(folder.displayPath, host, { level: 'warning', rule: 'overwrites', message });
  }
}

const formatSubject = (count: number) =>
  count === 1
    ? '1 folder overwrites a remote version that may contain changes by others'
    : `${count} folders overwrite remote versions that may contain changes by others`;
