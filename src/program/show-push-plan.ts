/** What a push prints if nothing is applied: the plan of --dry-run, or that there is nothing to do. */
import { CliError, type Outcome } from '../errors.ts';
import { addStepSummary } from '../report/add-step-summary.ts';
import type { Report } from '../report/report-file.ts';
import { findDuplicateFolders, openTreeTracking, type PlanFlags, preparePush } from '../sync/push/prepare-push.ts';
import type { SelectedTree } from '../sync/since.ts';
import { formatConflictHints, formatPlanSummary, planView, toPlanRows } from '../views/plan-view.ts';
import { pushView, toPushCases } from '../views/push-view.ts';
import { PUSH_TITLE, reportInvalidFolders } from './apply-push.ts';
import type { ConfirmFlags } from './confirm.ts';
import { describeSteps } from './describe-steps.ts';
import { warnAboutOverwrites } from './overwrites.ts';
import type { PathFlags } from './path-flags.ts';
import type { Session, SessionFlags } from './session.ts';
import { writePlanReport } from './write-plan-report.ts';

export interface PushFlags extends PathFlags, PlanFlags, ConfirmFlags, SessionFlags {
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

/** Prints and reports that no folder was selected. Raises usage (2), unless an empty list of paths was read. */
export async function printEmptyPush({ paths, tree, flags, report, session }: PushContext): Promise<void> {
  if (!tree.isEmptyList) throw new CliError('usage', 'no formulas selected');
  const { host } = session;
  report.write('junit', { suite: PUSH_TITLE, cases: [] });
  await writePlanReport(report, [], { paths, flags }, host);
  await session.print(flags.dryRun ? planView([], session.isVerbose) : pushView([], host));
  session.note('nothing to do');
}

/** push --dry-run: prints and reports the plan. */
export async function showPushPlan(context: PushContext): Promise<Outcome> {
  const { paths, tree, flags, report, session } = context;
  const { host } = session;
  const { client, target } = await session.connect();
  const tracking = openTreeTracking(tree, target, flags, session);
  const duplicates = findDuplicateFolders(tree, tracking.ids);
  if (duplicates.size > 0) return reportInvalidFolders(tree, duplicates, report, session);
  const { plan, isShallow, findBase } = await preparePush(tree, tracking, client, flags, host);
  const { steps } = plan;
  warnAboutOverwrites(steps, isShallow, session.warn, host);
  const notStarted = steps.map((step) => ({ step, outcome: 'not_started' as const }));
  report.write('junit', { suite: PUSH_TITLE, cases: toPushCases(notStarted, host) });
  const described = await describeSteps(steps, host);
  await writePlanReport(report, described, { paths, flags, target, findBase }, host);
  addStepSummary(host, `${PUSH_TITLE} --dry-run`, formatPlanSummary(steps), toPlanRows(steps, host));
  await session.print(planView(described, session.isVerbose, findBase));
  session.note(formatPlanSummary(steps));
  formatConflictHints(steps).forEach(session.note);
  return 'ok';
}
