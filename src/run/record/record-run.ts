/** `run --record`: writes a run as a test, and runs that test. */
import { lstatSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError } from '../../errors.ts';
import { makeFolders, writeFileAtomic } from '../../files/atomic-write.ts';
import { findSymlink } from '../../files/find-symlink.ts';
import { realPath } from '../../files/paths.ts';
import { parseTests } from '../cases/parse-tests.ts';
import { runTest, type TestLimits } from '../cases/run-test.ts';
import type { Executable } from '../executable.ts';
import type { InvocationReport } from '../failure.ts';
import type { InvocationResult } from '../invoke.ts';
import { buildRecording, toExpectation } from './build-recording.ts';

/** The path of a new test in the folder. Raises usage (2) if it is not in tests/, or already exists. */
export function checkRecordPath(folder: string, typed: string, cwd: string): string {
  const isInTests = (base: string) => dirname(resolve(base, typed)) === join(folder, 'tests');
  const name = isInTests(folder) || isInTests(cwd) ? /[^/\\]+\.json$/.exec(typed)?.[0] : undefined;
  if (name === undefined)
    throw new CliError('usage', `invalid value "${typed}" for --record: must be tests/NAME.json`, {
      hint: 'Use a new file in tests/ of the formula folder, for example tests/charge.json.',
    });
  const problem = findNewTestProblem(folder, name);
  if (problem !== undefined) throw new CliError('usage', `invalid value "${typed}" for --record: ${problem}`);
  return join(folder, 'tests', name);
}

/** Why a new test cannot be written to tests/; undefined if it can. */
export function findNewTestProblem(folder: string, name: string): string | undefined {
  const tests = join(realPath(folder), 'tests');
  if (findSymlink(realPath(folder), tests, () => false) !== undefined)
    return 'tests is a symbolic link, through which nothing is written';
  const exists = lstatSync(join(tests, name), { throwIfNoEntry: false }) !== undefined;
  return exists ? `tests/${name} already exists; choose another name` : undefined;
}

export interface RecordedInvocation {
  /** Relative to the folder. */
  file: string;
  path: string;
  request: { args: unknown; configuration: unknown };
  invoked: InvocationResult;
  explained: InvocationReport;
  executable: Executable;
  limits: TestLimits;
}

/** Writes the test, if the run can be one. Returns notes. */
export async function recordRun(recorded: RecordedInvocation): Promise<string[]> {
  const { file, path, request, invoked, explained, executable, limits } = recorded;
  const expect = toExpectation(explained);
  if (!expect) return [`warning: ${file} was not recorded: the run has no response or error of the code`];
  const { args } = request;
  const configuration = request.configuration as object;
  const name = basename(path, '.json');
  const { test, stored } = buildRecording({ name, args, configuration, calls: invoked.recorded, expect });
  const text = `${JSON.stringify(test, null, 2)}\n`;
  makeFolders(join(path, '..'));
  writeFileAtomic(path, text);
  const reason = await replayTest(text, executable, limits);
  return [
    `note: recorded ${file}: ${stored.length === 0 ? 'no calls' : stored.join(', ')}`,
    `warning: ${file} stores args and responses in clear; check it before you commit it`,
    ...(reason === undefined ? [] : [`warning: ${file} does not pass yet: ${reason}`]),
  ];
}

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
