/** The output of diff and push --dry-run. */
import type { FormulaBody } from '../model.ts';
import { escapeInvisible } from '../output/escape.ts';
import type { OutputTarget, View } from '../output/formats.ts';
import type { Style } from '../output/style.ts';
import { formatHint, wrapMessage } from '../output/wrap-message.ts';
import type { SummaryRow } from '../report/step-summary.ts';
import { countOutcomes } from '../sync/outcome.ts';
import { formatBreakingChange, listBreakingItems } from '../sync/push/breaking-changes.ts';
import { type FieldChange, formatRemarks, listChanges, toDisplayValue } from '../sync/push/changes.ts';
import { SHOW_HINT } from '../sync/push/conflict-hint.ts';
import type { BaseVersions } from '../sync/push/find-base-versions.ts';
import { isChange, type Step, type UnmanagedStep } from '../sync/push/plan.ts';
import { formatConflictDiff, formatFieldDiff } from './field-diff.ts';
import { toDocument } from './list-view.ts';
import { getTone, withIcon } from './status-icons.ts';

const ACTIONS = ['create', 'update', 'keep', 'delete', 'conflict', 'unmanaged'] as const;

/** A step of a plan, or a formula that diff --unmanaged found. */
export type ShownStep = Step | UnmanagedStep;

/** The fields of a step's properties, in `push` as in `diff`. */
export const REMARK_FIELDS = ['adopted', 'renamed_from', 'moved_from', 'overwrites', 'breaking'];

export const PLAN_FIELDS: readonly string[] = ['folder', 'id', 'name', 'action', ...REMARK_FIELDS, 'reason', 'changes'];

/**
 * The plan document; as a table, the steps with their diffs, with `isVerbose` also those without changes. A table shows
 * three sides of a conflict whose common version is in `bases`.
 */
export const planView = (steps: readonly ShownStep[], isVerbose: boolean, bases: BaseVersions): View => ({
  value: toDocument(steps.map(toItem), countActions(steps)),
  table: (target) => formatPlan(isVerbose ? steps : steps.filter(isChange), bases, target),
});

/** The properties of a step that its row has, if they are set; in `push` as in `diff`. */
export const toRemarks = ({ adopted, renamedFrom, movedFrom, breaking }: Omit<ShownStep, 'action'>) => ({
  ...(adopted && { adopted }),
  ...(renamedFrom !== undefined && { renamed_from: renamedFrom }),
  ...(movedFrom && { moved_from: movedFrom.displayPath }),
  ...(breaking && { breaking: listBreakingItems(breaking) }),
});

function toItem(step: ShownStep) {
  const { action, folder, name, remote, overwrites, reason } = step;
  return {
    folder: folder?.displayPath ?? null,
    id: remote?.id ?? null,
    name,
    action,
    ...toRemarks(step),
    ...(overwrites && { overwrites }),
    ...(reason !== undefined && { reason }),
    changes: listChanges(step),
  };
}

async function formatPlan(steps: readonly ShownStep[], base: BaseVersions, target: OutputTarget): Promise<string> {
  const { createStyle } = await import('../output/style.ts');
  const style = createStyle(target);
  const texts: string[] = [];
  for (const step of steps) texts.push(await formatStep(step, base, style, target));
  return texts.join('');
}

const formatAllRemarks = (step: ShownStep) => [
  ...formatRemarks(step),
  ...(step.breaking?.map(formatBreakingChange) ?? []),
];

/** The rows of a step summary; steps without changes are omitted. */
export const toPlanRows = (steps: readonly ShownStep[]): SummaryRow[] =>
  steps.filter(isChange).map((step) => ({
    status: step.action,
    name: step.name,
    folder: step.folder?.displayPath ?? '',
    detail: [...step.fields, ...(step.reason === undefined ? [] : [step.reason]), ...formatAllRemarks(step)].join(', '),
  }));

const countActions = (steps: readonly ShownStep[]) => countOutcomes(steps, 'action', ACTIONS);

/** The summary line: the number of steps per action. */
export function formatPlanSummary(steps: readonly ShownStep[]): string {
  const { create, update, keep, delete: deletions, conflict, unmanaged } = countActions(steps);
  const overwrites = steps.filter((step) => step.overwrites && step.action !== 'conflict').length;
  const breaking = steps.filter((step) => step.breaking).length;
  const moved = steps.filter((step) => step.action === 'keep' && isChange(step)).length;
  if (create + update + deletions + conflict + unmanaged + moved === 0) return `nothing to do: ${keep} up to date`;
  return [
    `${create} to create`,
    `${update} to update`,
    ...(deletions > 0 ? [`${deletions} to delete`] : []),
    ...(conflict > 0 ? [`${conflict} in conflict`] : []),
    ...(unmanaged > 0 ? [`${unmanaged} unmanaged`] : []),
    ...(moved > 0 ? [`${moved} moved`] : []),
    `${keep - moved} up to date`,
    ...(overwrites > 0 ? [`${overwrites} overwriting`] : []),
    ...(breaking > 0 ? [`${breaking} breaking`] : []),
  ].join(', ');
}

/** The hints of conflicts, without the command that shows the change, which the plan does. */
export const formatConflictHints = (steps: readonly ShownStep[]): string[] =>
  [...new Set(steps.map(({ hint }) => hint))].flatMap((hint) => {
    const lines = hint?.split('\n').filter((line) => !line.startsWith(SHOW_HINT)) ?? [];
    return lines.length > 0 ? [`hint: ${formatHint(lines.join('\n'))}`] : [];
  });

export const SIDES = { from: 'service', to: 'folder' };
const CONFLICT_SIDES = { from: 'remote', to: 'local' };

async function formatStep(step: ShownStep, bases: BaseVersions, style: Style, target: OutputTarget): Promise<string> {
  const path = step.folder?.path ?? '';
  const base = bases.get(path);
  const isBaseMissing = bases.has(path) && base === undefined;
  const remarks = [
    ...(step.reason === undefined ? [] : [step.reason]),
    ...(isBaseMissing ? ['the version of that push or pull is neither in the history nor in the last 20 commits'] : []),
    ...formatAllRemarks(step),
  ];
  const id = step.remote ? `  ${step.remote.id}` : '';
  const head = `${withIcon(step.action)}  ${escapeInvisible(step.folder?.displayPath ?? '')}  ${escapeInvisible(step.name)}${escapeInvisible(id)}`;
  const lines = [
    style[getTone(step.action) ?? 'strong'](head),
    ...remarks.map((remark) => wrapMessage(`    ${escapeInvisible(remark)}`, target)),
  ];
  const names = isBaseMissing ? CONFLICT_SIDES : SIDES;
  // A create has no diff: everything is new.
  for (const change of step.action === 'create' ? [] : listChanges(step))
    lines.push(...(await formatChange(change, base, names, style)).map((line) => `    ${line}`));
  return `${lines.join('\n')}\n`;
}

/** The lines of a change; with a common version, of both sides. */
export const formatChange = (
  { field, local, remote }: FieldChange,
  base: FormulaBody | undefined,
  names: typeof SIDES,
  style: Style,
): Promise<string[]> =>
  base
    ? formatConflictDiff({ field, local, remote, was: toDisplayValue(field, base[field]) }, style)
    : formatFieldDiff({ field, from: remote, to: local }, names, style);
