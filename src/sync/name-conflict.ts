/** The refusal of a second private formula of one name, which the service would accept and hardly anybody means. */
import type { Send } from '../api/client.ts';
import { searchCommand } from '../api/find-formula.ts';
import type { Namesakes } from '../api/incomplete-list.ts';
import { CliError } from '../errors.ts';
import { pathArgument } from '../text/shell-quote.ts';
import { type Created, findNameConflicts } from './push/same-name.ts';

/**
 * Raises conflict (6) when a private formula of that exact name exists, unavailable (8) when it is open whether one does.
 * `dir` is the folder that it would come from.
 */
export function refuseTakenName({ formulas, doubt }: Namesakes, name: string, send: Send, dir?: string): void {
  const ids = formulas.filter(({ type }) => type !== 'official').map(({ id }) => id);
  if (ids.length > 0) {
    throw new CliError(
      'conflict',
      `a private formula named ${JSON.stringify(name)} exists already: ${ids.join(', ')}`,
      {
        hint:
          dir &&
          `to replace it: ${send.command('formula update', ids[0] ?? '', pathArgument(dir))}; to have a second one: --allow-duplicate`,
        details: { ids },
      },
    );
  }
  if (doubt === undefined) return;
  const unchecked = dir === undefined ? '' : '; --allow-duplicate creates it unchecked';
  throw new CliError('unavailable', `could not check whether the name ${JSON.stringify(name)} is taken: ${doubt}`, {
    hint: `nothing was sent that writes; look with: ${searchCommand(send, name)}${unchecked}`,
  });
}

/** Raises conflict (6) with both ids when another computer created the name at the same time; `known` are the ids before. */
export async function refuseNameConflict(send: Send, created: Created, known: ReadonlySet<string> | undefined) {
  if (!known) return;
  const conflicts = await findNameConflicts(send, [created], known);
  for (const conflict of conflicts.values()) throw conflict;
}
