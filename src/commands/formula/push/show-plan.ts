/** Prints and reports a plan: diff, and push --dry-run. */

import type { Report } from '../../../report/report-file.ts';
import { addStepSummary } from '../../../report/step-summary.ts';
import type { Session } from '../../../session/session.ts';
import { createCommandFormatter } from '../../../text/shell-quote.ts';
import { toPlanReport } from '../../../views/plan-report.ts';
import {
  type FindBase,
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
  findBase?: FindBase;
}

/** Raises usage (2) if the report cannot be written. */
export async function showPlan(
  steps: readonly ShownStep[],
  { title, target, report, findBase }: ShownPlan,
  options: PushOptions,
  { host, print, note, isVerbose }: Session,
): Promise<void> {
  if (report.format === 'markdown') {
    const fullPlan = createCommandFormatter(host.platform)('formula diff', ...(formatPlanArguments(options) ?? []));
    report.write('markdown', await toPlanReport(steps, { target, fullPlan }, findBase));
  }
  if (target !== undefined) addStepSummary(host, title, formatPlanSummary(steps), toPlanRows(steps));
  await print(planView(steps, isVerbose, findBase));
  note(target === undefined ? 'nothing to do' : formatPlanSummary(steps));
  formatConflictHints(steps).forEach(note);
}
