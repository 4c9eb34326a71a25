/** formulary formula create */

import { createCall, createFormula, listFormulas } from '../../api/formulas.ts';
import { CliError } from '../../errors.ts';
import type { Formula } from '../../model.ts';
import type { Define } from '../../program.ts';
import { connect } from '../connect.ts';
import { answerPrinter, withOutputFlags, withServiceFlags } from '../flags.ts';
import { checkedBody } from './checked-folder.ts';
import { callAnswer, formulaAnswer } from './formula-answer.ts';

export const create: Define = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .summary('create one formula from a folder')
    .description(
      'Create one formula from a folder, after checking it. Needs the permissions reactor:create and reactor:read.',
    )
    .argument('<dir>', 'the formula folder')
    .option('--allow-duplicate', 'create it even when a private formula of that name exists')
    .option('--dry-run', 'show the request that would be sent, and send nothing that writes')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula create my-formula --local\n  formulary formula create my-formula --dry-run --json',
    )
    .action(async (dir, flags) => {
      const print = answerPrinter(flags, host);
      const body = await checkedBody(dir, flags, host);
      const isOffline =
        flags.dryRun &&
        !flags.local &&
        flags.baseUrl === undefined &&
        !host.env['FORMULARY_BASE_URL'] &&
        !host.env['FORMULARY_PROFILE'];
      const send = isOffline ? undefined : await connect(flags, host);
      const existing = send ? await listFormulas(send) : [];
      if (!flags.allowDuplicate) refuseTakenName(existing, body.name, dir);
      if (flags.dryRun || !send) return print(callAnswer(createCall(body)));
      return print(formulaAnswer(await createFormula(send, body, new Set(existing.map(({ id }) => id)))));
    });
};

/** Names need not be unique on the service, so a second private formula of one name is hardly ever meant. */
function refuseTakenName(existing: readonly Formula[], name: string, dir: string): void {
  const ids = existing.filter((formula) => formula.name === name && formula.type !== 'official').map(({ id }) => id);
  if (ids.length === 0) return;
  throw new CliError('conflict', `a private formula named ${JSON.stringify(name)} exists already: ${ids.join(', ')}`, {
    hint: `to replace it: formulary formula update ${ids[0]} ${dir}; to have a second one: --allow-duplicate`,
    details: { ids },
  });
}
