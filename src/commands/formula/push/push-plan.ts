/** push --plan FILE: applies exactly the saved plan, or sends nothing. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CliError, type Outcome } from '../../../errors.ts';
import { findRealPath, isWithin, realPath, toRelative } from '../../../files/paths.ts';
import { findCurrentRepository, isWorkingCopy } from '../../../files/repository.ts';
import type { Host } from '../../../host/host.ts';
import { escapeControls } from '../../../output/escape.ts';
import { openReport, type Report } from '../../../report/report-file.ts';
import type { Connection } from '../../../session/connection.ts';
import { listErrors, printHints } from '../../../session/print-errors.ts';
import type { Session } from '../../../session/session.ts';
import type { StepResult } from '../../../sync/push/apply.ts';
import {
  findDoneDeletions,
  type RejectionContext,
  recomputeSteps,
  selectPlanned,
  toRejectedResults,
} from '../../../sync/push/compare-plan.ts';
import { isChange, type Step } from '../../../sync/push/plan.ts';
import type { PlanFile } from '../../../sync/push/plan-file.ts';
import { findDuplicateFolders, openTreeTracking, preparePush } from '../../../sync/push/prepare-push.ts';
import { toPathArgument } from '../../../text/shell-quote.ts';
import { formatPushSummary, pushView, toPushCases } from '../../../views/push-view.ts';
import { applyPush, finishPush, PUSH_TITLE, reportFailures, reportInvalidFolders } from './apply-push.ts';
import { warnAboutOverwrites } from './overwrites.ts';
import { loadPlanTree, type PlanTree } from './plan-folders.ts';
import { assertDeletionsAllowed } from './push-deletions.ts';
import { assertPlanAlone, assertSameService, type ExcludedFlags, readPlanFile } from './read-plan.ts';

declare const FORMULARY_VERSION: string;

interface PushPlanFlags extends ExcludedFlags {
  report?: string | undefined;
  maxDeletes: number;
  concurrency: number;
  failFast?: boolean | undefined;
  /** False with --no-lock. */
  lock?: boolean | undefined;
}

/**
 * Raises usage (2) for a file that cannot be read, a plan for another service, or too many deletions; invalid (3) for a
 * file that is not a plan.
 */
export async function pushPlan(
  file: string,
  paths: readonly string[],
  flags: PushPlanFlags,
  session: Session,
): Promise<Outcome> {
  const { host } = session;
  assertPlanAlone(paths, flags);
  const report = openReport(flags.report, ['junit'], [], host);
  session.installSignalHandlers();
  const plan = readPlanFile(file, host);
  const connection = await session.connect();
  assertSameService(plan, file, connection);
  const deletions = countDeletions(plan);
  assertDeletionsAllowed(deletions, flags.maxDeletes, { subject: 'the plan', notDone: 'nothing was changed' });
  if (deletions > 0 && flags.lock === false)
    throw new CliError('usage', '--no-lock cannot be used with a plan that deletes formulas');
  if (plan.steps.length === 0) return finishPush({ results: [], flushError: undefined }, report, session);
  const repository = findPlanRepository(plan, host);
  const refusal = createRejectionContext(plan, file, repository, connection, host);
  if (plan.steps.some(({ action }) => action === 'conflict')) {
    const steps = plan.steps.map((planned) => ({ planned, path: join(repository, planned.folder) }));
    return rejectPlan(toRejectedResults(steps, refusal), report, session);
  }
  const tree = await loadPlanTree(plan, repository, session);
  if (tree.planned.formulas.some(({ local }) => !local))
    return reportInvalidFolders(tree.planned, new Map(), report, session);
  const isElsewhere = tree.planned.formulas.length === 0 && deletions < plan.steps.length;
  const hint = isElsewhere ? `Run the command in the repository of the plan.\n${refusal.hint}` : refusal.hint;
  return applyPlan({ plan, tree, repository, refusal: { ...refusal, hint }, flags, report }, session);
}

/**
 * The repository of a plan, seen from the folder in which diff ran, otherwise the one that contains the current folder. A
 * folder or lock file of the plan shows which. A plan is input: in a working copy, it does not lead out of it.
 */
function findPlanRepository({ repository, steps }: PlanFile, host: Host): string {
  const cwd = realPath(host.cwd());
  const current = findCurrentRepository({ cwd, home: host.home });
  const saved = resolve(cwd, repository);
  const isAllowed = isWithin(saved, current)
    ? !toRelative(current, saved).split('/').includes('node_modules')
    : !isWorkingCopy(current);
  const isThere = steps.some(({ folder, lock_file: file }) =>
    [folder, file].some((path) => path !== null && existsSync(join(saved, path))),
  );
  return isAllowed && isThere && findRealPath(saved) === saved ? saved : current;
}

interface PlanContext {
  plan: PlanFile;
  tree: PlanTree;
  repository: string;
  refusal: RejectionContext;
  flags: PushPlanFlags;
  report: Report;
}

const applyPlan = ({ plan, tree, repository, refusal, flags, report }: PlanContext, session: Session) =>
  session.write(async (writing): Promise<Outcome> => {
    const { host, note, warn } = session;
    const options = { prune: countDeletions(plan) > 0, force: plan.force, lock: flags.lock };
    const tracking = openTreeTracking(tree.all, writing.target, options, session);
    const folders = new Set(tree.planned.formulas.map(({ folder }) => folder));
    const duplicates = [...findDuplicateFolders(tree.all, tracking.ids)].filter(([folder]) => folders.has(folder));
    if (duplicates.length > 0) return reportInvalidFolders(tree.planned, new Map(duplicates), report, session);
    const prepared = await preparePush(tree.all, tracking, writing.client, options, host);
    const context = { repository, prepared, ignoresLockFiles: flags.lock === false };
    const recomputed = await recomputeSteps(plan.steps, context, host);
    if (recomputed.some(({ change }) => change)) {
      const versions = `the plan was created by formulary ${plan.tool_version}; this is ${FORMULARY_VERSION}`;
      if (plan.tool_version !== FORMULARY_VERSION) note(escapeControls(`note: ${versions}`));
      return rejectPlan(toRejectedResults(recomputed, refusal), report, session);
    }
    const selected = selectPlanned(prepared, recomputed);
    const { steps } = selected.plan;
    if (steps.some(({ action }) => action === 'update' || action === 'delete')) writing.requireHistory();
    warnAboutOverwrites(steps, prepared.isShallow, warn, host);
    const { results, flushError } = await applyPush(selected, writing, flags, session);
    noteOthers(prepared.plan.steps, recomputed, session);
    return finishPush({ results: [...results, ...findDoneDeletions(recomputed)], flushError }, report, session);
  });

const countDeletions = ({ steps }: PlanFile) => steps.filter(({ action }) => action === 'delete').length;

/** A longer list of paths is left out of the hint. */
const MAX_PATHS = 5;

function createRejectionContext(
  plan: PlanFile,
  file: string,
  repository: string,
  { client }: Connection,
  host: Host,
): RejectionContext {
  const formatFolder = (path: string) => toRelative(host.cwd(), path) || '.';
  const paths = plan.paths.map((path) => toPathArgument(formatFolder(join(repository, path))));
  const command = client.command(
    'formula diff',
    ...(paths.length > 0 && paths.length <= MAX_PATHS ? paths : ['PATH']),
    ...(plan.steps.some(({ action }) => action === 'delete') ? ['--prune'] : []),
    ...(plan.force ? ['--force'] : []),
    ...(plan.since === undefined ? [] : ['--since', plan.since]),
    '--out',
    toPathArgument(file),
  );
  return { formatFolder, hint: `To create a new plan, run: ${command}` };
}

/** Prints and reports what keeps the plan from being applied. */
async function rejectPlan(
  results: readonly StepResult[],
  report: Report,
  { host, print, note }: Session,
): Promise<Outcome> {
  reportFailures(results, host);
  report.write('junit', { suite: PUSH_TITLE, cases: toPushCases(results, host) });
  await print(pushView(results, host));
  note(`nothing was sent: ${formatPushSummary(results)}`);
  printHints(listErrors(results), host);
  return results.some(({ outcome }) => outcome === 'invalid') ? 'invalid' : 'conflict';
}

function noteOthers(steps: readonly Step[], planned: readonly { path: string }[], { note }: Session): void {
  const paths = new Set(planned.map(({ path }) => path));
  const { length } = steps.filter((step) => isChange(step) && !paths.has(step.path));
  if (length === 1) note('note: 1 formula outside the plan differs');
  if (length > 1) note(`note: ${length} formulas outside the plan differ`);
}
