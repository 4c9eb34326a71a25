/** A plan for a report in Markdown. */
import type { FormulaBody } from '../model.ts';
import { escapeInvisible } from '../output/escape.ts';
import type { PlanReport, ReportStep } from '../report/markdown.ts';
import { describeRemarks, type FieldChange, toDisplayValue } from '../sync/push/changes.ts';
import { isChange } from '../sync/push/plan.ts';
import { formatConflictDiff, formatFieldDiff } from './field-diff.ts';
import { type DescribedStep, type FindBase, findBases, formatPlanSummary, getStepName } from './plan-view.ts';

const SIDES = { from: 'service', to: 'folder' };
const asIs = (text: string) => text;
const PLAIN = { error: asIs, warning: asIs, good: asIs, faint: asIs, strong: asIs };
const BLOCKS: readonly string[] = ['code', 'configuration', 'request_parameters'];

/** `fullPlan` is the file that contains the plan, or the command that shows it. */
export async function toPlanReport(
  described: readonly DescribedStep[],
  { target, fullPlan }: Pick<PlanReport, 'target' | 'fullPlan'>,
  findBase?: FindBase,
): Promise<PlanReport> {
  const bases = await findBases(described, findBase);
  const steps: ReportStep[] = [];
  for (const one of described)
    if (isChange(one.step)) steps.push(await toReportStep(one, bases.get(one.step.path ?? '')));
  return { target, summary: formatPlanSummary(described.map(({ step }) => step)), steps, fullPlan };
}

async function toReportStep(
  { step, folder, changes }: DescribedStep,
  base: FormulaBody | undefined,
): Promise<ReportStep> {
  const diff: string[] = [];
  for (const change of changes) diff.push(...(await formatChange(change, base)));
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

/** A unified diff; for short values, the two values. With a common version, both sides of a conflict. */
async function formatChange({ field, remote, local }: FieldChange, base: FormulaBody | undefined): Promise<string[]> {
  if (base) return formatConflictDiff({ field, remote, local, was: toDisplayValue(field, base[field]) }, PLAIN);
  if (BLOCKS.includes(field)) return formatFieldDiff({ field, from: remote, to: local }, SIDES, PLAIN);
  const sides = [
    ['-', remote],
    ['+', local],
  ] as const;
  return sides.flatMap(([sign, value]) =>
    value === null ? [] : [`${sign}${field}: ${escapeInvisible(JSON.stringify(value))}`],
  );
}
