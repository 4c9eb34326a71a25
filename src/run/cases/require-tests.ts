/** Checks that tests were found, and what their results mean for the command. Pure. */
import { CliError } from '../../errors.ts';
import type { Inspection } from '../time-limits.ts';
import type { LoadedTests } from './load-tests.ts';
import type { TestResult } from './run-tests.ts';

/** The flags that select folders and tests. */
export interface TestSelection {
  testName?: string | undefined;
  exclude?: readonly string[] | undefined;
  pathsFrom?: string | undefined;
}

/** Raises failed (1) if -t matches no test, or if there are no tests and all folders were selected. */
export function requireTests(
  { items, found }: LoadedTests,
  { testName: name, exclude, pathsFrom }: TestSelection,
): void {
  if (items.length > 0) return;
  if (name === undefined && (exclude ?? pathsFrom) !== undefined) return;
  if (name === undefined || found === 0)
    throw new CliError('failed', 'no tests found', {
      hint: 'Write a test in tests/*.json of the formula folder, or pass --pass-with-no-tests.',
    });
  const tests = `${found} ${found === 1 ? 'test' : 'tests'}`;
  throw new CliError('failed', `no test has a name that contains ${JSON.stringify(name)} (${tests} found)`);
}

/** Raises usage (2): a debugger can attach to one process. */
export function requireOneToInspect({ inspect }: { inspect?: Inspection | undefined }, { items }: LoadedTests): void {
  if (!inspect || items.length < 2) return;
  throw new CliError('usage', `--inspect requires a single test (${items.length} selected)`, {
    hint: 'Select one with --test-name TEXT.',
  });
}

export const findWorstOutcome = (results: readonly TestResult[]) =>
  (['invalid', 'failed'] as const).find((worst) => results.some(({ outcome }) => outcome === worst));
