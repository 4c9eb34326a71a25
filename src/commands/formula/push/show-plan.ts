/** Prints and reports a plan: diff, and push --dry-run. */

import type { Host } from '../../../host/host.ts';
import type { Report } from '../../../report/report-file.ts';
import { addStepSummary } from '../../../report/step-summary.ts';
import type { Session } from '../../../session/session.ts';
import type { BaseVersions } from '../../../sync/push/find-base-versions.ts';
import type { PushPlan } from '../../../sync/push/plan-push.ts';
import type { SelectedTree } from '../../../sync/since.ts';
import { createCommandFormatter } from '../../../text/shell-quote.ts';
import { toPlanReport } from '../../../views/plan-report.ts';
import {
  formatConflictHints,
  formatPlanSummary,
  planView,
  type ShownStep,
  toPlanRows,
} from '../../../views/plan-view.ts';
import { formatPlanArguments, type PushOptions } from './options.ts';

interface ShownPlan {
  title: string;
  /** The name of the target; undefined if no connection was needed. */
  target: string | undefined;
  report: Report;
  /** What folders in conflict last had in common with the service. */
  bases?: BaseVersions;
}

/** Raises usage (2) if the report cannot be written. */
export async function showPlan(
  steps: readonly ShownStep[],
  { title, target, report, bases = new Map() }: ShownPlan,
  options: PushOptions,
  { host, print, note, isVerbose }: Session,
): Promise<void> {
  if (report.format === 'markdown') {
    const fullPlan = createCommandFormatter(host.platform)('formula diff', ...(formatPlanArguments(options) ?? []));
    report.write('markdown', await toPlanReport(steps, { target, fullPlan }, bases));
  }
  if (target !== undefined) addStepSummary(host, title, formatPlanSummary(steps), toPlanRows(steps));
  await print(planView(steps, isVerbose, bases));
  note(target === undefined ? 'nothing to do' : formatPlanSummary(steps));
  formatConflictHints(steps).forEach(note);
}

/** What the folders that conflict with a remote change last had in common with the service. */
export async function findBases(
  { steps, tracking }: PushPlan,
  { since }: SelectedTree,
  host: Host,
): Promise<BaseVersions> {
  const conflicts = steps.filter(({ action, overwrites }) => action === 'conflict' && overwrites);
  if (conflicts.length === 0) return new Map();
  if (since) {
    const { findReferenceVersions } = await import('../../../sync/push/compare-with-reference.ts');
    const paths = conflicts.map(({ folder }) => folder.path);
    return findReferenceVersions(paths, since, host);
  }
  const { findBaseVersions } = await import('../../../sync/push/find-base-versions.ts');
  return findBaseVersions(conflicts, tracking, host);
}
