/** formulary formula push */
import { CliError, type Outcome } from '../../errors.ts';
import {
  applyPush,
  confirmDeletions,
  finishPush,
  formatDeletionsHint,
  PUSH_TITLE,
  reportInvalidFolders,
} from '../../program/apply-push.ts';
import { type ConfirmFlags, requireConfirmable } from '../../program/confirm.ts';
import type { DefineCommand } from '../../program/define.ts';
import { describeSteps } from '../../program/describe-steps.ts';
import { parseCount, parseMaxDeletes, parseRate, withOutputFlags, withServiceFlags } from '../../program/flags.ts';
import { loadTree } from '../../program/load-folder.ts';
import { warnAboutOverwrites } from '../../program/overwrites.ts';
import { type PathFlags, withPathFlags, withSinceFlag } from '../../program/path-flags.ts';
import { createSession, type Session, type SessionFlags } from '../../program/session.ts';
import { writePlanReport } from '../../program/write-plan-report.ts';
import { addStepSummary } from '../../report/add-step-summary.ts';
import { openReport, type Report } from '../../report/report-file.ts';
import { findDuplicateFolders, openTreeTracking, type PlanFlags, preparePush } from '../../sync/push/prepare-push.ts';
import { hasRemovals, type SelectedTree } from '../../sync/since.ts';
import { formatConflictHints, formatPlanSummary, PLAN_FIELDS, planView, toPlanRows } from '../../views/plan-view.ts';
import { PUSH_FIELDS, pushView, toPushCases } from '../../views/push-view.ts';

const DEFAULT_CONCURRENCY = 8;
/** Characters of remote code and icons that are kept in memory; the rest is read again when needed. */
const MAX_CHARACTERS = 64 * 1024 * 1024;

export const push: DefineCommand = (command, host, setOutcome) => {
  withServiceFlags(withOutputFlags(withSinceFlag(withPathFlags(command))))
    .description(
      'Create or update formulas on the service to match local folders. Unchanged formulas are skipped. All folders are validated before anything is sent, and nothing is deleted without --prune. With --since, a remote version that is neither that of REF nor that of the folder is a conflict. With --plan, applies exactly a saved plan: if a folder or a formula of the plan changed since, nothing is sent. Requires the permissions reactor:read, reactor:create, and reactor:update; with --prune also reactor:delete.',
    )
    .argument('[path...]', 'formula folders, or folders that contain some at any depth')
    .option('--plan <file>', 'apply exactly a plan that diff --out saved')
    .option('--dry-run', 'show the plan without changing anything')
    .option('--prune', 'delete formulas in the lock file whose folders under the paths no longer exist')
    .option('--max-deletes <number>', 'maximum number of formulas that --prune may delete (default: 5)')
    .option('--concurrency <number>', 'number of formulas to process in parallel (default: 8)')
    .option('--rate <number>', 'maximum number of requests per second')
    .option('--fail-fast', 'stop after the first failure')
    .option('--force', 'overwrite remote changes since your last pull or push')
    .option('--no-lock', 'ignore formulas.lock.json and match formulas by name')
    .option('--no-history', 'do not save the versions that are replaced or deleted')
    .option('--yes', 'skip the prompt')
    .option('--no-input', 'never prompt')
    .option(
      '--report <format=file>',
      'write the results to a JUnit report (junit), or the plan of --dry-run to Markdown (markdown)',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula push formulas --local\n  formulary formula push formulas --dry-run --local\n  formulary formula push formulas --prune --yes --json --local\n  formulary formula push --plan plan.json --local',
    )
    .action(async (paths, flags) => {
      const limits = parseLimits(flags);
      const session = createSession(flags, host, selectFields(flags), limits);
      if (flags.plan !== undefined) {
        const { pushPlan } = await import('../../program/push-plan.ts');
        return setOutcome(await pushPlan(flags.plan, paths, { ...flags, ...limits }, session));
      }
      const report = openReport(flags.report, selectReports(flags), paths, host);
      if (flags.prune && !flags.dryRun) requireConfirmable('changed', flags, host);
      session.installSignalHandlers();
      const tree = await loadTree(paths, flags, session);
      const context = { paths, tree, flags: { ...flags, ...limits }, report, session };
      if (tree.formulas.length === 0 && !hasRemovals(tree, flags)) return printEmpty(context);
      // Duplicate names are reported without a connection; duplicate ids need the target.
      const duplicates = findDuplicateFolders(tree);
      if (duplicates.size > 0 || tree.formulas.some(({ local }) => !local))
        setOutcome(await reportInvalidFolders(tree, duplicates, report, session));
      else setOutcome(await (flags.dryRun ? showPlan(context) : runPush(context)));
    });
};

interface PushFlags extends PathFlags, PlanFlags, ConfirmFlags, SessionFlags {
  dryRun?: boolean | undefined;
  failFast?: boolean | undefined;
  maxDeletes: number;
  concurrency: number;
}

interface PushContext {
  paths: readonly string[];
  tree: SelectedTree;
  flags: PushFlags;
  report: Report;
  session: Session;
}

const selectReports = ({ dryRun }: { dryRun?: boolean | undefined }) =>
  dryRun ? (['junit', 'markdown'] as const) : (['junit'] as const);

const selectFields = ({ dryRun }: { dryRun?: boolean | undefined }) => (dryRun ? PLAN_FIELDS : PUSH_FIELDS);

function parseLimits(flags: { concurrency?: string; rate?: string; maxDeletes?: string }) {
  return {
    concurrency: parseCount(flags.concurrency, '--concurrency') ?? DEFAULT_CONCURRENCY,
    requestsPerSecond: parseRate(flags.rate, '--rate'),
    maxDeletes: parseMaxDeletes(flags.maxDeletes),
  };
}

/** Raises usage (2), unless an empty list of paths was read. */
async function printEmpty({ paths, tree, flags, report, session }: PushContext): Promise<void> {
  if (!tree.isEmptyList) throw new CliError('usage', 'no formulas selected');
  const { host } = session;
  report.write('junit', { suite: PUSH_TITLE, cases: [] });
  await writePlanReport(report, [], { paths, flags }, host);
  await session.print(flags.dryRun ? planView([], session.isVerbose) : pushView([], host));
  session.note('nothing to do');
}

async function showPlan(context: PushContext): Promise<Outcome> {
  const { paths, tree, flags, report, session } = context;
  const { host } = session;
  const { client, target } = await session.connect();
  const tracking = openTreeTracking(tree, target, flags, session);
  const duplicates = findDuplicateFolders(tree, tracking.ids);
  if (duplicates.size > 0) return reportInvalidFolders(tree, duplicates, report, session);
  const { plan, isShallow, findBase } = await preparePush(tree, tracking, client, flags, host);
  const { steps } = plan;
  warnAboutOverwrites(steps, isShallow, session.warn, host);
  const notStarted = steps.map((step) => ({ step, outcome: 'not_started' as const }));
  report.write('junit', { suite: PUSH_TITLE, cases: toPushCases(notStarted, host) });
  const described = await describeSteps(steps, host);
  await writePlanReport(report, described, { paths, flags, target, findBase }, host);
  addStepSummary(host, `${PUSH_TITLE} --dry-run`, formatPlanSummary(steps), toPlanRows(steps, host));
  await session.print(planView(described, session.isVerbose, findBase));
  session.note(formatPlanSummary(steps));
  formatConflictHints(steps).forEach(session.note);
  return 'ok';
}

const runPush = (context: PushContext): Promise<Outcome> =>
  context.session.write(async (writing) => {
    const { paths, tree, flags, report, session } = context;
    const { host } = session;
    const tracking = openTreeTracking(tree, writing.target, flags, session);
    const duplicates = findDuplicateFolders(tree, tracking.ids);
    if (duplicates.size > 0) return reportInvalidFolders(tree, duplicates, report, session);
    const options = { ...flags, maxCharacters: MAX_CHARACTERS };
    const planned = await preparePush(tree, tracking, writing.client, options, host);
    const { steps } = planned.plan;
    if (steps.some(({ action }) => action === 'update' || action === 'delete')) writing.requireHistory();
    warnAboutOverwrites(steps, planned.isShallow, session.warn, host);
    await confirmDeletions(steps, flags, formatDeletionsHint(paths, flags, writing.client.command), host);
    const applied = await applyPush(planned, writing, flags, session);
    tree.saveCleanCache();
    return finishPush(applied, report, session);
  });
