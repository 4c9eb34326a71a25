/** formulary formula update */
import { findFormula, updateCall, updateFormula } from '../../api/formulas.ts';
import { CliError } from '../../errors.ts';
import type { Define } from '../../program.ts';
import { mergeFormula } from '../../sync/merge.ts';
import { connect } from '../connect.ts';
import { answerPrinter, notePrinter, withOutputFlags, withServiceFlags } from '../flags.ts';
import { checkedBody } from './checked-folder.ts';
import { callAnswer, formulaAnswer } from './formula-answer.ts';
import { checkedWord } from './word.ts';

export const update: Define = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .summary('replace one formula from a folder')
    .description(
      'Replace one formula from a folder, after checking it. The icon and the description that the service has are kept when the folder says nothing of them. Needs the permissions reactor:update and reactor:read.',
    )
    .argument('<id|name>', 'id of the formula, or its exact name')
    .argument('<dir>', 'the formula folder')
    .option('--remove-icon', 'clear the icon that the service has')
    .option('--dry-run', 'show the request that would be sent, and send nothing that writes')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula update "Tokenize a card" my-formula --local\n  formulary formula update "Tokenize a card" my-formula --dry-run --json',
    )
    .action(async (word, dir, flags) => {
      const print = answerPrinter(flags, host);
      const note = notePrinter(flags, host);
      checkedWord(word);
      const local = await checkedBody(dir, flags, host);
      if (flags.removeIcon && local.icon !== undefined) {
        throw new CliError('usage', `--remove-icon is given, but ${dir} has an icon`, {
          hint: 'leave one of them out',
        });
      }
      const send = await connect(flags, host);
      const remote = await findFormula(send, word);
      const { body, changed, kept } = mergeFormula(local, remote, { removeIcon: flags.removeIcon ?? false });
      for (const field of kept) note(`note: the folder has no ${field}; the one on the service is kept`);
      if (flags.dryRun)
        note(changed.length > 0 ? `would update: ${changed.join(', ')}` : 'unchanged: no update would be sent');
      if (flags.dryRun) return print(callAnswer(updateCall(remote.id, body)));
      if (changed.length > 0) {
        const updated = await updateFormula(send, remote.id, body);
        note(`updated: ${changed.join(', ')}`);
        return print(formulaAnswer(updated));
      }
      note('unchanged: the service holds what the folder says');
      return print(formulaAnswer(remote));
    });
};
