/** "Save as test": writes a run of the workbench as a new file tests/NAME.json. */
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describeFsError } from '../files/file-errors.ts';
import { findFolderNameProblem } from '../files/safe-names.ts';
import type { Redactor } from '../host/host.ts';
import { buildRecording } from '../run/record/build-recording.ts';
import { findNewTestProblem, formatTest, writeTest } from '../run/record/record-run.ts';
import type { CodeLimits } from '../run/run-code.ts';
import type { SaveableRun } from './run-formula.ts';

const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} _.-]{0,99}$/u;

/** The path of a new file in a folder, or why the name or the file cannot be used. */
export function findNewFile(folder: string, name: unknown): { file: string } | { status: 400 | 409; message: string } {
  const problem = findNameProblem(name);
  if (problem !== undefined) return { status: 400, message: `name ${problem}` };
  const message = findNewTestProblem(folder, `${name}.json`);
  return message === undefined ? { file: `tests/${name}.json` } : { status: 409, message };
}

function findNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || !NAME.test(name))
    return 'must be 1–100 letters, digits, spaces, ".", "-", or "_", and start with a letter or digit';
  const problem = findFolderNameProblem(name);
  return problem && `must be a file name on every system: ${problem}`;
}

/** Writes a run as a test, and runs the test once. Returns a warning, or why it could not be written. */
export async function saveTest(file: string, run: SaveableRun, limits: CodeLimits, redact: Redactor) {
  const text = redact(formatTest(toTest(basename(file, '.json'), run)));
  try {
    const reason = await writeTest(join(run.executable.folder, file), text, run.executable, limits);
    if (reason !== undefined) return { passes: false, warning: `It does not pass yet: ${reason}` };
    return { passes: true, warning: 'It contains args and responses in clear; check it before you commit it.' };
  } catch (error) {
    return { message: `could not write ${file}: ${describeFsError(error)}` };
  }
}

/** The doubles that the run used, and recorded calls as doubles. What is not from the file of a test is redacted. */
function toTest(name: string, { request, expect, calls, doubles }: SaveableRun): object {
  const { args, configuration, test } = request;
  const { network = false, now, seed } = test ?? {};
  const settings = {
    ...(network && { network }),
    ...(now !== undefined && { now: new Date(now).toISOString() }),
    ...(seed !== undefined && { seed }),
  };
  const isFromFile = test && isDeepStrictEqual([configuration, request.doubles], [test.configuration, test.doubles]);
  if (isFromFile) return { name, args, configuration, ...(doubles && { doubles }), ...settings, expect };
  const { expect: expected, ...recording } = buildRecording({ name, args, configuration, calls, doubles, expect }).test;
  return { ...recording, ...settings, expect: expected };
}
