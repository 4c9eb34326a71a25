/** diff --out FILE: checks the file before the work starts, and writes the plan at the end. */
import { CliError } from '../errors.ts';
import { openOutputFile } from '../files/output-file.ts';
import type { PlanSource } from '../sync/push/create-plan.ts';
import type { Step } from '../sync/push/plan.ts';
import type { CommandFormatter } from '../text/shell-quote.ts';
import { assertDeletionsAllowed } from './apply-push.ts';
import { parseMaxDeletes } from './flags.ts';
import type { Session } from './session.ts';

declare const FORMULARY_VERSION: string;

export interface OutFlags {
  out?: string | undefined;
  maxDeletes?: string | undefined;
}

/** Writes the plan; does nothing without --out. Raises usage (2) for too many deletions, or if the file cannot be written. */
export type SavePlan = (source: Omit<PlanSource, 'toolVersion'>, command: CommandFormatter) => Promise<void>;

/** Checks --out and --max-deletes. Raises usage (2). */
export function openPlanFile(flags: OutFlags, formulaPaths: readonly string[], { host, note }: Session): SavePlan {
  const maxDeletes = parseMaxDeletes(flags.maxDeletes);
  const { out } = flags;
  if (out === undefined) return async () => undefined;
  const write = openOutputFile({ label: 'plan', typedPath: out, formulaPaths, mode: 0o600 }, host);
  return async (source, command) => {
    const { steps } = source.prepared.plan;
    assertDeletionsAllowed(countDeletions(steps), maxDeletes, {
      subject: '--prune',
      notDone: 'no plan was written',
      hint: `To see them, run: ${command('formula diff', 'PATH', '--prune')}`,
    });
    const { createPlan } = await import('../sync/push/create-plan.ts');
    const { formatPlanFile } = await import('../sync/push/plan-file.ts');
    const text = formatPlanFile(await createPlan({ ...source, toolVersion: FORMULARY_VERSION }, host));
    if (host.abortSignal.aborted) throw new CliError('interrupted', 'interrupted; no plan was written');
    write(text);
    note(`Saved the plan: ${out}`);
  };
}

const countDeletions = (steps: readonly Step[]) => steps.filter(({ action }) => action === 'delete').length;
