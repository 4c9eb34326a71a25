/** Runs tests in parallel, and writes new expectations. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { toDisplayPath } from '../../files/paths.ts';
import { mapInParallel } from '../../host/parallel.ts';
import { groupBy } from '../../text/group-by.ts';
import { createProcessPool, type ProcessPool } from '../process-pool.ts';
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
  platform: string;
  /** Whether each test has a process of its own. */
  isIsolated: boolean;
  onResult(result: FinishedTest): void;
}

/** From this number of tests of a formula on, comparing the state of a process is cheaper than starting another one. */
const MIN_TESTS_TO_SHARE = 4;

/**
 * Runs one test per core at once. The results are in the order of the items, with the invalid folders. Raises usage (2) if
 * the code was not run, and interrupted.
 */
export async function runTests({ items }: LoadedTests, options: TestRunOptions): Promise<TestResult[]> {
  const { isIsolated, inspect, platform } = options;
  const byFolder = groupBy(items, ({ folder }) => folder);
  const mayShare = ({ folder, test: { now, seed, doubles } }: LoadedTest) =>
    !(isIsolated || inspect || platform === 'win32') &&
    (byFolder.get(folder) ?? []).length >= MIN_TESTS_TO_SHARE &&
    now === undefined &&
    seed === undefined &&
    Object.keys(doubles?.modules ?? {}).length === 0;
  const pool = createProcessPool();
  try {
    return await mapInParallel<LoadedTest | InvalidFolder, TestResult>(items, availableParallelism(), async (item) =>
      'outcome' in item ? item : runLoadedTest(item, options, mayShare(item) ? pool : undefined),
    );
  } finally {
    pool.close();
  }
}

async function runLoadedTest(
  { folder, file, test, executable, validFolder }: LoadedTest,
  { columns, onResult, ...limits }: TestRunOptions,
  pool: ProcessPool | undefined,
): Promise<FinishedTest> {
  const result = await runTest(executable, test, limits, pool);
  const { failure, exitReason } = result;
  // Tests that were stopped are shown before the run ends.
  if (exitReason && exitReason.kind !== 'stopped') assertStarted(exitReason, limits.nodePath);
  const { path, result: checked } = validFolder;
  const frame = failure ? await formatFailureFrame(failure, path, checked.bundle, columns) : '';
  const finished = { ...result, folder, file, name: test.name, frame };
  onResult(finished);
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
