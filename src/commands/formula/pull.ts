/** formulary formula pull */
import { setImmediate } from 'node:timers/promises';
import type { Send } from '../../api/client.ts';
import { findListed } from '../../api/find-formula.ts';
import { listFormulas } from '../../api/formula-reads.ts';
import type { Collected } from '../../api/pagination.ts';
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import { steadyClock } from '../../host/monotonic-clock.ts';
import type { Formula } from '../../model.ts';
import { visible } from '../../output/escape.ts';
import { startProgress } from '../../output/progress.ts';
import { checkedWord } from '../../program/arguments.ts';
import type { Define } from '../../program/define.ts';
import { withOutputFlags, withServiceFlags } from '../../program/flags.ts';
import { createSession, type Session } from '../../program/session.ts';
import { noteSeen } from '../../state/remote-baseline.ts';
import type { Pulling } from '../../sync/pull/prepare-pull.ts';
import type { Placed } from '../../sync/pull/pull-folders.ts';
import type { PullResult } from '../../sync/pull/write-formula.ts';
import { saveNotes } from '../../sync/tracking-flush.ts';
import { pullAnswer, pullOutcome, summaryLine } from '../../views/pull-view.ts';

export const pull: Define = (command, host, end) => {
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
    .action(async (words, flags) => {
      const session = createSession(flags, host);
      const { print, note } = session;
      words.forEach(checkedWord);
      if (flags.dir === '') throw new CliError('usage', 'the folder of --dir is empty; wanted is a path');
      const { send, target } = await session.connect();
      const list = await listFormulas(send, { needsContent: keepWithinBudget(words) });
      const formulas = await chosen(send, list, words);
      if (formulas.length === 0) {
        await print(pullAnswer([]));
        return note('nothing to pull: the service has no private formula');
      }
      const { preparePull } = await import('../../sync/pull/prepare-pull.ts');
      const pulling = await preparePull(formulas, list, flags, target, send, host);
      session.catchSignals();
      const results = await pullAll(pulling, session);
      for (const result of results) say(result, note, host);
      await print(pullAnswer(results));
      await saveNotes(pulling.identities, pulling.seen, target, host, send.warn);
      note(summaryLine(results));
      if (results.length < formulas.length) {
        throw new CliError('interrupted', `interrupted: ${results.length} of ${formulas.length} formulas were pulled`, {
          hint: 'the same command goes on with the others',
        });
      }
      end(pullOutcome(results));
    });
};

/** Codes and icons in characters, which take up to two bytes each; those of other formulas are read again one by one. */
const MAX_KEPT = 128 * 1024 * 1024;

/** Whether a formula is pulled, and its code and icon fit into the memory until then. */
function keepWithinBudget(words: readonly string[]): (formula: Formula) => boolean {
  const ids = new Set(words.map((word) => word.toLowerCase()));
  let left = MAX_KEPT;
  return ({ id, name, type, code, icon }) => {
    const isPulled = words.length === 0 ? type !== 'official' : words.includes(name) || ids.has(id.toLowerCase());
    const length = (code?.length ?? 0) + (icon?.length ?? 0);
    if (!isPulled || length > left) return false;
    left -= length;
    return true;
  };
}

async function chosen(send: Send, list: Collected<Formula>, words: readonly string[]): Promise<Formula[]> {
  if (words.length === 0) return list.items.filter(({ type }) => type !== 'official');
  const byId = new Map<string, Formula>();
  for (const word of words) {
    const formula = await findListed(send, list, word);
    byId.set(formula.id, formula);
  }
  return [...byId.values()];
}

/** Pulls one after the other, until a signal comes; so there are only whole folders. */
async function pullAll(pulling: Pulling, { host, signal }: Session): Promise<PullResult[]> {
  const { placed, world } = pulling;
  const { pullOne } = await import('../../sync/pull/write-formula.ts');
  const results: PullResult[] = [];
  const progress = startProgress(host.stderr, steadyClock(host.now), 'pull', placed.length);
  for (const place of placed) {
    // Signals are heard between two formulas.
    await setImmediate();
    if (signal.aborted) break;
    const result = await pullOne(place, world);
    noteResult(pulling, place, result);
    const { id, name } = result.formula;
    // Thousands of codes do not fit into memory.
    results.push({ ...result, formula: { id, name } });
    progress.step(result.outcome === 'failed');
  }
  progress.end();
  return results;
}

/** Notes what a folder is now. */
function noteResult({ identities, seen }: Pulling, { linkedTo }: Placed, { path, formula, outcome }: PullResult): void {
  if (outcome !== 'written' && outcome !== 'unchanged') return;
  noteSeen(seen, formula);
  if (formula.type !== 'official' && linkedTo === undefined) identities.link(path, formula.id);
}

function say({ error, outcome, warnings }: PullResult, note: (text: string) => void, host: Host): void {
  for (const warning of warnings) note(visible(warning));
  if (!error) return;
  const line = `${outcome === 'failed' ? 'error: ' : ''}${error.message}${error.hint ? `; ${error.hint}` : ''}`;
  if (outcome === 'failed') host.stderr.write(`${visible(line)}\n`);
  else note(visible(line));
}
