/** formulary formula diff */

import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import { addStepSummary } from '../../report/add-step-summary.ts';
import { openReport } from '../../report/report-file.ts';
import { withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { loadTree } from '../../session/load-folder.ts';
import {
  formatPathArguments,
  type PathFlags,
  selectFolders,
  withDefaultPath,
  withPathFlags,
  withSinceFlag,
} from '../../session/path-flags.ts';
import { createSession } from '../../session/session.ts';
import { findUnmanaged } from '../../sync/push/find-unmanaged.ts';
import { isChange } from '../../sync/push/plan.ts';
import { findDuplicateFolders, openTreeTracking, type PlanFlags, preparePush } from '../../sync/push/prepare-push.ts';
import { hasRemovals } from '../../sync/since.ts';
import type { CommandFormatter } from '../../text/shell-quote.ts';
import {
  formatConflictHints,
  formatPlanSummary,
  PLAN_FIELDS,
  planView,
  type ShownStep,
  toPlanRows,
} from '../../views/plan-view.ts';
import { assertNoDuplicates, assertValid } from './push/assert-comparable.ts';
import { describeSteps } from './push/describe-steps.ts';
import { warnAboutOverwrites } from './push/overwrites.ts';
import { type OutFlags, openPlanFile } from './push/save-plan.ts';
import { writePlanReport } from './push/write-plan-report.ts';

export const diff: DefineCommand = (command, host, setOutcome) => {
  withServiceFlags(withOutputFlags(withSinceFlag(withPathFlags(command))))
    .description(
      'Show what push would change: field by field, and code as a unified diff. Changes nothing, locally or on the service, and exits with 10 if there are differences. With --out, saves the plan, which push --plan applies exactly. Requires the permission reactor:read.',
    )
    .argument('[path...]', 'formula folders, or folders that contain some at any depth (default: .)')
    .option('--prune', 'also show the formulas that push --prune would delete')
    .option('--report <markdown=file>', 'write the plan to a Markdown report, for comments on pull requests')
    .option('--max-deletes <number>', 'maximum number of formulas that a plan may delete (default: 5)')
    .option('--force', 'plan to overwrite remote changes since your last pull or push')
    .option('--out <file>', 'save the plan for push --plan')
    .option('--unmanaged', 'also list private formulas on the service that match no folder in the paths')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula diff formulas --local\n  formulary formula diff formulas --json --local\n  formulary formula diff formulas --out plan.json --local',
    )
    .action(async (typed, flags) => {
      if (flags.unmanaged && flags.pathsFrom !== undefined)
        throw new CliError('usage', '--unmanaged cannot be combined with --paths-from');
      const paths = withDefaultPath(typed, flags);
      const session = createSession(flags, host, PLAN_FIELDS, { namesService: true });
      const report = openReport(flags.report, ['markdown'], paths, host);
      const { print } = session;
      const savePlan = openPlanFile(flags, paths, session);
      const tree = await loadTree(paths, flags, session);
      if (tree.formulas.length === 0 && !flags.unmanaged && !hasRemovals(tree, flags)) {
        await writePlanReport(report, [], { paths, flags }, host);
        if (flags.out !== undefined) await savePlan(await session.connect(), { tree, prepared: undefined });
        await print(planView([], session.isVerbose));
        return session.note('nothing to do');
      }
      assertValid(tree, paths, flags, host);
      assertNoDuplicates(findDuplicateFolders(tree));
      const connection = await session.connect();
      const { client, target } = connection;
      const tracking = openTreeTracking(tree, target, flags, session);
      assertNoDuplicates(findDuplicateFolders(tree, tracking.ids));
      const prepared = await preparePush(tree, tracking, client, flags, host);
      const unmanaged = flags.unmanaged
        ? findUnmanaged(
            prepared.plan,
            prepared.remotes,
            tracking.ids,
            (await selectFolders(paths, { withSkipped: true }, { host, note: () => undefined })).folders,
          )
        : [];
      const steps = [...prepared.plan.steps, ...unmanaged];
      warnAboutOverwrites(prepared.plan.steps, prepared.isShallow, session.warn, host);
      const described = await describeSteps(steps, host);
      await writePlanReport(report, described, { paths, flags, target, findBase: prepared.findBase }, host);
      addStepSummary(host, 'formulary formula diff', formatPlanSummary(steps), toPlanRows(steps, host));
      await savePlan(connection, { tree, prepared });
      await print(planView(described, session.isVerbose, prepared.findBase));
      session.note(formatPlanSummary(steps));
      formatConflictHints(steps).forEach(session.note);
      const next = formatNextStep(steps, formatPushArguments(paths, flags), client.command);
      if (next) session.note(next);
      if (steps.some(isChange)) setOutcome('differs');
    });
};

/** The arguments of the push that applies the plan; undefined if they, or the plan, cannot be read again. */
function formatPushArguments(
  paths: readonly string[],
  flags: PathFlags & PlanFlags & OutFlags,
): readonly string[] | undefined {
  if (flags.out !== undefined) return /^\/(?:dev|proc)\//.test(flags.out) ? undefined : ['--plan', flags.out];
  const selection = formatPathArguments(paths, flags);
  return selection && [...selection, ...(flags.prune ? ['--prune'] : []), ...(flags.force ? ['--force'] : [])];
}

/** The push that applies the plan; undefined without one, or if it would be refused. */
function formatNextStep(
  steps: readonly ShownStep[],
  pushArguments: readonly string[] | undefined,
  command: CommandFormatter,
): string | undefined {
  const isRefused = steps.some(({ action }) => action === 'conflict');
  const hasChanges = steps.some((step) => isChange(step) && step.action !== 'unmanaged');
  if (hasChanges && pushArguments && !isRefused) return `next: ${command('formula push', ...pushArguments)}`;
  return !hasChanges && steps.some(({ action }) => action === 'unmanaged')
    ? `next: to write unmanaged formulas to folders, run: ${command('formula pull', 'ID')}`
    : undefined;
}
