/** formulary formula list */
import { listFormulas } from '../../api/formula-reads.ts';
import { CliError } from '../../errors.ts';
import type { DefineCommand } from '../../program/define.ts';
import { type OutputFlags, parseCount, withOutputFlags, withServiceFlags } from '../../program/flags.ts';
import { createSession } from '../../program/session.ts';
import { formulaListView } from '../../views/formula-view.ts';

export const list: DefineCommand = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .summary('list the formulas of the service')
    .description('List all formulas, official and private, of every page. Needs the permission reactor:read.')
    .option('--name <pattern>', 'only names that match, as the service searches them (* is any run of characters)')
    .option('--type <official|private>', 'only formulas of this type')
    .option('--limit <number>', 'at most so many')
    .addHelpText(
      'after',
      '\nExamples:\n  formulary formula list --local\n  formulary formula list --name "card*" --type private --json',
    )
    .action(async (flags) => {
      const session = createSession(flags, host);
      const { print } = session;
      const { type } = flags;
      if (type !== undefined && type !== 'official' && type !== 'private') {
        throw new CliError('usage', `--type ${type} is not known; wanted is official or private`);
      }
      if (flags.name === '') throw new CliError('usage', '--name is empty; wanted is a pattern, or no --name for all');
      const limit = parseCount(flags.limit, '--limit');
      const { client } = await session.connect();
      const isPrinted = mayPrintContent(flags);
      const { items: formulas } = await listFormulas(client, { name: flags.name, needsContent: () => isPrinted });
      const shown = formulas.filter((formula) => type === undefined || formula.type === type).slice(0, limit);
      await print(formulaListView(shown, host.now()));
      if (shown.length === 0)
        session.note(flags.name === undefined && type === undefined ? 'there are no formulas' : 'no formulas match');
    });
};

/** Whether codes or icons are printed; otherwise they need not be kept. */
function mayPrintContent({ fields, json, output = 'table' }: OutputFlags): boolean {
  return fields === undefined ? json === true || output !== 'table' : /\b(code|icon)\b/.test(fields);
}
