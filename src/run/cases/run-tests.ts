/** Runs tests in parallel, and writes new expectations. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { toDisplayPath } from '../../files/paths.ts';
import { mapInParallel } from '../../host/parallel.ts';
import { startReaper } from '../reaper.ts';
import { assertStarted } from '../run-flags.ts';
import { formatFailureFrame } from '../stack-frames.ts';
import type { InvalidFolder, LoadedTest, LoadedTests } from './load-tests.ts';
import { runTest, type TestLimits, type TestRun } from './run-test.ts';
import { writeExpectations } from './test-files.ts';

/** A test that was run, with the source lines around its failure. */
export interface FinishedTest extends TestRun {
  folder: string;
  file: string;
  name: string;
  frame: string;
}

export type TestResult = FinishedTest | InvalidFolder;

const isRan = (result: TestResult): result is FinishedTest => result.outcome !== 'invalid';

interface TestRunOptions extends TestLimits {
  /** The width of code frames. */
  columns: number;
  /** The Node.js of the tool. */
  toolNode: string;
  platform: string;
  onResult(result: FinishedTest): void;
}

/**
 * Runs one test per core at once. The results are in the order of the items, with the invalid folders. Raises usage (2) if
 * the code was not run, and interrupted.
 */
export async function runTests({ items }: LoadedTests, options: TestRunOptions): Promise<TestResult[]> {
  const reaper = items.length >= MIN_TESTS_FOR_REAPER ? startReaper(options.toolNode, options.platform) : undefined;
  try {
    return await mapInParallel<LoadedTest | InvalidFolder, TestResult>(items, availableParallelism(), async (item) =>
      'outcome' in item ? item : runLoadedTest(item, { ...options, reaper }),
    );
  } finally {
    reaper?.close();
  }
}

/** For fewer tests, a thread in each process is cheaper than one reaper. */
const MIN_TESTS_FOR_REAPER = 5;

async function runLoadedTest(
  { folder, file, test, executable, validFolder }: LoadedTest,
  options: TestRunOptions,
): Promise<FinishedTest> {
  const result = await runTest(executable, test, options);
  const { failure, exitKind } = result;
  if (exitKind === 'not-started') assertStarted({ kind: exitKind, reason: result.message ?? '' }, options.nodePath);
  if (exitKind === 'port-in-use') assertStarted({ kind: exitKind, port: options.inspect?.port ?? 0 }, options.nodePath);
  const frame = failure
    ? await formatFailureFrame(failure, validFolder.path, validFolder.result.bundle, options.columns)
    : '';
  const finished = { ...result, folder, file, name: test.name, frame };
  options.onResult(finished);
  return finished;
}

/** A file whose tests have new expectations. */
export interface UpdatedFile {
  path: string;
  displayPath: string;
  changes: Parameters<typeof writeExpectations>[1][number][];
}

/** Writes the new expectations file by file, and marks these tests as passed. */
export function updateTests(
  results: readonly TestResult[],
  { items }: LoadedTests,
  onWritten: (file: UpdatedFile) => void,
): TestResult[] {
  const files = new Map<string, UpdatedFile>();
  for (const [i, result] of results.entries()) {
    const item = items[i];
    if (!isRan(result) || !result.updatedExpectation || !item || 'outcome' in item) continue;
    const path = join(item.validFolder.path, item.file);
    const file = files.get(path) ?? { path, displayPath: toDisplayPath(item.folder, item.file), changes: [] };
    file.changes.push({ path: item.test.path, expect: result.updatedExpectation });
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
