/** A check of `doctor`: facts that are looked up, and what they mean; and how all of them end. */
import { CliError, type Outcome } from '../errors.ts';
import type { Subject } from './context.ts';

export const STATUSES = ['ok', 'warning', 'failed', 'unknown'] as const;

/** What a check found. */
export interface Finding {
  status: (typeof STATUSES)[number];
  found: string;
  /** What to do about it. */
  advice?: string | undefined;
  /** Of a failure: how a command ends that meets it. */
  code?: Exclude<Outcome, 'ok'>;
}

export interface Item extends Finding {
  check: string;
}

export interface Check {
  name: string;
  /** Undefined where the check does not apply. Raises CliError for what is a failure. */
  run(subject: Subject): Promise<Finding | undefined>;
}

/** A check that looks facts up and judges them; `judge` is pure. */
export const checkOf = <Facts>(
  name: string,
  look: (subject: Subject) => Facts | Promise<Facts>,
  judge: (facts: Facts, platform: string) => Finding | undefined,
): Check => ({ name, run: async (subject) => judge(await look(subject), subject.host.platform) });

/** Runs all checks at once; gives what they found in their order. `report` hears of each as it ends. */
export async function examine(
  checks: readonly Check[],
  subject: Subject,
  report: (item: Item) => void,
): Promise<Item[]> {
  const items = await Promise.all(
    checks.map(async ({ name, run }) => {
      const finding = await run(subject).catch(failedBy);
      const item = finding && { check: name, ...finding };
      if (item) report(item);
      return item;
    }),
  );
  return items.filter((item) => item !== undefined);
}

/** The finding of an error. Throws what is no error of the user's or the service's. */
export function failedBy(error: unknown): Finding {
  if (!(error instanceof CliError)) throw error;
  return { status: 'failed', found: error.message, advice: error.hint, code: error.outcome };
}

/** What is worse comes first: without settings nothing works, without a key nothing is answered. */
const BY_WEIGHT: readonly Outcome[] = ['interrupted', 'usage', 'denied', 'unavailable', 'invalid'];

/** How the command ends: by the worst failure; all else is ok. Pure. */
export function worstOutcome(items: readonly Item[]): Outcome {
  const codes = items.flatMap(({ status, code }) => (status === 'failed' ? [code ?? 'failed'] : []));
  return BY_WEIGHT.find((outcome) => codes.some((code) => code === outcome)) ?? codes[0] ?? 'ok';
}
