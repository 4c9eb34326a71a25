/** formulary formula get */
import { findFormula } from '../../api/formulas.ts';
import type { Define } from '../../program.ts';
import { connect } from '../connect.ts';
import { answerPrinter, withOutputFlags, withServiceFlags } from '../flags.ts';
import { formulaAnswer } from './formula-answer.ts';
import { checkedWord } from './word.ts';

export const get: Define = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .summary('show one formula')
    .description('Show one formula, by its id or its exact name. Needs the permission reactor:read.')
    .argument('<id|name>', 'id of the formula, or its exact name')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula get "Tokenize a card" --local\n  formulary formula get 33333333-3333-4333-8333-333333333333 --json',
    )
    .action(async (word, flags) => {
      const print = answerPrinter(flags, host);
      checkedWord(word);
      const send = await connect(flags, host);
      await print(formulaAnswer(await findFormula(send, word)));
    });
};
