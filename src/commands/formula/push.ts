/** formulary formula push */

import type { DefineCommand } from '../../cli/define.ts';
import { openReport } from '../../report/report-file.ts';
import { requireConfirmable } from '../../session/confirm.ts';
import { parseCount, parseMaxDeletes, parseRate, withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { loadTree } from '../../session/load-folder.ts';
import { withPathFlags, withPathList, withSinceFlag } from '../../session/path-flags.ts';
import { createSession } from '../../session/session.ts';
import { findDuplicateFolders } from '../../sync/push/prepare-push.ts';
import { hasRemovals } from '../../sync/since.ts';
import { PLAN_FIELDS } from '../../views/plan-view.ts';
import { PUSH_FIELDS } from '../../views/push-view.ts';
import { reportInvalidFolders } from './push/apply-push.ts';
import { pushTree } from './push/push-tree.ts';
import { printEmptyPush, showPushPlan } from './push/show-push-plan.ts';

const DEFAULT_CONCURRENCY = 8;

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
    .action(async (paths, typedFlags) => {
      const flags = await withPathList(typedFlags, host);
      const limits = parseLimits(flags);
      const session = createSession(flags, host, selectFields(flags), { ...limits, namesService: true });
      if (flags.plan !== undefined) {
        const { pushPlan } = await import('./push/push-plan.ts');
        return setOutcome(await pushPlan(flags.plan, paths, { ...flags, ...limits }, session));
      }
      const report = openReport(flags.report, selectReports(flags), paths, host);
      if (flags.prune && !flags.dryRun) requireConfirmable('changed', flags, host);
      session.installSignalHandlers();
      const tree = await loadTree(paths, flags, session);
      const context = { paths, tree, flags: { ...flags, ...limits }, report, session };
      if (tree.formulas.length === 0 && !hasRemovals(tree, flags)) return printEmptyPush(context);
      // Duplicate names are reported without a connection; duplicate ids need the target.
      const duplicates = findDuplicateFolders(tree);
      if (duplicates.size > 0 || tree.formulas.some(({ local }) => !local))
        setOutcome(await reportInvalidFolders(tree, duplicates, report, session));
      else setOutcome(await (flags.dryRun ? showPushPlan(context) : pushTree(context)));
    });
};

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
