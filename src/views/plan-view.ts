/** A plan as an answer: the document of diff and push --dry-run, and a text that people read. */

import { reloadBody } from '../check/local-formula.ts';
import { realPath, toRelative } from '../files/paths.ts';
import type { Host } from '../host/host.ts';
import { revealed, revealedCode } from '../output/escape.ts';
import type { Answer, Paper } from '../output/formats.ts';
import type { Style } from '../output/style.ts';
import type { SummaryRow } from '../report/step-summary.ts';
import { countOutcomes } from '../sync/outcome.ts';
import { type Change, changesOf, contractLines, remarksOf } from '../sync/push/changes.ts';
import type { Step } from '../sync/push/plan.ts';
import { signed, toneOf } from './status-icons.ts';

const ACTIONS = ['create', 'update', 'keep', 'delete', 'conflict'] as const satisfies readonly Step['action'][];

interface Described {
  step: Step;
  folder: string | null;
  changes: readonly Change[];
}

/** Says what would be done; with --verbose, what is kept too. */
export async function planAnswer(steps: readonly Step[], isVerbose: boolean, host: Host): Promise<Answer> {
  const described: Described[] = [];
  for (const step of steps) {
    const needsBody = step.local && step.action !== 'keep' && !(step.action === 'conflict' && !step.remote);
    const body = step.local && needsBody ? (await reloadBody(step.local, host)).body : undefined;
    described.push({ step, folder: folderOf(step, host), changes: changesOf(step, body) });
  }
  return {
    value: {
      schema_version: 1,
      items: described.map(itemOf),
      summary: {
        total: steps.length,
        ...countOutcomes(
          steps.map(({ action }) => action),
          ACTIONS,
        ),
      },
    },
    table: (paper) =>
      planText(isVerbose ? described : described.filter(({ step }) => step.action !== 'keep'), steps, paper),
  };
}

/** The folder of a step as it is shown; of a deletion, that of the lock. */
export const folderOf = ({ local, path }: Step, host: Host): string | null =>
  local ? local.folder : toRelative(realPath(host.cwd()), path) || '.';

export const nameOf = ({ local, remote }: Step): string => local?.name ?? remote?.name ?? '';

function itemOf({ step, folder, changes }: Described) {
  const { action, remote, adopted, renamedFrom, overwrites, reason } = step;
  return {
    folder,
    id: remote?.id ?? null,
    name: nameOf(step),
    action,
    ...(adopted && { adopted }),
    ...(renamedFrom !== undefined && { renamed_from: renamedFrom }),
    ...(overwrites && { overwrites }),
    ...(reason !== undefined && { reason }),
    changes,
  };
}

async function planText(described: readonly Described[], steps: readonly Step[], paper: Paper): Promise<string> {
  const { styleOf } = await import('../output/style.ts');
  const style = styleOf(paper);
  const texts: string[] = [];
  for (const one of described) texts.push(await stepText(one, style));
  return `${texts.join('')}${planSummary(steps)}\n`;
}

/** The steps that do something, as rows of a summary. */
export const planRows = (steps: readonly Step[], host: Host): SummaryRow[] =>
  steps
    .filter(({ action }) => action !== 'keep')
    .map((step) => ({
      what: step.action,
      name: nameOf(step),
      folder: folderOf(step, host) ?? '',
      detail: [...step.fields, ...(step.reason === undefined ? [] : [step.reason]), ...remarksOf(step)].join(', '),
    }));

/** How many steps do what. */
export const countActions = (steps: readonly Step[]) =>
  countOutcomes(
    steps.map(({ action }) => action),
    ACTIONS,
  );

/** One line that says what would be done, or that nothing would. */
export function planSummary(steps: readonly Step[]): string {
  const { create = 0, update = 0, keep = 0, delete: deletions = 0, conflict = 0 } = countActions(steps);
  if (create + update + deletions + conflict === 0) return `nothing to do: ${keep} up to date`;
  return [
    `${create} to create`,
    `${update} to update`,
    ...(deletions > 0 ? [`${deletions} to delete`] : []),
    ...(conflict > 0 ? [`${conflict} in conflict`] : []),
    `${keep} up to date`,
  ].join(', ');
}

async function stepText({ step, folder, changes }: Described, style: Style): Promise<string> {
  const remarks = [...(step.reason === undefined ? [] : [step.reason]), ...remarksOf(step)];
  const id = step.remote ? `  ${step.remote.id}` : '';
  const head = `${signed(step.action)}  ${revealed(folder ?? '')}  ${revealed(nameOf(step))}${revealed(id)}`;
  const lines = [style[toneOf(step.action) ?? 'strong'](head), ...remarks.map((remark) => `    ${revealed(remark)}`)];
  // What a create sends stands in the folder.
  for (const change of step.action === 'create' ? [] : changes)
    lines.push(...(await changeLines(change, style)).map((line) => `    ${line}`));
  return `${lines.join('\n')}\n`;
}

async function changeLines({ field, local, remote }: Change, style: Style): Promise<string[]> {
  if (field !== 'code' && field !== 'configuration' && field !== 'request_parameters') {
    return [`${field}: ${revealed(JSON.stringify(remote))} → ${revealed(JSON.stringify(local))}`];
  }
  const { textDiff } = await import('../output/text-diff.ts');
  const text = (value: unknown) => (field === 'code' ? String(value ?? '') : contractLines(value));
  const names = { from: `service: ${field}`, to: `folder: ${field}` };
  return textDiff(names, text(remote), text(local), style, field === 'code' ? revealedCode : revealed);
}
