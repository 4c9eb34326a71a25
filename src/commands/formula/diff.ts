/** formulary formula diff */

import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { openReport } from '../../report/report-file.ts';
import { withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import {
  formatPathArguments,
  selectFolders,
  withAtFlag,
  withDefaultPath,
  withPathFlags,
  withSinceFlag,
} from '../../session/path-flags.ts';
import { createSession } from '../../session/session.ts';
import { findUnmanaged } from '../../sync/push/find-unmanaged.ts';
import { isChange, type StepResult } from '../../sync/push/plan.ts';
import type { PushPlan } from '../../sync/push/plan-push.ts';
import { type CommandFormatter, createCommandFormatter, toPathArgument } from '../../text/shell-quote.ts';
import { listFirst } from '../../text/shorten.ts';
import { PLAN_FIELDS, type ShownStep } from '../../views/plan-view.ts';
import { checkFolders, formatLeftOut, formatSkipHint, isNothingSelected } from './push/check-folders.ts';
import { formatPlanArguments, type PushOptions, parseOptions } from './push/options.ts';
import { assertNotBreaking, planFolders, printWarnings, settleFolders } from './push/plan-folders.ts';
import { openPlanFile } from './push/save-plan.ts';
import { findBases, showPlan } from './push/show-plan.ts';

export const diff: DefineCommand = (command, host, setOutcome) => {
  withServiceFlags(withOutputFlags(withAtFlag(withSinceFlag(withPathFlags(command)))))
    .description(
      'Show what push would change: field by field, and code as a unified diff. Changes nothing, locally or on the service, and exits with 10 if there are differences. With --out, saves the plan, which push --plan applies exactly. Requires the permission reactor:read.',
    )
    .argument('[path...]', 'formula folders, or folders that contain some at any depth (default: .)')
    .option('--prune', 'also show the formulas that push --prune would delete')
    .option('--report <markdown=file>', 'write the plan to a Markdown report, for comments on pull requests')
    .option('--max-deletes <number>', 'maximum number of formulas that a plan may delete (default: 5)')
    .option('--force', 'plan to overwrite remote changes since your last pull or push')
    .option('--skip-invalid', 'leave out invalid folders, and name them at the end')
    .option('--no-breaking', 'exit with 3 for a change that breaks existing reactors or callers')
    .option('--out <file>', 'save the plan for push --plan')
    .option('--unmanaged', 'also list private formulas on the service that match no folder in the paths')
    .action(async (typed, flags) => {
      const { out, unmanaged = false } = flags;
      const options = parseOptions(withDefaultPath(typed, flags), flags);
      const { paths } = options;
      const session = createSession(flags, host, PLAN_FIELDS, { namesService: true });
      const report = openReport(flags.report, ['markdown'], paths, host);
      const savePlan = openPlanFile(out, options, session);
      const tree = await checkFolders(await selectFolders(paths, options, session), session);
      const title = 'formulary formula diff';
      if (!unmanaged && isNothingSelected(tree, options)) {
        await savePlan?.(await session.connect(), tree, undefined);
        return showPlan([], { title, target: undefined, report }, options, session);
      }
      const { tree: rest, invalid } = await settleFolders(tree, options, session);
      if (!rest) throw notComparableError(invalid, options, host);
      const connection = await session.connect();
      const { plan, invalid: late } = await planFolders(rest, connection, options, session);
      if (!plan) throw notComparableError(late, options, host);
      const others = unmanaged ? await listUnmanaged(plan, paths, host) : undefined;
      const steps = [...plan.steps, ...(others ?? [])];
      printWarnings(plan, session);
      await savePlan?.(connection, rest, plan);
      const bases = await findBases(plan, rest, host);
      const shown = { title, target: connection.target.name, report, bases };
      await showPlan(steps, shown, options, session);
      assertNotBreaking(plan, options);
      if (others?.length === 0) session.note('0 unmanaged');
      const next = formatNextStep(steps, out, options, connection.client.command);
      [...next, ...formatLeftOut([...invalid, ...late])].forEach(session.note);
      if (steps.some(isChange)) setOutcome('differs');
    });
};

/** Folders that were left out match too. */
async function listUnmanaged(plan: PushPlan, paths: readonly string[], host: Host) {
  const { folders } = await selectFolders(paths, { withSkipped: true }, { host, note: () => undefined });
  return findUnmanaged(plan, folders);
}

/** Folders that are invalid, or have the same name or id. */
function notComparableError(results: readonly StepResult[], options: PushOptions, host: Host): CliError {
  const [duplicate] = results.flatMap(({ error }) => error ?? []);
  const invalid = results.flatMap(({ folder, findings }) =>
    findings ? [{ folder: folder.displayPath, findings }] : [],
  );
  const prefix = options.at === undefined ? '' : `${options.at}:`;
  const names = invalid.map(({ folder }) => prefix + folder);
  const problem = names.length > 1 ? `${names.length} formulas are invalid: ${listFirst(names)}` : undefined;
  const single = names[0] === undefined ? duplicate?.message : `${names[0]} is not a valid formula`;
  const selection = formatPathArguments(options.paths, options) ?? invalid.map(({ folder }) => toPathArgument(folder));
  const validate = createCommandFormatter(host.platform)('formula validate', ...selection);
  const fix = options.at === undefined ? `Fix the errors, then run: ${validate}` : 'Pass another commit to --at.';
  const hints = [names.length > 0 ? fix : undefined, formatSkipHint(results, options, host.cwd())];
  return new CliError('invalid', `${problem ?? single}; nothing was compared`, {
    hint: hints.filter(Boolean).join('\n') || undefined,
    details: { findings: invalid.flatMap(({ folder, findings }) => findings.map((one) => ({ folder, ...one }))) },
  });
}

/** With more, the command pulls all formulas. */
const MAX_IDS = 3;

/** The push that applies the plan; none without one, or if it, or the plan, cannot be read again. */
function formatNextStep(
  steps: readonly ShownStep[],
  out: string | undefined,
  options: PushOptions,
  command: CommandFormatter,
): string[] {
  const isRejected = steps.some(({ action }) => action === 'conflict');
  const hasChanges = steps.some((step) => isChange(step) && step.action !== 'unmanaged');
  const isReadable = out === undefined || !/^\/(?:dev|proc)\//.test(out);
  const selection = out === undefined ? formatPlanArguments(options) : ['--plan', out];
  if (hasChanges && !isRejected && selection && isReadable) return [`next: ${command('formula push', ...selection)}`];
  const ids = steps.flatMap(({ action, remote }) => (action === 'unmanaged' && remote ? [remote.id] : []));
  if (hasChanges || ids.length === 0) return [];
  const pull = command('formula pull', ...(ids.length > MAX_IDS ? [] : ids));
  return [`next: to write unmanaged formulas to folders, run: ${pull}`];
}
