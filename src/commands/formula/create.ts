/** formulary formula create */

import { createCall, createFormula, listFormulas } from '../../api/formulas.ts';
import type { Define } from '../../program.ts';
import { connect, connectToWrite } from '../connect.ts';
import { answerPrinter, withOutputFlags, withServiceFlags } from '../flags.ts';
import { checkedBody } from './checked-folder.ts';
import { callAnswer, formulaAnswer } from './formula-answer.ts';
import { placed } from './placed.ts';
import { refuseTakenName } from './taken-name.ts';

const DOING = 'check whether the name is taken';

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
      if (flags.dryRun) {
        if (!isOffline && !flags.allowDuplicate)
          refuseTakenName(await listFormulas(await connect(flags, host), undefined, DOING), body.name, dir);
        return print(callAnswer(createCall(body)));
      }
      const created = await connectToWrite(flags, host, async ({ send }) => {
        const existing = await listFormulas(send, undefined, DOING);
        if (!flags.allowDuplicate) refuseTakenName(existing, body.name, dir);
        return placed(dir, flags, host, createFormula(send, body, new Set(existing.map(({ id }) => id))));
      });
      return print(formulaAnswer(created));
    });
};
