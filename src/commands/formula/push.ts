/** formulary formula push */

import { checkedTree, currentBody } from '../../check/load-tree.ts';
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { steadyClock } from '../../host/monotonic-clock.ts';
import { revealed, visible } from '../../output/escape.ts';
import { startProgress } from '../../output/progress.ts';
import { type ConfirmFlags, confirm, mustBeConfirmable } from '../../program/confirm.ts';
import type { Define } from '../../program/define.ts';
import {
  answerPrinter,
  countOf,
  notePrinter,
  type OutputFlags,
  rateOf,
  withOutputFlags,
  withServiceFlags,
} from '../../program/flags.ts';
import { connection, connectToWrite, stopBySignal, type Writing } from '../../program/session.ts';
import { targetWords } from '../../program/target-flags.ts';
import { addStepSummary } from '../../report/add-step-summary.ts';
import { reportWriter } from '../../report/report-file.ts';
import type { ServiceFlags } from '../../settings/resolve-target.ts';
import { runOutcome } from '../../sync/outcome.ts';
import { applySteps, type StepResult, withNameConflicts } from '../../sync/push/apply.ts';
import type { LocalFormula } from '../../sync/push/plan.ts';
import { clashesOf, openLocks, type PlanFlags, type Planned, plan } from '../../sync/push/prepare-push.ts';
import { notesFault, saveNotes } from '../../sync/tracking-flush.ts';
import { nameOf, planAnswer, planRows, planSummary } from '../../views/plan-view.ts';
import {
  annotateFailures,
  errorLines,
  lineOf,
  nextLine,
  pushAnswer,
  pushCases,
  refusedAnswer,
  refusedCases,
  remarkLines,
  resultRows,
  summaryLine,
} from '../../views/push-view.ts';

const DEFAULT_CONCURRENCY = 8;
const DEFAULT_MAX_DELETES = 5;

export const push: Define = (command, host, end) => {
  withServiceFlags(withOutputFlags(command))
    .summary('make the service hold what the folders say')
    .description(
      'Make the service hold what the folders say: creates, updates, and leaves alone what is the same. All folders are checked before anything is sent; nothing is deleted without --prune. Needs the permissions reactor:read, reactor:create and reactor:update, with --prune reactor:delete.',
    )
    .argument('<path...>', 'formula folders, or folders that hold some at any depth')
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
      const print = answerPrinter(flags, host);
      const report = reportWriter(flags.report, paths, host);
      const limits = limitsOf(flags);
      if (flags.prune && !flags.dryRun) mustBeConfirmable('written', flags, host);
      stopBySignal(flags, host);
      const tree = await checkedTree(paths, flags, host);
      const isRefused = async (ids?: ReadonlyMap<string, string>) => {
        const clashes = clashesOf(tree, ids);
        if (clashes.size === 0 && tree.formulas.every(({ local }) => local)) return false;
        report('formulary formula push', refusedCases(tree, clashes));
        await print(refusedAnswer(tree, clashes));
        for (const clash of clashes.values()) host.stderr.write(`error: ${visible(clash)}\n`);
        notePrinter(flags, host)('nothing was sent: mend what is named above, and type the command again');
        end('invalid');
        return true;
      };
      if (await isRefused()) return;
      if (flags.dryRun) {
        const { send, target } = await connection(flags, host);
        const identities = openLocks(tree, target, flags, host);
        if (await isRefused(identities.ids)) return;
        const planned = await plan(tree, identities, send, target, flags, host);
        const { steps } = planned.plan;
        addStepSummary(host, 'formulary formula push --dry-run', planSummary(steps), planRows(steps, host));
        await print(await planAnswer(steps, flags, host));
        if (steps.some(({ isOpen }) => isOpen)) end('unavailable');
        return;
      }
      await connectToWrite(
        flags,
        host,
        async (writing) => {
          const identities = openLocks(tree, writing.target, flags, host);
          if (await isRefused(identities.ids)) return;
          const how = { ...flags, atOnce: limits.concurrency };
          const planned = await plan(tree, identities, writing.send, writing.target, how, host);
          if (planned.plan.steps.some(({ action }) => action === 'update' || action === 'delete'))
            writing.requireHistory();
          await confirmDeletions(planned, limits.maxDeletes, flags, host);
          const { results, fault } = await apply(planned, writing, limits.concurrency, flags, host);
          // First of all what was done: a file that cannot be written now must not hide it.
          await print(pushAnswer(results, host));
          end(runOutcome(results));
          tree.keepChecked();
          if (fault) throw fault;
          reportDone(() => report('formulary formula push', pushCases(results, host)));
        },
        { atOnce: limits.concurrency, perSecond: limits.perSecond },
      );
    });
};

/** Raises partial (7) where the report cannot be written any more, though it could before. */
function reportDone(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError('partial', `${error.message}; all else was done`, { hint: error.hint, cause: error });
  }
}

interface PushFlags extends PlanFlags, OutputFlags, ConfirmFlags, ServiceFlags {
  concurrency?: string | undefined;
  maxDeletes?: string | undefined;
  rate?: string | undefined;
  failFast?: boolean | undefined;
}

function limitsOf(flags: PushFlags) {
  return {
    concurrency: countOf(flags.concurrency, '--concurrency') ?? DEFAULT_CONCURRENCY,
    perSecond: rateOf(flags.rate, '--rate'),
    maxDeletes: flags.maxDeletes === '0' ? 0 : (countOf(flags.maxDeletes, '--max-deletes') ?? DEFAULT_MAX_DELETES),
  };
}

async function confirmDeletions({ plan: { steps } }: Planned, most: number, flags: PushFlags, host: Host) {
  const deletions = steps.filter(({ action }) => action === 'delete');
  if (deletions.length === 0) return;
  if (deletions.length > most) {
    throw new CliError(
      'usage',
      `--prune would delete ${deletions.length} formulas, more than --max-deletes ${most}; nothing was written`,
      {
        hint: `formulary formula diff PATH --prune${targetWords(flags, host.platform)} shows them; --max-deletes ${deletions.length} allows it`,
      },
    );
  }
  if (flags.yes) return;
  for (const step of deletions) host.stderr.write(`  ${revealed(`${step.remote?.id}  ${nameOf(step)}`)}\n`);
  const what =
    deletions.length === 1
      ? 'this formula, whose folder is gone'
      : `these ${deletions.length} formulas, whose folders are gone`;
  await confirm('written', `Delete ${what}?`, flags, host);
}

/** Carries the plan out, with progress on a terminal, else with --verbose a line a step; then says what there is to say. */
async function apply(
  { plan: { steps, stale }, remotes, identities, seen }: Planned,
  { send, target, keepCopy }: Writing,
  concurrency: number,
  flags: PushFlags,
  host: Host,
): Promise<{ results: StepResult[]; fault: unknown }> {
  const note = notePrinter(flags, host);
  for (const path of stale) identities.unlink(path);
  const progress = startProgress(host.stderr, steadyClock(host.now), 'push', steps.length);
  const known = new Set(remotes.map(({ id }) => id));
  const applied = await applySteps(steps, {
    send,
    bodyOf: (local) => bodyOf(local, host),
    keepCopy,
    identities,
    seen,
    knownIds: new Set(known),
    concurrency,
    isStopping: () => host.stopping.aborted,
    failFast: flags.failFast ?? false,
    report: (result) => {
      progress.step(result.error !== undefined);
      if (flags.verbose && !host.stderr.isTerminal) note(lineOf(result, host));
    },
  });
  progress.end();
  const results = await withNameConflicts(applied, send, known);
  for (const line of errorLines(results)) host.stderr.write(`${line}\n`);
  annotateFailures(results, host);
  addStepSummary(host, 'formulary formula push', summaryLine(results), resultRows(results, host));
  for (const line of remarkLines(results, host)) note(line);
  const saved = saveNotes(identities, seen, target, host, send.warn, { changed: changedFormulas(results) });
  const fault = await notesFault(saved);
  note(summaryLine(results));
  const next = nextLine(results);
  if (next) note(next);
  return { results, fault };
}

/** The formulas that are lost to the project without an entry in the lock file. */
function changedFormulas(results: readonly StepResult[]) {
  return results.flatMap(({ step, outcome, id = step.remote?.id }) => {
    const isChanged = outcome === 'created' || outcome === 'deleted' || (outcome === 'updated' && step.renamedFrom);
    return isChanged && id !== undefined ? [{ id, name: nameOf(step) }] : [];
  });
}

async function bodyOf(local: LocalFormula, host: Host) {
  const found = await currentBody(local, host);
  if (found.body) return { ...found, body: found.body };
  throw new CliError('invalid', `${local.folder} is not valid any more; nothing of it was sent`);
}
