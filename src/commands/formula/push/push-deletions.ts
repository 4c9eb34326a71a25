/** The deletions of a push: their limit, and the prompt. */
import { isDeepStrictEqual } from 'node:util';
import { CliError } from '../../../errors.ts';
import type { Host } from '../../../host/host.ts';
import { escapeInvisible } from '../../../output/escape.ts';
import { confirm } from '../../../session/confirm.ts';
import { formatPathArguments, type PathFlags, type SinceFlags } from '../../../session/path-flags.ts';
import type { Step } from '../../../sync/push/plan.ts';
import type { CommandFormatter } from '../../../text/shell-quote.ts';
import { getStepName } from '../../../views/plan-view.ts';

/** Raises usage (2) for more deletions than --max-deletes allows. */
export function assertDeletionsAllowed(
  count: number,
  max: number,
  { subject, notDone, hint }: { subject: string; notDone: string; hint?: string | undefined },
): void {
  if (count <= max) return;
  throw new CliError(
    'usage',
    `${subject} would delete ${count} ${count === 1 ? 'formula' : 'formulas'}, more than --max-deletes ${max}; ${notDone}`,
    {
      hint: [...(hint === undefined ? [] : [hint]), `To delete them, pass --max-deletes ${count}.`].join('\n'),
    },
  );
}

/** A hint with the command that shows the deletions; undefined if standard input was read for the paths. */
export function formatDeletionsHint(
  paths: readonly string[],
  flags: PathFlags & SinceFlags,
  command: CommandFormatter,
): string | undefined {
  const selection = formatPathArguments(paths, flags);
  return selection && `To see them, run: ${command('formula diff', ...selection, '--prune')}`;
}

/** Raises usage (2) for more deletions than --max-deletes allows. `hint` shows them. */
export function assertPruneAllowed(steps: readonly Step[], maxDeletes: number, hint: string | undefined): void {
  assertDeletionsAllowed(findDeletions(steps).length, maxDeletes, {
    subject: '--prune',
    notDone: 'nothing was changed',
    hint,
  });
}

/** Raises usage (2) if the user declines. */
export async function confirmDeletions(steps: readonly Step[], host: Host): Promise<void> {
  const deletions = findDeletions(steps);
  if (deletions.length === 0) return;
  for (const step of deletions) host.stderr.write(`  ${escapeInvisible(`${step.remote?.id}  ${getStepName(step)}`)}\n`);
  const formulas =
    deletions.length === 1
      ? 'this formula, whose folder no longer exists'
      : `these ${deletions.length} formulas, whose folders no longer exist`;
  await confirm(`Delete ${formulas}?`, {}, host);
}

/** Raises conflict (6) if the deletions are others than the user confirmed. */
export function assertSameDeletions(confirmed: readonly Step[], now: readonly Step[]): void {
  const [before, after] = [confirmed, now].map((steps) => findDeletions(steps).map(({ remote }) => remote?.id));
  if (isDeepStrictEqual(new Set(before), new Set(after))) return;
  throw new CliError('conflict', 'the formulas to delete changed in the meantime; nothing was changed', {
    hint: 'Run the command again.',
  });
}

const findDeletions = (steps: readonly Step[]) => steps.filter(({ action }) => action === 'delete');
