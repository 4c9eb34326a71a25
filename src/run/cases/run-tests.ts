/** Runs tests in parallel, and writes new expectations. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { toDisplayPath } from '../../files/paths.ts';
import { mapInParallel } from '../../host/parallel.ts';
import type { IdleProcess } from '../child-process.ts';
import type { Executable } from '../executable.ts';
import { type Reaper, startReaper } from '../reaper.ts';
import { assertStarted } from '../run-flags.ts';
import { formatFailureFrame } from '../stack-frames.ts';
import type { InvalidFolder, LoadedTest, LoadedTests } from './load-tests.ts';
import type { FormulaTest } from './parse-tests.ts';
import { canShareProcess, runTest, type SharedProcess, type TestLimits, type TestRun } from './run-test.ts';
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
  /** Whether each test has a process of its own. */
  isIsolated: boolean;
  onResult(result: FinishedTest): void;
}

/**
 * Runs one test per core at once. The results are in the order of the items, with the invalid folders. Raises usage (2) if
 * the code was not run, and interrupted.
 */
export async function runTests({ items }: LoadedTests, options: TestRunOptions): Promise<TestResult[]> {
  const reaper = items.length >= MIN_TESTS_FOR_REAPER ? startReaper(options.toolNode, options.platform) : undefined;
  const pool = createPool(items, reaper, options);
  try {
    return await mapInParallel<LoadedTest | InvalidFolder, TestResult>(items, availableParallelism(), async (item) =>
      'outcome' in item ? item : runLoadedTest(item, { ...options, reaper }, pool),
    );
  } finally {
    pool.close();
    reaper?.close();
  }
}

/** For fewer tests, a thread in each process is cheaper than one reaper. */
const MIN_TESTS_FOR_REAPER = 5;

async function runLoadedTest(
  { folder, file, test, executable, validFolder }: LoadedTest,
  options: TestRunOptions,
  pool: ProcessPool,
): Promise<FinishedTest> {
  const result = await pool.run(executable, test, options);
  const { failure, exitReason } = result;
  // Tests that were stopped are shown before the run ends.
  if (exitReason && exitReason.kind !== 'stopped') assertStarted(exitReason, options.nodePath);
  const frame = failure
    ? await formatFailureFrame(failure, validFolder.path, validFolder.result.bundle, options.columns)
    : '';
  const finished = { ...result, folder, file, name: test.name, frame };
  options.onResult(finished);
  return finished;
}

interface ProcessPool {
  run(executable: Executable, test: FormulaTest, limits: TestLimits): Promise<TestRun>;
  /** Ends the processes. */
  close(): void;
}

/** From this number of tests of a formula on, comparing the state of a process is cheaper than starting another one. */
const MIN_TESTS_TO_SHARE = 4;

/**
 * Processes that tests of one formula use one after the other. A test that fails is run again in a process of its own, and
 * that result counts.
 */
function createPool(
  items: LoadedTests['items'],
  reaper: Reaper | undefined,
  { isIsolated, inspect, platform }: TestRunOptions,
): ProcessPool {
  const counts = new Map<Executable, number>();
  for (const item of items) if ('test' in item) counts.set(item.executable, (counts.get(item.executable) ?? 0) + 1);
  const mayShare = !isIsolated && !inspect && platform !== 'win32';
  let current: Executable | undefined;
  let idle: IdleProcess[] = [];
  const end = ({ child, kill }: IdleProcess) => {
    if (child.pid !== undefined) reaper?.release(child.pid);
    kill();
  };
  const close = () => {
    idle.forEach(end);
    idle = [];
  };
  const runShared: ProcessPool['run'] = async (executable, test, limits) => {
    const used = idle.pop();
    const shared: SharedProcess = { idleProcess: used };
    const run = await runTest(executable, test, limits, shared);
    const isPassed = run.outcome === 'passed';
    if (shared.idleProcess) {
      if (isPassed && executable === current) idle.push(shared.idleProcess);
      else end(shared.idleProcess);
    }
    return isPassed || !used || run.exitReason?.kind === 'stopped' ? run : runTest(executable, test, limits);
  };
  return {
    run: (executable, test, limits) => {
      if (executable !== current) close();
      current = executable;
      const isShared = mayShare && (counts.get(executable) ?? 0) >= MIN_TESTS_TO_SHARE && canShareProcess(test);
      return isShared ? runShared(executable, test, limits) : runTest(executable, test, limits);
    },
    close,
  };
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
