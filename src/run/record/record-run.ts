/** `run --record`: writes a run as a test, and runs that test. */
import { lstatSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError } from '../../errors.ts';
import { makeFolders, writeFileAtomic } from '../../files/atomic-write.ts';
import { findSymlink } from '../../files/find-symlink.ts';
import { realPath } from '../../files/paths.ts';
import { parseTests } from '../cases/parse-tests.ts';
import { runTest } from '../cases/run-test.ts';
import type { Executable } from '../executable.ts';
import type { CodeLimits, CodeRun } from '../run-code.ts';
import type { RunRequest } from '../validate-request.ts';
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

/** A run, and what was run. */
interface RecordedRun extends CodeRun {
  executable: Executable;
  request: RunRequest;
}

/** Writes the test to a path, if the run can be one. Returns notes, with the `file` as typed. */
export async function recordRun(
  file: string,
  path: string,
  { executable, request, ...run }: RecordedRun,
  limits: CodeLimits,
): Promise<string[]> {
  const expect = toExpectation(run);
  if (!expect) return [`warning: ${file} was not recorded: the run has no response or error of the code`];
  const name = basename(path, '.json');
  const { test, stored } = buildRecording({ ...request, name, calls: run.result.recorded, expect });
  const reason = await writeTest(path, formatTest(test), executable, limits);
  return [
    `note: recorded ${file}: ${stored.length === 0 ? 'no calls' : stored.join(', ')}`,
    `warning: ${file} stores args and responses in clear; check it before you commit it`,
    ...(reason === undefined ? [] : [`warning: ${file} does not pass yet: ${reason}`]),
  ];
}

/** The text of a file with one test. */
export const formatTest = (test: object): string => `${JSON.stringify(test, null, 2)}\n`;

/**
 * Writes a test, and runs it once without a network. Returns the first line of the reason why it fails; undefined if it
 * passes. Throws the file system's error.
 */
export async function writeTest(path: string, text: string, executable: Executable, limits: CodeLimits) {
  makeFolders(dirname(path));
  writeFileAtomic(path, text);
  const [test] = parseTests(text).tests;
  const run = test && (await runTest(executable, test, { ...limits, hasNetwork: false }));
  const { outcome, message = '' } = run ?? { message: 'it is invalid' };
  return outcome === 'passed' ? undefined : message.split('\n')[0];
}
