/** A plan for a report in Markdown. */
import type { Host } from '../host/host.ts';
import { escapeInvisible } from '../output/escape.ts';
import type { PlanReport, ReportStep } from '../report/markdown.ts';
import { type Change, describeRemarks } from '../sync/push/changes.ts';
import { formatFieldDiff } from './field-diff.ts';
import { type DescribedStep, describeSteps, formatPlanSummary, getStepName, type ShownStep } from './plan-view.ts';

const SIDES = { from: 'service', to: 'folder' };
const asIs = (text: string) => text;
const PLAIN = { error: asIs, warning: asIs, good: asIs, faint: asIs, strong: asIs };
const BLOCKS: readonly string[] = ['code', 'configuration', 'request_parameters'];

/** `fullPlan` is the file that contains the plan, or the command that shows it. */
export async function toPlanReport(
  steps: readonly ShownStep[],
  { target, fullPlan }: Pick<PlanReport, 'target' | 'fullPlan'>,
  host: Host,
): Promise<PlanReport> {
  const shown: ReportStep[] = [];
  const changing = steps.filter(({ action }) => action !== 'keep');
  for (const described of await describeSteps(changing, host)) shown.push(await toReportStep(described));
  return { target, summary: formatPlanSummary(steps), steps: shown, fullPlan };
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
