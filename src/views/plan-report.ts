/** A plan for a report in Markdown. */
import { isBlockField } from '../formula-fields.ts';
import type { FormulaBody } from '../model.ts';
import { escapeInvisible } from '../output/escape.ts';
import type { PlanReport, ReportStep } from '../report/markdown.ts';
import { formatBreakingChange } from '../sync/push/breaking-changes.ts';
import { type FieldChange, formatRemarks, listChanges } from '../sync/push/changes.ts';
import type { BaseVersions } from '../sync/push/find-base-versions.ts';
import { isChange } from '../sync/push/plan.ts';
import { formatChange, formatPlanSummary, type ShownStep, SIDES } from './plan-view.ts';

const asIs = (text: string) => text;
const PLAIN = { error: asIs, warning: asIs, good: asIs, faint: asIs, strong: asIs };

/** `fullPlan` is the file that contains the plan, or the command that shows it. */
export async function toPlanReport(
  steps: readonly ShownStep[],
  { target, fullPlan }: Pick<PlanReport, 'target' | 'fullPlan'>,
  bases: BaseVersions,
): Promise<PlanReport> {
  const reported: ReportStep[] = [];
  for (const step of steps.filter(isChange))
    reported.push(await toReportStep(step, bases.get(step.folder?.path ?? '')));
  return { target, summary: formatPlanSummary(steps), steps: reported, fullPlan };
}

async function toReportStep(step: ShownStep, base: FormulaBody | undefined): Promise<ReportStep> {
  const diff: string[] = [];
  for (const change of listChanges(step)) diff.push(...(await formatReportChange(change, base)));
  return {
    action: step.action,
    folder: step.folder?.displayPath ?? null,
    name: step.name,
    fields: step.fields,
    remarks: [...(step.reason === undefined ? [] : [step.reason]), ...formatRemarks(step)],
    overwrites: step.overwrites ?? false,
    breaking: step.breaking?.map(formatBreakingChange) ?? [],
    hints: step.hint?.split('\n') ?? [],
    diff,
  };
}

/** A unified diff; for short values, the two values. With a common version, both sides of a conflict. */
async function formatReportChange(change: FieldChange, base: FormulaBody | undefined): Promise<string[]> {
  const { field, remote, local } = change;
  if (base || isBlockField(field)) return formatChange(change, base, SIDES, PLAIN);
  const toLines = (sign: string, value: unknown) =>
    value === null ? [] : [`${sign}${field}: ${escapeInvisible(JSON.stringify(value))}`];
  return [...toLines('-', remote), ...toLines('+', local)];
}
