/** A check of `doctor`: facts that are looked up, and what they mean; and how all of them end. */
import { CliError, type Outcome } from '../errors.ts';
import type { DoctorContext } from './context.ts';

export const STATUSES = ['ok', 'warning', 'failed', 'unknown'] as const;

/** What a check found. */
export interface CheckResult {
  status: (typeof STATUSES)[number];
  found: string;
  /** What to do about it. */
  advice?: string | undefined;
  /** Of a failure: how a command ends that meets it. */
  code?: Exclude<Outcome, 'ok'>;
}

export interface NamedCheckResult extends CheckResult {
  check: string;
}

export interface Check {
  name: string;
  /** Undefined where the check does not apply. Raises CliError for what is a failure. */
  run(context: DoctorContext): Promise<CheckResult | undefined>;
}

/** A check that looks facts up and judges them; `judge` is pure. */
export const defineCheck = <Facts>(
  name: string,
  gather: (context: DoctorContext) => Facts | Promise<Facts>,
  evaluate: (facts: Facts, platform: string) => CheckResult | undefined,
): Check => ({ name, run: async (subject) => evaluate(await gather(subject), subject.host.platform) });

/** Runs all checks at once; gives what they found in their order. `report` hears of each as it ends. */
export async function runChecks(
  checks: readonly Check[],
  context: DoctorContext,
  onResult: (item: NamedCheckResult) => void,
): Promise<NamedCheckResult[]> {
  const items = await Promise.all(
    checks.map(async ({ name, run }) => {
      const result = await run(context).catch(toFailedResult);
      const item = result && { check: name, ...result };
      if (item) onResult(item);
      return item;
    }),
  );
  return items.filter((item) => item !== undefined);
}

/** The finding of an error. Throws what is no error of the user's or the service's. */
export function toFailedResult(error: unknown): CheckResult {
  if (!(error instanceof CliError)) throw error;
  return { status: 'failed', found: error.message, advice: error.hint, code: error.outcome };
}

/** What is worse comes first: without settings nothing works, without a key nothing is answered. */
const BY_SEVERITY: readonly Outcome[] = ['interrupted', 'usage', 'denied', 'unavailable', 'invalid'];

/** How the command ends: by the worst failure; all else is ok. Pure. */
export function decideOutcome(items: readonly NamedCheckResult[]): Outcome {
  const codes = items.flatMap(({ status, code }) => (status === 'failed' ? [code ?? 'failed'] : []));
  return BY_SEVERITY.find((outcome) => codes.some((code) => code === outcome)) ?? codes[0] ?? 'ok';
}
