/** Runs a test that was just written. */

import { parseTests } from '../cases/parse-tests.ts';
import { runTest, type TestLimits } from '../cases/run-test.ts';
import type { Executable } from '../executable.ts';

/** The first line of the reason why the test in a text fails; undefined if it passes. */
export async function replayTest(
  text: string,
  executable: Executable,
  limits: TestLimits,
): Promise<string | undefined> {
  const [test] = parseTests(text).tests;
  const { outcome, message = '' } = test ? await runTest(executable, test, limits) : { message: 'it is invalid' };
  return outcome === 'passed' ? undefined : message.split('\n')[0];
}
