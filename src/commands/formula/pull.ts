/** formulary formula pull */
import { setImmediate } from 'node:timers/promises';
import { listFormulas } from '../../api/formula-reads.ts';
import { formatIncomplete } from '../../api/incomplete-list.ts';
import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import { createMonotonicClock } from '../../host/monotonic-clock.ts';
import type { Formula } from '../../model.ts';
import { escapeControls } from '../../output/escape.ts';
import { startProgress } from '../../output/progress.ts';
import { requireNonEmpty } from '../../session/arguments.ts';
import { withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { printResult } from '../../session/print-errors.ts';
import { createSession, type Session } from '../../session/session.ts';
import type { PreparedPull } from '../../sync/pull/prepare-pull.ts';
import type { PullTarget } from '../../sync/pull/pull-folders.ts';
import { createContentBudget, createSelector, selectFormulas } from '../../sync/pull/select-formulas.ts';
import type { PullResult } from '../../sync/pull/write-formula.ts';
import { listFirst } from '../../text/shorten.ts';
import { decidePullOutcome, formatPullSummary, PULL_FIELDS, pullView } from '../../views/pull-view.ts';

export const pull: DefineCommand = (command, host, setOutcome) => {
  withServiceFlags(withOutputFlags(command))
    .description(
      'Download the given formulas, or all private ones. A formula is written to its folder in the lock file, otherwise to a new folder in DIR. Folders with local changes are skipped unless you pass --force. Exits with 6 if the service has none of the formulas in the lock file. Requires the permission reactor:read.',
    )
    .argument('[id|name...]', 'ids of formulas, or their exact names')
    .option('--dir <dir>', 'folder to write to')
    .option('--force', 'overwrite local changes, and continue if the service has none of the formulas in the lock file')
    .action(async (idsOrNames, flags) => {
      const session = createSession(flags, host, PULL_FIELDS, { namesService: true });
      const { print, note } = session;
      idsOrNames.forEach(requireNonEmpty);
      if (flags.dir === '') throw new CliError('usage', 'invalid value "" for --dir: must be the path of a folder');
      const connection = await session.connect();
      const { client } = connection;
      const reserve = createContentBudget();
      const isSelected = createSelector(idsOrNames);
      // Also of others: the code tells which folder is which formula.
      const needsContent = (formula: Formula) =>
        (formula.type !== 'official' || isSelected(formula)) && reserve(formula);
      const list = await listFormulas(client, { needsContent });
      formatIncomplete(list).forEach(session.warn);
      const formulas = await selectFormulas(client, list, idsOrNames);
      if (formulas.length === 0) {
        await print(pullView([]));
        return note('nothing to pull: the service has no private formulas');
      }
      const options = { dir: flags.dir, force: flags.force ?? false };
      const { preparePull } = await import('../../sync/pull/prepare-pull.ts');
      const prepared = await preparePull(formulas, list, options, connection, session);
      if (prepared.skipped.length > 0)
        note(escapeControls(`note: a sparse checkout skips ${listFirst(prepared.skipped)}; nothing was written there`));
      session.installSignalHandlers();
      const results = await pullAll(prepared, session);
      const flushError = await prepared.tracking.flush().catch((error: unknown) => error);
      printNotes(results, note);
      await printResult(pullView(results), listErrors(results), [formatPullSummary(results)], session);
      if (flushError) throw flushError;
      const { length } = prepared.targets;
      if (results.length < length) {
        throw new CliError('interrupted', `interrupted: ${results.length} of ${length} formulas were pulled`, {
          hint: 'Run the command again to pull the remaining formulas.',
        });
      }
      setOutcome(decidePullOutcome(results));
    });
};

/** Pulls one formula after the other and stops at a signal, so that every folder is complete. */
async function pullAll(prepared: PreparedPull, { host, signal }: Session): Promise<PullResult[]> {
  const { targets, context } = prepared;
  const { pullFormula } = await import('../../sync/pull/write-formula.ts');
  const results: PullResult[] = [];
  const progress = startProgress(host.stderr, createMonotonicClock(host.now), 'pull', targets.length);
  for (const folder of targets) {
    // Lets the event loop handle signals.
    await setImmediate();
    if (signal.aborted) break;
    const result = await pullFormula(folder, context);
    recordResult(prepared, folder, result);
    const { id, name } = result.formula;
    // The code of thousands of formulas does not fit into memory.
    results.push({ ...result, formula: { id, name } });
    progress.step(result.outcome === 'failed');
  }
  progress.end();
  return results;
}

/** Records the link and the baseline of a pulled folder. */
function recordResult(prepared: PreparedPull, { linkedTo }: PullTarget, { path, formula, outcome }: PullResult): void {
  if (outcome !== 'written' && outcome !== 'unchanged') return;
  prepared.tracking.recordBaseline(path, formula);
  if (formula.type !== 'official' && linkedTo === undefined) linkAlone(path, formula.id, prepared);
}

/** Links a folder, no longer another one; the formula that it was before is linked to where it was moved. */
function linkAlone(path: string, id: string, prepared: PreparedPull): void {
  const { tracking, folders } = prepared;
  const isSame = (other: string) => id.toLowerCase() === other.toLowerCase();
  const before = tracking.ids.get(path);
  for (const [other, otherId] of [...tracking.ids]) if (other !== path && isSame(otherId)) tracking.unlink(other);
  tracking.link(path, { id });
  const folder = before === undefined || isSame(before) ? undefined : folders.get(before.toLowerCase());
  if (before !== undefined && folder !== undefined && folder !== path) linkAlone(folder, before, prepared);
}

const listErrors = (results: readonly PullResult[]) =>
  results.flatMap(({ error, outcome }) => (error && outcome === 'failed' ? [error] : []));

function printNotes(results: readonly PullResult[], note: (text: string) => void): void {
  for (const { error, outcome, warnings } of results) {
    for (const warning of warnings) note(escapeControls(warning));
    if (error && outcome !== 'failed') note(escapeControls(`${error.message}${error.hint ? ` (${error.hint})` : ''}`));
  }
}
