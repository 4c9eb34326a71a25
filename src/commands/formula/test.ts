/** formulary formula test */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { CliError } from '../../errors.ts';
import { displayPath } from '../../files/paths.ts';
import { findFormulaFolders } from '../../folder/find-folders.ts';
import { steadyClock } from '../../host/monotonic-clock.ts';
import { inParallel } from '../../host/parallel.ts';
import { visible, visibleLines } from '../../output/escape.ts';
import { startProgress } from '../../output/progress.ts';
import { checkedPlace } from '../../program/arguments.ts';
import type { Define } from '../../program/define.ts';
import { withOutputFlags } from '../../program/flags.ts';
import { loadFolder } from '../../program/load-folder.ts';
import { createSession, type Session } from '../../program/session.ts';
import { reportWriter } from '../../report/report-file.ts';
import type { PreparedCase } from '../../run/load-cases.ts';
import type { runCase } from '../../run/run-case.ts';
import { failureFrame, nodeOf, refuseUnrun, secondsOf } from '../../run/run-flags.ts';
import { repeat, type Watching } from '../../run/watch-loop.ts';
import { junitCase, type RanCase, testAnswer } from '../../views/test-view.ts';

export const test: Define = (command, host, end) => {
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
      const report = reportWriter(flags.report, paths, host);
      const { note } = session;
      const timeoutSeconds = secondsOf(flags.timeout);
      const places = paths.map((path) => checkedPlace(path, host));
      const nodePath = nodeOf(flags.node, host, note);

      const once = async (stop: AbortSignal, { add, wrote }: Watching) => {
        const { preparedCases } = await import('../../run/load-cases.ts');
        const prepared = await preparedCases(
          findFormulaFolders(places),
          (place) => loadFolder(place, session, { undone: 'no test was run', onRead: add }),
          note,
        );
        const ran = await runAll(prepared, { nodePath, timeoutSeconds, stop }, session);
        if (stop.aborted) throw new CliError('interrupted', 'interrupted');
        const cases = flags.update ? await updated(ran, prepared, note, wrote) : ran;
        report('formulary formula test', cases.map(junitCase));
        await print(testAnswer(cases));
        if (cases.some(({ outcome }) => outcome === 'failed')) end('failed');
      };
      await repeat(once, { isWatching: flags.watch ?? false, folders: paths, files: [] }, host, session.showError);
    });
};

type Limits = Parameters<typeof runCase>[2];

/** Runs all cases, as many at once as there are cores; says of each that failed what it printed. */
async function runAll(
  prepared: readonly PreparedCase[],
  limits: Limits,
  { host, note, isVerbose }: Session,
): Promise<RanCase[]> {
  const { runCase } = await import('../../run/run-case.ts');
  const progress = startProgress(host.stderr, steadyClock(host.now), 'test', prepared.length);
  const ran = await inParallel(
    prepared,
    availableParallelism(),
    async ({ folder, file, example, runnable, valid }): Promise<RanCase> => {
      const result = await runCase(runnable, example, limits);
      const { failure, ended } = result;
      if (ended === 'not-started') refuseUnrun({ kind: ended, reason: result.message ?? '' }, limits.nodePath);
      const frame = failure ? await failureFrame(failure, valid.path, valid.checked.bundle, host.stdout.columns) : '';
      progress.step(result.outcome === 'failed');
      return { ...result, folder, file, name: example.name, frame };
    },
  ).finally(progress.end);
  for (const { folder, file, name, outcome, printed, warnings } of ran) {
    const title = visible(`${folder}/${file}: ${name}`);
    if (printed && (outcome === 'failed' || isVerbose)) note(`${title} printed:\n${visibleLines(printed.trimEnd())}`);
    for (const warning of warnings) note(`warning: ${title}: ${visible(warning)}`);
  }
  return ran;
}

/** Writes the new expectations, a file at a time; the cases that have one now pass. */
async function updated(
  ran: readonly RanCase[],
  prepared: readonly PreparedCase[],
  note: (text: string) => void,
  wrote: (file: string) => void,
): Promise<RanCase[]> {
  const { writeExpectations } = await import('../../run/case-files.ts');
  const changes = new Map<string, { shown: string; list: Parameters<typeof writeExpectations>[1][number][] }>();
  for (const [i, { update, folder, file }] of ran.entries()) {
    const at = prepared[i];
    if (!update || !at) continue;
    const path = join(at.valid.path, file);
    const change = changes.get(path) ?? { shown: displayPath(folder, file), list: [] };
    change.list.push({ path: at.example.path, expect: update });
    changes.set(path, change);
  }
  for (const [path, { shown, list }] of changes) {
    writeExpectations(path, list);
    wrote(path);
    note(visible(`updated: ${shown} (${list.length} ${list.length === 1 ? 'case' : 'cases'})`));
  }
  return ran.map((one) => (one.update ? { ...one, outcome: 'passed' } : one));
}
