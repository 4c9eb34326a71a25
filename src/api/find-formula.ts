/** Finds the formula that an argument names. */
import { CliError } from '../errors.ts';
import type { Formula } from '../model.ts';
import { suggest } from '../text/did-you-mean.ts';
import { isUuid } from '../text/uuid.ts';
import type { ServiceClient } from './client.ts';
import { isSameId } from './formula-guards.ts';
import { getFormula, listFormulas } from './formula-reads.ts';
import { filterByName } from './incomplete-list.ts';
import type { ListResult } from './pagination.ts';

/**
 * Finds a formula by id (a UUID) or name. A name is compared by exact code points and never becomes part of a path. Raises
 * not_found (5) for none, conflict (6) with the ids for several, unavailable (8) for a name in an incomplete list.
 */
export async function findFormula(client: ServiceClient, idOrName: string): Promise<Formula> {
  return isUuid(idOrName)
    ? getFormula(client, idOrName)
    : findInList(client, await listFormulas(client, { needsContent: ({ name }) => name === idOrName }), idOrName);
}

/** Finds a formula by id or name in a list of all formulas. Raises the errors of `findFormula`. */
export async function findInList(client: ServiceClient, list: ListResult<Formula>, idOrName: string): Promise<Formula> {
  const command = client.command('formula list');
  if (!isUuid(idOrName)) {
    const hint = `Names are case-sensitive.\nTo see all names, run: ${command}`;
    const matches = filterByName(list, idOrName);
    if (matches.items.length > 0 || matches.incompleteReason !== undefined)
      return requireUnique(matches, idOrName, client, hint);
    const [begun, ...others] = list.items.filter(({ id }) => beginsId(idOrName, id));
    const similar = suggest(
      idOrName,
      list.items.map(({ name }) => name),
    );
    throw new CliError(
      'not_found',
      `no formula is named ${JSON.stringify(idOrName)}${similar === undefined ? '' : `; did you mean ${JSON.stringify(similar)}?`}`,
      { hint: begun && others.length === 0 ? `Use the whole id: ${begun.id} (${JSON.stringify(begun.name)})` : hint },
    );
  }
  const found = list.items.find(({ id }) => isSameId(id, idOrName));
  if (found) return found;
  if (list.incompleteReason !== undefined) return getFormula(client, idOrName);
  throw new CliError('not_found', `no formula has the id ${idOrName}`, { hint: `To see all ids, run: ${command}` });
}

const beginsId = (text: string, id: string) =>
  /^[0-9a-f]{8}[0-9a-f-]*$/i.test(text) && id.toLowerCase().startsWith(text.toLowerCase());

/** Returns the only formula of a name. Raises not_found (5) with `hint`, conflict (6) with the ids, unavailable (8). */
export function requireUnique(
  { items, incompleteReason }: ListResult<Formula>,
  name: string,
  client: ServiceClient,
  hint: string,
): Formula {
  const [match, ...more] = items;
  if (more.length > 0) {
    const ids = items.map(({ id }) => id);
    throw new CliError('conflict', `${JSON.stringify(name)} matches ${items.length} formulas: ${ids.join(', ')}`, {
      hint: `Use the id instead of the name.\nTo compare them, run: ${formatSearchCommand(client, name)}`,
      details: { ids },
    });
  }
  if (incompleteReason !== undefined) {
    const message = `could not determine which formula is named ${JSON.stringify(name)}: ${incompleteReason}`;
    const hint = `Use the id instead of the name${match ? ` (a formula of this name is ${match.id})` : ''}.`;
    throw new CliError('unavailable', message, { hint });
  }
  if (match) return match;
  throw new CliError('not_found', `no formula is named ${JSON.stringify(name)}`, { hint });
}

/** A command that searches for a name. */
export const formatSearchCommand = (client: ServiceClient, name: string) => client.command('formula list --name', name);
