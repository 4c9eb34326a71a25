/** "Save as test": writes a run of the workbench as a new file tests/NAME.json. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { makeFolders, writeFileAtomic } from '../files/atomic-write.ts';
import { describeFsError } from '../files/file-errors.ts';
import { findSymlink } from '../files/find-symlink.ts';
import { realPath } from '../files/paths.ts';
import { findFolderNameProblem } from '../files/safe-names.ts';
import type { Redactor } from '../host/host.ts';
import type { TestLimits } from '../run/cases/run-test.ts';
import { buildRecording } from '../run/record/build-recording.ts';
import { replayTest } from '../run/record/record-run.ts';
import { randomId } from '../text/hash.ts';
import type { FormulaRequest, SaveableRun } from './run-formula.ts';

/** The new file with a warning, or the reason why it was not written. */
export type SaveResult =
  | { file: string; passes: boolean; warning: string }
  | { status: 400 | 409 | 500; message: string };

const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} _.-]{0,99}$/u;

/** Writes the test, and runs it once. */
export async function saveTest(
  name: unknown,
  run: SavedRun,
  limits: TestLimits,
  redact: Redactor,
): Promise<SaveResult> {
  const problem = findNameProblem(name);
  if (problem !== undefined) return { status: 400, message: `name ${problem}` };
  const file = `tests/${name}.json`;
  const text = redact(`${JSON.stringify(toTest(String(name), run), null, 2)}\n`);
  try {
    const refusal = writeNewFile(realPath(run.folder), file, text);
    if (refusal !== undefined) return { status: 409, message: refusal };
  } catch (error) {
    return { status: 500, message: `could not write ${file}: ${describeFsError(error)}` };
  }
  const reason = await replayTest(text, run.executable, limits);
  if (reason === undefined)
    return { file, passes: true, warning: 'It contains args and responses in clear; check it before you commit it.' };
  return { file, passes: false, warning: `It does not pass yet: ${reason}` };
}

function findNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || !NAME.test(name))
    return 'must be 1–100 letters, digits, spaces, ".", "-", or "_", and start with a letter or digit';
  const problem = findFolderNameProblem(name);
  return problem && `must be a file name on every system: ${problem}`;
}

/** A run that started from a test has the doubles that it used; otherwise the recorded calls become doubles. */
function toTest(name: string, { args, configuration, test, expect, calls, doubles }: SavedRun): object {
  const fromTest = { ...(doubles && { doubles }), ...(test?.network && { network: true }) };
  // The configuration of a test is already in a file.
  if (test && isDeepStrictEqual(configuration, test.configuration))
    return { name, args, configuration, ...fromTest, expect };
  return { ...buildRecording({ name, args, configuration: configuration as object, calls, expect }).test, ...fromTest };
}

/** Returns why it was not written. Throws the file system's error. */
function writeNewFile(folder: string, file: string, text: string): string | undefined {
  const path = join(folder, file);
  const tests = join(folder, 'tests');
  if (findSymlink(folder, tests, () => false) !== undefined)
    return 'tests is a symbolic link; refusing to write through it';
  if (lstatSync(path, { throwIfNoEntry: false })) return `${file} already exists; choose another name`;
  makeFolders(tests);
  writeFileAtomic(path, text);
  return undefined;
}

export interface SavedRun extends FormulaRequest, SaveableRun {
  /** Absolute path of the formula. */
  folder: string;
}

const MAX_RUNS = 20;

export type RunStore = ReturnType<typeof createRunStore>;

/** Keeps the last runs in memory, so that one of them can be saved as a test. */
export function createRunStore() {
  const runs = new Map<string, SavedRun>();
  return {
    /** Adds a run, and removes the oldest one if there are too many. Returns its id. */
    add(run: SavedRun): string {
      const id = randomId();
      runs.set(id, run);
      const [oldest] = runs.keys();
      if (runs.size > MAX_RUNS && oldest !== undefined) runs.delete(oldest);
      return id;
    },
    find: (id: unknown): SavedRun | undefined => (typeof id === 'string' ? runs.get(id) : undefined),
  };
}
