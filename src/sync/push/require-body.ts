/** The body of a folder that was valid before. */
import { type LocalFormula, reloadBody } from '../../check/local-formula.ts';
import { CliError } from '../../errors.ts';
import type { Host } from '../../host/host.ts';
import type { FormulaBody } from '../../model.ts';

/** Raises invalid (3) if the folder is not valid any more; `problem` follows its path in the message. */
export async function requireBody(local: LocalFormula, problem: string, host: Host): Promise<FormulaBody> {
  const body = local.body ?? (await reloadBody(local, host));
  if (body) return body;
  throw new CliError('invalid', `${local.folder} ${problem}`, { hint: 'Run the command again.' });
}
