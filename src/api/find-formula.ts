/** Which formula a word of the command line means. */
import { CliError } from '../errors.ts';
import type { Formula } from '../model.ts';
import type { Send } from './client.ts';
import { sameId } from './formula-guards.ts';
import { getFormula, listFormulas } from './formula-reads.ts';
import { findNamesakes, type Namesakes } from './incomplete-list.ts';
import type { Collected } from './pagination.ts';

/** Whether a word that names a formula on the command line is an id, which is a UUID; else it is a name. */
export const isId = (word: string): boolean => UUID.test(word);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Finds the formula that a word means. A name is compared by exact code points and never becomes part of a path. Raises
 * not_found (5) for none, conflict (6) with the ids for several, unavailable (8) where the service does not show enough
 * to tell.
 */
export async function findFormula(send: Send, word: string): Promise<Formula> {
  return isId(word)
    ? getFormula(send, word)
    : findListed(send, await listFormulas(send, { needsContent: ({ name }) => name === word }), word);
}

/** The one of a list of all formulas that a word means. Raises as `findFormula` does. */
export async function findListed(send: Send, list: Collected<Formula>, word: string): Promise<Formula> {
  const command = send.command('formula list');
  if (!isId(word)) {
    const hint = `names are compared exactly, case and all; ${command} shows them`;
    return theOneOf(await findNamesakes(send, list, word), word, send, hint);
  }
  const found = list.items.find(({ id }) => sameId(id, word));
  if (found) return found;
  if (list.doubt !== undefined) return getFormula(send, word);
  throw new CliError('not_found', `no formula has the id ${word}`, { hint: `${command} shows the ids` });
}

/** The one formula of a name. Raises not_found (5) with `hint`, conflict (6) with the ids of several, unavailable (8). */
export function theOneOf({ formulas, doubt }: Namesakes, name: string, send: Send, hint: string): Formula {
  const [match, ...more] = formulas;
  if (more.length > 0) {
    const ids = formulas.map(({ id }) => id);
    throw new CliError(
      'conflict',
      `${formulas.length} formulas have the name ${JSON.stringify(name)}: ${ids.join(', ')}`,
      { hint: `give the id instead; ${searchCommand(send, name)} shows them side by side`, details: { ids } },
    );
  }
  if (doubt !== undefined) {
    throw new CliError('unavailable', `could not tell which formula has the name ${JSON.stringify(name)}: ${doubt}`, {
      hint: `give the id instead${match ? ` (one that has the name is ${match.id})` : ''}; ${searchCommand(send, name)} shows what a search finds`,
    });
  }
  if (match) return match;
  throw new CliError('not_found', `no formula has the name ${JSON.stringify(name)}`, { hint });
}

/** The command that shows what the service's search finds for a name. */
export const searchCommand = (send: Send, name: string) => send.command('formula list --name', name);
