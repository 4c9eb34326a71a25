/** formulary formula update */
import { findFormula, updateCall, updateFormula } from '../../api/formulas.ts';
import { CliError } from '../../errors.ts';
import type { Define } from '../../program.ts';
import { mergeFormula } from '../../sync/merge.ts';
import { connect, connectToWrite } from '../connect.ts';
import { answerPrinter, notePrinter, withOutputFlags, withServiceFlags } from '../flags.ts';
import { checkedBody } from './checked-folder.ts';
import { callAnswer, formulaAnswer } from './formula-answer.ts';
import { placed } from './placed.ts';
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
    .option('--no-history', 'keep no copy of what is replaced')
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
      const options = { removeIcon: flags.removeIcon ?? false };
      if (flags.dryRun) {
        const remote = await findFormula(await connect(flags, host), word);
        const { body, changed, kept } = mergeFormula(local, remote, options);
        for (const field of kept) note(keptNote(field));
        note(changed.length > 0 ? `would update: ${changed.join(', ')}` : 'unchanged: no update would be sent');
        return print(callAnswer(updateCall(remote.id, body)));
      }
      const formula = await connectToWrite(flags, host, async ({ send, keepCopy }) => {
        const remote = await findFormula(send, word);
        const { body, changed, kept } = mergeFormula(local, remote, options);
        for (const field of kept) note(keptNote(field));
        if (changed.length === 0) {
          note('unchanged: the service holds what the folder says');
          return remote;
        }
        keepCopy('update', remote);
        const updated = await placed(dir, flags, host, updateFormula(send, remote.id, body, remote));
        note(`updated: ${changed.join(', ')}`);
        return updated;
      });
      return print(formulaAnswer(formula));
    });
};

const keptNote = (field: string) => `note: the folder has no ${field}; the one on the service is kept`;
