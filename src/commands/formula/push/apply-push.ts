/** Applies the plan of a push, and prints the progress and the results. */
import type { FormulaTree } from '../../../check/check-tree.ts';
import { CliError, type Outcome } from '../../../errors.ts';
import type { Host } from '../../../host/host.ts';
import { createMonotonicClock } from '../../../host/monotonic-clock.ts';
import { escapeControls } from '../../../output/escape.ts';
import { startProgress } from '../../../output/progress.ts';
import { addStepSummary } from '../../../report/add-step-summary.ts';
import type { Report } from '../../../report/report-file.ts';
import { annotateFailures } from '../../../session/annotations.ts';
import { listErrors, printErrors, printHints } from '../../../session/print-errors.ts';
import type { Session, WriteSession } from '../../../session/session.ts';
import { combineOutcomes } from '../../../sync/outcome.ts';
import { applySteps, markNameConflicts, type StepResult } from '../../../sync/push/apply.ts';
import type { PreparedPush } from '../../../sync/push/prepare-push.ts';
import { requireBody } from '../../../sync/push/require-body.ts';
import { getStepName } from '../../../views/plan-view.ts';
import {
  formatNextStep,
  formatPushSummary,
  formatRemarks,
  formatStepResult,
  invalidFoldersView,
  pushView,
  toInvalidFolderCases,
  toPushCases,
  toResultRows,
} from '../../../views/push-view.ts';

export const PUSH_TITLE = 'formulary formula push';

/**
 * Applies the steps, with a progress bar on a terminal, otherwise with --verbose one line per step; then prints errors
 * and remarks. `flushError` is the error of writing the lock file, to be raised after the results are
 * printed.
 */
export async function applyPush(
  { plan: { steps, staleFolders }, preexistingIds, tracking }: PreparedPush,
  { client, saveVersion }: WriteSession,
  flags: { concurrency: number; failFast?: boolean | undefined },
  { host, note, isVerbose, signal }: Session,
): Promise<{ results: StepResult[]; flushError: unknown }> {
  for (const path of staleFolders) tracking.unlink(path);
  const progress = startProgress(host.stderr, createMonotonicClock(host.now), 'push', steps.length);
  const applied = await applySteps(steps, {
    client,
    reloadBody: (local) => requireBody(local, 'is no longer valid and was not sent', host),
    saveVersion,
    tracking,
    preexistingIds,
    concurrency: flags.concurrency,
    isStopping: () => signal.aborted,
    failFast: flags.failFast ?? false,
    report: (result) => {
      progress.step(result.error !== undefined);
      if (isVerbose && !host.stderr.isTerminal) note(formatStepResult(result, host));
    },
  });
  progress.end();
  const results = await markNameConflicts(applied, client, preexistingIds);
  reportFailures(results, host);
  for (const line of formatRemarks(results, host)) note(line);
  const flushError = await tracking.flush(...findChangedFormulas(results)).catch((error: unknown) => error);
  return { results, flushError };
}

/** Prints the errors of steps, and annotates and summarizes them in GitHub Actions. */
export function reportFailures(results: readonly StepResult[], host: Host): void {
  printErrors(listErrors(results), host);
  annotateFailures(results, host);
  addStepSummary(host, PUSH_TITLE, formatPushSummary(results), toResultRows(results, host));
}

/** Prints and reports the results, then raises the error of writing the lock file, or the report. */
export async function finishPush(
  { results, flushError }: { results: readonly StepResult[]; flushError: unknown },
  report: Report,
  { host, print, note, connect }: Session,
): Promise<Outcome> {
  await print(pushView(results, host));
  note(`${formatPushSummary(results)} on ${escapeControls((await connect()).service)}`);
  printHints(listErrors(results), host);
  const next = formatNextStep(results);
  if (next) note(next);
  if (flushError) throw flushError;
  withPartialError(() => report.write('junit', { suite: PUSH_TITLE, cases: toPushCases(results, host) }));
  return combineOutcomes(results);
}

/** Prints and reports the folders of a push that is not started because of invalid or duplicate folders. */
export async function reportInvalidFolders(
  tree: FormulaTree,
  duplicates: ReadonlyMap<string, string>,
  report: Report,
  { host, print, note }: Session,
): Promise<Outcome> {
  report.write('junit', { suite: PUSH_TITLE, cases: toInvalidFolderCases(tree, duplicates) });
  await print(invalidFoldersView(tree, duplicates));
  for (const duplicate of duplicates.values()) host.stderr.write(`error: ${escapeControls(duplicate)}\n`);
  note('Nothing was sent. Fix the errors above and run the command again.');
  return 'invalid';
}

/** The formulas whose lock file entries change. */
function findChangedFormulas(results: readonly StepResult[]) {
  return results.flatMap(({ step, outcome, id = step.remote?.id }) => {
    const isChanged = outcome === 'created' || outcome === 'deleted' || (outcome === 'updated' && step.renamedFrom);
    return isChanged && id !== undefined ? [{ id, name: getStepName(step) }] : [];
  });
}

/** For actions after formulas were written, such as the report: their errors become partial (7). */
function withPartialError(action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError('partial', `${error.message}; everything else succeeded`, { hint: error.hint, cause: error });
  }
}
