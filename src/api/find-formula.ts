/** Which formula a word of the command line means. */
import { CliError } from '../errors.ts';
import type { Formula } from '../model.ts';
import type { ServiceClient } from './client.ts';
import { isSameId } from './formula-guards.ts';
import { getFormula, listFormulas } from './formula-reads.ts';
import { filterByName } from './incomplete-list.ts';
import type { ListResult } from './pagination.ts';

/** Whether a word that names a formula on the command line is an id, which is a UUID; else it is a name. */
export const isFormulaId = (idOrName: string): boolean => UUID.test(idOrName);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Finds the formula that a word means. A name is compared by exact code points and never becomes part of a path. Raises
 * not_found (5) for none, conflict (6) with the ids for several, unavailable (8) where the service does not show enough
 * to tell.
 */
export async function findFormula(client: ServiceClient, idOrName: string): Promise<Formula> {
  return isFormulaId(idOrName)
    ? getFormula(client, idOrName)
    : findInList(client, await listFormulas(client, { needsContent: ({ name }) => name === idOrName }), idOrName);
}

/** The one of a list of all formulas that a word means. Raises as `findFormula` does. */
export async function findInList(client: ServiceClient, list: ListResult<Formula>, idOrName: string): Promise<Formula> {
  const command = client.command('formula list');
  if (!isFormulaId(idOrName)) {
    const hint = `names are compared exactly, case and all; ${command} shows them`;
    return requireUnique(filterByName(list, idOrName), idOrName, client, hint);
  }
  const found = list.items.find(({ id }) => isSameId(id, idOrName));
  if (found) return found;
  if (list.incompleteReason !== undefined) return getFormula(client, idOrName);
  throw new CliError('not_found', `no formula has the id ${idOrName}`, { hint: `${command} shows the ids` });
}

/** The one formula of a name. Raises not_found (5) with `hint`, conflict (6) with the ids of several, unavailable (8). */
export function requireUnique(
  { items, incompleteReason }: ListResult<Formula>,
  name: string,
  client: ServiceClient,
  hint: string,
): Formula {
  const [match, ...more] = items;
  if (more.length > 0) {
    const ids = items.map(({ id }) => id);
    throw new CliError(
      'conflict',
      `${items.length} formulas have the name ${JSON.stringify(name)}: ${ids.join(', ')}`,
      { hint: `give the id instead; ${formatSearchCommand(client, name)} shows them side by side`, details: { ids } },
    );
  }
  if (incompleteReason !== undefined) {
    throw new CliError(
      'unavailable',
      `could not tell which formula has the name ${JSON.stringify(name)}: ${incompleteReason}`,
      {
        hint: `Use the id instead of the name${match ? ` (a formula of this name is ${match.id})` : ''}.`,
      },
    );
  }
  if (match) return match;
  throw new CliError('not_found', `no formula has the name ${JSON.stringify(name)}`, { hint });
}

/** The command that shows what the service's search finds for a name. */
export const formatSearchCommand = (client: ServiceClient, name: string) => client.command('formula list --name', name);
