/** Plans the push of a tree of folders. */
import type { Report } from '../../../report/report-file.ts';
import type { ConfirmFlags } from '../../../session/confirm.ts';
import type { Connection } from '../../../session/connection.ts';
import type { PathFlags } from '../../../session/path-flags.ts';
import type { Session, SessionFlags } from '../../../session/session.ts';
import type { Step } from '../../../sync/push/plan.ts';
import {
  findDuplicateFolders,
  openTreeTracking,
  type PlanFlags,
  type PreparedPush,
  preparePush,
} from '../../../sync/push/prepare-push.ts';
import type { SelectedTree } from '../../../sync/since.ts';
import { reportInvalidFolders } from './apply-push.ts';
import { warnAboutOverwrites } from './overwrites.ts';

interface PushFlags extends PathFlags, PlanFlags, ConfirmFlags, SessionFlags {
  dryRun?: boolean | undefined;
  failFast?: boolean | undefined;
  maxDeletes: number;
  concurrency: number;
}

export interface PushContext {
  paths: readonly string[];
  tree: SelectedTree;
  flags: PushFlags;
  report: Report;
  session: Session;
}

/** Plans the push; undefined for duplicate folders, which are reported. Warnings that were printed for the steps `warned` are not repeated. */
export async function planTree(
  { tree, report, session }: PushContext,
  { client, target }: Pick<Connection, 'client' | 'target'>,
  options: PlanFlags,
  warned?: readonly Step[],
): Promise<PreparedPush | undefined> {
  const { host, warn } = session;
  const tracking = openTreeTracking(tree, target, options, session);
  const duplicates = findDuplicateFolders(tree, tracking.ids);
  if (duplicates.size > 0) {
    await reportInvalidFolders(tree, duplicates, report, session);
    return undefined;
  }
  const planned = await preparePush(
    tree,
    tracking,
    warned ? { ...client, warn: () => undefined } : client,
    options,
    host,
  );
  const paths = new Set(warned?.flatMap(({ path, overwrites }) => (overwrites ? [path] : [])));
  const steps = planned.plan.steps.filter(({ path }) => !paths.has(path));
  warnAboutOverwrites(steps, planned.isShallow, warn, host);
  return planned;
}
