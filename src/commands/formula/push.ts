/** formulary formula push */
import type { FormulaTree } from '../../check/check-tree.ts';
import { CliError, type Outcome } from '../../errors.ts';
import { escapeControls } from '../../output/escape.ts';
import { applyPush, confirmDeletions, withPartialError } from '../../program/apply-push.ts';
import { type ConfirmFlags, requireConfirmable } from '../../program/confirm.ts';
import type { DefineCommand } from '../../program/define.ts';
import { parseCount, parseRate, withOutputFlags, withServiceFlags } from '../../program/flags.ts';
import { loadTree } from '../../program/load-folder.ts';
import { withPathFlags } from '../../program/path-flags.ts';
import { createSession, type Session, type SessionFlags } from '../../program/session.ts';
import { addStepSummary } from '../../report/add-step-summary.ts';
import { openReport, type WriteReport } from '../../report/report-file.ts';
import { combineOutcomes } from '../../sync/outcome.ts';
import { findDuplicateFolders, openTreeLinks, type PlanFlags, preparePush } from '../../sync/push/prepare-push.ts';
import { formatPlanSummary, planView, toPlanRows } from '../../views/plan-view.ts';
import { invalidFoldersView, pushView, toInvalidFolderCases, toPushCases } from '../../views/push-view.ts';

const TITLE = 'formulary formula push';
const DEFAULT_CONCURRENCY = 8;
const DEFAULT_MAX_DELETES = 5;
/** Codes and icons of the service stay in memory up to this many characters; others are read again when needed. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

export const push: DefineCommand = (command, host, setOutcome) => {
  withServiceFlags(withOutputFlags(withPathFlags(command)))
    .summary('make the service hold what the folders say')
    .description(
      'Make the service hold what the folders say: creates, updates, and leaves alone what is the same. All folders are checked before anything is sent; nothing is deleted without --prune. Needs the permissions reactor:read, reactor:create and reactor:update, with --prune reactor:delete.',
    )
    .argument('[path...]', 'formula folders, or folders that contain some at any depth')
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
      const report = openReport(flags.report, paths, host);
      if (flags.prune && !flags.dryRun) requireConfirmable('written', flags, host);
      session.installSignalHandlers();
      const tree = await loadTree(paths, flags, session);
      const context = { tree, flags: { ...flags, ...limits }, report, session };
      const clashes = findDuplicateFolders(tree);
      if (tree.formulas.length === 0) await reportNothing(context);
      else if (clashes.size > 0 || tree.formulas.some(({ local }) => !local))
        setOutcome(await reportInvalid(context, clashes));
      else setOutcome(await (flags.dryRun ? showPlan(context) : runPush(context)));
    });
};

interface PushFlags extends PlanFlags, ConfirmFlags, SessionFlags {
  dryRun?: boolean | undefined;
  failFast?: boolean | undefined;
  maxDeletes: number;
  concurrency: number;
}

interface PushContext {
  tree: FormulaTree;
  flags: PushFlags;
  report: WriteReport;
  session: Session;
}

function parseLimits(flags: { concurrency?: string; rate?: string; maxDeletes?: string }) {
  return {
    concurrency: parseCount(flags.concurrency, '--concurrency') ?? DEFAULT_CONCURRENCY,
    requestsPerSecond: parseRate(flags.rate, '--rate'),
    maxDeletes: flags.maxDeletes === '0' ? 0 : (parseCount(flags.maxDeletes, '--max-deletes') ?? DEFAULT_MAX_DELETES),
  };
}

/** Raises usage (2) if folders were selected, and none of them is a formula. */
async function reportNothing({ tree, flags, session }: PushContext): Promise<void> {
  if (!tree.isEmptyList) throw new CliError('usage', 'no formula was selected');
  await session.print(flags.dryRun ? await planView([], session.isVerbose, session.host) : pushView([], session.host));
  session.note('nothing to do');
}

/** Prints and reports folders that are invalid or contradict each other. */
async function reportInvalid(
  { tree, report, session }: PushContext,
  duplicates: ReadonlyMap<string, string>,
): Promise<Outcome> {
  report(TITLE, toInvalidFolderCases(tree, duplicates));
  await session.print(invalidFoldersView(tree, duplicates));
  for (const duplicate of duplicates.values()) session.host.stderr.write(`error: ${escapeControls(duplicate)}\n`);
  session.note('Nothing was sent. Fix the errors above and run the command again.');
  return 'invalid';
}

async function showPlan(context: PushContext): Promise<Outcome> {
  const { tree, flags, session } = context;
  const { host } = session;
  const { client, target } = await session.connect();
  const identities = openTreeLinks(tree, target, flags, host);
  const duplicates = findDuplicateFolders(tree, identities.ids);
  if (duplicates.size > 0) return reportInvalid(context, duplicates);
  const { steps } = (await preparePush(tree, identities, client, target, flags, host)).plan;
  addStepSummary(host, `${TITLE} --dry-run`, formatPlanSummary(steps), toPlanRows(steps, host));
  await session.print(await planView(steps, session.isVerbose, host));
  return 'ok';
}

const runPush = (context: PushContext): Promise<Outcome> =>
  context.session.write(async (writing) => {
    const { tree, flags, report, session } = context;
    const { host } = session;
    const identities = openTreeLinks(tree, writing.target, flags, host);
    const duplicates = findDuplicateFolders(tree, identities.ids);
    if (duplicates.size > 0) return reportInvalid(context, duplicates);
    const options = { ...flags, maxCharacters: MAX_CHARACTERS };
    const planned = await preparePush(tree, identities, writing.client, writing.target, options, host);
    const { steps } = planned.plan;
    if (steps.some(({ action }) => action === 'update' || action === 'delete')) writing.requireHistory();
    await confirmDeletions(steps, flags, host);
    const { results, flushError } = await applyPush(planned, writing, flags, session);
    // Results are printed first: a file that cannot be written must not hide them.
    await session.print(pushView(results, host));
    tree.saveCleanCache();
    if (flushError) throw flushError;
    withPartialError(() => report(TITLE, toPushCases(results, host)));
    return combineOutcomes(results);
  });
