/** formulary formula push */

import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import { openReport } from '../../report/report-file.ts';
import { requireConfirmable } from '../../session/confirm.ts';
import { findFlag, withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { withAtFlag, withPathFlags, withPathList, withSinceFlag } from '../../session/path-flags.ts';
import { createSession } from '../../session/session.ts';
import { PLAN_FIELDS } from '../../views/plan-view.ts';
import { PUSH_FIELDS } from '../../views/push-view.ts';
import { parseOptions } from './push/options.ts';
import { pushFolders } from './push/push-folders.ts';

export const push: DefineCommand = (command, host, setOutcome) => {
  withServiceFlags(withOutputFlags(withAtFlag(withSinceFlag(withPathFlags(command)))))
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
    .option('--skip-invalid', 'leave out invalid folders, and name them at the end')
    .option('--no-breaking', 'exit with 3, and send nothing, for a change that breaks existing reactors or callers')
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
    .action(async (paths, typedFlags) => {
      if (typedFlags.plan !== undefined) assertPlanAlone(paths, typedFlags);
      const flags = await withPathList(typedFlags, host);
      const options = parseOptions(paths, flags);
      const { isDryRun } = options;
      const session = createSession(flags, host, isDryRun ? PLAN_FIELDS : PUSH_FIELDS, {
        ...options,
        namesService: true,
      });
      if (flags.plan !== undefined) {
        const { applyPlanFile } = await import('./push/apply-plan-file.ts');
        return setOutcome(await applyPlanFile(flags.plan, options, session));
      }
      const report = openReport(flags.report, isDryRun ? ['junit', 'markdown'] : ['junit'], paths, host);
      if (options.prune && !isDryRun) requireConfirmable('changed', flags, host);
      session.installSignalHandlers();
      setOutcome(await pushFolders(options, report, session));
    });
};

/** The flags that a plan decides. */
const EXCLUDED_FLAGS = [
  'dryRun',
  'prune',
  'force',
  'since',
  'at',
  'exclude',
  'pathsFrom',
  'skipInvalid',
  'yes',
] as const;

/** Raises usage (2) for a path, or a flag, that cannot be used with --plan. */
function assertPlanAlone(
  paths: readonly string[],
  flags: { readonly [flag in (typeof EXCLUDED_FLAGS)[number]]?: unknown },
): void {
  const flag = findFlag(flags, EXCLUDED_FLAGS);
  if (paths.length > 0 || flag !== undefined)
    throw new CliError('usage', `--plan cannot be combined with ${flag ?? 'a path'}`);
}
