/** push --plan FILE: applies exactly the saved plan, or sends nothing. */
import { join, resolve } from 'node:path';
import { CliError, type Outcome } from '../errors.ts';
import { fileUsageError } from '../files/file-errors.ts';
import { toRelative } from '../files/paths.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { findCurrentRepository } from '../files/repository.ts';
import type { Host } from '../host/host.ts';
import { escapeControls } from '../output/escape.ts';
import { openReport, type Report } from '../report/report-file.ts';
import type { StepResult } from '../sync/push/apply.ts';
import { type PlanFile, parsePlanFile } from '../sync/push/plan-file.ts';
import { findDuplicateFolders, openTreeTracking, preparePush } from '../sync/push/prepare-push.ts';
import { findDoneDeletions, recomputeSteps, selectPlanned } from '../sync/push/recompute-plan.ts';
import { type RefusalContext, toConflictResults, toStaleResults } from '../sync/push/refuse-plan.ts';
import { toPathArgument } from '../text/shell-quote.ts';
import { formatPushSummary, pushView, toPushCases } from '../views/push-view.ts';
import {
  applyPush,
  assertDeletionsAllowed,
  finishPush,
  PUSH_TITLE,
  printErrors,
  reportInvalidFolders,
} from './apply-push.ts';
import type { Connection } from './connection.ts';
import { warnAboutOverwrites } from './overwrites.ts';
import { loadPlanTree } from './plan-folders.ts';
import type { Session } from './session.ts';

declare const FORMULARY_VERSION: string;

interface PushPlanFlags extends ExcludedFlags {
  report?: string | undefined;
  maxDeletes: number;
  concurrency: number;
  failFast?: boolean | undefined;
  /** False with --no-lock. */
  lock?: boolean | undefined;
}

/** The flags that a plan decides. */
const EXCLUDED_FLAGS = ['dryRun', 'prune', 'force', 'since', 'exclude', 'pathsFrom', 'yes'] as const;

type ExcludedFlags = { readonly [flag in (typeof EXCLUDED_FLAGS)[number]]?: unknown };

/** Raises usage (2) for a path, or a flag, that cannot be used with --plan. */
function assertPlanAlone(paths: readonly string[], flags: ExcludedFlags): void {
  const flag = EXCLUDED_FLAGS.find((name) => flags[name] !== undefined);
  if (paths.length === 0 && flag === undefined) return;
  const name = flag?.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new CliError('usage', `--plan cannot be combined with ${name === undefined ? 'a path' : `--${name}`}`);
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
  const deletions = plan.steps.filter(({ action }) => action === 'delete').length;
  assertDeletionsAllowed(deletions, flags.maxDeletes, { subject: 'the plan', notDone: 'nothing was changed' });
  if (plan.steps.length === 0) return finishPush({ results: [], flushError: undefined }, report, session);
  const repository = findCurrentRepository({ cwd: host.cwd(), home: host.home });
  const refusal = createRefusalContext(plan, file, repository, connection, host);
  if (plan.steps.some(({ action }) => action === 'conflict')) {
    const steps = plan.steps.map((planned) => ({ planned, path: join(repository, planned.folder) }));
    return refusePlan(toConflictResults(steps, refusal), report, session);
  }
  const tree = await loadPlanTree(plan, repository, session);
  if (tree.planned.formulas.some(({ local }) => !local))
    return reportInvalidFolders(tree.planned, new Map(), report, session);
  return session.write(async (writing) => {
    const options = { prune: deletions > 0, force: plan.force, lock: flags.lock };
    const tracking = openTreeTracking(tree.all, writing.target, options, session);
    const folders = new Set(tree.planned.formulas.map(({ folder }) => folder));
    const duplicates = [...findDuplicateFolders(tree.all, tracking.ids)].filter(([folder]) => folders.has(folder));
    if (duplicates.length > 0) return reportInvalidFolders(tree.planned, new Map(duplicates), report, session);
    const prepared = await preparePush(tree.all, tracking, writing.client, options, host);
    const context = { repository, prepared, ignoresLockFiles: flags.lock === false };
    const recomputed = await recomputeSteps(plan.steps, context, host);
    if (recomputed.some(({ comparison }) => comparison.state === 'changed')) {
      if (plan.tool_version !== FORMULARY_VERSION)
        session.note(
          escapeControls(`note: the plan was created by formulary ${plan.tool_version}; this is ${FORMULARY_VERSION}`),
        );
      return refusePlan(toStaleResults(recomputed, refusal), report, session);
    }
    const selected = selectPlanned(prepared, recomputed);
    const { steps } = selected.plan;
    if (steps.some(({ action }) => action === 'update' || action === 'delete')) writing.requireHistory();
    warnAboutOverwrites(steps, prepared.isShallow, session.warn, host);
    const { results, flushError } = await applyPush(selected, writing, flags, session);
    noteOthers(prepared.plan.steps, recomputed, session);
    return finishPush({ results: [...results, ...findDoneDeletions(recomputed)], flushError }, report, session);
  });
}

function readPlanFile(typedPath: string, host: Host): PlanFile {
  let bytes: Buffer;
  try {
    bytes = readRegularFile(resolve(host.cwd(), typedPath));
  } catch (error) {
    throw fileUsageError(`could not read the plan ${typedPath}`, error);
  }
  return parsePlanFile(bytes, typedPath);
}

function assertSameService(plan: PlanFile, file: string, { lockName, target }: Connection): void {
  const [what, planned, actual] =
    plan.base_url === lockName ? ['target', plan.target, target.name] : ['base URL', plan.base_url, lockName];
  if (planned === actual) return;
  throw new CliError('usage', `the plan ${file} is for another ${what}: ${planned} (got ${actual})`, {
    hint: `Use the ${what} of the plan, or create a plan for this one with formula diff --out.`,
  });
}

/** A longer list of paths is left out of the hint. */
const MAX_PATHS = 5;

function createRefusalContext(
  plan: PlanFile,
  file: string,
  repository: string,
  { client }: Connection,
  host: Host,
): RefusalContext {
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
async function refusePlan(
  results: readonly StepResult[],
  report: Report,
  { host, print, note }: Session,
): Promise<Outcome> {
  printErrors(results, host);
  report.write('junit', { suite: PUSH_TITLE, cases: toPushCases(results, host) });
  await print(pushView(results, host));
  note(`nothing was sent: ${formatPushSummary(results)}`);
  return results.some(({ outcome }) => outcome === 'invalid') ? 'invalid' : 'conflict';
}

function noteOthers(
  steps: readonly { path: string; action: string }[],
  planned: readonly { path: string }[],
  { note }: Session,
): void {
  const paths = new Set(planned.map(({ path }) => path));
  const { length } = steps.filter(({ path, action }) => action !== 'keep' && !paths.has(path));
  if (length === 1) note('note: 1 formula outside the plan differs');
  if (length > 1) note(`note: ${length} formulas outside the plan differ`);
}
