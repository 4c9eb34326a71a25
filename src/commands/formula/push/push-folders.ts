/** push: checks, plans, and applies, after the prompt for deletions. */
import { isDeepStrictEqual } from 'node:util';
import { CliError, type Outcome } from '../../../errors.ts';
import type { Host } from '../../../host/host.ts';
import type { Report } from '../../../report/report-file.ts';
import { confirmAndWrite, confirmFormulas } from '../../../session/confirm.ts';
import type { Connection } from '../../../session/connection.ts';
import { selectFolders } from '../../../session/path-flags.ts';
import type { Session } from '../../../session/session.ts';
import { listDeletions, type Step, type StepResult, toResult } from '../../../sync/push/plan.ts';
import type { PushPlan } from '../../../sync/push/plan-push.ts';
import type { SelectedTree } from '../../../sync/since.ts';
import { toPushCases } from '../../../views/push-view.ts';
import { applyPlan } from './apply-plan.ts';
import { checkFolders, formatLeftOut, formatSkipHint, isNothingSelected } from './check-folders.ts';
import { assertDeletionsAllowed, type PushOptions } from './options.ts';
import { assertNotBreaking, findBreaking, planFolders, printWarnings, settleFolders } from './plan-folders.ts';
import { finishPush, NOT_SENT, PUSH_TITLE, printUnsent } from './print-results.ts';
import { findBases, showPlan } from './show-plan.ts';

/** The folders of a push, without those that were left out. */
interface PushRun {
  tree: SelectedTree;
  leftOut: StepResult[];
  report: Report;
  /** Prints and reports the results of folders that block the others. */
  reject(results: readonly StepResult[]): Promise<Outcome>;
}

/** Raises usage (2) if no folder is selected. */
export async function pushFolders(options: PushOptions, report: Report, session: Session): Promise<Outcome> {
  const selected = await selectFolders(options.paths, options, session);
  const tree = await checkFolders(selected, session);
  if (isNothingSelected(tree, options)) {
    if (!tree.isEmptyList) throw new CliError('usage', 'no formulas selected');
    if (!options.isDryRun) return printUnsent([], report, session, 'nothing to do');
    await showPlan([], { title: PUSH_TITLE, target: undefined, report }, options, session);
    return 'ok';
  }
  const reject = (results: readonly StepResult[]) => {
    const advice = options.at === undefined ? NOT_SENT : 'Nothing was sent. Pass another commit to --at.';
    const skip = formatSkipHint(results, options, session.host.cwd());
    return printUnsent(results, report, session, [advice, skip].filter(Boolean).join('\n'));
  };
  const { tree: rest, invalid: leftOut } = await settleFolders(tree, options, session);
  if (!rest) return reject(leftOut);
  return (options.isDryRun ? showPush : confirmAndPush)({ tree: rest, leftOut, report, reject }, options, session);
}

async function confirmAndPush(
  { tree, leftOut, report, reject }: PushRun,
  options: PushOptions,
  session: Session,
): Promise<Outcome> {
  const plan = async (connection: Connection) => {
    const planned = await planFolders(tree, connection, options, session);
    const steps = planned.plan?.steps ?? [];
    if (replacesVersions(steps)) await session.requireHistory();
    const message = { subject: '--prune', notDone: 'nothing was changed' };
    assertDeletionsAllowed(listDeletions(steps).length, options, message, connection.client.command);
    return planned;
  };
  const planAndConfirm = async (connection: Connection) => {
    const { plan: planned } = await plan(connection);
    if (!planned) return undefined;
    printWarnings(planned, session);
    assertNotBreaking(planned, options);
    await confirmDeletions(planned.steps, session.host);
    return planned;
  };
  return confirmAndWrite(session, {
    confirm: options.prune && !options.isConfirmed ? planAndConfirm : undefined,
    apply: async (writing, confirmed) => {
      const now = await plan(writing);
      if (!now.plan) return reject(now.invalid);
      const breaking = findBreaking(now.plan, options);
      if (breaking) return printUnsent(breaking, report, session);
      if (confirmed) assertSameDeletions(confirmed.steps, now.plan.steps);
      printWarnings(confirmed ? withoutKnownWarnings(now.plan, confirmed) : now.plan, session);
      const applied = await applyPlan(now.plan, writing, options, session);
      tree.saveCleanCache();
      return finishPush({ ...applied, leftOut: [...leftOut, ...now.invalid] }, report, session);
    },
  });
}

/** push --dry-run: prints and reports the plan. */
async function showPush(
  { tree, leftOut, report, reject }: PushRun,
  options: PushOptions,
  session: Session,
): Promise<Outcome> {
  const connection = await session.connect();
  const { plan, invalid } = await planFolders(tree, connection, options, session);
  if (!plan) return reject(invalid);
  printWarnings(plan, session);
  const { steps } = plan;
  const bases = await findBases(plan, tree, session.host);
  const cases = toPushCases(steps.map((step) => toResult(step, 'not_started')));
  report.write('junit', { suite: PUSH_TITLE, cases });
  const shown = { title: `${PUSH_TITLE} --dry-run`, target: connection.target.name, report, bases };
  await showPlan(steps, shown, options, session);
  assertNotBreaking(plan, options);
  const allLeftOut = [...leftOut, ...invalid];
  formatLeftOut(allLeftOut).forEach(session.note);
  return allLeftOut.length > 0 ? 'invalid' : 'ok';
}

export const replacesVersions = (steps: readonly Step[]): boolean =>
  steps.some(({ action }) => action === 'update' || action === 'delete');

function withoutKnownWarnings(plan: PushPlan, known: PushPlan): PushPlan {
  const warned = new Set(
    known.steps.flatMap(({ folder, overwrites, breaking }) => (overwrites || breaking ? [folder.path] : [])),
  );
  return { ...plan, notes: [], steps: plan.steps.filter(({ folder }) => !warned.has(folder.path)) };
}

/** Raises usage (2) if the user declines. */
async function confirmDeletions(steps: readonly Step[], host: Host): Promise<void> {
  const lines = listDeletions(steps).map(({ remote, name }) => `${remote.id}  ${name}`);
  const remarks = [', whose folder no longer exists', ', whose folders no longer exist'] as const;
  if (lines.length > 0) await confirmFormulas('Delete', lines, host, remarks);
}

/** Raises conflict (6) if the deletions are others than the user confirmed. */
function assertSameDeletions(confirmed: readonly Step[], now: readonly Step[]): void {
  const [before, after] = [confirmed, now].map((steps) => new Set(listDeletions(steps).map(({ remote }) => remote.id)));
  if (isDeepStrictEqual(before, after)) return;
  throw new CliError('conflict', 'the formulas to delete changed in the meantime; nothing was changed', {
    hint: 'Run the command again.',
  });
}
