/** formulary formula test */

import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import type { Folder } from '../../folder/find-folders.ts';
import { createMonotonicClock } from '../../host/monotonic-clock.ts';
import { startProgress } from '../../output/progress.ts';
import { openReport } from '../../report/report-file.ts';
import type { TestSelection } from '../../run/cases/load-tests.ts';
import type { TestLimits } from '../../run/cases/run-test.ts';
import type { TestResult } from '../../run/cases/run-tests.ts';
import { parseInspect, parseTimeout, selectNode } from '../../run/run-flags.ts';
import { runWatchLoop, type WatchRecorder } from '../../run/watch-loop.ts';
import { withConnectionFlags, withOutputFlags } from '../../session/flags.ts';
import { loadFolder } from '../../session/load-folder.ts';
import {
  type PathFlags,
  selectFolders,
  withDefaultPath,
  withPathFlags,
  withPathList,
  withSinceFlag,
} from '../../session/path-flags.ts';
import { createSession, type Session } from '../../session/session.ts';
import { COMPARISON_FIELDS } from '../../views/comparison-view.ts';
import {
  findWorstOutcome,
  formatTestNotes,
  formatTestSummary,
  formatUpdate,
  getFrameColumns,
  TEST_FIELDS,
  testView,
  toJunitCase,
} from '../../views/test-view.ts';
import { parseComparison } from './test/comparison-flags.ts';

export const test: DefineCommand = (command, host, setOutcome) => {
  withConnectionFlags(withOutputFlags(withSinceFlag(withPathFlags(command))))
    .description(
      'Run the tests in tests/*.json of each folder, in separate processes like formula run, and compare the outcomes with the expected ones. Invalid folders are reported, and the other folders are still tested. With --compare, runs the code of each folder and another version of it on the inputs of the tests and on generated ones, compares what they return, throw, and call instead, and exits with 10 if anything differs. Sends no request to the service and requires no permission, except with --compare remote, which requires reactor:read.',
    )
    .argument('[path...]', 'formula folders, or folders that contain some at any depth (default: .)')
    .option('-t, --test-name <text>', 'only tests whose name contains this text, in any letter case')
    .option('--report <format=file>', 'write the results to a report: junit=FILE, with --compare also markdown=FILE')
    .option('--update', 'write the actual outcomes to the failed tests')
    .option('--watch', 'test again when a file of the folders changes')
    .option(
      '--node <file>',
      'Node.js that runs the code (default: Node.js 16 on the PATH, otherwise this one) (env: FORMULARY_NODE)',
    )
    .option('--timeout <seconds>', 'time limit per test (default: 10)')
    .option('--network', 'let the code use the network; without it, calls without a double fail the test')
    .option(
      '--inspect [port]',
      'wait for a debugger on this port, passed with = (default: 9229); requires a single test',
    )
    .option('--isolate', 'run each test in a process of its own; without it, tests of one formula may share one')
    .option('--pass-with-no-tests', 'succeed if there are no tests')
    .option('--compare <remote|ref>', 'compare with the version on the service (remote) or in a commit')
    .option('--generate <number>', 'with --compare, how many calls to generate from the manifest (default: 100)')
    .option('--seed <number>', 'with --compare, repeat the generated calls of another run')
    .action(async (typedPaths, flags) => {
      const paths = withDefaultPath(typedPaths, flags);
      const comparison = parseComparison(flags);
      // --timeout limits the code, not requests.
      const serviceFlags = { ...flags, timeout: undefined };
      const session = createSession(serviceFlags, host, comparison ? COMPARISON_FIELDS : TEST_FIELDS, {
        namesService: true,
      });
      const { print, note } = session;
      const report = openReport(flags.report, comparison ? ['junit', 'markdown'] : ['junit'], paths, host);
      const timeoutSeconds = parseTimeout(flags.timeout);
      const inspect = parseInspect(flags.inspect, (text) => host.stderr.write(text));
      if (inspect && flags.watch) throw new CliError('usage', '--inspect and --watch cannot be used together');
      if (flags.pathsFrom === '-' && flags.watch)
        throw new CliError('usage', '--paths-from - and --watch cannot be used together');
      const { nodePath, fallbackHint } = selectNode(flags.node, host);
      const { pathList } = await withPathList<PathFlags>(flags, host);
      const runOnce = async (abortSignal: AbortSignal, watching: WatchRecorder) => {
        const limits = { nodePath, timeoutSeconds, abortSignal, hasNetwork: flags.network ?? false, inspect };
        const selection = await selectFolders(paths, { ...flags, pathList }, session);
        host.installSignalHandlers();
        if (comparison) {
          const { compareFolders } = await import('./test/compare-folders.ts');
          const options = { ...flags, ...comparison, ...limits, paths, fallbackHint };
          return compareFolders(selection, options, { session, report, setOutcome });
        }
        const results = await testFolders(selection.folders, limits, flags, session, watching);
        report.write('junit', { suite: 'formulary formula test', cases: results.map(toJunitCase) });
        await print(testView(results));
        note(formatTestSummary(results));
        const worst = findWorstOutcome(results);
        if (worst) setOutcome(worst);
        if (fallbackHint && (worst === 'failed' || flags.verbose)) note(`hint: ${fallbackHint}`);
      };
      const watched = { isWatching: flags.watch ?? false, folders: paths, files: [], announce: note };
      const ending = await runWatchLoop(runOnce, watched, host, session.showError);
      if (ending === 'stopped') setOutcome(ending);
    });
};

interface TestFlags extends TestSelection {
  passWithNoTests?: boolean | undefined;
  update?: boolean | undefined;
  isolate?: boolean | undefined;
}

/** Loads, runs, and updates the tests. Raises failed (1) if there are none, and interrupted (130). */
async function testFolders(
  folders: readonly Folder[],
  limits: TestLimits,
  flags: TestFlags,
  session: Session,
  { add, markWritten }: WatchRecorder,
): Promise<TestResult[]> {
  const { host, note, isVerbose } = session;
  const { loadTests, requireOneToInspect, requireTests } = await import('../../run/cases/load-tests.ts');
  const { runTests, updateTests } = await import('../../run/cases/run-tests.ts');
  const load = (folderRef: Folder) => loadFolder(folderRef, session, { notDone: 'no test was run', onRead: add });
  const loaded = await loadTests(folders, { loadFolder: load, note }, flags.testName);
  if (folders.length > 0 && !flags.passWithNoTests) requireTests(loaded, flags);
  requireOneToInspect(limits, loaded);
  const progress = startProgress(host.stderr, createMonotonicClock(host.now), 'test', loaded.items.length);
  const results = await runTests(loaded, {
    ...limits,
    columns: getFrameColumns(host.stdout),
    platform: host.platform,
    isIsolated: flags.isolate ?? false,
    onResult: ({ outcome }) => progress.step(outcome === 'failed'),
  }).finally(progress.end);
  formatTestNotes(results, isVerbose).forEach(note);
  if (limits.abortSignal.aborted) throw new CliError('interrupted', 'interrupted');
  if (!flags.update) return results;
  return updateTests(results, loaded, (file) => {
    markWritten(file.path);
    note(formatUpdate(file));
  });
}
