/** formulary formula push */
import type { Tree } from '../../check/check-tree.ts';
import type { Outcome } from '../../errors.ts';
import { visible } from '../../output/escape.ts';
import { applyPush, confirmDeletions, orPartial } from '../../program/apply-push.ts';
import { type ConfirmFlags, mustBeConfirmable } from '../../program/confirm.ts';
import type { Define } from '../../program/define.ts';
import { countOf, rateOf, withOutputFlags, withServiceFlags } from '../../program/flags.ts';
import { loadTree } from '../../program/load-folder.ts';
import { createSession, type Session, type SessionFlags } from '../../program/session.ts';
import { addStepSummary } from '../../report/add-step-summary.ts';
import { reportWriter, type WriteReport } from '../../report/report-file.ts';
import { runOutcome } from '../../sync/outcome.ts';
import { clashesOf, openLocks, type PlanFlags, plan } from '../../sync/push/prepare-push.ts';
import { planAnswer, planRows, planSummary } from '../../views/plan-view.ts';
import { pushAnswer, pushCases, refusedAnswer, refusedCases } from '../../views/push-view.ts';

const TITLE = 'formulary formula push';
const DEFAULT_CONCURRENCY = 8;
const DEFAULT_MAX_DELETES = 5;
/** Codes and icons of the service stay in memory up to this many characters; others are read again when needed. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

export const push: Define = (command, host, end) => {
  withServiceFlags(withOutputFlags(command))
    .summary('make the service hold what the folders say')
    .description(
      'Make the service hold what the folders say: creates, updates, and leaves alone what is the same. All folders are checked before anything is sent; nothing is deleted without --prune. Needs the permissions reactor:read, reactor:create and reactor:update, with --prune reactor:delete.',
    )
    .argument('<path...>', 'formula folders, or folders that hold some at any depth')
    .option('--dry-run', 'show what would be done, and send nothing that writes')
    .option('--prune', 'delete formulas that the lock lists below the paths and whose folders are gone')
    .option('--max-deletes <number>', 'refuse a --prune that would delete more (5)')
    .option('--concurrency <number>', 'so many formulas at once (8)')
    .option('--rate <number>', 'begin at most so many requests a second')
    .option('--fail-fast', 'begin nothing more after the first failure')
    .option('--force', 'overwrite what was changed on the service since it was last seen here')
    .option('--no-lock', 'neither read nor write formulas.lock.json: formulas are found by name')
    .option('--no-history', 'keep no copies of what is replaced or deleted')
    .option('--yes', 'delete without asking')
    .option('--no-input', 'never ask, as where there is no terminal')
    .option('--report <junit=file>', 'write the outcomes as a JUnit report')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula push formulas --local\n  formulary formula push formulas --dry-run --local\n  formulary formula push formulas --prune --yes --json --local',
    )
    .action(async (paths, flags) => {
      const limits = parseLimits(flags);
      const session = createSession(flags, host, limits);
      const report = reportWriter(flags.report, paths, host);
      if (flags.prune && !flags.dryRun) mustBeConfirmable('written', flags, host);
      session.catchSignals();
      const tree = await loadTree(paths, session);
      const work = { tree, flags: { ...flags, ...limits }, report, session };
      const clashes = clashesOf(tree);
      if (clashes.size > 0 || tree.formulas.some(({ local }) => !local)) end(await refuse(work, clashes));
      else end(await (flags.dryRun ? showPlan(work) : runPush(work)));
    });
};

interface PushFlags extends PlanFlags, ConfirmFlags, SessionFlags {
  failFast?: boolean | undefined;
  maxDeletes: number;
  concurrency: number;
}

interface Work {
  tree: Tree;
  flags: PushFlags;
  report: WriteReport;
  session: Session;
}

function parseLimits(flags: { concurrency?: string; rate?: string; maxDeletes?: string }) {
  return {
    concurrency: countOf(flags.concurrency, '--concurrency') ?? DEFAULT_CONCURRENCY,
    requestsPerSecond: rateOf(flags.rate, '--rate'),
    maxDeletes: flags.maxDeletes === '0' ? 0 : (countOf(flags.maxDeletes, '--max-deletes') ?? DEFAULT_MAX_DELETES),
  };
}

/** Prints and reports folders that are invalid or contradict each other. */
async function refuse({ tree, report, session }: Work, clashes: ReadonlyMap<string, string>): Promise<Outcome> {
  report(TITLE, refusedCases(tree, clashes));
  await session.print(refusedAnswer(tree, clashes));
  for (const clash of clashes.values()) session.host.stderr.write(`error: ${visible(clash)}\n`);
  session.note('Nothing was sent. Fix the errors above and run the command again.');
  return 'invalid';
}

async function showPlan(work: Work): Promise<Outcome> {
  const { tree, flags, session } = work;
  const { host } = session;
  const { send, target } = await session.connect();
  const identities = openLocks(tree, target, flags, host);
  const clashes = clashesOf(tree, identities.ids);
  if (clashes.size > 0) return refuse(work, clashes);
  const { steps } = (await plan(tree, identities, send, target, flags, host)).plan;
  addStepSummary(host, `${TITLE} --dry-run`, planSummary(steps), planRows(steps, host));
  await session.print(await planAnswer(steps, session.isVerbose, host));
  return steps.some(({ isOpen }) => isOpen) ? 'unavailable' : 'ok';
}

const runPush = (work: Work): Promise<Outcome> =>
  work.session.write(async (writing) => {
    const { tree, flags, report, session } = work;
    const { host } = session;
    const identities = openLocks(tree, writing.target, flags, host);
    const clashes = clashesOf(tree, identities.ids);
    if (clashes.size > 0) return refuse(work, clashes);
    const options = { ...flags, maxCharacters: MAX_CHARACTERS };
    const planned = await plan(tree, identities, writing.send, writing.target, options, host);
    const { steps } = planned.plan;
    if (steps.some(({ action }) => action === 'update' || action === 'delete')) writing.requireHistory();
    await confirmDeletions(steps, flags, host);
    const { results, flushError } = await applyPush(planned, writing, flags, session);
    // Results are printed first: a file that cannot be written must not hide them.
    await session.print(pushAnswer(results, host));
    tree.saveClean();
    if (flushError) throw flushError;
    orPartial(() => report(TITLE, pushCases(results, host)));
    return runOutcome(results);
  });
