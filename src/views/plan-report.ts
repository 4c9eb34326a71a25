/** A plan for a report in Markdown. */
import { escapeInvisible } from '../output/escape.ts';
import type { PlanReport, ReportStep } from '../report/markdown.ts';
import { type Change, describeRemarks } from '../sync/push/changes.ts';
import { formatFieldDiff } from './field-diff.ts';
import { type DescribedStep, formatPlanSummary, getStepName } from './plan-view.ts';

const SIDES = { from: 'service', to: 'folder' };
const asIs = (text: string) => text;
const PLAIN = { error: asIs, warning: asIs, good: asIs, faint: asIs, strong: asIs };
const BLOCKS: readonly string[] = ['code', 'configuration', 'request_parameters'];

/** `fullPlan` is the file that contains the plan, or the command that shows it. */
export async function toPlanReport(
  described: readonly DescribedStep[],
  { target, fullPlan }: Pick<PlanReport, 'target' | 'fullPlan'>,
): Promise<PlanReport> {
  const steps: ReportStep[] = [];
  for (const one of described) if (one.step.action !== 'keep') steps.push(await toReportStep(one));
  return { target, summary: formatPlanSummary(described.map(({ step }) => step)), steps, fullPlan };
}

async function toReportStep({ step, folder, changes }: DescribedStep): Promise<ReportStep> {
  const diff: string[] = [];
  for (const change of changes) diff.push(...(await formatChange(change)));
  return {
    action: step.action,
    folder,
    name: getStepName(step),
    fields: step.fields,
    remarks: [...(step.reason === undefined ? [] : [step.reason]), ...describeRemarks(step)],
    overwrites: step.overwrites ?? false,
    hints: step.hint?.split('\n') ?? [],
    diff,
  };
}

/** A unified diff; for short values, the two values. */
async function formatChange({ field, remote, local }: Change): Promise<string[]> {
  if (BLOCKS.includes(field)) return formatFieldDiff({ field, from: remote, to: local }, SIDES, PLAIN);
  const sides = [
    ['-', remote],
    ['+', local],
  ] as const;
  return sides.flatMap(([sign, value]) =>
    value === null ? [] : [`${sign}${field}: ${escapeInvisible(JSON.stringify(value))}`],
  );
}
