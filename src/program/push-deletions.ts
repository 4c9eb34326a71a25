/** The deletions of a push: their limit, and the prompt. */
import { CliError } from '../errors.ts';
import type { Host } from '../host/host.ts';
import { escapeInvisible } from '../output/escape.ts';
import type { Step } from '../sync/push/plan.ts';
import type { CommandFormatter } from '../text/shell-quote.ts';
import { getStepName } from '../views/plan-view.ts';
import { type ConfirmFlags, confirm } from './confirm.ts';
import { formatPathArguments, type PathFlags, type SinceFlags } from './path-flags.ts';

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

/** Raises usage (2) for more deletions than allowed, and when the user declines. */
export async function confirmDeletions(
  steps: readonly Step[],
  flags: ConfirmFlags & { maxDeletes: number },
  hint: string | undefined,
  host: Host,
): Promise<void> {
  const deletions = steps.filter(({ action }) => action === 'delete');
  const { length } = deletions;
  assertDeletionsAllowed(length, flags.maxDeletes, {
    subject: '--prune',
    notDone: 'nothing was changed',
    hint,
  });
  if (flags.yes || length === 0) return;
  for (const step of deletions) host.stderr.write(`  ${escapeInvisible(`${step.remote?.id}  ${getStepName(step)}`)}\n`);
  const formulas =
    length === 1
      ? 'this formula, whose folder no longer exists'
      : `these ${length} formulas, whose folders no longer exist`;
  await confirm(`Delete ${formulas}?`, flags, host);
}
