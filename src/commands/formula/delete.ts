/** formulary formula delete */

import type { Send } from '../../api/client.ts';
import { deleteFormula, findFormula } from '../../api/formulas.ts';
import { CliError, errorDocument, type Outcome } from '../../errors.ts';
import type { Host } from '../../host.ts';
import type { Formula } from '../../model.ts';
import { visible } from '../../output/escape.ts';
import type { Answer } from '../../output/formats.ts';
import type { Define } from '../../program.ts';
import { connect } from '../connect.ts';
import { answerPrinter, withOutputFlags, withServiceFlags } from '../flags.ts';
import { checkedWord } from './word.ts';

export const remove: Define = (command, host, end) => {
  withServiceFlags(withOutputFlags(command))
    .summary('delete formulas')
    .description(
      'Delete formulas, by id or exact name. Asks on a terminal; elsewhere it needs --yes. Needs the permissions reactor:delete and reactor:read.',
    )
    .argument('<id|name...>', 'ids of formulas, or their exact names')
    .option('--yes', 'delete without asking')
    .option('--no-input', 'never ask, as where there is no terminal')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula delete "Tokenize a card" --local\n  formulary formula delete "Tokenize a card" --yes --json',
    )
    .action(async (words, flags) => {
      const print = answerPrinter(flags, host);
      words.forEach(checkedWord);
      if (!flags.yes && !(host.canAsk && flags.input))
        throw notConfirmed('there is no terminal to ask on, or --no-input forbids it');
      const send = await connect(flags, host);
      const formulas = await findAll(send, words);
      if (!flags.yes) await confirm(formulas, host);
      const results: Deletion[] = [];
      for (const formula of formulas) results.push(await deleteOne(send, formula));
      const failures = results.flatMap(({ error }) => error ?? []);
      const [first] = failures;
      if (first && results.length === 1) throw first;
      await print(deletionAnswer(results));
      for (const { message } of failures) host.stderr.write(`error: ${visible(message)}\n`);
      if (first) end(joined(results));
    });
};

interface Deletion {
  formula: Formula;
  outcome: 'deleted' | 'failed' | 'unknown';
  error?: CliError;
}

/** Every word is looked up before anything is deleted, so that a misspelt one deletes nothing. */
async function findAll(send: Send, words: readonly string[]): Promise<Formula[]> {
  const byId = new Map<string, Formula>();
  for (const word of words) {
    const formula = await findFormula(send, word);
    byId.set(formula.id, formula);
  }
  return [...byId.values()];
}

const notConfirmed = (why: string) =>
  new CliError('usage', `nothing was deleted: ${why}`, { hint: 'give --yes to delete without being asked' });

async function confirm(formulas: readonly Formula[], host: Host): Promise<void> {
  for (const { id, name } of formulas) host.stderr.write(`  ${visible(`${id}  ${name}`)}\n`);
  const what = formulas.length === 1 ? 'this formula' : `these ${formulas.length} formulas`;
  const answer = await host.ask(`Delete ${what}? [y/N] `);
  if (!/^y(es)?$/i.test(answer?.trim() ?? ''))
    throw new CliError('usage', 'nothing was deleted: the answer was not yes');
}

async function deleteOne(send: Send, formula: Formula): Promise<Deletion> {
  try {
    await deleteFormula(send, formula.id);
    return { formula, outcome: 'deleted' };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { formula, outcome: error.outcome === 'unknown' ? 'unknown' : 'failed', error };
  }
}

/** One reason for all: that reason; else the outcomes are mixed. */
function joined(results: readonly Deletion[]): Outcome {
  const reasons = new Set(results.map(({ error }) => error?.outcome ?? 'ok'));
  const [only = 'ok'] = reasons;
  return reasons.size === 1 ? only : 'partial';
}

function deletionAnswer(results: readonly Deletion[]): Answer {
  const items = results.map(({ formula: { id, name }, outcome, error }) => ({
    id,
    name,
    outcome,
    ...(error && errorDocument(error)),
  }));
  const counts = Object.fromEntries(
    (['deleted', 'failed', 'unknown'] as const).map((outcome) => [
      outcome,
      items.filter((item) => item.outcome === outcome).length,
    ]),
  );
  return {
    value: { schema_version: 1, items, summary: { total: items.length, ...counts } },
    table: () =>
      items.map(({ id, name, outcome }) => `${visible(outcome)}\t${visible(id)}\t${visible(name)}\n`).join(''),
  };
}
