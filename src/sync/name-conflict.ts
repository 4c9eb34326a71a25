/** The refusal of a second private formula of one name, which the service would accept and hardly anybody means. */
import type { ServiceClient } from '../api/client.ts';
import { formatSearchCommand } from '../api/find-formula.ts';
import { filterByName } from '../api/incomplete-list.ts';
import type { ListResult } from '../api/pagination.ts';
import { CliError } from '../errors.ts';
import type { Formula } from '../model.ts';
import { toPathArgument } from '../text/shell-quote.ts';
import { type CreatedFormula, findNameConflicts } from './push/same-name.ts';

/**
 * Raises conflict (6) when a private formula of that exact name exists, unavailable (8) when the list is incomplete and
 * shows none. `dir` is the folder that it would come from.
 */
export function assertNameFree(list: ListResult<Formula>, name: string, client: ServiceClient, dir?: string): void {
  const { items, incompleteReason } = filterByName(list, name);
  const ids = items.filter(({ type }) => type !== 'official').map(({ id }) => id);
  if (ids.length > 0) {
    throw new CliError(
      'conflict',
      `a private formula named ${JSON.stringify(name)} already exists: ${ids.join(', ')}`,
      {
        hint:
          dir &&
          `To replace it, run: ${client.command('formula update', ids[0] ?? '', toPathArgument(dir))}\nTo create another one, pass --allow-duplicate.`,
        details: { ids },
      },
    );
  }
  if (incompleteReason === undefined) return;
  throw new CliError(
    'unavailable',
    `could not check whether the name ${JSON.stringify(name)} is in use: ${incompleteReason}`,
    {
      hint: `To search for it, run: ${formatSearchCommand(client, name)}${dir === undefined ? '' : '\nTo create it without this check, pass --allow-duplicate.'}`,
    },
  );
}

/** Raises conflict (6) with both ids when another computer created the name at the same time; `known` are the ids before. */
export async function assertNoNameConflict(
  client: ServiceClient,
  created: CreatedFormula,
  preexistingIds: ReadonlySet<string> | undefined,
) {
  const conflicts = await findNameConflicts(client, [created], preexistingIds);
  for (const conflict of conflicts.values()) throw conflict;
}
