/** What a check of `doctor` is, and how results and errors become the result of a check. */
import { DIAGNOSE_HINT } from '../api/response-errors.ts';
import { CliError } from '../errors.ts';
import type { CheckResult } from '../views/doctor-view.ts';
import type { DoctorContext } from './context.ts';

/** Undefined if the check does not apply. Raises CliError for a failure. */
export type Check = (context: DoctorContext) => CheckResult | undefined | Promise<CheckResult | undefined>;

/**
 * Converts an error to a failed result, without the advice to run `doctor`; `found` is what was found before. Rethrows
 * anything but a CliError.
 */
export function toFailedResult(error: unknown, found?: string): CheckResult {
  if (!(error instanceof CliError)) throw error;
  const texts = [...(found === undefined ? [] : [found]), error.message];
  const advice = error.hint?.split('\n').filter((line) => !line.startsWith(DIAGNOSE_HINT));
  return { status: 'failed', found: texts.join('; '), advice: advice?.join('\n') || undefined, code: error.outcome };
}

/** Several results as one: everything that was found, with the worst status. */
export function mergeResults(results: readonly CheckResult[]): CheckResult {
  const worst = ['failed', 'warning'].flatMap((status) => results.filter((one) => one.status === status));
  const advice = [...new Set(worst.flatMap((one) => one.advice ?? []))].join('\n') || undefined;
  return { status: 'ok', ...worst[0], found: results.map(({ found }) => found).join('; '), advice };
}
