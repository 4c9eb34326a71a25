/** push --plan FILE: applies exactly the saved plan, or sends nothing. */
import { join, resolve } from 'node:path';
import { CliError, type Outcome } from '../../../errors.ts';
import { fileUsageError } from '../../../files/file-errors.ts';
import { toRelative } from '../../../files/paths.ts';
import { readRegularFile } from '../../../files/regular-file.ts';
import type { Host } from '../../../host/host.ts';
import { escapeControls } from '../../../output/escape.ts';
import { openReport, type Report } from '../../../report/report-file.ts';
import type { Connection } from '../../../session/connection.ts';
import type { Session } from '../../../session/session.ts';
import {
  findDoneDeletions,
  type RecomputedStep,
  type RejectionContext,
  recomputeSteps,
  selectPlanned,
  toRejectedResults,
} from '../../../sync/push/compare-plan.ts';
import { isChange, type StepResult } from '../../../sync/push/plan.ts';
import { type PlanFile, parsePlanFile } from '../../../sync/push/plan-file.ts';
import type { PushPlan } from '../../../sync/push/plan-push.ts';
import { toPathArgument } from '../../../text/shell-quote.ts';
import { formatPushSummary } from '../../../views/push-view.ts';
import { applyPlan } from './apply-plan.ts';
import { findInvalid } from './check-folders.ts';
import { assertDeletionsAllowed, type PushOptions } from './options.ts';
import { findBreaking, planFolders, printWarnings } from './plan-folders.ts';
import { findPlanRepository, loadPlanTree, type PlanTree } from './plan-tree.ts';
import { finishPush, printUnsent } from './print-results.ts';
import { replacesVersions } from './push-folders.ts';

declare const FORMULARY_VERSION: string;

/**
 * Raises usage (2) for a file that cannot be read, a plan for another service, or too many deletions; invalid (3) for a
 * file that is not a plan.
 */
export async function applyPlanFile(file: string, options: PushOptions, session: Session): Promise<Outcome> {
  const { host } = session;
  const report = openReport(options.report, ['junit'], [], host);
  session.installSignalHandlers();
  const saved = readPlanFile(file, host);
  const connection = await session.connect();
  assertSameService(saved, file, connection);
  const deletions = saved.steps.filter(({ action }) => action === 'delete').length;
  assertDeletionsAllowed(deletions, options, { subject: 'the plan', notDone: 'nothing was changed' });
  if (deletions > 0 && !options.usesLockFiles)
    throw new CliError('usage', '--no-lock cannot be used with a plan that deletes formulas');
  if (saved.steps.length === 0) return finishPush({ results: [] }, report, session);
  const repository = findPlanRepository(saved, host);
  const formatFolder = (path: string) => toRelative(host.cwd(), path) || '.';
  const command = formatDiffCommand(saved, file, connection, (path) => formatFolder(join(repository, path)));
  const hint = `To create a new plan, run: ${command}`;
  if (saved.steps.some(({ action }) => action === 'conflict')) {
    const steps = saved.steps.map((planned) => ({ planned, path: join(repository, planned.folder) }));
    const resolve = { hint: `To see how to resolve the conflict, run: ${command}`, formatFolder };
    return printRejected(toRejectedResults(steps, resolve), report, session);
  }
  const tree = await loadPlanTree(saved, repository, session);
  const invalid = findInvalid(tree.planned.folders, tree.all.folders);
  if (invalid) return printUnsent(invalid, report, session);
  const isElsewhere = tree.planned.folders.length === 0 && deletions < saved.steps.length;
  const rejection = {
    hint: isElsewhere ? `Run the command in the repository of the plan.\n${hint}` : hint,
    formatFolder,
  };
  const planOptions = { ...options, prune: deletions > 0, force: saved.force ?? false };
  return applyPlanned({ saved, repository, tree, rejection, report }, planOptions, session);
}

interface PlanContext {
  saved: PlanFile;
  /** The folder that the paths of the plan are relative to. */
  repository: string;
  tree: PlanTree;
  rejection: RejectionContext;
  report: Report;
}

const printRejected = (results: readonly StepResult[], report: Report, session: Session) =>
  printUnsent(results, report, session, `nothing was sent: ${formatPushSummary(results)}`);

/** Plans again; applies the plan if each step is equal, or done already. */
const applyPlanned = (
  { saved, repository, tree, rejection, report }: PlanContext,
  options: PushOptions,
  session: Session,
): Promise<Outcome> =>
  session.write(async (writing) => {
    const { plan, invalid } = await planFolders(tree.all, writing, { ...options, skipsInvalid: true }, session);
    const isPlanned = ({ folder }: StepResult) => tree.planned.folders.some((one) => one.folder.path === folder.path);
    if (!plan || invalid.some(isPlanned)) return printUnsent(invalid, report, session);
    const recomputed = recomputeSteps(saved.steps, repository, plan, options);
    if (recomputed.some(({ change }) => change)) {
      const versions = `the plan was created by formulary ${saved.tool_version}; this is ${FORMULARY_VERSION}`;
      if (saved.tool_version !== FORMULARY_VERSION) session.note(escapeControls(`note: ${versions}`));
      return printRejected(toRejectedResults(recomputed, rejection), report, session);
    }
    const selected = selectPlanned(plan, recomputed);
    const breaking = findBreaking(selected, options);
    if (breaking) return printUnsent(breaking, report, session);
    if (replacesVersions(selected.steps)) await session.requireHistory();
    printWarnings(selected, session);
    const { results, ...applied } = await applyPlan(selected, writing, options, session);
    printOthers(plan, recomputed, session);
    const done = findDoneDeletions(recomputed, rejection.formatFolder);
    return finishPush({ ...applied, results: [...results, ...done] }, report, session);
  });

/** Raises usage (2) for a file that cannot be read, invalid (3) for one that is not a plan. */
function readPlanFile(typedPath: string, host: Host): PlanFile {
  let bytes: Buffer;
  try {
    bytes = readRegularFile(resolve(host.cwd(), typedPath));
  } catch (error) {
    throw fileUsageError(`could not read the plan ${typedPath}`, error);
  }
  return parsePlanFile(bytes, typedPath);
}

/** Raises usage (2) for a plan for another base URL or target. */
function assertSameService(plan: PlanFile, file: string, { lockName, target }: Connection): void {
  const [what, planned, actual] =
    plan.base_url === lockName ? ['target', plan.target, target.name] : ['base URL', plan.base_url, lockName];
  if (planned === actual) return;
  throw new CliError('usage', `the plan ${file} is for another ${what}: ${escapeControls(planned)} (got ${actual})`, {
    hint: `Use the ${what} of the plan, or create a plan for this one with formula diff --out.`,
  });
}

/** A longer list of paths is left out of the command. */
const MAX_PATHS = 5;

function formatDiffCommand(
  { paths, steps, force, since, at }: PlanFile,
  file: string,
  { client }: Connection,
  formatPath: (path: string) => string,
): string {
  const isShort = paths.length > 0 && paths.length <= MAX_PATHS;
  return client.command(
    'formula diff',
    ...(isShort ? paths.map((path) => toPathArgument(formatPath(path))) : ['PATH']),
    ...(steps.some(({ action }) => action === 'delete') ? ['--prune'] : []),
    ...(force ? ['--force'] : []),
    ...(since === undefined ? [] : ['--since', since]),
    ...(at === undefined ? [] : ['--at', at]),
    '--out',
    toPathArgument(file),
  );
}

function printOthers({ steps }: PushPlan, planned: readonly RecomputedStep[], { note }: Session): void {
  const paths = new Set(planned.map(({ path }) => path));
  const { length } = steps.filter((step) => isChange(step) && !paths.has(step.folder.path));
  if (length === 1) note('note: 1 formula outside the plan differs');
  if (length > 1) note(`note: ${length} formulas outside the plan differ`);
}
