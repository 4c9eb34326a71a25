/** Prints and reports what became of the folders of a push. */
import { CliError, type Outcome } from '../../../errors.ts';
import type { Host } from '../../../host/host.ts';
import { escapeControls } from '../../../output/escape.ts';
import type { Report } from '../../../report/report-file.ts';
import { addStepSummary } from '../../../report/step-summary.ts';
import { annotateFailures } from '../../../session/annotations.ts';
import { listErrors, printErrors, printHints } from '../../../session/print-errors.ts';
import type { Session } from '../../../session/session.ts';
import { combineOutcomes } from '../../../sync/outcome.ts';
import type { StepResult } from '../../../sync/push/plan.ts';
import { formatNextStep, formatPushSummary, pushView, toPushCases, toResultRows } from '../../../views/push-view.ts';
import { formatLeftOut } from './check-folders.ts';

export const PUSH_TITLE = 'formulary formula push';

const writeReport = (results: readonly StepResult[], report: Report) =>
  report.write('junit', { suite: PUSH_TITLE, cases: toPushCases(results) });

/** Prints the errors of results, and annotates and summarizes them in GitHub Actions. */
export function printFailures(results: readonly StepResult[], host: Host): void {
  printErrors(listErrors(results), host);
  annotateFailures(results, host);
  addStepSummary(host, PUSH_TITLE, formatPushSummary(results), toResultRows(results));
}

export interface AppliedPush {
  results: readonly StepResult[];
  /** The error of writing the lock file, raised after the results are printed. */
  flushError?: unknown;
  undo?: string | undefined;
  leftOut?: readonly StepResult[];
}

/** Prints and reports the results, then raises the error of writing the lock file, or the report. */
export async function finishPush(
  { results: started, flushError, undo, leftOut = [] }: AppliedPush,
  report: Report,
  { host, print, note, connect }: Session,
): Promise<Outcome> {
  const results = [...started, ...leftOut];
  await print(pushView(results));
  note(`${formatPushSummary(results)} on ${escapeControls((await connect()).service)}`);
  printHints(listErrors(results), host);
  const next = formatNextStep(results);
  if (next) note(next);
  if (undo !== undefined) note(undo);
  formatLeftOut(leftOut).forEach(note);
  if (flushError) throw flushError;
  try {
    writeReport(results, report);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError('partial', `${error.message}; everything else succeeded`, { hint: error.hint, cause: error });
  }
  return combineOutcomes(results);
}

export const NOT_SENT = 'Nothing was sent. Fix the errors above and run the command again.';

/** Prints and reports the results of a push that sent nothing; `summary` is for folders that are invalid. */
export async function printUnsent(
  results: readonly StepResult[],
  report: Report,
  { host, print, note }: Session,
  summary = NOT_SENT,
): Promise<Outcome> {
  printFailures(results, host);
  writeReport(results, report);
  await print(pushView(results));
  note(summary);
  printHints(listErrors(results), host);
  if (results.length === 0) return 'ok';
  return results.some(({ outcome }) => outcome === 'invalid') ? 'invalid' : 'conflict';
}
