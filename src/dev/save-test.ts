/** "Save as test": writes a run of the workbench as tests/NAME.json, which did not exist before. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { findSymlink, makeFolders, writeFileAtomic } from '../files/atomic-write.ts';
import { describeFsError } from '../files/file-errors.ts';
import { realPath } from '../files/paths.ts';
import { findFolderNameProblem } from '../files/safe-names.ts';
import type { SavedRun } from './saved-runs.ts';

/** The file written, or why none was. */
export type SaveResult = { file: string } | { status: 400 | 409 | 422 | 500; message: string };

const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} _.-]{0,99}$/u;

export function saveTest(name: unknown, run: SavedRun): SaveResult {
  const problem = findNameProblem(name);
  if (problem !== undefined) return { status: 400, message: `name ${problem}` };
  const expect = toExpectation(run);
  if (!expect)
    return { status: 422, message: 'only a response, or an error that the code throws, can be saved as a test' };
  const file = `tests/${name}.json`;
  try {
    return writeNewFile(realPath(run.folder), file, toTestText(String(name), run, expect));
  } catch (error) {
    return { status: 500, message: `could not write ${file}: ${describeFsError(error)}` };
  }
}

function findNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || !NAME.test(name))
    return 'must be 1–100 letters, digits, spaces, ".", "-", or "_", and start with a letter or digit';
  const problem = findFolderNameProblem(name);
  return problem && `must be a file name on every system: ${problem}`;
}

/** What the test expects; undefined if the code neither returned nor threw. */
function toExpectation({ outcome }: SavedRun): object | undefined {
  if (!outcome) return undefined;
  if ('response' in outcome) return outcome.response;
  const { message, status } = outcome.thrown;
  return { error: { message, ...(status !== undefined && { status }) } };
}

const toTestText = (name: string, { args, configuration }: SavedRun, expect: object): string =>
  `${JSON.stringify({ name, args, configuration, expect }, null, 2)}\n`;

function writeNewFile(folder: string, file: string, text: string): SaveResult {
  const path = join(folder, file);
  const tests = join(folder, 'tests');
  if (findSymlink(folder, tests, () => false) !== undefined)
    return { status: 409, message: 'tests is a symbolic link; refusing to write through it' };
  if (lstatSync(path, { throwIfNoEntry: false }))
    return { status: 409, message: `${file} already exists; choose another name` };
  makeFolders(tests);
  writeFileAtomic(path, text);
  return { file };
}
