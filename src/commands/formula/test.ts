/** formulary formula test */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { CliError } from '../../errors.ts';
import { toDisplayPath } from '../../files/paths.ts';
import { findFormulaFolders } from '../../folder/find-folders.ts';
import { createMonotonicClock } from '../../host/monotonic-clock.ts';
import { mapInParallel } from '../../host/parallel.ts';
import { escapeControls, escapeControlsByLine } from '../../output/escape.ts';
import { startProgress } from '../../output/progress.ts';
import { resolveFolderRef } from '../../program/arguments.ts';
import type { DefineCommand } from '../../program/define.ts';
import { withOutputFlags } from '../../program/flags.ts';
import { loadFolder } from '../../program/load-folder.ts';
import { createSession, type Session } from '../../program/session.ts';
import { openReport } from '../../report/report-file.ts';
import type { LoadedCase } from '../../run/load-cases.ts';
import type { runCase } from '../../run/run-case.ts';
import { assertStarted, formatFailureFrame, parseTimeout, selectNode } from '../../run/run-flags.ts';
import { runWatchLoop, type WatchRecorder } from '../../run/watch-loop.ts';
import { type CompletedCase, testView, toJunitCase } from '../../views/test-view.ts';

export const test: DefineCommand = (command, host, setOutcome) => {
  withOutputFlags(command)
    .summary('run the cases of formulas, and compare')
    .description(
      'Run the cases in tests/*.json of each folder, every one in a process of its own as formula run does, and compare what comes out with what is expected. Sends nothing, and needs no permission.',
    )
    .argument('<path...>', 'formula folders, or folders that hold some at any depth')
    .option('--report <junit=file>', 'write the outcomes as a JUnit report')
    .option('--update', 'write what came out into the cases that failed')
    .option('--watch', 'test again whenever a file of the folders changes')
    .option('--node <file>', 'the Node.js that runs the code (a Node.js 16 on the PATH, else this one)')
    .option('--timeout <seconds>', 'time limit of each case (10)')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula test my-formula\n  formulary formula test formulas --report junit=report.xml\n  formulary formula test my-formula --update',
    )
    .action(async (paths, flags) => {
      const session = createSession(flags, host);
      const { print } = session;
      const report = openReport(flags.report, paths, host);
      const { note } = session;
      const timeoutSeconds = parseTimeout(flags.timeout);
      const folders = paths.map((path) => resolveFolderRef(path, host));
      const nodePath = selectNode(flags.node, host, note);

      const runOnce = async (stop: AbortSignal, { add, markWritten }: WatchRecorder) => {
        const { loadCases } = await import('../../run/load-cases.ts');
        const prepared = await loadCases(
          findFormulaFolders(folders),
          (place) => loadFolder(place, session, { notDone: 'no test was run', onRead: add }),
          note,
        );
        const completed = await runAll(prepared, { nodePath, timeoutSeconds, stop }, session);
        if (stop.aborted) throw new CliError('interrupted', 'interrupted');
        const cases = flags.update ? await updateExpectations(completed, prepared, note, markWritten) : completed;
        report('formulary formula test', cases.map(toJunitCase));
        await print(testView(cases));
        if (cases.some(({ outcome }) => outcome === 'failed')) setOutcome('failed');
      };
      await runWatchLoop(
        runOnce,
        { isWatching: flags.watch ?? false, folders: paths, files: [] },
        host,
        session.showError,
      );
    });
};

type Limits = Parameters<typeof runCase>[2];

/** Runs all cases, as many at once as there are cores; says of each that failed what it printed. */
async function runAll(
  prepared: readonly LoadedCase[],
  limits: Limits,
  { host, note, isVerbose }: Session,
): Promise<CompletedCase[]> {
  const { runCase } = await import('../../run/run-case.ts');
  const progress = startProgress(host.stderr, createMonotonicClock(host.now), 'test', prepared.length);
  const completed = await mapInParallel(
    prepared,
    availableParallelism(),
    async ({ folder, file, example, runnable, valid }): Promise<CompletedCase> => {
      const result = await runCase(runnable, example, limits);
      const { failure, exitKind } = result;
      if (exitKind === 'not-started') assertStarted({ kind: exitKind, reason: result.message ?? '' }, limits.nodePath);
      const frame = failure
        ? await formatFailureFrame(failure, valid.path, valid.report.bundle, host.stdout.columns)
        : '';
      progress.step(result.outcome === 'failed');
      return { ...result, folder, file, name: example.name, frame };
    },
  ).finally(progress.end);
  for (const { folder, file, name, outcome, printed, warnings } of completed) {
    const title = escapeControls(`${folder}/${file}: ${name}`);
    if (printed && (outcome === 'failed' || isVerbose))
      note(`${title} printed:\n${escapeControlsByLine(printed.trimEnd())}`);
    for (const warning of warnings) note(`warning: ${title}: ${escapeControls(warning)}`);
  }
  return completed;
}

/** Writes the new expectations, a file at a time; the cases that have one now pass. */
async function updateExpectations(
  completed: readonly CompletedCase[],
  prepared: readonly LoadedCase[],
  note: (text: string) => void,
  recordWrite: (file: string) => void,
): Promise<CompletedCase[]> {
  const { writeExpectations } = await import('../../run/case-files.ts');
  const changes = new Map<string, { shown: string; list: Parameters<typeof writeExpectations>[1][number][] }>();
  for (const [i, { updatedExpectation, folder, file }] of completed.entries()) {
    const at = prepared[i];
    if (!updatedExpectation || !at) continue;
    const path = join(at.valid.path, file);
    const change = changes.get(path) ?? { shown: toDisplayPath(folder, file), list: [] };
    change.list.push({ path: at.example.path, expect: updatedExpectation });
    changes.set(path, change);
  }
  for (const [path, { shown, list }] of changes) {
    writeExpectations(path, list);
    recordWrite(path);
    note(escapeControls(`updated: ${shown} (${list.length} ${list.length === 1 ? 'case' : 'cases'})`));
  }
  return completed.map((one) => (one.updatedExpectation ? { ...one, outcome: 'passed' } : one));
}
