/** formulary formula pull */
import { setImmediate } from 'node:timers/promises';
import type { ServiceClient } from '../../api/client.ts';
import { findInList } from '../../api/find-formula.ts';
import { listFormulas } from '../../api/formula-reads.ts';
import type { ListResult } from '../../api/pagination.ts';
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { createMonotonicClock } from '../../host/monotonic-clock.ts';
import type { Formula } from '../../model.ts';
import { escapeControls } from '../../output/escape.ts';
import { startProgress } from '../../output/progress.ts';
import { requireNonEmpty } from '../../program/arguments.ts';
import type { DefineCommand } from '../../program/define.ts';
import { withOutputFlags, withServiceFlags } from '../../program/flags.ts';
import { createSession, type Session } from '../../program/session.ts';
import { recordBaseline } from '../../state/remote-baseline.ts';
import type { PreparedPull } from '../../sync/pull/prepare-pull.ts';
import type { PullTarget } from '../../sync/pull/pull-folders.ts';
import type { PullResult } from '../../sync/pull/write-formula.ts';
import { flushTracking } from '../../sync/tracking-flush.ts';
import { decidePullOutcome, formatPullSummary, pullView } from '../../views/pull-view.ts';

export const pull: DefineCommand = (command, host, setOutcome) => {
  withServiceFlags(withOutputFlags(command))
    .summary('write formulas as folders')
    .description(
      'Write formulas as folders: those that are named, else all private ones. A formula keeps the folder that the lock names; others get one below DIR. What was changed in a folder is kept, unless --force is given. Ends with 6 when the lock has formulas and the service none of them. Needs the permission reactor:read.',
    )
    .argument('[id|name...]', 'ids of formulas, or their exact names')
    .option('--dir <dir>', 'write below this folder, and nowhere else')
    .option('--force', 'overwrite local changes, and go on with a lock of formulas that the service does not have')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula pull --dir formulas --local\n  formulary formula pull "Tokenize a card" --force --json',
    )
    .action(async (idsOrNames, flags) => {
      const session = createSession(flags, host);
      const { print, note } = session;
      idsOrNames.forEach(requireNonEmpty);
      if (flags.dir === '') throw new CliError('usage', 'the folder of --dir is empty; wanted is a path');
      const { client, target } = await session.connect();
      const list = await listFormulas(client, { needsContent: createContentBudget(idsOrNames) });
      const formulas = await selectFormulas(client, list, idsOrNames);
      if (formulas.length === 0) {
        await print(pullView([]));
        return note('nothing to pull: the service has no private formula');
      }
      const { preparePull } = await import('../../sync/pull/prepare-pull.ts');
      const prepared = await preparePull(formulas, list, flags, target, client, host);
      session.installSignalHandlers();
      const results = await pullAll(prepared, session);
      for (const result of results) reportResult(result, note, host);
      await print(pullView(results));
      await flushTracking(prepared.links, prepared.baselines, target, host, client.warn);
      note(formatPullSummary(results));
      if (results.length < formulas.length) {
        throw new CliError('interrupted', `interrupted: ${results.length} of ${formulas.length} formulas were pulled`, {
          hint: 'the same command goes on with the others',
        });
      }
      setOutcome(decidePullOutcome(results));
    });
};

/** Codes and icons in characters, which take up to two bytes each; those of other formulas are read again one by one. */
const MAX_CONTENT_LENGTH = 128 * 1024 * 1024;

/** Whether a formula is pulled, and its code and icon fit into the memory until then. */
function createContentBudget(idsOrNames: readonly string[]): (formula: Formula) => boolean {
  const ids = new Set(idsOrNames.map((word) => word.toLowerCase()));
  let remaining = MAX_CONTENT_LENGTH;
  return ({ id, name, type, code, icon }) => {
    const isPulled =
      idsOrNames.length === 0 ? type !== 'official' : idsOrNames.includes(name) || ids.has(id.toLowerCase());
    const length = (code?.length ?? 0) + (icon?.length ?? 0);
    if (!isPulled || length > remaining) return false;
    remaining -= length;
    return true;
  };
}

async function selectFormulas(
  client: ServiceClient,
  list: ListResult<Formula>,
  idsOrNames: readonly string[],
): Promise<Formula[]> {
  if (idsOrNames.length === 0) return list.items.filter(({ type }) => type !== 'official');
  const byId = new Map<string, Formula>();
  for (const idOrName of idsOrNames) {
    const formula = await findInList(client, list, idOrName);
    byId.set(formula.id, formula);
  }
  return [...byId.values()];
}

/** Pulls one after the other, until a signal comes; so there are only whole folders. */
async function pullAll(prepared: PreparedPull, { host, signal }: Session): Promise<PullResult[]> {
  const { targets, context } = prepared;
  const { pullFormula } = await import('../../sync/pull/write-formula.ts');
  const results: PullResult[] = [];
  const progress = startProgress(host.stderr, createMonotonicClock(host.now), 'pull', targets.length);
  for (const folder of targets) {
    // Signals are heard between two formulas.
    await setImmediate();
    if (signal.aborted) break;
    const result = await pullFormula(folder, context);
    recordResult(prepared, folder, result);
    const { id, name } = result.formula;
    // Thousands of codes do not fit into memory.
    results.push({ ...result, formula: { id, name } });
    progress.step(result.outcome === 'failed');
  }
  progress.end();
  return results;
}

/** Notes what a folder is now. */
function recordResult(
  { links, baselines }: PreparedPull,
  { linkedTo }: PullTarget,
  { path, formula, outcome }: PullResult,
): void {
  if (outcome !== 'written' && outcome !== 'unchanged') return;
  recordBaseline(baselines, formula);
  if (formula.type !== 'official' && linkedTo === undefined) links.link(path, formula.id);
}

function reportResult({ error, outcome, warnings }: PullResult, note: (text: string) => void, host: Host): void {
  for (const warning of warnings) note(escapeControls(warning));
  if (!error) return;
  const line = `${outcome === 'failed' ? 'error: ' : ''}${error.message}${error.hint ? `; ${error.hint}` : ''}`;
  if (outcome === 'failed') host.stderr.write(`${escapeControls(line)}\n`);
  else note(escapeControls(line));
}
