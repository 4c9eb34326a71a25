/** diff --out FILE: checks the file before the work starts, and writes the plan at the end. */
import { resolve } from 'node:path';
import { CliError } from '../../../errors.ts';
import { openOutputFile } from '../../../files/output-file.ts';
import type { Connection } from '../../../session/connection.ts';
import type { Session } from '../../../session/session.ts';
import { listDeletions } from '../../../sync/push/plan.ts';
import type { PushPlan } from '../../../sync/push/plan-push.ts';
import type { SelectedTree } from '../../../sync/since.ts';
import { assertDeletionsAllowed, type PushOptions } from './options.ts';
import { findBreaking } from './plan-folders.ts';

declare const FORMULARY_VERSION: string;

/**
 * Writes the plan, undefined if no folder was selected; none with breaking changes that --no-breaking rejects. Raises
 * usage (2) for too many deletions, or if the file cannot be written.
 */
export type SavePlan = (connection: Connection, tree: SelectedTree, plan: PushPlan | undefined) => Promise<void>;

/** Checks --out, also against --report; undefined without it. Raises usage (2). */
export function openPlanFile(
  out: string | undefined,
  options: PushOptions,
  { host, note }: Session,
): SavePlan | undefined {
  const { report, paths, force } = options;
  if (out === undefined) return undefined;
  const reportFile = report?.slice(report.indexOf('=') + 1);
  if (reportFile !== undefined && resolve(host.cwd(), reportFile) === resolve(host.cwd(), out))
    throw new CliError('usage', `--out and --report must be different files (got ${out})`);
  const write = openOutputFile({ label: 'plan', typedPath: out, formulaPaths: paths, mode: 0o600 }, host);
  return async ({ client, target, lockName }, tree, plan) => {
    if (plan && findBreaking(plan, options)) return;
    const message = { subject: '--prune', notDone: 'no plan was written' };
    assertDeletionsAllowed(listDeletions(plan?.steps ?? []).length, options, message, client.command);
    const { createPlanFile } = await import('../../../sync/push/create-plan-file.ts');
    const { formatPlanFile } = await import('../../../sync/push/plan-file.ts');
    const source = { tree, plan, target, baseUrl: lockName, isForced: force, toolVersion: FORMULARY_VERSION };
    const text = formatPlanFile(await createPlanFile(source, host));
    if (host.abortSignal.aborted) throw new CliError('interrupted', 'interrupted; no plan was written');
    write(text);
    note(`Saved the plan: ${out}`);
  };
}
