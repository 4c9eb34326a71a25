/** formulary formula get */
import { findFormula } from '../../api/find-formula.ts';
import type { DefineCommand } from '../../cli/define.ts';
import { CliError } from '../../errors.ts';
import { escapeControlsByLine } from '../../output/escape.ts';
import { requireNonEmpty, withFolderHint } from '../../session/arguments.ts';
import { withOutputFlags, withServiceFlags } from '../../session/flags.ts';
import { createSession } from '../../session/session.ts';
import { FORMULA_FIELDS, formulaView } from '../../views/formula-view.ts';

export const get: DefineCommand = (command, host) => {
  withServiceFlags(withOutputFlags(command))
    .description('Show one formula. Requires the permission reactor:read.')
    .argument('<id|name>', 'id of the formula, or its exact name')
    .option('--code', "print only the code's bytes")
    .action(async (idOrName, flags) => {
      const session = createSession(flags, host, FORMULA_FIELDS, { hasOtherFields: true });
      requireNonEmpty(idOrName);
      if (flags.code && (flags.json || flags.output !== undefined || flags.fields !== undefined)) {
        throw new CliError('usage', '--code cannot be combined with --json, --output, or --fields');
      }
      const { client } = await session.connect();
      const formula = await withFolderHint(idOrName, host, findFormula(client, idOrName));
      if (!flags.code) return session.print(formulaView(formula, host.now()));
      const code = formula.code ?? '';
      // The bytes could contain escape sequences for a terminal.
      return host.stdout.writeContent(host.stdout.isTerminal ? escapeControlsByLine(code) : code);
    });
};
