/** diff --out FILE: checks the file before the work starts, and writes the plan at the end. */
import { resolve } from 'node:path';
import { CliError } from '../../../errors.ts';
import { openOutputFile } from '../../../files/output-file.ts';
import type { Connection } from '../../../session/connection.ts';
import { parseMaxDeletes } from '../../../session/flags.ts';
import type { PathFlags, SinceFlags } from '../../../session/path-flags.ts';
import type { Session } from '../../../session/session.ts';
import type { PlanSource } from '../../../sync/push/create-plan-file.ts';
import type { Step } from '../../../sync/push/plan.ts';
import { assertDeletionsAllowed, formatDeletionsHint } from './push-deletions.ts';

declare const FORMULARY_VERSION: string;

export interface OutFlags extends PathFlags, SinceFlags {
  out?: string | undefined;
  maxDeletes?: string | undefined;
  force?: boolean | undefined;
  report?: string | undefined;
}

/** Writes the plan; does nothing without --out. Raises usage (2) for too many deletions, or if the file cannot be written. */
export type SavePlan = (connection: Connection, source: Pick<PlanSource, 'tree' | 'prepared'>) => Promise<void>;

/** Checks --out, also against --report, and --max-deletes. Raises usage (2). */
export function openPlanFile(flags: OutFlags, formulaPaths: readonly string[], { host, note }: Session): SavePlan {
  const maxDeletes = parseMaxDeletes(flags.maxDeletes);
  const { out } = flags;
  if (out === undefined) return async () => undefined;
  const reportFile = flags.report?.slice(flags.report.indexOf('=') + 1);
  if (reportFile !== undefined && resolve(host.cwd(), reportFile) === resolve(host.cwd(), out))
    throw new CliError('usage', `--out and --report must be different files (got ${out})`);
  const write = openOutputFile({ label: 'plan', typedPath: out, formulaPaths, mode: 0o600 }, host);
  return async ({ client, target, lockName }, source) => {
    const steps = source.prepared?.plan.steps ?? [];
    assertDeletionsAllowed(countDeletions(steps), maxDeletes, {
      subject: '--prune',
      notDone: 'no plan was written',
      hint: formatDeletionsHint(formulaPaths, flags, client.command),
    });
    const { createPlanFile } = await import('../../../sync/push/create-plan-file.ts');
    const { formatPlanFile } = await import('../../../sync/push/plan-file.ts');
    const made = { target, baseUrl: lockName, isForced: flags.force ?? false, toolVersion: FORMULARY_VERSION };
    const text = formatPlanFile(await createPlanFile({ ...source, ...made }, host));
    if (host.abortSignal.aborted) throw new CliError('interrupted', 'interrupted; no plan was written');
    write(text);
    note(`Saved the plan: ${out}`);
  };
}

const countDeletions = (steps: readonly Step[]) => steps.filter(({ action }) => action === 'delete').length;
