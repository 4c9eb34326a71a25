/** formulary formula list */
import { listFormulas } from '../../api/formula-reads.ts';
import { formatIncomplete } from '../../api/incomplete-list.ts';
import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import { type OutputFlags, parseCount, withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { createSession } from '../../session/session.ts';
import { FORMULA_FIELDS, formulaListView } from '../../views/formula-view.ts';

export const list: DefineCommand = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .description('List all formulas, official and private. Requires the permission reactor:read.')
    .option('--name <pattern>', 'only formulas with a matching name; * matches any characters')
    .option('--type <official|private>', 'only formulas of this type')
    .option('--limit <number>', 'maximum number of formulas')
    .action(async (flags) => {
      const session = createSession(flags, host, FORMULA_FIELDS, { hasOtherFields: true });
      const { type } = flags;
      if (type !== undefined && type !== 'official' && type !== 'private') {
        throw new CliError('usage', `invalid value "${type}" for --type: must be official or private`);
      }
      if (flags.name === '') throw new CliError('usage', 'invalid value "" for --name: must be a pattern');
      const limit = parseCount(flags.limit, '--limit');
      const { client } = await session.connect();
      const isPrinted = mayPrintContent(flags);
      const list = await listFormulas(client, { name: flags.name, needsContent: () => isPrinted });
      formatIncomplete(list).forEach(session.warn);
      const formulas = list.items.filter((formula) => type === undefined || formula.type === type).slice(0, limit);
      await session.print(formulaListView(formulas, host.now()));
      if (formulas.length === 0)
        session.note(flags.name === undefined && type === undefined ? 'no formulas' : 'no formulas match');
    });
};

/** Whether code or icons may be printed; otherwise they are not kept in memory. */
function mayPrintContent({ fields, json, output = 'table' }: OutputFlags): boolean {
  return fields === undefined ? json === true || output !== 'table' : /\b(code|icon)\b/.test(fields);
}
