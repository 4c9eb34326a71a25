/** Runs the tests of some folders, and writes new expectations. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { toDisplayPath } from '../../files/paths.ts';
import { mapInParallel } from '../../host/parallel.ts';
import { startReaper } from '../reaper.ts';
import { assertStarted, formatFailureFrame } from '../run-flags.ts';
import type { InvalidFolder, LoadedCase, LoadedCases } from './load-tests.ts';
import { type CaseLimits, type CaseResult, runCase } from './run-test.ts';
import { writeExpectations } from './test-files.ts';

/** A test that was run, with the lines of the code where it failed. */
export interface RanCase extends CaseResult {
  folder: string;
  file: string;
  name: string;
  frame: string;
}

export type TestResult = RanCase | InvalidFolder;

const isRan = (result: TestResult): result is RanCase => result.outcome !== 'invalid';

interface Running extends CaseLimits {
  /** The width of code frames. */
  columns: number;
  /** The Node.js of the tool. */
  toolNode: string;
  platform: string;
  onResult(result: RanCase): void;
}

/**
 * Runs all tests, as many at once as there are cores. Invalid folders are among the results, in their place. Raises
 * usage (2) where the code was not run, and interrupted.
 */
export async function runCases({ items }: LoadedCases, running: Running): Promise<TestResult[]> {
  const reaper = items.length >= MANY ? startReaper(running.toolNode, running.platform) : undefined;
  try {
    return await mapInParallel<LoadedCase | InvalidFolder, TestResult>(items, availableParallelism(), async (item) =>
      'outcome' in item ? item : run(item, { ...running, reaper }),
    );
  } finally {
    reaper?.close();
  }
}

/** From so many tests on, a process that watches all of them is cheaper than a thread in each. */
const MANY = 5;

async function run({ folder, file, example, runnable, valid }: LoadedCase, running: Running): Promise<RanCase> {
  const result = await runCase(runnable, example, running);
  const { failure, exitKind } = result;
  if (exitKind === 'not-started') assertStarted({ kind: exitKind, reason: result.message ?? '' }, running.nodePath);
  if (exitKind === 'port-in-use') assertStarted({ kind: exitKind, port: running.inspect?.port ?? 0 }, running.nodePath);
  const frame = failure ? await formatFailureFrame(failure, valid.path, valid.report.bundle, running.columns) : '';
  const ran = { ...result, folder, file, name: example.name, frame };
  running.onResult(ran);
  return ran;
}

/** A file whose tests have new expectations. */
export interface UpdatedFile {
  path: string;
  shown: string;
  changes: Parameters<typeof writeExpectations>[1][number][];
}

/** Writes the new expectations, a file at a time; the tests that have one now pass. */
export function updateCases(
  results: readonly TestResult[],
  { items }: LoadedCases,
  onWritten: (file: UpdatedFile) => void,
): TestResult[] {
  const files = new Map<string, UpdatedFile>();
  for (const [i, result] of results.entries()) {
    const item = items[i];
    if (!isRan(result) || !result.updatedExpectation || !item || 'outcome' in item) continue;
    const path = join(item.valid.path, item.file);
    const file = files.get(path) ?? { path, shown: toDisplayPath(item.folder, item.file), changes: [] };
    file.changes.push({ path: item.example.path, expect: result.updatedExpectation });
    files.set(path, file);
  }
  for (const file of files.values()) {
    writeExpectations(file.path, file.changes);
    onWritten(file);
  }
  return results.map((result) =>
    isRan(result) && result.updatedExpectation ? { ...result, outcome: 'passed' } : result,
  );
}
