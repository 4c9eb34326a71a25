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

export const PUSH_TITLE = 'formulary formula push';

const writeReport = (results: readonly StepResult[], report: Report) =>
  report.write('junit', { suite: PUSH_TITLE, cases: toPushCases(results) });

/** Prints the errors of results, and annotates and summarizes them in GitHub Actions. */
export function printFailures(results: readonly StepResult[], host: Host): void {
  printErrors(listErrors(results), host);
  annotateFailures(results, host);
  addStepSummary(host, PUSH_TITLE, formatPushSummary(results), toResultRows(results));
}

/** Prints and reports the results, then raises the error of writing the lock file, or the report. */
export async function finishPush(
  { results, flushError }: { results: readonly StepResult[]; flushError?: unknown },
  report: Report,
  { host, print, note, connect }: Session,
): Promise<Outcome> {
  await print(pushView(results));
  note(`${formatPushSummary(results)} on ${escapeControls((await connect()).service)}`);
  printHints(listErrors(results), host);
  const next = formatNextStep(results);
  if (next) note(next);
  if (flushError) throw flushError;
  try {
    writeReport(results, report);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError('partial', `${error.message}; everything else succeeded`, { hint: error.hint, cause: error });
  }
  return combineOutcomes(results);
}

/** Prints and reports folders of which some are invalid, so that nothing is planned. */
export async function printInvalid(
  results: readonly StepResult[],
  report: Report,
  { host, print, note }: Session,
): Promise<Outcome> {
  writeReport(results, report);
  await print(pushView(results));
  printErrors(listErrors(results), host);
  note('Nothing was sent. Fix the errors above and run the command again.');
  return 'invalid';
}

/** Prints and reports what keeps a saved plan from being applied. */
export async function printRejected(
  results: readonly StepResult[],
  report: Report,
  session: Session,
): Promise<Outcome> {
  const { host, print, note } = session;
  printFailures(results, host);
  writeReport(results, report);
  await print(pushView(results));
  note(`nothing was sent: ${formatPushSummary(results)}`);
  printHints(listErrors(results), host);
  return results.some(({ outcome }) => outcome === 'invalid') ? 'invalid' : 'conflict';
}

/** Prints and reports that no folder was selected. */
export async function printEmpty(report: Report, { print, note }: Session): Promise<void> {
  writeReport([], report);
  await print(pushView([]));
  note('nothing to do');
}
