/** Runs the checks of `doctor`. */
import { CliError, type Outcome } from '../errors.ts';
import type { CheckResult, NamedCheckResult } from '../views/doctor-view.ts';
import type { DoctorContext } from './context.ts';

/** Undefined if the check does not apply. Raises CliError for a failure. */
export type Check = (context: DoctorContext) => CheckResult | undefined | Promise<CheckResult | undefined>;

/** Runs all checks in parallel; the results are in the order of the checks. `onResult` is called as each one ends. */
export async function runChecks(
  checks: Readonly<Record<string, Check>>,
  context: DoctorContext,
  onResult: (item: NamedCheckResult) => void,
): Promise<NamedCheckResult[]> {
  const items = await Promise.all(
    Object.entries(checks).map(async ([check, run]) => {
      const result = await Promise.resolve(context).then(run).catch(toFailedResult);
      const item = result && { check, ...result };
      if (item) onResult(item);
      return item;
    }),
  );
  return items.filter((item) => item !== undefined);
}

/** Converts an error to a failed result. Rethrows anything but a CliError. */
export function toFailedResult(error: unknown): CheckResult {
  if (!(error instanceof CliError)) throw error;
  return { status: 'failed', found: error.message, advice: error.hint, code: error.outcome };
}

/** Worst first: without settings nothing works, without a key no request succeeds. */
const BY_SEVERITY: readonly Outcome[] = ['interrupted', 'usage', 'denied', 'unavailable', 'invalid'];

/** The outcome of the command: that of the worst failure, otherwise ok. Pure. */
export function decideOutcome(items: readonly NamedCheckResult[]): Outcome {
  const codes = items.flatMap(({ status, code }) => (status === 'failed' ? [code ?? 'failed'] : []));
  return BY_SEVERITY.find((outcome) => codes.some((code) => code === outcome)) ?? codes[0] ?? 'ok';
}
