/** What a push prints if nothing is applied: the plan of --dry-run, or that there is nothing to do. */
import { CliError, type Outcome } from '../../../errors.ts';
import { addStepSummary } from '../../../report/add-step-summary.ts';
import { formatConflictHints, formatPlanSummary, planView, toPlanRows } from '../../../views/plan-view.ts';
import { pushView, toPushCases } from '../../../views/push-view.ts';
import { PUSH_TITLE } from './apply-push.ts';
import { describeSteps } from './describe-steps.ts';
import { type PushContext, planTree } from './plan-tree.ts';
import { writePlanReport } from './write-plan-report.ts';

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
  const { paths, flags, report, session } = context;
  const { host } = session;
  const connection = await session.connect();
  const planned = await planTree(context, connection, flags);
  if (!planned) return 'invalid';
  const { findBase } = planned;
  const { steps } = planned.plan;
  const notStarted = steps.map((step) => ({ step, outcome: 'not_started' as const }));
  report.write('junit', { suite: PUSH_TITLE, cases: toPushCases(notStarted, host) });
  const described = await describeSteps(steps, host);
  await writePlanReport(report, described, { paths, flags, target: connection.target, findBase }, host);
  addStepSummary(host, `${PUSH_TITLE} --dry-run`, formatPlanSummary(steps), toPlanRows(steps, host));
  await session.print(planView(described, session.isVerbose, findBase));
  session.note(formatPlanSummary(steps));
  formatConflictHints(steps).forEach(session.note);
  return 'ok';
}
